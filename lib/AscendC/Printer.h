//===- Printer.h - What every AscendC printer uses ----------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The emitter is mechanical: one small function an operation prints one call,
// its form decided by the operand types alone. The functions are found by the
// operation's name in `Printers`; a topic registers its own:
//
//   Emitter.cpp        modules, functions, sections
//   Scalars.cpp        arith
//   ControlFlow.cpp    scf
//   Windows.cpp        alloc, slot, subview; how a window is named
//   Arrays.cpp         pointers and views of arrays; single elements
//   DataMovement.cpp   load, store, move
//   Vector.cpp         element by element, casts, reductions, broadcasts
//   Cube.cpp           Mat to Left, Right and Bias, products
//   Fixpipe.cpp        accumulators to DDR and to Vec
//   Sync.cpp           flags, mutexes, barriers, block numbers
//   Debug.cpp          print, dump, trap
//   Orchestration.cpp  entries: plain host C++
//   Tasks.cpp          what stands in entries; runtime/pto_tasks.h is what it calls
//   Names.cpp          C++ names of the author's variables
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ASCENDC_PRINTER_H
#define PTO_ASCENDC_PRINTER_H

#include "AscendC/Names.h"
#include "Pto/Pto.h"
#include "Target/Target.h"
#include "Tile/TileOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <string>

namespace mlir::pto::ascendc {

/// How tightly a C++ expression binds, tightest first.
enum class Prec {
  Atom,
  Unary,
  Mul,
  Add,
  Shift,
  Less,
  Equal,
  BitAnd,
  BitXor,
  BitOr,
  And,
  Or,
  Select
};

/// A C++ expression.
struct Expr {
  std::string text;
  Prec prec = Prec::Atom;
  /// The text, in parentheses if it binds less tightly than `limit`.
  std::string in(Prec limit) const { return prec > limit ? "(" + text + ")" : text; }
};

/// An integer that is a constant plus multiples of expressions: offsets and
/// extents, so that `(i * 64) * 16 + 8` becomes `i * 1024 + 8`.
class Sum {
public:
  Sum(int64_t constant = 0) : constant(constant) {}
  static Sum term(Expr expr) {
    Sum sum;
    sum.terms.push_back({1, std::move(expr)});
    return sum;
  }
  Sum operator+(const Sum &other) const;
  Sum operator*(int64_t factor) const;
  Sum operator*(const Sum &other) const;
  std::optional<int64_t> getConstant() const;
  bool isZero() const { return getConstant() == 0; }
  Expr expr() const;
  std::string str() const { return expr().text; }
  /// The text as a field of a parameter struct: a value known at run time only is
  /// converted, since a brace initialiser does not narrow by itself.
  std::string as(StringRef type) const;
  /// Whether every value of it is a multiple of `step`, as far as one can see.
  bool isMultipleOf(int64_t step) const;

private:
  int64_t constant;
  SmallVector<std::pair<int64_t, Expr>, 2> terms;
};

/// A window of on-chip memory, as C++ names it.
struct Window {
  BufType type;
  std::string tensor; // the LocalTensor of the allocation (or slot)
  Value allocation;
  Sum row, col;   // where it begins in the allocation
  Sum rows, cols; // its extents

  int64_t elementBytes() const { return getElementBytes(type.getElementType()); }
  Sum count() const;
  /// 32-byte blocks from one row to the next; nothing if that is no whole number.
  std::optional<int64_t> rowPitch() const;
  /// Elements from the beginning of the allocation to that of the window.
  Sum offset() const;
  /// `t` or `t[row * 64]`.
  std::string ref() const;
  /// Rows and columns of the allocation, whole fractals.
  int64_t paddedRows() const;
  int64_t paddedCols() const;
};

/// An array in DDR, as C++ names it.
struct Array {
  GmType type;
  /// Its address, and the elements that this points to (none: bytes).
  Expr address;
  Type pointee;
  std::string tensor; // the GlobalTensor that it is reached by
  Sum begin;          // where it begins there, in elements
  SmallVector<Sum, 2> extents, strides;
};

/// What is printed: code of a kernel, or plain C++ of the host.
enum class Plane { Kernel, Host };

class Printer {
public:
  Printer(Plane plane, const TargetInfo &target) : plane(plane), target(target) {}

  const Plane plane;
  const TargetInfo &target;
  Names names;
  /// The kind of core that runs what is printed now; nothing in a mixed kernel
  /// outside its sections.
  std::optional<CoreKind> core;
  /// On the host: the extents of the entry's arrays that only the run knows.
  DenseMap<std::pair<Value, unsigned>, std::string> hostExtents;
  /// How many dumps were printed: each has a number.
  unsigned dumps = 0;

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  void line(const Twine &text);
  void blank() { text += "\n"; }
  /// `head(args…);` (or another `tail`), broken between arguments where it is too long.
  void call(StringRef head, ArrayRef<std::string> args, StringRef tail = ";");
  /// A statement that opens a block, and what closes it. A block has its own names.
  void open(const Twine &head);
  /// Begins the block of a head that `call` printed.
  void enter();
  void close(StringRef text = "}");
  /// Closes a block and opens another: `} else {`.
  void reopen(StringRef text);
  /// A comment with the author's file and line, where they changed.
  void at(Operation *op);
  /// Where the text ends now.
  size_t mark() const { return text.size(); }
  /// Replaces the head of the block that `open` has just opened at `mark`.
  void reopenAs(size_t mark, const Twine &head);
  std::string take() { return std::move(text); }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// The C++ expression of a scalar (or of an array on the host).
  Expr get(Value value);
  std::string str(Value value) { return get(value).text; }
  /// The expression of a scalar as an argument whose type must be exact: AscendC
  /// deduces the element type from it.
  std::string exact(Value value);
  /// A variable or constant for the value, so that it can be named twice.
  Expr atom(Value value);
  void bind(Value value, Expr expr) { values[value] = std::move(expr); }
  bool isBound(Value value) const { return values.contains(value); }
  /// Binds a result of a pure operation: in place where it is used once, else as
  /// a variable of its own.
  void define(Value value, Expr expr);
  /// Whether the value stands as an expression where it is used.
  bool isInlined(Value value) const { return inlined.contains(value); }
  void bindConstant(Value value, TypedAttr attribute);
  TypedAttr getConstant(Value value) const { return constants.lookup(value); }
  /// An offset or extent.
  Sum sum(OpFoldResult value);
  Sum sum(Value value);
  std::string freshName(Value value, StringRef fallback);
  std::string cppType(Type type) const;
  std::string literal(TypedAttr attribute) const;

  void bindWindow(Value value, Window window) { windows.try_emplace(value, std::move(window)); }
  /// The window of a buffer; an error at `op` when it has none.
  FailureOr<Window> window(Operation *op, Value value);
  void bindArray(Value value, Array array) { arrays.try_emplace(value, std::move(array)); }
  /// An array in DDR; an error at `op` when the value is none that C++ names.
  FailureOr<Array> array(Operation *op, Value value);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult print(Operation *op);
  /// Everything in the block but its terminator; goes on behind an error.
  LogicalResult printBody(Block &block);
  /// An error unless the core that is printed for has the pipe.
  LogicalResult checkPipe(Operation *op, Pipe pipe);
  /// An error if the core that is printed for does not have the memory.
  LogicalResult checkCore(Operation *op, MemorySpace space);
  /// Sets the variables (an empty name: none) to what a terminator hands on.
  void assign(Operation *yield, ArrayRef<std::string> variables);

private:
  std::string text;
  unsigned indent = 0;
  std::string lastLocation;
  llvm::DenseMap<Value, Expr> values;
  llvm::DenseMap<Value, TypedAttr> constants;
  llvm::DenseSet<Value> inlined;
  llvm::DenseMap<Value, Window> windows;
  llvm::DenseMap<Value, Array> arrays;
};

/// Prints one operation.
using PrintFunction = LogicalResult (*)(Printer &, Operation *);

/// The printers, by the name of their operation.
class Printers {
public:
  static const Printers &get(Plane plane);
  PrintFunction lookup(StringRef operation) const { return functions.lookup(operation); }
  void add(StringRef operation, PrintFunction function) { functions[operation] = function; }
  /// Registers `LogicalResult function(Printer &, Op)`.
  template <auto function> void add() { addTyped<function>(function); }

private:
  template <auto function, typename Op> void addTyped(LogicalResult (*)(Printer &, Op)) {
    add(
        Op::getOperationName(),
        +[](Printer &printer, Operation *op) { return function(printer, cast<Op>(op)); });
  }
  llvm::StringMap<PrintFunction> functions;
};

void registerScalarPrinters(Printers &printers);
void registerControlFlowPrinters(Printers &printers);
void registerWindowPrinters(Printers &printers);
void registerArrayPrinters(Printers &printers);
void registerDataMovementPrinters(Printers &printers);
void registerVectorPrinters(Printers &printers);
void registerCubePrinters(Printers &printers);
void registerSyncPrinters(Printers &printers);
void registerDebugPrinters(Printers &printers);
void registerPrint(Printers &printers);
void registerSectionPrinters(Printers &printers);
void registerOrchestrationPrinters(Printers &printers);

/// Names a parameter of a kernel that is an array: its GlobalTensor.
/// `extents`: names of those of its extents that only the run knows.
void bindArrayParameter(Printer &printer, BlockArgument argument, StringRef name,
                        ArrayRef<std::string> extents);

/// An extent that a function is told behind its parameters.
struct HiddenExtent {
  unsigned argument, dim;
};
SmallVector<HiddenExtent> getHiddenExtents(FunctionOpInterface func);
/// Their names, behind those of the parameters.
SmallVector<std::string> nameHiddenExtents(Printer &printer, FunctionOpInterface func,
                                           ArrayRef<std::string> names);
/// Elements of an array, as offsets in it say.
struct ArrayWindow {
  std::string ref; // `xGm[row * 64]`
  Sum pitch;       // elements between the beginnings of two rows
  Sum step;        // elements between two columns
};
FailureOr<ArrayWindow> getArrayWindow(Printer &printer, Operation *op, Value array,
                                      ArrayRef<OpFoldResult> offsets);

/// Opens `if (rows > 0) {` where a chip leaves open what a vector instruction of no
/// elements does and the window may have none; whether it did.
bool openUnlessEmpty(Printer &printer, const Window &window);

/// What single instructions take; errors at `op` in the author's words.
LogicalResult checkLayout(Operation *op, const Window &window, TileLayout layout);
/// The elements of a row follow one another in the array; `buffer` is copied to or from.
LogicalResult checkStep(Operation *op, const ArrayWindow &array, BufType buffer);
/// An extent that one field of an instruction holds, as far as it is known.
LogicalResult checkLimit(Operation *op, StringRef what, const Sum &value, int64_t limit);
/// Declares a parameter struct and sets its fields, whose order in the
/// constructors is another one.
std::string printParams(Printer &printer, StringRef type, StringRef name,
                        ArrayRef<std::pair<StringRef, std::string>> fields);
/// The unit flag of an accumulator, as products and read-outs take it: 0, 2 or 3.
StringRef unitFlag(std::optional<Phase> phase);

/// Printers of Cube.cpp and Fixpipe.cpp that DataMovement.cpp chooses by the spaces.
LogicalResult printLoadToMat(Printer &printer, Operation *op, const Window &dst,
                             const ArrayWindow &src);
LogicalResult printMoveFromMat(Printer &printer, TileMoveOp op, const Window &src,
                               const Window &dst);
LogicalResult printMoveToBias(Printer &printer, TileMoveOp op, const Window &src,
                              const Window &dst);
LogicalResult printStoreFromAcc(Printer &printer, TileStoreOp op, const Window &src,
                                const ArrayWindow &dst);
LogicalResult printMoveFromAcc(Printer &printer, TileMoveOp op, const Window &src,
                               const Window &dst);

/// What a kernel's text begins with, for what is in the function.
void printKernelHead(Printer &printer, FunctionOpInterface func);
/// What code of an AIC begins with, for what is in it.
void printCubeModes(Printer &printer, Operation *code);

/// The header that entries include.
StringRef getTasksHeader();
/// One entry: plain C++ of the host that launches its tasks.
FailureOr<std::string> printOrchestration(FunctionOpInterface func, const TargetInfo &target);

/// Whether an integer is known not to be negative: then signed and unsigned
/// operations mean the same.
bool isNonNegative(Printer &printer, Value value, unsigned depth = 0);
/// An integer as the unsigned C++ type of its width.
Expr asUnsigned(Printer &printer, Value value);

/// The array that a tensor value names: through tasks, through loops that hand it
/// on, through branches that agree. `value` itself where it is no such name.
Value traceArray(Value value);

/// A parameter of a kernel, as the host gives it: `uint8_t *x`, `float scale`.
std::string hostParameter(Type type, StringRef name);
/// The parameter's type in C++ between host and kernel: FP16 and BF16 scalars
/// travel as float, which holds them exactly and which plain C++ has.
std::string hostType(Type type);

} // namespace mlir::pto::ascendc

#endif // PTO_ASCENDC_PRINTER_H
