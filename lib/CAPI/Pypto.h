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
/// Errors of this context come without a dump of the operation: they speak to
/// the author of a kernel.
MLIR_CAPI_EXPORTED void pyptoContextKeepErrorsShort(MlirContext context);
/// Registers every pass and `pto-pipeline`; once a process.
MLIR_CAPI_EXPORTED void pyptoRegisterPasses(void);

/// Runs the tool that `argv[0]` names: pypto-opt, pypto-translate or pypto-run.
MLIR_CAPI_EXPORTED int pyptoToolMain(int argc, char **argv);

/// Types of the dialect, for builders. `space` and `layout` are the enums'
/// numbers; -1 leaves them open. Null after an error about what is no type.
MLIR_CAPI_EXPORTED MlirType pyptoTileTypeGet(MlirType elementType, int64_t rows, int64_t cols,
                                             int space, int layout);
MLIR_CAPI_EXPORTED MlirType pyptoGmTypeGet(MlirType elementType, intptr_t rank,
                                           const int64_t *shape);

/// The sources of a final module, one call of `callback` for each: path, text.
/// Fails after having emitted an error.
typedef void (*PyptoSourceCallback)(MlirStringRef path, MlirStringRef text, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoEmitAscendC(MlirModule module,
                                                      PyptoSourceCallback callback, void *userData);

//===----------------------------------------------------------------------===//
// The reference model
//===----------------------------------------------------------------------===//

/// A module, ready to run. The module must outlive it and not change.
typedef struct {
  void *ptr;
} PyptoProgram;

/// What is given for one parameter: an array, if `data` is not null, whose bytes
/// are read and written in place; else a scalar, `integer` or `real` by the
/// parameter's type.
typedef struct {
  void *data;
  intptr_t rank;
  const int64_t *shape;
  MlirType elementType;
  int64_t integer;
  double real;
} PyptoArgument;

typedef struct {
  int64_t stepLimit;                                 // 0: none
  bool profile;                                      // whether times are computed
  bool (*goOn)(void *userData);                      // asked now and then; may be null
  void (*print)(MlirStringRef text, void *userData); // of pto.block.print; may be null
  void *userData;
} PyptoRunOptions;

MLIR_CAPI_EXPORTED PyptoProgram pyptoProgramCreate(MlirModule module);
MLIR_CAPI_EXPORTED void pyptoProgramDestroy(PyptoProgram program);
/// Runs `entry` (empty: the only candidate). Errors are kept until
/// pyptoProgramEmitErrors, so that a run needs no lock that handlers need.
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoProgramRun(PyptoProgram program, MlirStringRef entry,
                                                     intptr_t count, const PyptoArgument *arguments,
                                                     PyptoRunOptions options);
/// Emits the errors of the last run to the handlers of the context.
MLIR_CAPI_EXPORTED void pyptoProgramEmitErrors(PyptoProgram program);
/// The bytes of an on-chip space ("vec", "left") as the last kernel left them,
/// of core `number` of its kind; empty if there are none.
MLIR_CAPI_EXPORTED MlirStringRef pyptoProgramSpaceBytes(PyptoProgram program, MlirStringRef space,
                                                        intptr_t number);
/// Whether a kernel of the last run ran in program order, because no pass has
/// ordered its pipes yet, so that races were not checked.
MLIR_CAPI_EXPORTED bool pyptoProgramHasUncheckedOrder(PyptoProgram program);
/// The times of the last run as JSON; empty if none were wanted.
MLIR_CAPI_EXPORTED MlirStringRef pyptoProgramProfile(PyptoProgram program);

#ifdef __cplusplus
}
#endif

#endif // PTO_CAPI_PYPTO_H
