//===- Run.cpp - pypto-run --------------------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "Parse.h"
#include "Pto/Words.h"
#include "Reference/Kernels.h"
#include "Reference/Machine.h"
#include "Reference/Program.h"
#include "Register.h"
#include "Tools.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pto;

static constexpr llvm::StringLiteral kUsage =
    R"(usage: pypto-run MODULE.mlir [options]

Runs a module of any stage on the reference model.

  --entry NAME         the function to run (default: the only orchestration
                       function, or the only kernel)
  --args ARG...        one for each parameter, in order: a .npy file, a number
                       for a scalar, or 'out' (or 'out:64x128') for an array of
                       zeros; arrays that are only written may be left out. A
                       pointer takes any array, or 'null'
  --save FILE.npy...   where the arrays that are written go, in order; those
                       without a file are printed
  --step-limit N       stop after N steps
  --profile FILE.json  when each instruction runs, by the cost model of the chip;
                       python -m pypto.tools.profile shows it
  --checks NAMES       all (the default), none, or such as all,-pipe_race or
                       none,+task_conflict; an unknown name lists those there are
  --schedules N        run the tasks in N orders that their edges allow, and
                       compare the answers
  --seed S             of the random orders
  --json               print diagnostics and what checks found as one JSON object
                       on standard output, and nothing else
  --dump-space SPACE=FILE
                       the bytes of an on-chip space after the last kernel
)";

namespace {
struct Options {
  std::string module, entry, profile;
  std::vector<std::string> args, save, dumps;
  int64_t stepLimit = 0, schedules = 1;
  std::optional<uint64_t> seed;
  reference::CheckSet checks;
  bool json = false;
};
} // namespace

static int usageError(const llvm::Twine &what) {
  llvm::errs() << "pypto-run: " << what << "\n\n" << kUsage;
  return 2;
}

static bool isOneOf(StringRef word, ArrayRef<StringRef> words) {
  return llvm::is_contained(words, word);
}

/// An option with a value; an exit code to end with, or nothing.
static std::optional<int> parseValue(StringRef word, StringRef value, Options &options) {
  if (word == "--entry") {
    options.entry = value.str();
  } else if (word == "--profile") {
    options.profile = value.str();
  } else if (word == "--dump-space") {
    options.dumps.push_back(value.str());
  } else if (word == "--checks") {
    llvm::Expected<reference::CheckSet> checks = reference::CheckSet::parse(value);
    if (!checks)
      return usageError("--checks: " + llvm::toString(checks.takeError()));
    options.checks = *checks;
  } else if (word == "--seed") {
    uint64_t seed;
    if (value.getAsInteger(10, seed))
      return usageError("--seed takes a number from 0 on, found '" + value + "'");
    options.seed = seed;
  } else {
    int64_t &number = word == "--schedules" ? options.schedules : options.stepLimit;
    if (value.getAsInteger(10, number) || number < 1)
      return usageError(word + " takes a positive number, found '" + value + "'");
  }
  return std::nullopt;
}

/// The command line; an exit code to end with, or nothing.
static std::optional<int> parse(ArrayRef<const char *> argv, Options &options) {
  std::vector<std::string> *list = nullptr;
  for (size_t i = 0; i < argv.size(); ++i) {
    StringRef word = argv[i];
    if (word == "--help" || word == "-h") {
      llvm::outs() << kUsage;
      return 0;
    }
    if (word == "--args" || word == "--save") {
      list = word == "--args" ? &options.args : &options.save;
      continue;
    }
    if (word == "--json") {
      options.json = true;
      list = nullptr;
      continue;
    }
    if (isOneOf(word, {"--entry", "--step-limit", "--dump-space", "--checks", "--schedules",
                       "--seed", "--profile"})) {
      if (i + 1 == argv.size())
        return usageError(word + " needs a value");
      list = nullptr;
      if (std::optional<int> code = parseValue(word, argv[++i], options))
        return code;
      continue;
    }
    if (word.starts_with("--"))
      return usageError("unknown option '" + word + "'");
    if (list)
      list->push_back(word.str());
    else if (options.module.empty())
      options.module = word.str();
    else
      return usageError("one module is run, found also '" + word + "'");
  }
  if (options.module.empty())
    return usageError("no module given");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool isArray(Type type) { return isa<GmType, RankedTensorType>(type); }

/// `out` or `out:64x128`: an array of zeros.
static llvm::Expected<NpyArray> makeOut(StringRef text, Type type) {
  NpyArray array;
  array.elementType = getElementTypeOf(type);
  array.shape.assign(getShapeOf(type).begin(), getShapeOf(type).end());
  if (text.consume_front(":")) {
    SmallVector<StringRef> dims;
    text.split(dims, 'x');
    array.shape.clear();
    for (StringRef dim : dims) {
      int64_t value;
      if (dim.getAsInteger(10, value) || value < 1 || value > (1 << 30))
        return llvm::createStringError("'out:" + text + "' has no shape such as 64x128");
      array.shape.push_back(value);
    }
  }
  if (ShapedType::isDynamicShape(array.shape))
    return llvm::createStringError("the shape of an array of " + typeWord(type) +
                                   " is not known; give it as out:ROWSxCOLUMNS");
  int64_t bytes = getElementBytes(array.elementType);
  for (int64_t dim : array.shape)
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > (int64_t(1) << 34))
      return llvm::createStringError("'out' of " + shapeWord(array.shape) + " is too large");
  array.bytes.assign(bytes, 0);
  return array;
}

static llvm::Error makeScalar(StringRef text, Type type, reference::Argument &argument) {
  bool bad = isa<FloatType>(type) ? text.getAsDouble(argument.real)
                                  : text.getAsInteger(0, argument.integer);
  if (!bad)
    return llvm::Error::success();
  return llvm::createStringError("'" + text + "' is no " + typeWord(type) + " number");
}

/// The words of --args, with an 'out' for each Out array that was left out.
static std::vector<std::string> completeArgs(FunctionOpInterface entry,
                                             const std::vector<std::string> &given) {
  unsigned outs = 0, count = entry.getNumArguments();
  auto isOut = [&](unsigned index) {
    return isArray(entry.getArgumentTypes()[index]) && getDirection(entry, index) == Direction::Out;
  };
  for (unsigned index = 0; index < count; ++index)
    outs += isOut(index);
  if (given.size() + outs != count)
    return given;
  std::vector<std::string> all;
  size_t taken = 0;
  for (unsigned index = 0; index < count; ++index)
    all.push_back(isOut(index) ? "out" : given[taken++]);
  return all;
}

static int makeArguments(FunctionOpInterface entry, const Options &options,
                         std::vector<NpyArray> &arrays,
                         SmallVectorImpl<reference::Argument> &arguments) {
  std::vector<std::string> words = completeArgs(entry, options.args);
  if (words.size() != entry.getNumArguments())
    return usageError("'" + entry.getName() + "' takes " + llvm::Twine(entry.getNumArguments()) +
                      " arguments, found " + llvm::Twine(options.args.size()));
  arrays.reserve(words.size()); // arguments point into it
  for (auto [index, text] : llvm::enumerate(words)) {
    Type type = entry.getArgumentTypes()[index];
    reference::Argument argument;
    auto fail = [&, index = index](llvm::Error error) {
      return usageError("argument " + llvm::Twine(index + 1) + " of '" + entry.getName() +
                        "': " + llvm::toString(std::move(error)));
    };
    if (!isArray(type)) {
      if (llvm::Error error = makeScalar(text, type, argument))
        return fail(std::move(error));
      arguments.push_back(argument);
      continue;
    }
    StringRef word = text;
    if (word == "null") {
      arrays.emplace_back();
      arrays.back().elementType = getElementTypeOf(type);
      arrays.back().shape = {0};
      argument.absent = true;
      arguments.push_back(argument);
      continue;
    }
    bool zeros = word == "out" || word.starts_with("out:");
    llvm::Expected<NpyArray> array =
        zeros ? makeOut(word.drop_front(3), type) : readNpy(word, entry->getContext());
    if (!array)
      return fail(array.takeError());
    arrays.push_back(std::move(*array));
    argument.data = arrays.back().bytes.data();
    argument.shape = arrays.back().shape;
    argument.elementType = arrays.back().elementType;
    arguments.push_back(argument);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void printArray(StringRef name, const NpyArray &array) {
  constexpr int64_t kShown = 8;
  reference::Elem elem = *reference::getElem(array.elementType);
  int64_t size = reference::elemBytes(elem);
  int64_t count = static_cast<int64_t>(array.bytes.size()) / size;
  llvm::outs() << name << ": " << shapeWord(array.shape) << ' ' << dtypeWord(array.elementType)
               << ':';
  for (int64_t i = 0; i < std::min(count, kShown); ++i)
    llvm::outs() << ' '
                 << llvm::format("%.9g", reference::loadElement(elem, &array.bytes[i * size]));
  llvm::outs() << (count > kShown ? " ...\n" : "\n");
}

static int giveResults(FunctionOpInterface entry, const Options &options,
                       const std::vector<NpyArray> &arrays, bool quiet) {
  size_t file = 0, array = 0;
  for (unsigned index = 0; index < entry.getNumArguments(); ++index) {
    if (!isArray(entry.getArgumentTypes()[index]))
      continue;
    const NpyArray &value = arrays[array++];
    if (!isWritten(getDirection(entry, index)))
      continue;
    if (file < options.save.size()) {
      if (llvm::Error error = writeNpy(options.save[file++], value)) {
        llvm::errs() << "pypto-run: " << llvm::toString(std::move(error)) << '\n';
        return 1;
      }
      continue;
    }
    StringRef name = nameOf(entry.getArgument(index));
    if (quiet)
      continue;
    printArray(name.empty() ? "argument " + std::to_string(index + 1) : name.str(), value);
  }
  if (file < options.save.size())
    return usageError("--save names more files than '" + entry.getName() + "' writes arrays");
  return 0;
}

static int dumpSpaces(const reference::Program &program, const Options &options) {
  for (StringRef dump : options.dumps) {
    auto [space, path] = dump.split('=');
    if (!symbolizeMemorySpace(space) || path.empty())
      return usageError("--dump-space takes SPACE=FILE with one of vec, mat, left, right, acc and "
                        "bias, found '" +
                        dump + "'");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error) {
      llvm::errs() << "pypto-run: " << path << ": " << error.message() << '\n';
      return 1;
    }
    ArrayRef<char> bytes = program.getSpaceBytes(space, 0);
    os.write(bytes.data(), bytes.size());
  }
  return 0;
}

static int writeProfile(const reference::Program &program, const Options &options) {
  if (options.profile.empty())
    return 0;
  std::error_code error;
  llvm::raw_fd_ostream os(options.profile, error);
  if (!error) {
    os << program.getProfile() << '\n';
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    return 0;
  llvm::errs() << "pypto-run: " << options.profile << ": " << error.message() << '\n';
  return 1;
}

/// Runs the module of the command line; the exit code.
static int runModule(const Options &options, ModuleOp module, llvm::json::Array *reports) {
  reference::Program program(module);
  FailureOr<FunctionOpInterface> entry = program.getEntry(options.entry);
  if (failed(entry))
    return 1;
  std::vector<NpyArray> arrays;
  SmallVector<reference::Argument> arguments;
  if (int code = makeArguments(*entry, options, arrays, arguments))
    return code;
  reference::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  runOptions.checks = options.checks;
  runOptions.schedules = options.schedules;
  runOptions.seed = options.seed;
  runOptions.profile = !options.profile.empty();
  if (reports) // standard output is for the object
    runOptions.print = [](StringRef text) { llvm::errs() << text; };
  LogicalResult result = program.run(*entry, arguments, runOptions);
  if (reports)
    *reports = reference::toJson(program.getReports());
  if (failed(result))
    return 1;
  if (program.hasUncheckedOrder()) {
    StringRef text = "no pass has ordered the pipes or tasks yet; they ran in program order, and "
                     "races were not checked";
    if (reports)
      mlir::emitRemark(module.getLoc()) << text;
    else
      llvm::errs() << "note: " << text << '\n';
  }
  if (int code = dumpSpaces(program, options))
    return code;
  if (int code = writeProfile(program, options))
    return code;
  return giveResults(*entry, options, arrays, /*quiet=*/reports != nullptr);
}

/// The same with everything that it has to say as one object.
static int runAsJson(const Options &options, const std::shared_ptr<llvm::SourceMgr> &sources,
                     MLIRContext &context) {
  llvm::json::Array diagnostics, reports;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics.push_back(reference::toJson(diagnostic));
    return success();
  });
  OwningOpRef<ModuleOp> module = parseNamed(sources, &context);
  int code = module ? runModule(options, *module, &reports) : 1;
  if (code == 2) // the command line is wrong
    return code;
  llvm::json::Object result{
      {"ok", code == 0}, {"diagnostics", std::move(diagnostics)}, {"reports", std::move(reports)}};
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(result))) << '\n';
  return code;
}

int pto::runMain(int argc, char **argv) {
  Options options;
  if (std::optional<int> code = parse(ArrayRef<const char *>(argv + 1, argc - 1), options))
    return *code;
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(options.module, &error);
  if (!file) {
    llvm::errs() << "pypto-run: " << error << '\n';
    return 1;
  }
  DialectRegistry registry;
  pto::registerAllDialects(registry);
  // Blocks run on several threads, which may make types and attributes.
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  context.printOpOnDiagnostic(false);
  if (options.json)
    return runAsJson(options, sources, context);
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = parseNamed(sources, &context);
  return module ? runModule(options, *module, nullptr) : 1;
}
