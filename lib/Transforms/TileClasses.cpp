//===- TileClasses.cpp - Which tile values share a buffer -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TileClasses.h"

#include "Tile/TileOps.h"
#include "Transforms/ValueLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Tiles, their lives and hand-overs
//===----------------------------------------------------------------------===//

TileClasses::TileClasses(func::FuncOp func) {
  number(func);
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A name for the same tile.
    if (auto valid = dyn_cast<TileSetValidShapeOp>(op)) {
      numbers[valid.getResult()] = numbers.lookup(valid.getSource());
      return;
    }
    // What a while loop hands on is what it carries.
    if (isa<scf::ConditionOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<TileType>(operand.get().getType())) {
        Tile &tile = tiles[numbers.lookup(operand.get())];
        tile.uses.push_back(&operand);
        extendLife(tile, &operand);
      }
    if (ValueLoop loop = ValueLoop::get(op))
      for (unsigned index = 0; index < loop.getNumCarried(); ++index)
        add(loop.getArgument(index));
    for (Value result : op->getResults())
      add(result);
  });
  // First those that no copy can loosen.
  func.walk([&](Operation *op) {
    if (op->hasTrait<UpdatesFirst>() && op->getNumResults() == 1)
      transfers.push_back({op, 0, getNumber(op->getOperand(0)), getNumber(op->getResult(0)),
                           /*fixed=*/true});
  });
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { addTransfers(op); });
  for (auto [index, transfer] : llvm::enumerate(transfers))
    if (!transfer.fixed)
      classes[transfer.to].pending.push_back(index);
}

void TileClasses::number(func::FuncOp func) {
  // Points are even, so that a copy before an operation fits between two.
  int64_t point = 0;
  func.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      points[op] = point += 2;
    if (stage.isAfterAllRegions())
      ends[op] = point += 2;
  });
}

unsigned TileClasses::add(Value value) {
  if (!isa<TileType>(value.getType()))
    return 0;
  unsigned number = tiles.size();
  Operation *op = value.getDefiningOp();
  int64_t begin = op ? getPoint(op) : getPoint(value.getParentBlock()->getParentOp());
  // What an operation with regions gives exists when they are done.
  if (op && op->getNumRegions())
    begin = ends.lookup(op);
  tiles.push_back({value, {}, begin, begin});
  leaders.push_back(number);
  classes.push_back({{number}, {}});
  numbers[value] = number;
  return number;
}

/// A use in a loop that the tile comes from outside of keeps it until the loop ends.
void TileClasses::extendLife(Tile &tile, OpOperand *use) {
  Operation *op = use->getOwner();
  int64_t end = getPoint(op);
  Block *home = tile.value.getParentBlock();
  for (; op && op->getBlock() != home; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op->getParentOp()))
      end = std::max(end, ends.lookup(op->getParentOp()));
  tile.end = std::max(tile.end, end);
}

void TileClasses::addTransfers(Operation *op) {
  auto transfer = [&](OpOperand &operand, Value to) {
    if (isa<TileType>(to.getType()))
      transfers.push_back({operand.getOwner(), operand.getOperandNumber(), getNumber(operand.get()),
                           getNumber(to)});
  };
  ValueLoop loop = ValueLoop::get(op);
  if (!loop && !isa<scf::IfOp>(op))
    return;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!isa<TileType>(result.getType()))
      continue;
    // What a loop carries and what it gives are one by themselves.
    Value to = loop ? loop.getArgument(index) : Value(result);
    if (loop) {
      unsigned argument = getNumber(to), given = getNumber(result);
      leaders[given] = argument;
      classes[argument].tiles.push_back(given);
      classes[given].tiles.clear();
      transfer(loop.getInit(index), to);
      transfer(loop.getYielded(index), to);
      continue;
    }
    for (Region &region : op->getRegions())
      transfer(region.front().getTerminator()->getOpOperand(index), to);
  }
}

//===----------------------------------------------------------------------===//
// Liveness
//===----------------------------------------------------------------------===//

OpOperand *TileClasses::findUseAfter(unsigned number, Operation *op, bool before,
                                     const OpOperand *except) const {
  const Tile &tile = tiles[number];
  Value value = tile.value;
  Block *home = value.getParentBlock();
  Operation *def = value.getDefiningOp();
  if (!home->findAncestorOpInBlock(*op))
    return nullptr; // not in its scope
  // Outward from `op`: what follows in each block; and all of a loop, if the
  // tile comes from outside of it, for the next iteration.
  for (Operation *at = op; at; at = at->getParentOp()) {
    Block *block = at->getBlock();
    if (block == home && def && (def == at || at->isBeforeInBlock(def)))
      return nullptr; // not made yet
    bool loop = block != home && isa<scf::ForOp, scf::WhileOp>(block->getParentOp());
    for (OpOperand *use : tile.uses) {
      Operation *there = block->findAncestorOpInBlock(*use->getOwner());
      if (!there || use == except)
        continue;
      bool self = at == op && before && there == at;
      if (loop || self || at->isBeforeInBlock(there))
        return use;
    }
    if (block == home)
      return nullptr;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Whether an instruction, or a copy that may still come, makes a tile of `made`
/// while one of `needed` is live.
std::optional<Clash> TileClasses::findOverwrite(const Class &made, const Class &needed,
                                                unsigned transfer) const {
  const Transfer &here = transfers[transfer];
  for (unsigned number : made.tiles) {
    const Tile &tile = tiles[number];
    Operation *def = Value(tile.value).getDefiningOp();
    if (!def || def->getNumRegions())
      continue; // carried: no instruction makes it
    for (unsigned other : needed.tiles) {
      // A copy stands up to one point before what it is for.
      if (tiles[other].end < tile.begin - 1 || tiles[other].begin > tile.begin + 1)
        continue;
      if (OpOperand *use = findUseAfter(other, def, /*before=*/false))
        return Clash{number, other, def, use};
    }
  }
  for (unsigned index : made.pending) {
    const Transfer &copy = transfers[index];
    // What comes from one of the two classes needs no copy once they are one.
    unsigned from = leaders[copy.from];
    if (index == transfer || from == leaders[here.from] || from == leaders[here.to])
      continue;
    // A copy at the very place would write over what is handed over there.
    if (copy.at == here.at)
      return Clash{copy.to, here.from, copy.at, &here.at->getOpOperand(here.operand)};
    int64_t point = getPoint(copy.at);
    const OpOperand *self = &copy.at->getOpOperand(copy.operand);
    for (unsigned other : needed.tiles) {
      if (tiles[other].end < point || tiles[other].begin > point)
        continue;
      if (OpOperand *use = findUseAfter(other, copy.at, /*before=*/true, self))
        return Clash{copy.to, other, copy.at, use};
    }
  }
  return std::nullopt;
}

std::optional<Clash> TileClasses::findClash(unsigned transfer) const {
  unsigned from = leaders[transfers[transfer].from], to = leaders[transfers[transfer].to];
  if (from == to)
    return std::nullopt;
  if (std::optional<Clash> clash = findOverwrite(classes[to], classes[from], transfer))
    return clash;
  if (std::optional<Clash> clash = findOverwrite(classes[from], classes[to], transfer))
    return clash;
  // Two copies that may come at one place fill two buffers.
  for (unsigned one : classes[from].pending)
    for (unsigned two : classes[to].pending)
      if (one != transfer && two != transfer && transfers[one].at == transfers[two].at)
        return Clash{transfers[two].to, transfers[one].to, transfers[one].at,
                     &transfers[one].at->getOpOperand(transfers[one].operand)};
  return std::nullopt;
}

std::optional<Clash> TileClasses::findLoss(unsigned tile) const {
  const Class &all = classes[leaders[tile]];
  for (unsigned number : all.tiles) {
    Operation *def = tiles[number].value.getDefiningOp();
    if (number == tile || !def || def->getNumRegions())
      continue;
    if (OpOperand *use = findUseAfter(tile, def, /*before=*/false))
      return Clash{number, tile, def, use};
  }
  for (unsigned index : all.pending) {
    const Transfer &copy = transfers[index];
    const OpOperand *self = &copy.at->getOpOperand(copy.operand);
    if (OpOperand *use = findUseAfter(tile, copy.at, /*before=*/true, self))
      return Clash{copy.to, tile, copy.at, use};
  }
  return std::nullopt;
}

void TileClasses::join(unsigned transfer) {
  unsigned from = leaders[transfers[transfer].from], to = leaders[transfers[transfer].to];
  if (from != to) {
    // The smaller one moves.
    if (classes[from].tiles.size() > classes[to].tiles.size())
      std::swap(from, to);
    for (unsigned tile : classes[from].tiles)
      leaders[tile] = to;
    llvm::append_range(classes[to].tiles, classes[from].tiles);
    llvm::append_range(classes[to].pending, classes[from].pending);
    classes[from] = {};
  }
  llvm::erase_if(classes[to].pending,
                 [&](unsigned index) { return leaders[transfers[index].from] == to; });
}

void TileClasses::insert(unsigned transfer, Operation *op) {
  Transfer &here = transfers[transfer];
  OpOperand *operand = &here.at->getOpOperand(here.operand);
  llvm::erase(tiles[here.from].uses, operand);
  points[op] = getPoint(here.at) - 1;
  for (OpOperand &source : op->getOpOperands())
    if (isa<TileType>(source.get().getType())) {
      Tile &tile = tiles[getNumber(source.get())];
      tile.uses.push_back(&source);
      extendLife(tile, &source);
    }
  operand->set(op->getResult(0));
  here.from = add(op->getResult(0));
  tiles[here.from].uses.push_back(operand);
  tiles[here.from].end = getPoint(here.at);
}

void TileClasses::remove(unsigned transfer, Value source) {
  Transfer &here = transfers[transfer];
  OpOperand *operand = &here.at->getOpOperand(here.operand);
  Operation *op = operand->get().getDefiningOp();
  for (OpOperand &used : op->getOpOperands())
    if (isa<TileType>(used.get().getType()))
      llvm::erase(tiles[getNumber(used.get())].uses, &used);
  // Its number stays, with a class that nothing is in.
  numbers.erase(op->getResult(0));
  classes[here.from] = {};
  tiles[here.from] = {};
  points.erase(op);
  operand->set(source);
  op->erase();
  here.from = getNumber(source);
  tiles[here.from].uses.push_back(operand);
}
