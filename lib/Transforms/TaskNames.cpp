//===- TaskNames.cpp - Names of functions made of regions -----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Transforms/TaskNames.h"

#include "Pto/Words.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pto;

/// File systems end at 255 bytes, of which numbers and suffixes take some.
static constexpr size_t kMaxNameHint = 128;

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

FailureOr<std::string> pto::chooseTaskName(Operation *op, std::optional<StringRef> hint,
                                           StringRef prefix, SymbolTable &symbols, int &number) {
  if (!hint) {
    std::string name;
    do
      name = (prefix + Twine(number++)).str();
    while (symbols.lookup(name));
    return name;
  }
  if (!isIdentifier(*hint)) {
    emitUserError(op) << "name_hint '" << *hint
                      << "' is no name for a function; use letters, digits and _";
    return failure();
  }
  if (hint->size() > kMaxNameHint) {
    emitUserError(op) << "name_hint '" << hint->take_front(32) << "...' has " << hint->size()
                      << " letters; it names files too, and has at most " << kMaxNameHint;
    return failure();
  }
  std::string name = hint->str();
  for (int i = 1; symbols.lookup(name); ++i)
    name = (*hint + "_" + Twine(i)).str();
  return name;
}
