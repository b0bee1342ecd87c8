//===- PtoModule.cpp - The compiler's own functions, for Python -----------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Pypto.h"
#include "ReferenceModule.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <string>
#include <vector>

namespace nb = nanobind;

/// The error itself goes to the context's handlers.
static MlirType existing(MlirType type, const char *what) {
  if (mlirTypeIsNull(type))
    throw nb::value_error(what);
  return type;
}

NB_MODULE(_pto, m) {
  m.doc() = "Types, emission and the reference model of the pto dialect.";

  m.def(
      "keep_errors_short", [](MlirContext context) { pyptoContextKeepErrorsShort(context); },
      nb::arg("context"), "Errors of this context come without a dump of the operation.");
  m.def(
      "tile_type",
      [](MlirType element, int64_t rows, int64_t cols, int space, int layout) {
        return existing(pyptoTileTypeGet(element, rows, cols, space, layout), "no such tile type");
      },
      nb::arg("element"), nb::arg("rows"), nb::arg("cols"), nb::arg("space") = -1,
      nb::arg("layout") = -1, "!pto.tile of `rows` x `cols`; -1 leaves space or layout open.");
  m.def(
      "gm_type",
      [](MlirType element, std::vector<int64_t> shape) {
        return existing(pyptoGmTypeGet(element, shape.size(), shape.data()), "no such array type");
      },
      nb::arg("element"), nb::arg("shape"), "!pto.gm of `shape`.");
  m.def(
      "parse_named",
      [](MlirContext context, const std::string &text, const std::string &name) {
        MlirModule module = pyptoParseNamed(context, mlirStringRefCreate(text.data(), text.size()),
                                            mlirStringRefCreate(name.data(), name.size()));
        if (mlirModuleIsNull(module))
          throw nb::value_error("the text is no MLIR module; see the diagnostics");
        return module;
      },
      nb::arg("context"), nb::arg("text"), nb::arg("name"),
      "The module of a text, which file `name` holds. Values have the names that they have there.");
  m.def(
      "emit_ascendc",
      [](nb::object object) {
        MlirModule module = pypto::toModule(object);
        std::vector<std::pair<std::string, std::string>> sources;
        auto collect = [](MlirStringRef path, MlirStringRef text, void *userData) {
          static_cast<decltype(sources) *>(userData)->emplace_back(
              std::string(path.data, path.length), std::string(text.data, text.length));
        };
        if (mlirLogicalResultIsFailure(pyptoEmitAscendC(module, collect, &sources)))
          throw nb::value_error("no AscendC for this module; see the diagnostics");
        return sources;
      },
      nb::arg("module"), "(path, text) of each AscendC source of a final module.");
  m.def(
      "describe_memory",
      [](nb::object object) {
        std::string found;
        auto take = [](MlirStringRef text, void *userData) {
          static_cast<std::string *>(userData)->assign(text.data, text.length);
        };
        if (mlirLogicalResultIsFailure(pyptoDescribeMemory(pypto::toModule(object), take, &found)))
          throw nb::value_error("no memory map of this module; see the diagnostics");
        return found;
      },
      nb::arg("module"), "Who holds which bytes of the on-chip memories when, as JSON.");
  m.def(
      "describe_target",
      [](const std::string &name) {
        std::string found;
        auto take = [](MlirStringRef text, void *userData) {
          static_cast<std::string *>(userData)->assign(text.data, text.length);
        };
        MlirStringRef word = mlirStringRefCreate(name.data(), name.size());
        if (mlirLogicalResultIsFailure(pyptoDescribeTarget(word, take, &found)))
          throw nb::value_error("no such chip");
        return found;
      },
      nb::arg("name"), "What the chip of this name is, as JSON.");
  pypto::bindReference(m);
}
