//===- Checks.cpp - What the model checks, and what it reports ----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Checks.h"
#include "Pto/Words.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

// By the numbers of `Check`.
static constexpr CheckInfo kInfos[] = {
    {"task_conflict", "two tasks touch a byte, one writes it, and no path of edges orders them",
     true},
    {"block_conflict", "two blocks of a task touch a byte, one writes it, and nothing orders them",
     true},
    {"pipe_race", "two pipes of a core touch a byte, one writes it, and no flag orders them", true},
    {"core_race",
     "two cores of a cluster touch a byte, one writes it, and no cross-core flag orders "
     "them",
     true},
    {"flag_set_twice", "a flag is set again before its wait", true},
    {"flag_left", "a flag is still set when the kernel ends", true},
    {"cross_core", "a cross-core flag's counter overflows, mixes modes, or is left set", true},
    {"queue_overrun", "a core pushes into a ring whose slots nobody frees", false},
    {"queue_underrun", "a core pops a tile that nobody pushes, or one is left", false},
    {"queue_free", "a popped slot of a ring is not freed, or freed twice", false},
    {"no_final_barrier", "a kernel ends before its pipes are done", true},
    {"mutex", "a mutex is locked twice, unlocked by who does not hold it, or held at the end",
     true},
    {"unit_flag", "an accumulator's unit flag is waited for in vain, or left set", true},
    {"data_cache",
     "an element that the scalar unit wrote is in its data cache only, or one that it reads is old",
     true},
    {"hang", "a core waits for what nobody sets", false},
    {"uninitialized", "bytes are read that nothing has written", true},
    {"out_read", "an Out array is read where its task has not written", true},
    {"buffer_reuse", "a tile is read after another tile was put into its bytes", true},
    {"schedule_difference", "two orders that the edges allow give different answers", true},
    {"core_kind", "a core is given what it does not have", true},
    {"instruction", "the chip has no such instruction", true},
    {"instruction_limits", "an instruction's sizes, strides or addresses are beyond its fields",
     true},
    {"operand_overlap", "an instruction's destination overlaps its source", true},
    {"allocation", "an allocation's address or layout is not one that its space takes", true},
    {"buffer_count", "a kernel has more buffers than the chip's address registers", true},
    {"bounds", "a window reaches beyond its array, tile or space", false},
    {"valid_region", "an operation reads beyond the valid region of a tile", false},
    {"in_write", "an In array is written", false},
    {"argument_overlap", "two arguments share memory, and one of them is written", true},
    {"division", "an integer is divided by zero", false},
};
static_assert(std::size(kInfos) == kChecks);

ArrayRef<CheckInfo> reference::getChecks() { return kInfos; }
StringRef reference::getName(Check check) { return kInfos[static_cast<unsigned>(check)].name; }

static llvm::Error unknownCheck(StringRef name) {
  std::string names;
  for (const CheckInfo &info : kInfos)
    names += (names.empty() ? "" : ", ") + info.name.str();
  return llvm::createStringError("there is no check '" + name + "'; there are " + names);
}

llvm::Expected<CheckSet> CheckSet::parse(StringRef text) {
  CheckSet set;
  SmallVector<StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    word = word.trim();
    if (word == "all" || word == "none") {
      for (unsigned i = 0; i < kChecks; ++i)
        set.set(static_cast<Check>(i), word == "all" || !kInfos[i].canBeOff);
      continue;
    }
    bool off = word.consume_front("-");
    if (!off)
      word.consume_front("+");
    const auto *info = llvm::find_if(kInfos, [&](const CheckInfo &i) { return i.name == word; });
    if (info == std::end(kInfos))
      return unknownCheck(word);
    if (off && !info->canBeOff)
      return llvm::createStringError("the check '" + word + "' cannot be off: when " + info->what +
                                     ", the model cannot go on");
    set.set(static_cast<Check>(info - kInfos), !off);
  }
  return set;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string reference::getSpaceWord(Value value) {
  std::optional<MemorySpace> space = value ? getTileSpace(value.getType()) : std::nullopt;
  return space ? spaceWord(*space).str() : spaceWord(MemorySpace::DDR).str();
}

std::string Site::placeWord() const {
  std::string word;
  auto add = [&](const std::string &part) { word += (word.empty() ? "" : ", ") + part; };
  if (task)
    add("task " + std::to_string(task) + " '" + taskName + "'");
  if (block >= 0 && blocks > 1)
    add("block " + std::to_string(block));
  if (!core.empty())
    add(core);
  if (!schedule.empty())
    add(schedule);
  return word;
}

ReportContext *&ReportContext::current() {
  static thread_local ReportContext *context = nullptr;
  return context;
}

CheckError::CheckError(Check check, Operation *op, bool bare) : bare(bare) {
  report.check = check;
  Site place;
  if (ReportContext *context = ReportContext::current())
    place = context->place;
  place.op = op;
  report.sites.push_back(std::move(place));
}

CheckError::CheckError(CheckError &&other)
    : report(std::move(other.report)), bare(other.bare), live(other.live),
      notes(std::move(other.notes)) {
  other.live = false;
}

CheckError &CheckError::about(Value variable, int64_t begin, int64_t end) {
  Site &place = site();
  place.variable = variable;
  place.space = getSpaceWord(variable);
  place.begin = begin;
  place.end = end;
  return *this;
}

CheckError &CheckError::note(Location loc, const llvm::Twine &text) {
  notes.push_back({loc, text.str()});
  return *this;
}

CheckError &CheckError::other(Site site, const llvm::Twine &text) {
  std::string place = site.placeWord(), own = report.sites.front().placeWord();
  notes.push_back({site.op->getLoc(),
                   (text + (place == own || place.empty() ? "" : " (" + place + ")")).str()});
  report.sites.push_back(std::move(site));
  return *this;
}

CheckError &CheckError::fix(std::string text) {
  report.fix = std::move(text);
  return *this;
}

CheckError::~CheckError() {
  if (!live)
    return;
  Site &place = report.sites.front();
  std::string where = place.placeWord();
  InFlightDiagnostic error = bare ? mlir::emitError(place.op->getLoc()) : emitUserError(place.op);
  error << report.message << " [" << getName(report.check) << (where.empty() ? "" : "; ") << where
        << "]";
  for (auto &[loc, text] : notes)
    error.attachNote(loc) << text;
  error.report();
  if (!bare)
    report.message = operationWord(place.op) + ": " + report.message;
  if (ReportContext *context = ReportContext::current(); context && context->reports)
    context->reports->push_back(std::move(report));
}

//===----------------------------------------------------------------------===//
// As data
//===----------------------------------------------------------------------===//

static void addPlace(llvm::json::Object &object, Location loc) {
  auto file = loc->findInstanceOf<FileLineColRange>();
  object["file"] = file ? llvm::json::Value(llvm::json::fixUTF8(file.getFilename())) : nullptr;
  object["line"] = file ? static_cast<int64_t>(file.getStartLine()) : 0;
  object["column"] = file ? static_cast<int64_t>(file.getStartColumn()) : 0;
}

static llvm::json::Object toJson(const Site &site) {
  llvm::json::Object object;
  Operation *at = site.op;
  while (at->getParentOp() && !at->getLoc()->findInstanceOf<FileLineColRange>())
    at = at->getParentOp();
  addPlace(object, at->getLoc());
  auto word = [](StringRef text) {
    return text.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(llvm::json::fixUTF8(text));
  };
  object["operation"] = llvm::json::fixUTF8(operationWord(site.op));
  object["variable"] = word(site.variable ? nameOf(site.variable) : "");
  object["space"] = word(site.space);
  object["bytes"] = site.begin == site.end
                        ? llvm::json::Value(nullptr)
                        : llvm::json::Value(llvm::json::Array{site.begin, site.end});
  object["access"] =
      site.begin == site.end ? nullptr : llvm::json::Value(site.writes ? "write" : "read");
  object["pipe"] = word(site.pipe);
  object["task"] = site.task ? llvm::json::Value(static_cast<int64_t>(site.task)) : nullptr;
  object["task_name"] = word(site.taskName);
  object["block"] = site.block >= 0 ? llvm::json::Value(site.block) : nullptr;
  object["core"] = word(site.core);
  return object;
}

llvm::json::Object Report::toJson() const {
  llvm::json::Object object;
  object["check"] = getName(check);
  object["message"] = llvm::json::fixUTF8(message);
  llvm::json::Array accesses;
  for (const Site &site : sites)
    accesses.push_back(::toJson(site));
  object["accesses"] = std::move(accesses);
  object["fix"] =
      fix.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(llvm::json::fixUTF8(fix));
  return object;
}

llvm::json::Object reference::toJson(const Diagnostic &diagnostic) {
  static const char *const severities[] = {"note", "warning", "error", "remark"};
  llvm::json::Object object;
  object["severity"] = severities[static_cast<unsigned>(diagnostic.getSeverity())];
  object["message"] = llvm::json::fixUTF8(diagnostic.str());
  addPlace(object, diagnostic.getLocation());
  llvm::json::Array notes;
  for (const Diagnostic &note : const_cast<Diagnostic &>(diagnostic).getNotes())
    notes.push_back(toJson(note));
  object["notes"] = std::move(notes);
  return object;
}

llvm::json::Array reference::toJson(ArrayRef<Report> reports) {
  llvm::json::Array array;
  for (const Report &report : reports)
    array.push_back(report.toJson());
  return array;
}
