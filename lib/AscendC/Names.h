//===- Names.h - C++ names of the author's variables --------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ASCENDC_NAMES_H
#define PTO_ASCENDC_NAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace mlir::pto::ascendc {

/// An identifier that C++ accepts as the name of a variable, as near to `wanted`
/// as can be; empty when nothing of it is left.
std::string variableName(llvm::StringRef wanted);
/// The same for a kernel or entry, whose name its callers know.
std::string symbolName(llvm::StringRef wanted);
/// Whether a function's name can name a file and a C++ function.
bool isIdentifier(llvm::StringRef name);

/// The names in use, block by block: a block ends its names.
class Names {
public:
  Names() { push(); }
  void push() { scopes.emplace_back(); }
  void pop() { scopes.pop_back(); }
  /// A name that nothing in sight has: the author's, else `fallback` with a number.
  std::string fresh(llvm::StringRef wanted, llvm::StringRef fallback);

private:
  struct Scope {
    llvm::StringSet<> names;
    /// By name without its number: the first number that may be free. A long function
    /// would else try all of them for each of its variables.
    llvm::StringMap<unsigned> numbers;
  };
  bool isTaken(llvm::StringRef name) const;
  llvm::SmallVector<Scope> scopes;
};

} // namespace mlir::pto::ascendc

#endif // PTO_ASCENDC_NAMES_H
