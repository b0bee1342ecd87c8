//===- Launch.h - The blocks of a task ------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A task is launched on blocks; each block is one core or a cluster of an AIC and
// two AIVs. The blocks run on the host's cores, each over the arrays as the tasks
// before left them and over a shadow of its own, so that the answer and the errors
// are the same whatever the timing; what they touched is compared in block order.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_LAUNCH_H
#define PTO_REFERENCE_LAUNCH_H

#include "Reference/Core.h"
#include "Reference/DataCache.h"
#include "Reference/Profile.h"
#include "Reference/Tasks.h"

#include "Reference/Program.h"

#include "mlir/IR/Diagnostics.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace mlir::pto::reference {

/// One run of a program, in one order of its tasks.
struct Run {
  Run(ProgramState &program, const RunOptions &options, std::vector<Report> &reports, DepsMode mode,
      Schedule schedule, uint64_t seed)
      : program(program), options(options), checks(options.checks), reports(reports),
        tasks(*this, mode, schedule, seed) {}

  ProgramState &program;
  const RunOptions &options;
  const CheckSet &checks;
  std::vector<Report> &reports;
  Tasks tasks;
  /// Where times go, if they are wanted.
  std::optional<Profile> profile;
  /// There is an orchestration, so that tasks have names.
  bool hasTasks = false;
  /// Of a further order: nothing is printed, and reports say it.
  std::string scheduleName;
  /// Of all blocks that have ended.
  int64_t steps = 0;
  /// The caller asked to end.
  std::atomic<bool> stopped{false};

  void print(StringRef text);
};

/// One block: one core, or a cluster.
class Cluster {
public:
  Cluster(Launch &launch, uint32_t number, uint32_t epoch);
  ~Cluster();
  /// Runs the cores in turn until all have ended, all wait, or one fails.
  Flow run();
  /// Counts a step; an error at `op` when the run must end.
  LogicalResult count(Operation *op) { return ++steps < nextCheck ? success() : check(op); }
  void print(StringRef text);
  /// What this block did with an array.
  Shadow &getShadow(Memory &memory);
  /// Bytes of an array that a core found unwritten.
  struct Missing {
    Memory *memory = nullptr;
    ByteRange bytes = {0, 0};
    Access access;
  };
  /// Lets the other cores go on until one writes what this one misses: the two are in no
  /// order. No problem if none does.
  Problem findLaterWrite(const Missing &missing);
  void forgetArrays();
  CoreMemory &getMemory(unsigned core) { return memory->get(core); }
  /// "AIV 1", "the core".
  std::string coreWord(unsigned core) const;
  /// "AIV 1", and nothing where there is one core.
  std::string coreName(unsigned core) const;
  bool isDone() const;
  std::string describeWait(const Core &core);
  /// Adds its waiting cores to the error that the task hangs.
  void reportHang(std::optional<CheckError> &error);
  /// Gives the memories of its cores to others.
  void release();
  Site getPlace() const;

  Launch &launch;
  const uint32_t number, epoch;
  Order order;
  std::vector<std::unique_ptr<Core>> cores;
  int64_t steps = 0;
  /// What it printed and what went wrong, where other blocks run at the same time.
  std::string printed;
  std::vector<Diagnostic> errors;
  std::vector<Report> reports;
  Flow flow = Flow::Wait;
  Missing missing;
  /// A race between its cores that another core ran into after this one had failed.
  std::optional<std::pair<Location, std::string>> suspected;
  /// Where the scalar units work on arrays.
  std::optional<DataCaches> caches;
  /// Of blocks that signal one another: what it did with arrays since the last round.
  struct ArrayAccess {
    Memory *memory;
    std::vector<ByteRange> ranges;
    Access access;
    bool writes;
    KnowledgePtr known; // of other blocks
  };
  std::vector<ArrayAccess> accesses;
  /// What it did with arrays, in the order in which it touched them first.
  std::vector<std::pair<Memory *, std::unique_ptr<Shadow>>> shadows;

private:
  LogicalResult check(Operation *op);
  /// Takes memories, and brings the cores to their beginning.
  LogicalResult start();
  void add(const Part &part, unsigned core, CoreKind kind, int64_t subblock);

  int64_t nextCheck = 1;
  bool isNew = true;
  SmallVector<const Part *, 3> parts; // of each core
  llvm::DenseMap<Memory *, Shadow *> shadowOf;
  ClusterMemory *memory = nullptr;
};

/// One task at work; or the orchestration.
class Launch {
public:
  Launch(Run &run, Task &task);
  LogicalResult execute();
  void noteArgument(CheckError &error, Value name) const;

  Run &run;
  Task &task;
  std::vector<std::unique_ptr<Cluster>> clusters;
  /// Blocks signal one another (cross-core flags of mode 0).
  bool joinsBlocks = false;
  /// Blocks add to arrays, in one order each time.
  bool adds = false;
  /// How many cores share the bandwidth of DDR, for a profile.
  int64_t coresAtOnce = 1;
  /// Of blocks that signal one another: who wrote a byte last, and who has read it
  /// since.
  struct RoundState {
    struct Entry {
      uint32_t block;
      Access access;
    };
    std::optional<Entry> write;
    SmallVector<Entry, 1> reads;
  };
  /// Where a block is, for reports.
  Site getPlace(uint32_t block) const;
  bool isMainThread() const { return std::this_thread::get_id() == mainThread; }

private:
  FailureOr<bool> evaluate();
  /// Tells who watches; whether the run goes on.
  bool tell(Event event);
  void makeClusters();
  void keepCores();
  LogicalResult startProfile();
  LogicalResult runClusters();
  LogicalResult checkCores() const;
  void runBlocks();
  LogicalResult finishBlocks();
  LogicalResult runRounds();
  LogicalResult merge(Cluster &cluster);
  LogicalResult mergeLines(Cluster &cluster);
  LogicalResult mergeRound(Cluster &cluster);
  Conflict touchRound(uint32_t block, const Cluster::ArrayAccess &now, ByteRange range,
                      uint8_t cores);
  LogicalResult report(const Conflict &conflict, const Memory &memory);
  std::string arrayWord(const Memory &memory) const;
  /// The block that writes what this one misses.
  Conflict findWriter(Cluster &reader);
  LogicalResult reportHang();
  Site placeOf(const Touch &touch) const;
  Site makeSite(const Conflict &conflict, const Touch &touch, bool writes) const;
  void explain(CheckError &error, const Touch &first, const Touch &second) const;
  MergeRules getRules(uint32_t block, uint32_t epoch,
                      llvm::function_ref<bool(uint32_t)> isBefore) const;

  const std::thread::id mainThread;
  BlockSignals signals;
  std::map<Memory *, std::unique_ptr<ByteMap<RoundState>>> rounds;
  /// Which block wrote elements of a line with its scalar unit, and where.
  std::map<std::pair<const Memory *, int64_t>, std::pair<uint32_t, Operation *>> lineWriters;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_LAUNCH_H
