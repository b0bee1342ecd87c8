//===- Translate.cpp - pypto-translate -------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Emitter.h"
#include "Parse.h"
#include "Register.h"
#include "Tools.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

static LogicalResult translateToAscendC(const std::shared_ptr<llvm::SourceMgr> &sources,
                                        raw_ostream &os, MLIRContext *context) {
  DialectRegistry registry;
  pto::registerAllDialects(registry);
  context->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module = pto::parseNamed(sources, context);
  if (!module)
    return failure();
  FailureOr<std::vector<pto::SourceFile>> files = pto::emitAscendC(*module);
  if (failed(files))
    return failure();
  for (const pto::SourceFile &file : *files)
    os << "// ==== " << file.path << " ====\n" << file.text;
  return success();
}

int pto::translateMain(int argc, char **argv) {
  TranslateRegistration registration(
      "pto-to-ascendc", "the AscendC sources of a final module, each after a line with its path",
      translateToAscendC);
  return failed(mlirTranslateMain(argc, argv, "pypto-translate: PyPTO to AscendC\n"));
}
