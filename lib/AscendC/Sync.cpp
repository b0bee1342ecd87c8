//===- Sync.cpp - Flags, barriers, block numbers, print -------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

static std::string pipeWord(Pipe pipe) { return stringifyPipe(pipe).upper(); }

//===----------------------------------------------------------------------===//
// Within a core
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult printFlag(Printer &printer, Op op, StringRef call) {
  if (failed(printer.checkPipe(op, op.getSrc())) || failed(printer.checkPipe(op, op.getDst())))
    return failure();
  if (!printer.target.hasFlag(op.getSrc(), op.getDst()))
    return emitUserError(op) << "joins pipe " << stringifyPipe(op.getSrc()) << " to pipe "
                             << stringifyPipe(op.getDst()) << ", for which " << printer.target.name
                             << " has no event";
  std::string id;
  if (op.getDynamicId()) {
    std::optional<int64_t> known = printer.sum(op.getDynamicId()).getConstant();
    if (known && (*known < 0 || *known >= printer.target.eventIds))
      return emitUserError(op) << "has event id " << *known << "; ids are 0 to "
                               << printer.target.eventIds - 1;
    id = printer.str(op.getDynamicId());
  } else {
    if (*op.getId() >= printer.target.eventIds)
      return emitUserError(op) << "has event id " << *op.getId() << "; ids are 0 to "
                               << printer.target.eventIds - 1;
    id = "EVENT_ID" + std::to_string(*op.getId());
  }
  printer.at(op);
  printer.call(call.str() + "<HardEvent::" + pipeWord(op.getSrc()) + "_" + pipeWord(op.getDst()) +
                   ">",
               {id});
  return success();
}

static LogicalResult printSetFlag(Printer &printer, BlockSetFlagOp op) {
  return printFlag(printer, op, "SetFlag");
}
static LogicalResult printWaitFlag(Printer &printer, BlockWaitFlagOp op) {
  return printFlag(printer, op, "WaitFlag");
}

static LogicalResult printBarrier(Printer &printer, BlockBarrierOp op) {
  if (op.getPipe() == Pipe::S)
    return emitUserError(op) << "holds pipe s, which has no barrier; it does one thing after the "
                                "other";
  if (failed(printer.checkPipe(op, op.getPipe())))
    return failure();
  printer.at(op);
  printer.line("PipeBarrier<PIPE_" + pipeWord(op.getPipe()) + ">();");
  return success();
}

//===----------------------------------------------------------------------===//
// Between cores
//===----------------------------------------------------------------------===//

/// A kernel of one kind of core has no cluster to signal in.
template <typename Op> static LogicalResult checkMode(Op op) {
  FunctionKind kind = getFunctionKind(op->template getParentOfType<FunctionOpInterface>());
  if (kind == FunctionKind::Group || op.getMode() == 0)
    return success();
  return emitUserError(op) << "has mode " << op.getMode()
                           << ", which joins the cores of a cluster; it stands in a mixed kernel "
                              "(a function of kind group)";
}

template <typename Op> static LogicalResult checkStaticId(Op op) {
  if (op.getId())
    return success();
  return emitUserError(op) << "has an id known at run time only, which is not emitted yet";
}

static LogicalResult printCrossCoreSet(Printer &printer, BlockCrossCoreSetOp op) {
  if (failed(printer.checkPipe(op, op.getPipe())) || failed(checkMode(op)) ||
      failed(checkStaticId(op)))
    return failure();
  printer.at(op);
  printer.line("CrossCoreSetFlag<" + Twine(op.getMode()) + ", PIPE_" + pipeWord(op.getPipe()) +
               ">(" + Twine(*op.getId()) + ");");
  return success();
}

static LogicalResult printCrossCoreWait(Printer &printer, BlockCrossCoreWaitOp op) {
  if (failed(checkMode(op)) || failed(checkStaticId(op)))
    return failure();
  printer.at(op);
  printer.line("CrossCoreWaitFlag(" + Twine(*op.getId()) + ");");
  return success();
}

//===----------------------------------------------------------------------===//
// Who and how many
//===----------------------------------------------------------------------===//

/// In a mixed kernel the two AIVs of a cluster number themselves, not the cluster.
static LogicalResult printBlockIdx(Printer &printer, BlockGetBlockIdxOp op) {
  bool mixed = getFunctionKind(op->getParentOfType<FunctionOpInterface>()) == FunctionKind::Group;
  if (!mixed || printer.core == CoreKind::AIC) {
    printer.define(op.getResult(), {"GetBlockIdx()"});
    return success();
  }
  if (printer.core == CoreKind::AIV) {
    printer.define(op.getResult(), {"GetBlockIdx() / 2", Prec::Mul});
    return success();
  }
  printer.at(op);
  std::string name = printer.freshName(op.getResult(), "block");
  printer.line("int64_t " + name + " = GetBlockIdx();");
  printer.open("if ASCEND_IS_AIV {");
  printer.line(name + " /= 2; // two AIVs a block");
  printer.close();
  printer.bind(op.getResult(), {name});
  return success();
}

static LogicalResult printBlockNum(Printer &printer, BlockGetBlockNumOp op) {
  printer.define(op.getResult(), {"GetBlockNum()"});
  return success();
}

static LogicalResult printSubblockIdx(Printer &printer, BlockGetSubblockIdxOp op) {
  printer.define(op.getResult(), {"GetSubBlockIdx()"});
  return success();
}

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

static std::string quote(StringRef text) {
  std::string quoted = "\"";
  for (unsigned char c : text) {
    if (c == '\n')
      quoted += "\\n";
    else if (c == '"' || c == '\\')
      quoted += std::string("\\") + char(c);
    else if (c < 32 || c >= 127)
      quoted +=
          "\\" + std::string(1, '0' + (c >> 6)) + char('0' + ((c >> 3) & 7)) + char('0' + (c & 7));
    else
      quoted += char(c);
  }
  return quoted + "\"";
}

/// The format with the length that 64-bit arguments need, and the arguments as the
/// format wants them: FP32, or an integer of that length.
static LogicalResult printPrint(Printer &printer, BlockPrintOp op) {
  std::string format;
  SmallVector<std::string> args;
  StringRef rest = op.getFormat();
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    format += c;
    if (c != '%' || rest.empty())
      continue;
    char kind = rest.front();
    rest = rest.drop_front();
    if (kind == '%') {
      format += kind;
      continue;
    }
    Value value = op.getArgs()[args.size()];
    Type type = value.getType();
    Expr expr = printer.get(value);
    bool wide = type.isIndex() || type.isInteger(64);
    if (wide)
      format += 'l';
    format += kind == 'i' ? 'd' : kind;
    if (type.isBF16() && printer.plane == Plane::Kernel)
      args.push_back("ToFloat(" + expr.text + ")");
    else if (kind == 'f')
      args.push_back(type.isF32() ? expr.text : "(float)" + expr.in(Prec::Unary));
    else
      args.push_back((wide ? "(int64_t)" : "(int32_t)") + expr.in(Prec::Unary));
  }
  args.insert(args.begin(), quote(format));
  printer.at(op);
  printer.call(printer.plane == Plane::Kernel ? "AscendC::printf" : "std::printf", args);
  return success();
}

void ascendc::registerSyncPrinters(Printers &printers) {
  printers.add<printSetFlag>();
  printers.add<printWaitFlag>();
  printers.add<printBarrier>();
  printers.add<printCrossCoreSet>();
  printers.add<printCrossCoreWait>();
  printers.add<printBlockIdx>();
  printers.add<printBlockNum>();
  printers.add<printSubblockIdx>();
  registerPrint(printers);
}

void ascendc::registerPrint(Printers &printers) { printers.add<printPrint>(); }
