//===- Pypto.h - What the Python package sees of the compiler ----*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A C interface: the Python extensions and the command-line executable link the
// compiler through it, so that the compiler is in the package once.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_CAPI_PYPTO_H
#define PTO_CAPI_PYPTO_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds the pto dialect and the upstream dialects that its programs use.
MLIR_CAPI_EXPORTED void pyptoRegisterDialects(MlirDialectRegistry registry);
/// Registers every pass and `pto-pipeline`; once a process.
MLIR_CAPI_EXPORTED void pyptoRegisterPasses(void);

/// Runs the tool that `argv[0]` names: pypto-opt, pypto-translate or pypto-run.
MLIR_CAPI_EXPORTED int pyptoToolMain(int argc, char **argv);

/// Types of the dialect, for builders. `space` and `layout` are the enums'
/// numbers; -1 leaves them open.
MLIR_CAPI_EXPORTED MlirType pyptoTileTypeGet(MlirType elementType, int64_t rows, int64_t cols,
                                             int space, int layout);
MLIR_CAPI_EXPORTED MlirType pyptoGmTypeGet(MlirType elementType, intptr_t rank,
                                           const int64_t *shape);
MLIR_CAPI_EXPORTED MlirType pyptoTaskTypeGet(MlirContext context);

/// The sources of a final module, one call of `callback` for each: path, text.
/// Fails after having emitted an error.
typedef void (*PyptoSourceCallback)(MlirStringRef path, MlirStringRef text, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoEmitAscendC(MlirModule module,
                                                      PyptoSourceCallback callback,
                                                      void *userData);

#ifdef __cplusplus
}
#endif

#endif // PTO_CAPI_PYPTO_H
