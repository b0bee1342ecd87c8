//===- Chips.cpp - docs/reference/chips.md --------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Prints what lib/Target says of the chips as a page; `ninja pypto-docs` runs it.
//
//===----------------------------------------------------------------------===//

#include "Target/Chips.h"
#include "Pto/Words.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pto;

static const TargetInfo *chips[] = {&ascend910B, &ascend950};

/// A row of a table: what it says of each chip.
static void printRow(StringRef title, llvm::function_ref<std::string(const TargetInfo &)> cell) {
  llvm::outs() << "| " << title << " |";
  for (const TargetInfo *chip : chips)
    llvm::outs() << " " << cell(*chip) << " |";
  llvm::outs() << "\n";
}

static void printHead(StringRef heading, StringRef first) {
  llvm::outs() << "\n## " << heading << "\n\n| " << first << " |";
  for (const TargetInfo *chip : chips)
    llvm::outs() << " " << chip->name << " |";
  llvm::outs() << "\n|---|---|---|\n";
}

static std::string word(DtypeSet types) {
  if (types == kAnyType)
    return "all";
  std::vector<std::string> words;
  for (auto [type, name] : kDtypeNames)
    if (types & type)
      words.push_back(name);
  return words.empty() ? "–" : llvm::join(words, " ");
}

static std::string word(RoundSet rounds, int) {
  if (rounds == kExact)
    return "none";
  return (rounds & kOdd) ? "rounding, odd" : "rounding";
}

static std::string pipeName(Pipe pipe) { return stringifyPipe(pipe).upper(); }

static void printSpaces() {
  printHead("Spaces: bytes of a kernel (in a mixed one), alignment, layout", "space");
  for (const SpaceInfo &info : ascend910B.spaces) {
    MemorySpace space = info.space;
    if (space == MemorySpace::DDR)
      continue;
    printRow(spaceWord(space), [&](const TargetInfo &chip) {
      const SpaceInfo &own = chip.getSpace(space);
      std::string text = bytesWord(own.capacity);
      if (chip.getCapacity(space, /*mixed=*/true) != own.capacity)
        text += " (" + bytesWord(chip.getCapacity(space, /*mixed=*/true)) + ")";
      return text + ", " + bytesWord(own.alignment) + ", " + stringifyTileLayout(own.layout).str();
    });
  }
  printRow("buffer for scales", [](const TargetInfo &c) { return bytesWord(c.scalingBytes); });
}

static void printPaths() {
  printHead("Paths, and the pipe of each", "path");
  llvm::SetVector<PathInfo> paths;
  for (const TargetInfo *chip : chips)
    paths.insert(chip->paths.begin(), chip->paths.end());
  for (auto [from, to] : paths)
    printRow((spaceWord(from) + " → " + spaceWord(to)).str(), [&](const TargetInfo &chip) {
      std::optional<Pipe> pipe = chip.pipeOf(from, to);
      return pipe ? pipeName(*pipe) : std::string("–");
    });
}

static std::string flagsWord(ArrayRef<FlagInfo> flags) {
  std::vector<std::string> words;
  for (auto [src, dst] : flags)
    words.push_back(pipeName(src) + "_" + pipeName(dst));
  return llvm::join(words, " ");
}

static std::string signalsWord(const CrossCoreInfo &info) {
  std::string text = "0 to " + std::to_string(info.ids - 1) + " but " +
                     std::to_string(info.firstReserved) + " to " +
                     std::to_string(info.lastReserved) + ", modes 0, 1, 2";
  if (info.unicastIds)
    text += "; 0 to " + std::to_string(info.unicastIds - 1) + " in mode 4";
  return text;
}

static void printOrder() {
  printHead("Order", "what");
  printRow("event ids of a pair of pipes",
           [](const TargetInfo &c) { return "0 to " + std::to_string(c.eventIds - 1); });
  printRow("mutexes", [](const TargetInfo &c) {
    return c.hasMutex() ? "0 to " + std::to_string(c.mutexIds - 1) : std::string("–");
  });
  printRow("signals between cores", [](const TargetInfo &c) { return signalsWord(c.crossCore); });
  printRow("a wait for one holds", [](const TargetInfo &c) {
    return std::string(c.crossCore.waitHoldsOnePipe ? "the pipe that it names" : "all pipes");
  });
  printRow("flags that an AIC takes for nothing",
           [](const TargetInfo &c) { return flagsWord(c.emptyFlagsAIC); });
  printRow("flags that an AIV does",
           [](const TargetInfo &c) { return flagsWord(c.emptyFlagsAIV); });
}

static void printLimits() {
  auto number = [](StringRef title, int64_t TargetInfo::*field) {
    printRow(title, [=](const TargetInfo &chip) {
      int64_t value = chip.*field;
      return value == std::numeric_limits<int64_t>::max() ? "any" : std::to_string(value);
    });
  };
  printHead("Limits of a kernel and of single instructions", "what");
  number("`__NPU_ARCH__`", &TargetInfo::npuArch);
  number("cube cores", &TargetInfo::cubeCores);
  number("vector cores", &TargetInfo::vectorCores);
  number("allocations", &TargetInfo::maxBuffers);
  number("vector repeats", &TargetInfo::maxRepeats);
  number("blocks of 32 B between repeats", &TargetInfo::maxRepeatStride);
  number("rows of a DDR copy", &TargetInfo::maxBlockCount);
  number("bytes between rows of an array", &TargetInfo::maxArrayGap);
  number("elements from row to row, to Mat", &TargetInfo::maxFractalPitch);
  number("rows of fractals, from Mat", &TargetInfo::maxFractalRows);
  number("m, n and k of a product", &TargetInfo::maxMatmulDim);
  printRow("a vector instruction of no elements", [](const TargetInfo &c) {
    return std::string(c.emptyIsNothing ? "does nothing" : "is undefined");
  });
}

static std::string opWord(const TargetInfo &chip, StringRef mnemonic) {
  for (const VectorOpInfo &op : chip.vectorOps)
    if (op.mnemonic == mnemonic) {
      std::string text = word(op.types);
      if (op.scalarTypes == op.types)
        return text + "; the same with a scalar";
      return op.scalarTypes ? text + "; with a scalar " + word(op.scalarTypes) : text;
    }
  return "–";
}

static void printTypes() {
  llvm::outs()
      << "\nThe language has FP16, BF16, FP32 and INT32 in these operations so far. Types of "
         "8 and 64 bits\nhave no repeats: their windows are contiguous.\n";
  printHead("Vector instructions", "operation");
  llvm::SetVector<StringRef> mnemonics;
  for (const TargetInfo *chip : chips)
    for (const VectorOpInfo &op : chip->vectorOps)
      mnemonics.insert(op.mnemonic);
  for (StringRef mnemonic : mnemonics)
    printRow(("`" + mnemonic + "`").str(),
             [&](const TargetInfo &chip) { return opWord(chip, mnemonic); });
  for (const TargetInfo *chip : chips) {
    llvm::outs() << "\n## Conversions: " << chip->name << "\n\n| from | to | |\n|---|---|---|\n";
    for (const CastInfo &cast : chip->casts)
      llvm::outs() << "| " << word(cast.from) << " | " << word(cast.to) << " | "
                   << word(cast.rounds, 0) << " |\n";
  }
}

int main() {
  llvm::outs() << "# The chips\n\nGenerated from lib/Target by `ninja pypto-docs`; do not edit.\n"
               << "\nOther names: ";
  for (const TargetInfo *chip : chips)
    llvm::outs() << (chip == chips[0] ? "" : ", ") << llvm::join(chip->aliases, ", ") << " for "
                 << chip->name;
  llvm::outs() << ". What things cost is in docs/cost-model.md.\n";
  printSpaces();
  printPaths();
  printOrder();
  printLimits();
  printTypes();
  return 0;
}
