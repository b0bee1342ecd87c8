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

/// The module of `text`, which is what file `name` holds; values have the names that
/// they have there. Null after an error.
MLIR_CAPI_EXPORTED MlirModule pyptoParseNamed(MlirContext context, MlirStringRef text,
                                              MlirStringRef name);

/// The sources of a final module, one call of `callback` for each: path, text.
/// Fails after having emitted an error.
typedef void (*PyptoSourceCallback)(MlirStringRef path, MlirStringRef text, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoEmitAscendC(MlirModule module,
                                                      PyptoSourceCallback callback, void *userData);

/// Who holds which bytes of the on-chip memories when, as JSON, which `callback` is
/// given once. Fails after having emitted an error.
typedef void (*PyptoTextCallback)(MlirStringRef text, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoDescribeMemory(MlirModule module,
                                                         PyptoTextCallback callback,
                                                         void *userData);

/// What the chip of this name is, as JSON, which `callback` is given once; fails where
/// there is none.
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoDescribeTarget(MlirStringRef name,
                                                         PyptoTextCallback callback,
                                                         void *userData);

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
  bool absent; // nothing is given, where the parameter is a pointer
} PyptoArgument;

/// What a run does now (Reference/Observer.h); it is valid until the callback returns.
typedef struct {
  int event;
  uint32_t task; // 0: the orchestration
  MlirStringRef taskName;
  int64_t block, blocks;
  MlirStringRef core;      // "AIV 1"; empty for a task and for the orchestration
  const void *coreId;      // of the core, which names and values are asked of; may be null
  MlirOperation operation; // may be null
  MlirStringRef source;    // of a write: the name of what is written, and the element of it
  intptr_t rank;
  const int64_t *element;
  void *ptr;
} PyptoMoment;

/// Whether the run goes on.
typedef bool (*PyptoObserver)(const PyptoMoment *moment, void *userData);

typedef struct {
  int64_t stepLimit;                                 // 0: none
  bool profile;                                      // whether times are computed
  bool (*goOn)(void *userData);                      // asked now and then; may be null
  void (*print)(MlirStringRef text, void *userData); // of pto.block.print; may be null
  void *userData;
  MlirStringRef checks; // "all", "none", "all,-pipe_race": what is checked
  int64_t schedules;    // orders of the tasks that are tried, at least 1
  bool hasSeed;         // of the random ones
  uint64_t seed;
  PyptoObserver observe; // may be null
  uint32_t events;       // those that it is told, a bit each
  const void *watched;   // the byte whose writes are told; may be null
} PyptoRunOptions;

MLIR_CAPI_EXPORTED PyptoProgram pyptoProgramCreate(MlirModule module);
MLIR_CAPI_EXPORTED void pyptoProgramDestroy(PyptoProgram program);
/// Runs `entry` (empty: the only candidate). Errors are kept until
/// pyptoProgramEmitErrors, so that a run needs no lock that handlers need.
MLIR_CAPI_EXPORTED MlirLogicalResult pyptoProgramRun(PyptoProgram program, MlirStringRef entry,
                                                     intptr_t count, const PyptoArgument *arguments,
                                                     PyptoRunOptions options);
/// What the checks of the last run found, as a JSON array (docs/reference-model.md).
/// It lives until the next run.
MLIR_CAPI_EXPORTED MlirStringRef pyptoProgramReports(PyptoProgram program);
/// The names of all checks; with each, what it finds, and whether it can be off.
typedef void (*PyptoCheckCallback)(MlirStringRef name, MlirStringRef what, bool canBeOff,
                                   void *userData);
MLIR_CAPI_EXPORTED void pyptoChecks(PyptoCheckCallback callback, void *userData);
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

//===----------------------------------------------------------------------===//
// What a run that is watched holds
//===----------------------------------------------------------------------===//

/// The content of a value. `kind`: 0 an integer, 1 a float, 2 elements, 3 a list of
/// integers, which are `shape`.
typedef struct {
  MlirStringRef name;
  int kind;
  int64_t integer;
  double real;
  MlirType elementType;
  intptr_t rank;
  const int64_t *shape;
  MlirStringRef bytes;
  MlirStringRef defined; // a byte an element; empty: all are
  MlirStringRef space;
} PyptoContent;
typedef void (*PyptoContentCallback)(const PyptoContent *content, void *userData);

/// An operation: what it is called, where it stands, the function that it is in, and
/// where the functions were called that were spliced in around it, the innermost first.
typedef struct {
  MlirStringRef word, name, function, file;
  int64_t line, column;
  intptr_t callers;
  const MlirStringRef *callerFiles;
  const int64_t *callerLines;
} PyptoPlace;
typedef void (*PyptoPlaceCallback)(const PyptoPlace *place, void *userData);

MLIR_CAPI_EXPORTED void pyptoOperationPlace(MlirOperation operation, PyptoPlaceCallback callback,
                                            void *userData);
/// How many functions the core is in; where it is in one of them, 0 the innermost;
/// which names are bound there, the last first; what one of them holds (one call, or
/// none).
MLIR_CAPI_EXPORTED intptr_t pyptoMomentDepth(const PyptoMoment *moment);
MLIR_CAPI_EXPORTED MlirOperation pyptoMomentOperation(const PyptoMoment *moment, intptr_t depth);
MLIR_CAPI_EXPORTED void pyptoMomentNames(const PyptoMoment *moment, intptr_t depth,
                                         PyptoTextCallback callback, void *userData);
MLIR_CAPI_EXPORTED void pyptoMomentRead(const PyptoMoment *moment, MlirStringRef name,
                                        intptr_t depth, PyptoContentCallback callback,
                                        void *userData);
/// What the operation has made, a call for each value.
MLIR_CAPI_EXPORTED void pyptoMomentMade(const PyptoMoment *moment, PyptoContentCallback callback,
                                        void *userData);

#ifdef __cplusplus
}
#endif

#endif // PTO_CAPI_PYPTO_H
