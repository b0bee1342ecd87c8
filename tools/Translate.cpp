//===- Translate.cpp - pypto-translate -------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Emitter.h"
#include "Register.h"
#include "Tools.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

int pto::translateMain(int argc, char **argv) {
  TranslateFromMLIRRegistration registration(
      "pto-to-ascendc", "the AscendC sources of a final module, each after a line with its path",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError("a module is translated");
        FailureOr<std::vector<SourceFile>> sources = emitAscendC(module);
        if (failed(sources))
          return failure();
        for (const SourceFile &source : *sources)
          os << "// ==== " << source.path << " ====\n" << source.text;
        return success();
      },
      [](DialectRegistry &registry) { pto::registerAllDialects(registry); });
  return failed(mlirTranslateMain(argc, argv, "pypto-translate: PyPTO to AscendC\n"));
}
