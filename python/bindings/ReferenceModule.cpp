//===- ReferenceModule.cpp - The reference model, for Python --------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ReferenceModule.h"
#include "CAPI/Pypto.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

/// What the callbacks of a run do with Python; they hold its lock only while
/// they need it.
struct Callbacks {
  std::optional<nb::python_error> error;

  /// Ctrl-C ends the run; so does an error while printing.
  static bool goOn(void *userData) {
    auto *self = static_cast<Callbacks *>(userData);
    if (self->error)
      return false;
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0)
      return true;
    self->error.emplace();
    return false;
  }

  static void print(MlirStringRef text, void *userData) {
    auto *self = static_cast<Callbacks *>(userData);
    nb::gil_scoped_acquire lock;
    try {
      nb::module_::import_("sys").attr("stdout").attr("write")(nb::str(text.data, text.length));
    } catch (nb::python_error &error) {
      if (!self->error)
        self->error.emplace(error);
    }
  }
};

/// The arguments of a run, with the shapes that they point to.
struct Arguments {
  MlirContext context;
  std::vector<PyptoArgument> list;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<nb::object> alive;

  MlirType elementType(const std::string &dtype) {
    if (dtype == "f16")
      return mlirF16TypeGet(context);
    if (dtype == "bf16")
      return mlirBF16TypeGet(context);
    if (dtype == "f32")
      return mlirF32TypeGet(context);
    if (dtype == "i32")
      return mlirIntegerTypeGet(context, 32);
    throw nb::value_error(("dtype '" + dtype + "' is none of f16, bf16, f32 and i32").c_str());
  }

  void addArray(void *data, std::vector<int64_t> shape, MlirType elementType) {
    // An empty array has no address of its own.
    static char empty;
    shapes.push_back(std::move(shape));
    list.push_back({data ? data : &empty, intptr_t(shapes.back().size()), shapes.back().data(),
                    elementType, 0, 0.0});
  }

  void add(nb::handle argument) {
    if (nb::isinstance<nb::tuple>(argument)) {
      auto [address, shape, dtype] =
          nb::cast<std::tuple<uintptr_t, std::vector<int64_t>, std::string>>(argument);
      return addArray(reinterpret_cast<void *>(address), std::move(shape), elementType(dtype));
    }
    if (PyBool_Check(argument.ptr()) || PyLong_Check(argument.ptr())) {
      auto value = nb::cast<int64_t>(nb::int_(argument));
      list.push_back({nullptr, 0, nullptr, {nullptr}, value, double(value)});
      return;
    }
    if (PyFloat_Check(argument.ptr())) {
      auto value = nb::cast<double>(argument);
      list.push_back({nullptr, 0, nullptr, {nullptr}, 0, value});
      return;
    }
    addNdarray(argument);
  }

  void addNdarray(nb::handle argument) {
    // Arrays that are only read may be read-only.
    nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> view;
    if (!nb::try_cast(argument, view, /*convert=*/false))
      throw nb::type_error("an argument is a number, (address, shape, dtype), or a C-contiguous "
                           "array in host memory");
    alive.push_back(nb::borrow(argument));
    std::vector<int64_t> shape;
    for (size_t i = 0; i < view.ndim(); ++i)
      shape.push_back(int64_t(view.shape(i)));
    nb::dlpack::dtype type = view.dtype();
    bool isFloat = type.code == uint8_t(nb::dlpack::dtype_code::Float);
    std::string dtype = isFloat                                                ? "f"
                        : type.code == uint8_t(nb::dlpack::dtype_code::Int)    ? "i"
                        : type.code == uint8_t(nb::dlpack::dtype_code::Bfloat) ? "bf"
                                                                               : "?";
    addArray(const_cast<void *>(view.data()), std::move(shape),
             elementType(dtype + std::to_string(type.bits)));
  }
};

class ReferenceProgram {
public:
  ReferenceProgram(MlirModule module, nb::object owner)
      : program(pyptoProgramCreate(module)), context(mlirModuleGetContext(module)),
        owner(std::move(owner)) {}
  ReferenceProgram(const ReferenceProgram &) = delete;
  ~ReferenceProgram() { pyptoProgramDestroy(program); }

  void run(std::optional<std::string> entry, nb::sequence given, int64_t stepLimit, bool profile) {
    Arguments arguments{context, {}, {}, {}};
    arguments.shapes.reserve(nb::len(given)); // the list points into it
    for (nb::handle argument : given)
      arguments.add(argument);
    Callbacks callbacks;
    std::string name = entry.value_or("");
    MlirLogicalResult result;
    {
      nb::gil_scoped_release unlocked;
      result = pyptoProgramRun(program, mlirStringRefCreate(name.data(), name.size()),
                               intptr_t(arguments.list.size()), arguments.list.data(),
                               {stepLimit, profile, Callbacks::goOn, Callbacks::print, &callbacks});
    }
    if (callbacks.error)
      throw *callbacks.error;
    pyptoProgramEmitErrors(program);
    if (mlirLogicalResultIsFailure(result))
      throw std::runtime_error("the run failed; see the diagnostics");
  }

  nb::bytes spaceBytes(const std::string &space, intptr_t number) {
    MlirStringRef bytes =
        pyptoProgramSpaceBytes(program, mlirStringRefCreate(space.data(), space.size()), number);
    return nb::bytes(bytes.data, bytes.length);
  }

  nb::str profile() {
    MlirStringRef text = pyptoProgramProfile(program);
    return nb::str(text.data, text.length);
  }

  bool hasUncheckedOrder() { return pyptoProgramHasUncheckedOrder(program); }

private:
  PyptoProgram program;
  MlirContext context;
  nb::object owner; // the Python module, which keeps the operations alive
};

} // namespace

void pypto::bindReference(nb::module_ &m) {
  nb::class_<ReferenceProgram>(m, "ReferenceProgram",
                               "A module of any stage, ready to run on the reference model.")
      .def(
          "__init__",
          [](ReferenceProgram *self, nb::object module) {
            new (self) ReferenceProgram(pypto::toModule(module), module);
          },
          nb::arg("module"))
      .def("run", &ReferenceProgram::run, nb::arg("entry").none(), nb::arg("arguments"),
           nb::arg("step_limit") = 0, nb::arg("profile") = false,
           "Runs `entry` (None: the only candidate). An argument is a number, an array, or\n"
           "(address, shape, dtype) with a dtype of f16, bf16, f32 or i32; arrays are written in\n"
           "place. Errors go to the diagnostic handlers, then a RuntimeError is raised.")
      .def_prop_ro("profile", &ReferenceProgram::profile,
                   "The times of the last run as JSON; empty unless run(profile=True).")
      .def("space_bytes", &ReferenceProgram::spaceBytes, nb::arg("space"), nb::arg("core") = 0,
           "The bytes of an on-chip space as the last kernel left them.")
      .def_prop_ro("has_unchecked_order", &ReferenceProgram::hasUncheckedOrder,
                   "Whether a kernel of the last run ran in program order, without race checks.");
}
