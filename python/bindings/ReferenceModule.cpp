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

/// What is no UTF-8 is marked: text of a module may hold any bytes.
nb::str toString(MlirStringRef text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data, static_cast<Py_ssize_t>(text.length), "replace"));
}

/// What a run does now, for the Python function that watches it.
class Moment {
public:
  /// Null when the run has gone on.
  const PyptoMoment *now = nullptr;

  const PyptoMoment &get() const {
    if (!now)
      throw std::runtime_error("the run has gone on since");
    return *now;
  }
  nb::object element() const {
    nb::list found;
    for (intptr_t i = 0; i < get().rank; ++i)
      found.append(get().element[i]);
    return nb::tuple(found);
  }

  static nb::object place(MlirOperation operation) {
    nb::object made = nb::none();
    if (mlirOperationIsNull(operation))
      return made;
    auto take = [](const PyptoPlace *place, void *to) {
      nb::list callers;
      for (intptr_t i = 0; i < place->callers; ++i)
        callers.append(nb::make_tuple(toString(place->callerFiles[i]), place->callerLines[i]));
      *static_cast<nb::object *>(to) =
          nb::make_tuple(toString(place->word), toString(place->name), toString(place->function),
                         toString(place->file), place->line, place->column, nb::tuple(callers));
    };
    pyptoOperationPlace(operation, take, &made);
    return made;
  }
  nb::object operation() const { return place(get().operation); }
  nb::object at(intptr_t depth) const { return place(pyptoMomentOperation(&get(), depth)); }

  nb::list names(intptr_t depth) const {
    nb::list found;
    auto take = [](MlirStringRef name, void *to) {
      static_cast<nb::list *>(to)->append(toString(name));
    };
    pyptoMomentNames(&get(), depth, take, &found);
    return found;
  }

  /// (name, space, a number), (name, space, a list), or (name, space, dtype, shape, bytes,
  /// defined), defined being None where all is.
  static void content(const PyptoContent *content, void *to) {
    nb::object name = nb::cast(toString(content->name)), space = nb::cast(toString(content->space));
    nb::list shape;
    for (intptr_t i = 0; i < content->rank; ++i)
      shape.append(content->shape[i]);
    nb::object made;
    if (content->kind == 0)
      made = nb::make_tuple(name, space, content->integer);
    else if (content->kind == 1)
      made = nb::make_tuple(name, space, content->real);
    else if (content->kind == 3)
      made = nb::make_tuple(name, space, shape);
    else
      made =
          nb::make_tuple(name, space, dtype(content->elementType), nb::tuple(shape),
                         nb::bytes(content->bytes.data, content->bytes.length),
                         content->defined.length
                             ? nb::object(nb::bytes(content->defined.data, content->defined.length))
                             : nb::none());
    static_cast<nb::list *>(to)->append(made);
  }
  nb::object read(const std::string &name, intptr_t depth) const {
    nb::list found;
    pyptoMomentRead(&get(), mlirStringRefCreate(name.data(), name.size()), depth, content, &found);
    return nb::len(found) ? nb::object(found[0]) : nb::none();
  }
  nb::list made() const {
    nb::list found;
    pyptoMomentMade(&get(), content, &found);
    return found;
  }

private:
  static std::string dtype(MlirType type) {
    return mlirTypeIsAF16(type)    ? "f16"
           : mlirTypeIsABF16(type) ? "bf16"
           : mlirTypeIsAF32(type)  ? "f32"
                                   : "i" + std::to_string(mlirIntegerTypeGetWidth(type));
  }
};

/// What the callbacks of a run do with Python; they hold its lock only while
/// they need it.
struct Callbacks {
  std::optional<nb::python_error> error;
  nb::object observer;
  nb::object moment; // a Moment, one for all calls

  /// What the Python function raises ends the run.
  static bool observe(const PyptoMoment *now, void *userData) {
    auto *self = static_cast<Callbacks *>(userData);
    if (self->error)
      return false;
    nb::gil_scoped_acquire lock;
    Moment *moment = nb::inst_ptr<Moment>(self->moment);
    moment->now = now;
    try {
      self->observer(self->moment);
    } catch (nb::python_error &error) {
      self->error.emplace(error);
    }
    moment->now = nullptr;
    return !self->error;
  }

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
    for (unsigned width : {8, 16, 32, 64})
      if (dtype == "i" + std::to_string(width))
        return mlirIntegerTypeGet(context, width);
    throw nb::value_error(
        ("dtype '" + dtype + "' is none of f16, bf16, f32, i8, i16, i32 and i64").c_str());
  }

  void addArray(void *data, std::vector<int64_t> shape, MlirType elementType) {
    // An empty array has no address of its own.
    static char empty;
    shapes.push_back(std::move(shape));
    list.push_back({data ? data : &empty, intptr_t(shapes.back().size()), shapes.back().data(),
                    elementType, 0, 0.0, false});
  }

  void add(nb::handle argument) {
    if (argument.is_none()) {
      list.push_back({nullptr, 0, nullptr, {nullptr}, 0, 0.0, true});
      return;
    }
    if (nb::isinstance<nb::tuple>(argument)) {
      auto [address, shape, dtype] =
          nb::cast<std::tuple<uintptr_t, std::vector<int64_t>, std::string>>(argument);
      return addArray(reinterpret_cast<void *>(address), std::move(shape), elementType(dtype));
    }
    if (PyBool_Check(argument.ptr()) || PyLong_Check(argument.ptr())) {
      auto value = nb::cast<int64_t>(nb::int_(argument));
      list.push_back({nullptr, 0, nullptr, {nullptr}, value, double(value), false});
      return;
    }
    if (PyFloat_Check(argument.ptr())) {
      auto value = nb::cast<double>(argument);
      list.push_back({nullptr, 0, nullptr, {nullptr}, 0, value, false});
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
                        : type.code == uint8_t(nb::dlpack::dtype_code::UInt)   ? "i"
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

  void run(std::optional<std::string> entry, nb::sequence given, int64_t stepLimit,
           const std::string &checks, int64_t schedules, std::optional<uint64_t> seed,
           nb::object observer, uint32_t events, uintptr_t watched, bool profile) {
    if (schedules < 1)
      throw nb::value_error("schedules is a positive number");
    Arguments arguments{context, {}, {}, {}};
    arguments.shapes.reserve(nb::len(given)); // the list points into it
    for (nb::handle argument : given)
      arguments.add(argument);
    Callbacks callbacks;
    if (!observer.is_none()) {
      callbacks.observer = observer;
      callbacks.moment = nb::cast(new Moment, nb::rv_policy::take_ownership);
    }
    std::string name = entry.value_or("");
    MlirLogicalResult result;
    {
      nb::gil_scoped_release unlocked;
      result = pyptoProgramRun(program, mlirStringRefCreate(name.data(), name.size()),
                               intptr_t(arguments.list.size()), arguments.list.data(),
                               {stepLimit, profile, Callbacks::goOn, Callbacks::print, &callbacks,
                                mlirStringRefCreate(checks.data(), checks.size()), schedules,
                                seed.has_value(), seed.value_or(0),
                                observer.is_none() ? nullptr : Callbacks::observe, events,
                                reinterpret_cast<const void *>(watched)});
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

  nb::str reports() {
    MlirStringRef text = pyptoProgramReports(program);
    return nb::str(text.data, text.length);
  }

  bool hasUncheckedOrder() { return pyptoProgramHasUncheckedOrder(program); }

private:
  PyptoProgram program;
  MlirContext context;
  nb::object owner; // the Python module, which keeps the operations alive
};

/// (name, what it finds, whether it can be off) of every check.
nb::list listChecks() {
  nb::list checks;
  pyptoChecks(
      [](MlirStringRef name, MlirStringRef what, bool canBeOff, void *list) {
        static_cast<nb::list *>(list)->append(nb::make_tuple(
            nb::str(name.data, name.length), nb::str(what.data, what.length), canBeOff));
      },
      &checks);
  return checks;
}

} // namespace

void pypto::bindReference(nb::module_ &m) {
  nb::class_<Moment>(m, "Moment", "What a run that is watched does now.")
      .def_prop_ro("event", [](const Moment &self) { return self.get().event; })
      .def_prop_ro("task", [](const Moment &self) { return self.get().task; })
      .def_prop_ro("task_name", [](const Moment &self) { return toString(self.get().taskName); })
      .def_prop_ro("block", [](const Moment &self) { return self.get().block; })
      .def_prop_ro("blocks", [](const Moment &self) { return self.get().blocks; })
      .def_prop_ro("core", [](const Moment &self) { return toString(self.get().core); })
      .def_prop_ro(
          "core_id",
          [](const Moment &self) { return reinterpret_cast<uintptr_t>(self.get().coreId); })
      .def_prop_ro(
          "operation_id",
          [](const Moment &self) { return reinterpret_cast<uintptr_t>(self.get().operation.ptr); })
      .def_prop_ro("source", [](const Moment &self) { return toString(self.get().source); })
      .def_prop_ro("element", &Moment::element)
      .def_prop_ro("depth", [](const Moment &self) { return pyptoMomentDepth(&self.get()); })
      .def("operation", &Moment::operation,
           "(word, name, function, file, line, column, ((file, line) of each caller, ...))")
      .def("at", &Moment::at, nb::arg("depth"))
      .def("names", &Moment::names, nb::arg("depth") = 0)
      .def("read", &Moment::read, nb::arg("name"), nb::arg("depth") = 0)
      .def("made", &Moment::made);
  nb::class_<ReferenceProgram>(m, "ReferenceProgram",
                               "A module of any stage, ready to run on the reference model.")
      .def(
          "__init__",
          [](ReferenceProgram *self, nb::object module) {
            new (self) ReferenceProgram(pypto::toModule(module), module);
          },
          nb::arg("module"))
      .def("run", &ReferenceProgram::run, nb::arg("entry").none(), nb::arg("arguments"),
           nb::arg("step_limit") = 0, nb::arg("checks") = "all", nb::arg("schedules") = 1,
           nb::arg("seed") = nb::none(), nb::arg("observer") = nb::none(), nb::arg("events") = ~0u,
           nb::arg("watched") = 0, nb::arg("profile") = false,
           "Runs `entry` (None: the only candidate). An argument is a number, an array, or\n"
           "(address, shape, dtype) with a dtype of f16, bf16, f32 or i32; arrays are written in\n"
           "place. Errors go to the diagnostic handlers, then a RuntimeError is raised.\n"
           "`checks`: \"all\", \"none\" or such as \"all,-pipe_race\"; `schedules`: how many "
           "orders\n"
           "of the tasks are tried.\n"
           "`observer` is called with a Moment for each of the `events`, a bit each, and for\n"
           "writes to the byte at `watched`.")
      .def_prop_ro("profile", &ReferenceProgram::profile,
                   "The times of the last run as JSON; empty unless run(profile=True).")
      .def("reports", &ReferenceProgram::reports,
           "What the checks of the last run found, as a JSON array.")
      .def("space_bytes", &ReferenceProgram::spaceBytes, nb::arg("space"), nb::arg("core") = 0,
           "The bytes of an on-chip space as the last kernel left them.")
      .def_prop_ro("has_unchecked_order", &ReferenceProgram::hasUncheckedOrder,
                   "Whether a kernel of the last run ran in program order, without race checks.");
  m.def("reference_checks", &listChecks,
        "(name, what it finds, whether it can be off) of every check of the model.");
}
