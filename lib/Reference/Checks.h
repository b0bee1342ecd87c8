//===- Checks.h - What the model checks, and what it reports ---------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Every check has a name and a switch. What one finds is an error that carries the
// name, and a report: the same as data, with both accesses and what would order them.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_CHECKS_H
#define PTO_REFERENCE_CHECKS_H

#include "Pto/Pto.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::pto::reference {

enum class Check : uint8_t {
  // Order
  TaskConflict,
  BlockConflict,
  PipeRace,
  CoreRace,
  FlagSetTwice,
  FlagLeft,
  CrossCore,
  QueueOverrun,
  QueueUnderrun,
  QueueFree,
  NoFinalBarrier,
  Mutex,
  UnitFlag,
  DataCache,
  Hang,
  // Content
  Uninitialized,
  OutRead,
  BufferReuse,
  ScheduleDifference,
  // Rules of the chip
  CoreKind,
  Instruction,
  InstructionLimits,
  OperandOverlap,
  Allocation,
  BufferCount,
  // What no run can go on without
  Bounds,
  ValidRegion,
  InWrite,
  ArgumentOverlap,
  Division,
};
inline constexpr unsigned kChecks = static_cast<unsigned>(Check::Division) + 1;

struct CheckInfo {
  StringRef name;
  StringRef what; // that it finds
  /// It can be switched off: the model can go on without.
  bool canBeOff;
};
/// By the numbers of `Check`.
ArrayRef<CheckInfo> getChecks();
StringRef getName(Check check);

/// The checks that are on.
class CheckSet {
public:
  /// All of them.
  CheckSet() : bits((uint64_t(1) << kChecks) - 1) {}
  bool has(Check check) const { return bits >> static_cast<unsigned>(check) & 1; }
  void set(Check check, bool on) {
    uint64_t bit = uint64_t(1) << static_cast<unsigned>(check);
    bits = on ? bits | bit : bits & ~bit;
  }
  bool operator==(const CheckSet &other) const { return bits == other.bits; }

  /// Anything about the bytes of a core's spaces.
  bool keepsSpaces() const {
    return has(Check::PipeRace) || has(Check::CoreRace) || has(Check::Uninitialized) ||
           has(Check::BufferReuse);
  }
  /// Anything about the bytes of arrays.
  bool keepsArrays() const {
    return keepsSpaces() || has(Check::TaskConflict) || has(Check::BlockConflict) ||
           has(Check::OutRead);
  }
  /// "all", "none", or names after a sign: "+pipe_race", "-uninitialized"; an error
  /// tells the names that there are.
  static llvm::Expected<CheckSet> parse(StringRef text);

private:
  uint64_t bits;
};

/// "Vec", "DDR": where a value that names a tile or an array is.
std::string getSpaceWord(Value value);

/// One access, or one place in a program.
struct Site {
  Operation *op = nullptr;
  Value variable;
  std::string space;          // "Vec", "DDR"
  int64_t begin = 0, end = 0; // bytes; none if they are equal
  std::string pipe;           // "MTE2"
  uint32_t task = 0;          // 0: the orchestration
  std::string taskName;
  int64_t block = -1, blocks = 1;
  std::string core; // "AIV 1", where there is more than one
  bool writes = false;
  std::string schedule; // the order of the tasks, where it is not program order

  /// "task 2 'scale', block 3, AIV 1": as much as there is.
  std::string placeWord() const;
};

struct Report {
  Check check;
  std::string message;
  SmallVector<Site, 2> sites; // the access that the check refuses; the other one
  std::string fix;
  llvm::json::Object toJson() const;
};

/// Where a thread is in a run: what reports say of themselves, and where they go.
struct ReportContext {
  std::vector<Report> *reports = nullptr;
  /// Where errors wait; null: they are emitted at once.
  std::vector<Diagnostic> *errors = nullptr;
  Site place; // but for the operation

  static ReportContext *&current();
  /// Makes it that of this thread.
  struct Scope {
    explicit Scope(ReportContext &context) : before(current()) { current() = &context; }
    ~Scope() { current() = before; }
    ReportContext *before;
  };
};

/// An error that a check finds; it is emitted when this goes.
class CheckError {
public:
  /// Begins with the operation in the author's words, unless `bare`.
  CheckError(Check check, Operation *op, bool bare = false);
  CheckError(CheckError &&other);
  ~CheckError();

  template <typename T> CheckError &operator<<(const T &value) {
    llvm::raw_string_ostream(report.message) << value;
    return *this;
  }
  CheckError &note(Location loc, const llvm::Twine &text);
  /// What is refused is about these bytes of what it names, or about all of it.
  CheckError &about(Value variable, int64_t begin = 0, int64_t end = 0);
  /// The place of the error, in full, and the other one, of which `text` is a note.
  Site &site() { return report.sites.front(); }
  CheckError &other(Site site, const llvm::Twine &text);
  CheckError &fix(std::string text);

  operator LogicalResult() const { return failure(); }
  template <typename T> operator FailureOr<T>() const { return failure(); }

private:
  Report report;
  bool bare, live = true;
  std::vector<std::pair<Location, std::string>> notes;
};

/// The diagnostics and reports of a run, as `pypto-run --json` prints them.
llvm::json::Object toJson(const Diagnostic &diagnostic);
llvm::json::Array toJson(ArrayRef<Report> reports);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_CHECKS_H
