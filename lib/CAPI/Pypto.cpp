//===- Pypto.cpp - What the Python package sees of the compiler -----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Pypto.h"
#include "AscendC/Emitter.h"
#include "Parse.h"
#include "Pto/Pto.h"
#include "Register.h"
#include "Target/Describe.h"
#include "Tools.h"
#include "Transforms/MemoryMap.h"
#include "Transforms/Passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pto;

void pyptoRegisterDialects(MlirDialectRegistry registry) { registerAllDialects(*unwrap(registry)); }

void pyptoContextKeepErrorsShort(MlirContext context) {
  unwrap(context)->printOpOnDiagnostic(false);
}

void pyptoRegisterPasses(void) {
  static bool once = (pto::registerAllPasses(), true);
  (void)once;
}

/// Runs a tool of upstream's, which prints the operation below each error unless it
/// is told otherwise: for an error at a module that is all of it.
static int runQuietly(int (*tool)(int, char **), int argc, char **argv) {
  static char option[] = "--mlir-print-op-on-diagnostic=false";
  SmallVector<char *> words(argv, argv + argc);
  bool given = llvm::any_of(
      words, [](StringRef word) { return word.contains("-mlir-print-op-on-diagnostic"); });
  if (!given)
    words.insert(words.begin() + 1, option);
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  return tool(count, words.data());
}

int pyptoToolMain(int argc, char **argv) {
  StringRef name = llvm::sys::path::filename(argv[0]);
  if (name == "pypto-opt")
    return runQuietly(optMain, argc, argv);
  if (name == "pypto-translate")
    return runQuietly(translateMain, argc, argv);
  if (name == "pypto-run")
    return runMain(argc, argv);
  llvm::errs() << "no tool is called '" << name << "'\n";
  return 2;
}

MlirType pyptoTileTypeGet(MlirType elementType, int64_t rows, int64_t cols, int space, int layout) {
  Type element = unwrap(elementType);
  auto spaceKind = space < 0 ? std::nullopt : symbolizeMemorySpace(space);
  auto layoutKind = layout < 0 ? std::nullopt : symbolizeTileLayout(layout);
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(element.getContext())); };
  return wrap(TileType::getChecked(emitError, element.getContext(), ArrayRef<int64_t>{rows, cols},
                                   element, spaceKind, layoutKind));
}

MlirType pyptoGmTypeGet(MlirType elementType, intptr_t rank, const int64_t *shape) {
  Type element = unwrap(elementType);
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(element.getContext())); };
  return wrap(GmType::getChecked(emitError, element.getContext(), ArrayRef(shape, rank), element));
}

MlirModule pyptoParseNamed(MlirContext context, MlirStringRef text, MlirStringRef name) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)),
                              llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseNamed(sources, unwrap(context));
  return wrap(module.release());
}

MlirLogicalResult pyptoEmitAscendC(MlirModule module, PyptoSourceCallback callback,
                                   void *userData) {
  FailureOr<std::vector<SourceFile>> sources = emitAscendC(unwrap(module));
  if (failed(sources))
    return mlirLogicalResultFailure();
  for (const SourceFile &source : *sources)
    callback(wrap(StringRef(source.path)), wrap(StringRef(source.text)), userData);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pyptoDescribeMemory(MlirModule module, PyptoTextCallback callback,
                                      void *userData) {
  FailureOr<llvm::json::Value> found = describeMemory(unwrap(module));
  if (failed(found))
    return mlirLogicalResultFailure();
  std::string text;
  llvm::raw_string_ostream(text) << *found;
  callback(wrap(StringRef(text)), userData);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pyptoDescribeTarget(MlirStringRef name, PyptoTextCallback callback,
                                      void *userData) {
  const TargetInfo *target = lookupTarget(unwrap(name));
  if (!target)
    return mlirLogicalResultFailure();
  std::string text;
  llvm::raw_string_ostream(text) << describeTarget(*target);
  callback(wrap(StringRef(text)), userData);
  return mlirLogicalResultSuccess();
}
