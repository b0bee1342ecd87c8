//===- CoreCache.cpp - A core and its data cache ------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/State.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

static std::string coreOfCache(const Cluster &cluster, unsigned core) {
  std::string name = cluster.coreName(core);
  return "the data cache" + (name.empty() ? "" : " of " + name);
}

LogicalResult Core::checkCache(const Instruction &instruction, const Window &window, bool writes) {
  if (!cluster.caches || !launch.run.checks.has(Check::DataCache) || window.map)
    return success();
  if (window.name && isa<TileType>(window.name.getType()))
    return success(); // on chip
  SmallVector<ByteRange, 16> bytes;
  window.getRanges(bytes);
  if (bytes.empty())
    return success();
  DataCaches &caches = *cluster.caches;
  // A copy whose pipe is not decided yet is a copy all the same.
  auto interface = dyn_cast<InstructionInterface>(instruction.op);
  bool copies = instruction.pipe != Pipe::S || (interface && !interface.getPipe());
  CacheProblem problem = copies   ? caches.copy(*window.memory, bytes, writes, instruction.op)
                         : writes ? caches.write(number, *window.memory, bytes[0], instruction.op)
                                  : caches.read(number, *window.memory, bytes[0]);
  if (!problem)
    return success();
  CheckError error(Check::DataCache, instruction.op);
  error.about(window.name, bytes.front().begin, bytes.back().end);
  error << (writes ? "writes " : "reads ") << valueWord(window.name);
  if (!window.place.empty())
    error << " at " << shapeWord(window.place);
  Site site = error.site();
  site.op = problem.other;
  site.writes = true;
  if (problem.kind != CacheProblem::Old)
    site.core = cluster.coreName(problem.core);
  if (problem.kind == CacheProblem::Old) {
    error << ", of which " << coreOfCache(cluster, number)
          << " may hold what was there before: pl.system.dcci in front of it drops that";
    error.other(std::move(site),
                operationWord(problem.other) + ": the later content comes from here");
  } else if (problem.kind == CacheProblem::Unwritten) {
    error << ", where a value is in " << coreOfCache(cluster, problem.core)
          << " only: pl.system.dcci behind the write brings it to DDR";
    error.other(std::move(site), operationWord(problem.other) + ": it is written here");
  } else {
    error << ", in a line of " << DataCaches::kLine << " bytes of which "
          << coreOfCache(cluster, problem.core)
          << " holds a part: when that is written out, this is lost; pl.system.dcci in between, or "
             "elements in other lines";
    error.other(std::move(site), operationWord(problem.other) + ": that part is written here");
  }
  error.fix("pto.block.dcci");
  return error;
}

LogicalResult Core::cleanCache(const Instruction &instruction, const Operand &array,
                               std::optional<int64_t> byte) {
  if (!cluster.caches)
    return success();
  const Memory &memory = *current->arrays[array.index].array->memory;
  auto written =
      byte ? cluster.caches->clean(number, memory, *byte) : cluster.caches->clean(number);
  // It is now that the bytes are written, for those who wait for them.
  for (auto [target, bytes] : written) {
    Window window;
    window.memory = const_cast<Memory *>(target);
    window.base = bytes.begin;
    window.rows = window.pitch = 1;
    window.cols = bytes.end - bytes.begin;
    window.elem = Elem::I8;
    window.name = array.value;
    if (Shadow *shadow = getShadow(*window.memory)) {
      Access access = cluster.order.next(number, Pipe::S, instruction.op);
      Reader reader = makeReader(access, cluster.order.getClock(number, Pipe::S), false, false);
      if (Problem problem = shadow->write(bytes, reader))
        return report(instruction, window, /*writes=*/true, problem, access);
      ranges.assign(1, bytes);
      log(*window.memory, access, /*writes=*/true);
    }
  }
  return success();
}

LogicalResult Core::checkCacheAtEnd() {
  if (!cluster.caches || !launch.run.checks.has(Check::DataCache))
    return success();
  Operation *op = cluster.caches->findUnwritten(number);
  if (!op)
    return success();
  Value array = findOperand({op, 0, 0, 0}, /*writes=*/true);
  CheckError error(Check::DataCache, op);
  error.about(array);
  error << "writes " << valueWord(array) << " in " << coreOfCache(cluster, number)
        << " only, and the kernel ends: pl.system.dcci behind it brings the value to DDR";
  error.fix("pto.block.dcci");
  return error;
}
