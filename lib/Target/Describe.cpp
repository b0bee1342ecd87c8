//===- Describe.cpp - What a chip is, as JSON -----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Describe.h"

#include "Target/Chips.h"

using namespace mlir;
using namespace mlir::pto;
namespace json = llvm::json;

static json::Object describeSpaces(const TargetInfo &target) {
  json::Object spaces;
  for (const SpaceInfo &info : target.spaces)
    if (info.space != MemorySpace::DDR)
      spaces[stringifyMemorySpace(info.space)] =
          json::Object{{"capacity", target.getCapacity(info.space, /*mixed=*/false)},
                       {"mixed_capacity", target.getCapacity(info.space, /*mixed=*/true)},
                       {"alignment", info.alignment},
                       {"layout", stringifyTileLayout(info.layout)}};
  return spaces;
}

static json::Array describePaths(const TargetInfo &target) {
  json::Array paths;
  for (auto [from, to] : target.paths)
    paths.push_back(json::Array{stringifyMemorySpace(from), stringifyMemorySpace(to)});
  return paths;
}

/// The pairs of pipes that a flag joins on a core of this kind.
static json::Array describeFlags(const TargetInfo &target, CoreKind core) {
  json::Array flags;
  for (uint32_t src = 0; src < static_cast<uint32_t>(Pipe::ALL); ++src)
    for (uint32_t dst = 0; dst < static_cast<uint32_t>(Pipe::ALL); ++dst) {
      Pipe from = static_cast<Pipe>(src), to = static_cast<Pipe>(dst);
      if (target.hasFlag(from, to) && !target.isEmptyFlag(core, from, to) &&
          target.hasPipe(core, from) && target.hasPipe(core, to))
        flags.push_back(json::Array{stringifyPipe(from), stringifyPipe(to)});
    }
  return flags;
}

static json::Object describeCore(const TargetInfo &target, CoreKind core) {
  json::Array pipes;
  for (uint32_t number = 0; number <= static_cast<uint32_t>(Pipe::ALL); ++number)
    if (target.hasPipe(core, static_cast<Pipe>(number)))
      pipes.push_back(stringifyPipe(static_cast<Pipe>(number)));
  return json::Object{{"pipes", std::move(pipes)}, {"flags", describeFlags(target, core)}};
}

static json::Array describeTypes(DtypeSet types) {
  json::Array names;
  for (auto [type, name] : kDtypeNames)
    if (types & type)
      names.push_back(name);
  return names;
}

/// The element types of each instruction of the vector unit, by the mnemonic of pto.tile.
static json::Object describeVector(const TargetInfo &target) {
  json::Object ops;
  for (const VectorOpInfo &op : target.vectorOps)
    ops[op.mnemonic] = json::Object{{"types", describeTypes(op.types)},
                                    {"scalar_types", describeTypes(op.scalarTypes)}};
  return ops;
}

json::Value pto::describeTarget(const TargetInfo &target) {
  json::Array aliases;
  for (StringRef alias : target.aliases)
    aliases.push_back(alias);
  return json::Object{
      {"name", target.name},
      {"aliases", std::move(aliases)},
      {"event_ids", target.eventIds},
      {"mutex_ids", target.mutexIds},
      {"cross_core_ids", target.crossCore.ids},
      {"first_reserved_id", target.crossCore.firstReserved},
      {"last_reserved_id", target.crossCore.lastReserved},
      {"spaces", describeSpaces(target)},
      {"paths", describePaths(target)},
      {"vector", describeVector(target)},
      {"aic", describeCore(target, CoreKind::AIC)},
      {"aiv", describeCore(target, CoreKind::AIV)},
  };
}
