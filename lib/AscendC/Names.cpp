//===- Names.cpp - C++ names of the author's variables --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AscendC/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir::pto;

/// What a variable may not be called: keywords, types and macros in lower case,
/// and the two parameters that every launch function has.
static bool isReserved(StringRef name) {
  static const StringSet<> words = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
      "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
      "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
      "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
      "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
      "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
      "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
      "while", "xor", "xor_eq",
      // types and macros
      "half", "bfloat16_t", "int4b_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
      "uint32_t", "int64_t", "uint64_t", "size_t", "pipe_t", "event_t", "assert", "errno", "stdin",
      "stdout", "stderr", "unix", "linux", "printf", "std",
      // parameters of launch functions
      "stream", "numBlocks"};
  return words.contains(name);
}

/// What a kernel may not be called besides: C functions that headers declare with
/// C linkage, and what the printed code names.
static bool isTakenSymbol(StringRef name) {
  static const StringSet<> words = {"abs",
                                    "acos",
                                    "asin",
                                    "atan",
                                    "atan2",
                                    "atof",
                                    "atoi",
                                    "atol",
                                    "bsearch",
                                    "calloc",
                                    "cbrt",
                                    "ceil",
                                    "cos",
                                    "cosh",
                                    "div",
                                    "erf",
                                    "exit",
                                    "exp",
                                    "exp2",
                                    "expm1",
                                    "fabs",
                                    "floor",
                                    "fma",
                                    "fmax",
                                    "fmin",
                                    "fmod",
                                    "free",
                                    "frexp",
                                    "gamma",
                                    "hypot",
                                    "j0",
                                    "j1",
                                    "jn",
                                    "labs",
                                    "ldexp",
                                    "ldiv",
                                    "lgamma",
                                    "log",
                                    "log10",
                                    "log1p",
                                    "log2",
                                    "logb",
                                    "lrint",
                                    "lround",
                                    "main",
                                    "malloc",
                                    "memcmp",
                                    "memcpy",
                                    "memmove",
                                    "memset",
                                    "modf",
                                    "nan",
                                    "nearbyint",
                                    "pow",
                                    "qsort",
                                    "rand",
                                    "random",
                                    "realloc",
                                    "remainder",
                                    "remove",
                                    "rename",
                                    "rint",
                                    "round",
                                    "scalb",
                                    "scalbn",
                                    "significand",
                                    "sin",
                                    "sinh",
                                    "sqrt",
                                    "srand",
                                    "strlen",
                                    "system",
                                    "tan",
                                    "tanh",
                                    "tgamma",
                                    "trunc",
                                    "y0",
                                    "y1",
                                    "yn",
                                    "read",
                                    "write",
                                    "open",
                                    "close",
                                    "select",
                                    "send",
                                    "index",
                                    "signal",
                                    "time",
                                    "clock",
                                    "wait",
                                    "pause",
                                    "sleep",
                                    "link",
                                    "dup",
                                    "access",
                                    "AscendC",
                                    "LocalTensor",
                                    "GlobalTensor",
                                    "TPosition",
                                    "HardEvent",
                                    "RoundMode",
                                    "ReduceType",
                                    "ReduceOrder",
                                    "MmadParams",
                                    "Nd2NzParams",
                                    "DataCopyExtParams",
                                    "DataCopyPadExtParams",
                                    "CopyRepeatParams",
                                    "BinaryRepeatParams",
                                    "UnaryRepeatParams",
                                    "BrcbRepeatParams",
                                    "LoadData2DParams",
                                    "FixpipeParamsV220"};
  return words.contains(name);
}

static bool isWordChar(char c) { return isAlnum(c) || c == '_'; }

bool ascendc::isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) && all_of(name, isWordChar);
}

std::string ascendc::variableName(StringRef wanted) {
  std::string name;
  for (char c : wanted)
    name += isWordChar(c) ? c : '_';
  // C++ keeps names that begin with underscores, and those with two in a row.
  StringRef rest = StringRef(name).ltrim('_');
  if (rest.empty())
    return "";
  name = rest.str();
  for (size_t at; (at = name.find("__")) != std::string::npos;)
    name.erase(at, 1);
  if (isDigit(name.front()))
    name = "v" + name;
  // Every AscendC call begins with a capital, and so do macros; a single capital
  // is a matrix.
  bool capital = name.size() > 1 && isUpper(name.front());
  if (capital || isReserved(name))
    name += name.back() == '_' ? "v" : "_";
  return name;
}

std::string ascendc::symbolName(StringRef wanted) {
  bool taken = isReserved(wanted) || isTakenSymbol(wanted);
  return taken ? (wanted + "_kernel").str() : wanted.str();
}

bool ascendc::Names::isTaken(StringRef name) const {
  return any_of(scopes, [&](const Scope &scope) { return scope.names.contains(name); });
}

std::string ascendc::Names::fresh(StringRef wanted, StringRef fallback) {
  std::string base = variableName(wanted);
  bool named = !base.empty();
  if (named && !isTaken(base)) {
    scopes.back().names.insert(base);
    return base;
  }
  // The author's name, then name_2; a fallback begins with a number.
  std::string stem = named ? base + "_" : fallback.str();
  unsigned number = named ? 2 : 0;
  for (const Scope &scope : scopes)
    number = std::max(number, scope.numbers.lookup(stem));
  std::string name;
  do
    name = stem + std::to_string(number++);
  while (isTaken(name));
  scopes.back().names.insert(name);
  scopes.back().numbers[stem] = number;
  return name;
}
