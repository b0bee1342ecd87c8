//===- Block.cpp - Cores, tasks, flags --------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Inspect.h"
#include "Reference/Launch.h"
#include "Reference/Translator.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// A section is run by the cores of its kind; the others go past it.
LogicalResult Translator::addSection(Operation *operation) {
  auto op = cast<BlockSectionOp>(operation);
  CoreKind kind = op.getCore();
  int32_t branch =
      add(op, [kind](Core &core) { return core.kind == kind ? Flow::Next : Flow::Jump; });
  core = kind;
  LogicalResult result = addBlock(op.getBody().front());
  core = std::nullopt;
  setTarget(branch, getNext());
  return result;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

namespace {
/// Flags of one core: pipes that it has, a pair that the chip joins, an id.
template <typename Op>
LogicalResult addFlag(Translator &to, Op op, std::optional<CoreKind> core,
                      LogicalResult (Order::*action)(unsigned, Pipe, Pipe, int64_t, Operation *)) {
  const TargetInfo &target = *to.program.target;
  Pipe src = op.getSrc(), dst = op.getDst();
  bool checks = to.program.checks.has(Check::CoreKind);
  if (checks && !target.hasFlag(src, dst))
    return CheckError(Check::CoreKind, op)
           << target.name << " has no flag from " << pipeWord(src) << " to " << pipeWord(dst);
  for (Pipe pipe : {src, dst})
    if (checks && core && !target.hasPipe(*core, pipe))
      return CheckError(Check::CoreKind, op)
             << "names pipe " << pipeWord(pipe) << ", which a core of kind "
             << stringifyCoreKind(*core).upper() << " does not have";
  Index id = op.getId() ? Index{static_cast<int64_t>(*op.getId()), -1}
                        : Index{0, to.getScalar(op.getDynamicId())};
  Operation *operation = op;
  int64_t ids = target.eventIds;
  to.add(op, [=](Core &core) {
    int64_t number = id.get(core.frame());
    if (number < 0 || number >= ids) {
      CheckError(Check::Bounds, operation)
          << "event id " << number << " is not within 0 to " << ids - 1;
      return Flow::Fail;
    }
    return next((core.cluster.order.*action)(core.number, src, dst, number, operation));
  });
  return success();
}
} // namespace

static LogicalResult addBarrier(Translator &to, BlockBarrierOp op) {
  Pipe pipe = op.getPipe();
  if (pipe == Pipe::S)
    return emitUserError(op) << "the scalar unit runs in order; there is no barrier for it";
  if (failed(to.checkNamedPipe(op, pipe)))
    return failure();
  to.add(op, [pipe](Core &core) {
    core.cluster.order.barrier(core.number, pipe);
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Identity and printing
//===----------------------------------------------------------------------===//

template <typename Function>
static LogicalResult addIdentity(Translator &to, Operation *op, Function function) {
  int32_t dst = to.getScalar(op->getResult(0));
  to.add(op, [=](Core &core) {
    core.frame().scalars[dst].i = function(core);
    return Flow::Next;
  });
  return success();
}

namespace {
/// A scalar to print, and the bits of its type.
struct Printed {
  int32_t scalar;
  unsigned width;
};
} // namespace

static std::string formatPrint(StringRef format, ArrayRef<Printed> args, const Frame &frame) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned arg = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      os << format[i];
      continue;
    }
    char kind = format[++i];
    if (kind == '%') {
      os << '%';
      continue;
    }
    auto [scalar, width] = args[arg++];
    const Scalar &value = frame.scalars[scalar];
    uint64_t bits = width >= 64 ? value.i : value.i & ((uint64_t(1) << width) - 1);
    if (kind == 'f')
      os << llvm::format("%f", value.f);
    else if (kind == 'x')
      os << llvm::format("%llx", static_cast<unsigned long long>(bits));
    else if (kind == 'u')
      os << bits;
    else
      os << value.i;
  }
  return text;
}

static LogicalResult addPrint(Translator &to, BlockPrintOp op) {
  SmallVector<Printed> args;
  for (Value value : op.getArgs())
    args.push_back({to.getScalar(value),
                    value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth()});
  StringRef format = op.getFormat(); // lives as long as the module
  to.add(op, [=](Core &core) {
    core.cluster.print(formatPrint(format, args, core.frame()));
    return Flow::Next;
  });
  return success();
}

/// The elements of a buffer or an array, a row a line; those that nobody has written are
/// question marks.
static std::string formatContent(const Content &content) {
  constexpr int64_t kShown = 4096;
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t size = elemBytes(content.elem), count = content.bytes.size() / size;
  int64_t width = content.shape.empty() ? 1 : std::max<int64_t>(content.shape.back(), 1);
  for (int64_t i = 0; i < std::min(count, kShown); ++i) {
    os << (i % width ? " " : "  ");
    if (!content.defined.empty() && !content.defined[i])
      os << '?';
    else if (isInteger(content.elem))
      os << loadInteger(content.elem, &content.bytes[i * size]);
    else
      os << llvm::format("%.9g", loadElement(content.elem, &content.bytes[i * size]));
    if ((i + 1) % width == 0 || i + 1 == std::min(count, kShown))
      os << '\n';
  }
  if (count > kShown)
    os << "  and " << count - kShown << " more\n";
  return text;
}

static LogicalResult addDump(Translator &to, BlockDumpOp op) {
  Slot source = to.getSlot(op.getSource());
  Value value = op.getSource();
  StringRef label = op.getLabel(); // lives as long as the module
  to.add(op, [=](Core &core) {
    std::optional<Content> content = readSlot(core, value, source);
    std::string place = core.cluster.coreName(core.number);
    std::string text = label.str() + (place.empty() ? "" : " (" + place + ")") + ": ";
    if (content)
      text += shapeWord(content->shape) + " " + dtypeWord(getElementTypeOf(value.getType())) +
              " in " + getSpaceWord(value) + "\n" + formatContent(*content);
    core.cluster.print(text);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addTrap(Translator &to, BlockTrapOp op) {
  Operation *operation = op;
  auto reason = op->getAttrOfType<StringAttr>(attr::kReason);
  std::string why = reason ? ": " + reason.getValue().str() : std::string();
  to.add(op, [=](Core &core) {
    std::string where = core.cluster.coreName(core.number);
    emitUserError(operation) << "stops the kernel" << (where.empty() ? "" : " on ") << where
                             << " in block " << core.cluster.number << why;
    return Flow::Fail;
  });
  return success();
}

static LogicalResult refuseKey(BlockReadKeyOp op) {
  return emitUserError(op) << "reads '" << op.getField() << "' of " << op.getSchema()
                           << ", and this kernel is for no key yet: pto-specialize-tiling-key "
                              "makes one for each key that is asked for";
}

std::optional<LogicalResult> Translator::addBlockOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<BlockSectionOp>([&](auto op) { return addSection(op); })
      .Case<BlockSetFlagOp>([&](auto op) { return addFlag(*this, op, core, &Order::setFlag); })
      .Case<BlockWaitFlagOp>([&](auto op) { return addFlag(*this, op, core, &Order::waitFlag); })
      .Case<BlockBarrierOp>([&](auto op) { return addBarrier(*this, op); })
      .Case<BlockPrintOp>([&](auto op) { return addPrint(*this, op); })
      .Case<BlockDumpOp>([&](auto op) { return addDump(*this, op); })
      .Case<BlockTrapOp>([&](auto op) { return addTrap(*this, op); })
      .Case<BlockReadKeyOp>([&](auto op) { return refuseKey(op); })
      .Case<BlockGetBlockIdxOp>([&](auto op) {
        return addIdentity(*this, op, [](Core &core) { return int64_t(core.cluster.number); });
      })
      .Case<BlockGetBlockNumOp>([&](auto op) {
        return addIdentity(*this, op, [](Core &core) { return core.launch.task.blocks; });
      })
      .Case<BlockGetSubblockNumOp>([&](auto op) {
        return addIdentity(*this, op, [](Core &core) -> int64_t {
          return core.launch.task.isCluster() && core.kind == CoreKind::AIV ? 2 : 1;
        });
      })
      .Case<BlockGetSubblockIdxOp>(
          [&](auto op) { return addIdentity(*this, op, [](Core &core) { return core.subblock; }); })
      .Default([](Operation *) { return std::nullopt; });
}
