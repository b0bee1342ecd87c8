//===- State.h - What a program keeps between runs ------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_STATE_H
#define PTO_REFERENCE_STATE_H

#include "Reference/Launch.h"

namespace mlir::pto::reference {

class ProgramState {
public:
  explicit ProgramState(ModuleOp module) : module(module) {}

  /// What is checked from now on; what others left behind is forgotten.
  void setChecks(const CheckSet &set);
  /// The translation of a function; null after an error. Any thread may ask.
  const Code *getCode(FunctionOpInterface func);
  /// The translation of the region of a pto.block.at; its arguments are `used`.
  const Code *getRegion(Operation *at, ArrayRef<Value> used);
  const LayoutMap *getMap(BufType type);

  /// The memories of block `number`; those of the first blocks stay as the last
  /// kernel left them.
  ClusterMemory *acquire(uint32_t number);
  void release(uint32_t number, ClusterMemory *memory);

  /// Blocks whose memories stay.
  static constexpr uint32_t kKept = 24;

  ModuleOp module;
  const TargetInfo *target = nullptr;
  CheckSet checks;
  uint32_t epoch = 0;
  /// Allocations at addresses, of all functions that were translated.
  uint32_t buffers = 0;
  bool uncheckedOrder = false, uncheckedTasks = false;
  std::string profile; // of the last run, as JSON
  /// The cores of the last kernel, by block; not all of very many blocks.
  std::vector<std::pair<CoreKind, const CoreMemory *>> lastCores;

private:
  std::recursive_mutex translating;
  llvm::DenseMap<Operation *, std::unique_ptr<Code>> codes;
  llvm::DenseMap<Type, std::unique_ptr<LayoutMap>> maps;
  std::mutex acquiring;
  std::vector<std::unique_ptr<ClusterMemory>> kept, others;
  std::vector<ClusterMemory *> free;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_STATE_H
