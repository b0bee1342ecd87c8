//===- Debug.cpp - Print, dump, trap --------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Printer.h"
#include "Block/BlockOps.h"
#include "Pto/Words.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::ascendc;

//===----------------------------------------------------------------------===//
// Scalars
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

//===----------------------------------------------------------------------===//
// Buffers and arrays
//===----------------------------------------------------------------------===//

/// Runs of elements, one behind the other in memory: `rows` of `cols` each.
struct Dumped {
  std::string tensor;
  Sum begin, rows, cols, pitch;
  bool isOneRun = false;
};

static FailureOr<Dumped> findDumped(Printer &printer, BlockDumpOp op) {
  Value source = op.getSource();
  if (isa<GmType>(source.getType())) {
    FailureOr<Array> array = printer.array(op, source);
    if (failed(array))
      return failure();
    size_t rank = array->extents.size();
    bool rows = rank <= 2 && rank > 0 && array->strides.back().getConstant() == 1;
    if (!rows)
      return emitUserError(op) << "prints arrays of one or two dimensions whose extents the kernel "
                                  "knows and whose rows lie in one piece, found "
                               << valueWord(source);
    Sum one = 1;
    return Dumped{array->tensor,
                  array->begin,
                  rank == 2 ? array->extents[0] : one,
                  array->extents.back(),
                  rank == 2 ? array->strides[0] : one,
                  rank == 1};
  }
  FailureOr<Window> window = printer.window(op, source);
  if (failed(window) || failed(printer.checkCore(op, window->type.getSpace())))
    return failure();
  BufType type = window->type;
  bool fractal = isFractal(type.getLayout());
  if (type.getSpace() != MemorySpace::Vec || (fractal && !type.isWhole()) ||
      (type.getLayout() == TileLayout::DN && !type.isContiguous()))
    return emitUserError(op) << "prints buffers in Vec of layout nd, or whole ones, found "
                             << valueWord(source);
  if (fractal)
    return Dumped{window->tensor, 0, 1, window->paddedRows() * window->paddedCols(), 0, true};
  return Dumped{window->tensor, window->offset(),   window->rows,
                window->cols,   type.getRootCols(), false};
}

static LogicalResult printDump(Printer &printer, BlockDumpOp op) {
  FailureOr<Dumped> dumped = findDumped(printer, op);
  if (failed(dumped))
    return failure();
  printer.at(op);
  // What is printed is what is there when all that was begun is done.
  printer.line("PipeBarrier<PIPE_ALL>();");
  printer.call("AscendC::printf", {quote((op.getLabel() + ":\n").str())});
  std::string number = std::to_string(printer.dumps++);
  auto dump = [&](const Sum &begin, const Sum &count) {
    std::string at = begin.isZero() ? "" : "[" + begin.str() + "]";
    printer.call("DumpTensor", {dumped->tensor + at, number, count.as("uint32_t")});
  };
  bool whole = dumped->isOneRun || dumped->rows.getConstant() == 1;
  std::optional<int64_t> cols = dumped->cols.getConstant();
  if (whole || (cols && cols == dumped->pitch.getConstant())) {
    dump(dumped->begin, dumped->rows * dumped->cols);
    return success();
  }
  printer.names.push();
  std::string row = printer.names.fresh("row", "row");
  printer.open("for (int64_t " + row + " = 0; " + row + " < " +
               dumped->rows.expr().in(Prec::Shift) + "; ++" + row + ") {");
  dump(dumped->begin + Sum::term({row}) * dumped->pitch, dumped->cols);
  printer.close();
  printer.names.pop();
  return success();
}

static LogicalResult printTrap(Printer &printer, BlockTrapOp op) {
  printer.at(op);
  printer.line("Trap();");
  return success();
}

void ascendc::registerDebugPrinters(Printers &printers) {
  registerPrint(printers);
  printers.add<printDump>();
  printers.add<printTrap>();
}

void ascendc::registerPrint(Printers &printers) { printers.add<printPrint>(); }
