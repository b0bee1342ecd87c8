//===- MemoryMap.cpp - Who holds which bytes when -------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/MemoryMap.h"
#include "ControlPlane.h"
#include "Pto/Words.h"
#include "Target/Target.h"
#include "Transforms/BufferLiveness.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pto;

static FileLineColRange fileOf(Location loc) { return loc->findInstanceOf<FileLineColRange>(); }

static BufType typeOf(TileAllocOp alloc) { return cast<BufType>(alloc.getResult().getType()); }

std::string pto::allocWord(TileAllocOp alloc) {
  StringRef name = nameOf(alloc.getResult());
  BufType type = typeOf(alloc);
  std::string text = name.empty() ? "" : ("'" + name + "', ").str();
  text += typeWord(type);
  if (type.getSlots() > 1)
    text += ", " + std::to_string(type.getSlots()) + " times";
  return text;
}

//===----------------------------------------------------------------------===//
// A picture of one point
//===----------------------------------------------------------------------===//

/// As many characters as the share of `capacity` asks for, one at least.
static std::string bar(int64_t bytes, int64_t capacity) {
  constexpr int64_t kWidth = 24;
  int64_t length = capacity > 0 ? (bytes * kWidth + capacity / 2) / capacity : 0;
  length = std::clamp<int64_t>(length, 1, 2 * kWidth);
  return std::string(length, '#') + std::string(std::max<int64_t>(0, kWidth - length), ' ');
}

std::string pto::drawMemory(SmallVector<MemoryRow> rows, int64_t capacity) {
  llvm::stable_sort(rows, [](const MemoryRow &a, const MemoryRow &b) {
    return a.address != b.address ? a.address < b.address : a.bytes > b.bytes;
  });
  size_t width = 0;
  for (const MemoryRow &row : rows)
    width = std::max(width, allocWord(row.alloc).size());
  std::string text;
  llvm::raw_string_ostream os(text);
  for (MemoryRow &row : rows) {
    std::string name = allocWord(row.alloc);
    os << "\n  ";
    if (row.address >= 0)
      os << llvm::format("0x%05llx..0x%05llx  ", static_cast<long long>(row.address),
                         static_cast<long long>(row.address + row.bytes));
    std::string line = bar(row.bytes, capacity) + "  " + bytesWord(row.bytes);
    os << line << std::string(line.size() < 36 ? 36 - line.size() : 1, ' ') << name;
    if (FileLineColRange place = fileOf(row.alloc.getLoc()))
      os << std::string(width - name.size(), ' ') << "  "
         << llvm::sys::path::filename(place.getFilename()) << ':' << place.getStartLine();
    if (row.overflows)
      os << "  <- does not fit";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// All of a module, as data
//===----------------------------------------------------------------------===//

static llvm::json::Object place(Location loc) {
  FileLineColRange found = fileOf(loc);
  if (!found)
    return llvm::json::Object{{"file", nullptr}, {"line", 0}};
  return llvm::json::Object{{"file", llvm::json::fixUTF8(found.getFilename())},
                            {"line", static_cast<int64_t>(found.getStartLine())}};
}

static llvm::json::Object describe(const BufferLife &life) {
  TileAllocOp alloc = life.alloc;
  BufType type = typeOf(alloc);
  llvm::json::Object found = place(alloc.getLoc());
  found["name"] = llvm::json::fixUTF8(nameOf(alloc.getResult()));
  found["type"] = typeWord(BufType::get(type.getRoot(), type.getElementType(), type.getSpace(),
                                        type.getLayout())) +
                  " " + stringifyTileLayout(type.getLayout()).str();
  found["bytes"] = type.getRootBytes();
  auto reason = alloc->getAttrOfType<StringAttr>("pto.reason");
  found["reason"] = llvm::json::fixUTF8(reason ? reason.getValue() : "");
  found["begin"] = life.begin;
  found["end"] = life.end;
  llvm::json::Array addresses, stretches;
  for (int64_t address : alloc.getAddrs().value_or(ArrayRef<int64_t>()))
    addresses.push_back(address);
  for (auto [begin, end] : life.stretches)
    stretches.push_back(llvm::json::Array{begin, end});
  found["addresses"] = std::move(addresses);
  found["stretches"] = std::move(stretches);
  return found;
}

/// What happens at the points, and the loops around them.
static void describeTime(func::FuncOp func, const BufferLiveness &liveness,
                         llvm::json::Object &kernel) {
  llvm::json::Array points, loops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto [begin, end] = liveness.getPoints(op);
    if (isa<InstructionInterface>(op)) {
      llvm::json::Object point = place(op->getLoc());
      point["point"] = begin;
      point["word"] = llvm::json::fixUTF8(operationWord(op));
      points.push_back(std::move(point));
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && begin) {
      llvm::json::Object loop = place(op->getLoc());
      StringRef name = argumentName(op, 0);
      Block &first = op->getRegion(0).front();
      if (name.empty() && first.getNumArguments() > 0)
        name = nameOf(first.getArgument(0));
      loop["name"] = llvm::json::fixUTF8(name);
      loop["begin"] = begin;
      loop["end"] = end;
      loops.push_back(std::move(loop));
    }
  });
  kernel["points"] = std::move(points);
  kernel["loops"] = std::move(loops);
}

static llvm::json::Object describe(func::FuncOp func, const TargetInfo &target, bool mixed) {
  BufferLiveness liveness(func);
  llvm::json::Object kernel = place(func.getLoc());
  kernel["name"] = llvm::json::fixUTF8(func.getName());
  llvm::MapVector<MemorySpace, llvm::json::Array> spaces;
  for (const BufferLife &life : liveness.getLives())
    spaces[typeOf(life.alloc).getSpace()].push_back(describe(life));
  llvm::json::Array list;
  for (auto &[space, allocations] : spaces)
    list.push_back(llvm::json::Object{{"name", spaceWord(space)},
                                      {"capacity", target.getCapacity(space, mixed)},
                                      {"allocations", std::move(allocations)}});
  kernel["spaces"] = std::move(list);
  describeTime(func, liveness, kernel);
  return kernel;
}

FailureOr<llvm::json::Value> pto::describeMemory(ModuleOp module) {
  const TargetInfo *target = getTarget(module);
  if (!target)
    return failure();
  llvm::json::Array kernels;
  llvm::StringSet<> clustered = getClusterKernels(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    bool holds = func.walk([](TileAllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
    bool mixed = getFunctionKind(func) == FunctionKind::Group || clustered.contains(func.getName());
    if (holds)
      kernels.push_back(describe(func, *target, mixed));
  }
  return llvm::json::Value(
      llvm::json::Object{{"target", target->name}, {"kernels", std::move(kernels)}});
}
