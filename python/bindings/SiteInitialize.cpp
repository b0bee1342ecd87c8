//===- SiteInitialize.cpp - Makes new contexts know the pto dialect -------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Pypto.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

NB_MODULE(_site_initialize_0, m) {
  pyptoRegisterPasses();
  m.def("register_dialects", [](MlirDialectRegistry registry) { pyptoRegisterDialects(registry); });
  // A kernel is small; starting threads for it costs more than it gives.
  m.attr("disable_multithreading") = true;
}
