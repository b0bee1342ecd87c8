//===- ReferenceModule.h - The reference model, for Python -------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_BINDINGS_REFERENCEMODULE_H
#define PTO_BINDINGS_REFERENCEMODULE_H

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/nanobind.h>

namespace pypto {
/// The module that `object` is: an ir.Module, or a module operation such as a clone.
inline MlirModule toModule(nanobind::handle object) {
  auto operation = nanobind::cast<MlirOperation>(object.attr("operation"));
  MlirModule module = mlirModuleFromOperation(operation);
  if (mlirModuleIsNull(module))
    throw nanobind::type_error("a module is wanted, not another operation");
  return module;
}

/// Adds ReferenceProgram to the module.
void bindReference(nanobind::module_ &m);
} // namespace pypto

#endif // PTO_BINDINGS_REFERENCEMODULE_H
