//===- pto_tasks.h - The tasks of an entry on AscendCL streams ---*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Plain C++17 of the host; stands beside the entries that PyPTO emits. A task is the
// launch of a kernel on one of a few streams. Tasks of one stream run one after the
// other; tasks of two streams are ordered by an event where one must wait for the other.
//
//     pto::Tasks tasks(stream, pto::Order::Tokens);
//     if (tasks.begin({}))
//       first_do(1, tasks.stream(), x, y);
//     const pto::Task first = tasks.end();
//     if (tasks.begin({first}))
//       second_do(1, tasks.stream(), y, z);
//     tasks.end();
//     return tasks.finish();
//
// The first error ends it: nothing is launched any more, and finish() gives its code.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TASKS_H
#define PTO_TASKS_H

#include "acl/acl.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace pto {

/// Names a task; kNoTask names none, and nobody waits for it.
using Task = int64_t;
constexpr Task kNoTask = -1;

/// What says which tasks a task waits for.
enum class Order {
  Program, // its place: it waits for every earlier one
  Tokens,  // those that it is told to wait for
  Derived, // these, and earlier ones that use what it uses, if one of the two writes there
};

/// Bytes of an array: `rows` runs of `bytes`, each `pitch` behind the one before.
struct Window {
  const uint8_t *begin;
  int64_t rows, bytes, pitch;
  const uint8_t *end() const { return begin + (rows - 1) * pitch + bytes; }
};

/// What a task does with a window.
struct Use {
  Window window;
  bool reads, writes;
  bool ordered = true; // it takes part in the derived order
};

inline Use in(const uint8_t *array, int64_t rows, int64_t bytes, int64_t pitch) {
  return {{array, rows, bytes, pitch}, true, false};
}
inline Use out(const uint8_t *array, int64_t rows, int64_t bytes, int64_t pitch) {
  return {{array, rows, bytes, pitch}, false, true};
}
inline Use inout(const uint8_t *array, int64_t rows, int64_t bytes, int64_t pitch) {
  return {{array, rows, bytes, pitch}, true, true};
}
inline Use in(const uint8_t *array, int64_t bytes) { return in(array, 1, bytes, bytes); }
inline Use out(const uint8_t *array, int64_t bytes) { return out(array, 1, bytes, bytes); }
inline Use inout(const uint8_t *array, int64_t bytes) { return inout(array, 1, bytes, bytes); }
/// A use that nothing is derived from or to.
inline Use unordered(Use use) {
  use.ordered = false;
  return use;
}

/// Whether a row of `a` has bytes in [begin, end).
inline bool meets(const Window &a, const uint8_t *begin, const uint8_t *end) {
  if (begin >= a.end() || end <= a.begin)
    return false;
  if (a.rows == 1)
    return true;
  // The last row that begins before `end`; it, or the end of the one before, is near.
  int64_t row = std::min<int64_t>(a.rows - 1, (end - 1 - a.begin) / a.pitch);
  return a.begin + row * a.pitch + a.bytes > begin;
}

inline bool overlap(const Window &a, const Window &b) {
  if (a.begin >= b.end() || b.begin >= a.end())
    return false;
  const Window &few = a.rows < b.rows ? a : b, &many = a.rows < b.rows ? b : a;
  for (int64_t row = 0; row < few.rows; ++row) {
    const uint8_t *begin = few.begin + row * few.pitch;
    if (meets(many, begin, begin + few.bytes))
      return true;
  }
  return false;
}

/// Whether `a` surely has all bytes of `b`.
inline bool covers(const Window &a, const Window &b) {
  if (b.begin < a.begin || b.end() > a.end())
    return false;
  if (a.rows == 1)
    return true;
  if (b.rows != 1 && b.pitch != a.pitch)
    return false;
  int64_t distance = b.begin - a.begin;
  return distance % a.pitch + b.bytes <= a.bytes && distance / a.pitch + b.rows <= a.rows;
}

class Tasks {
public:
  /// `first` is the caller's stream: what it was given before comes before all tasks.
  Tasks(void *first, Order order) : order_(order) {
    streams_[0].handle = first;
    streams_[0].exists = true;
    check(aclrtCreateEvent(&before_));
    if (!status_)
      check(aclrtRecordEvent(before_, first));
  }
  Tasks(const Tasks &) = delete;
  Tasks &operator=(const Tasks &) = delete;
  ~Tasks() { finish(); }

  /// Makes ready for one launch on stream() behind the tasks of `after`, and behind
  /// those that the uses ask for. False after an error: then launch nothing.
  bool begin(const std::vector<Task> &after, const std::vector<Use> &uses = {}) {
    if (status_)
      return false;
    if (log_.size() >= kMostTasks)
      settle();
    std::vector<Task> needed = collect(after, uses);
    current_ = order_ == Order::Program ? 0 : choose(needed);
    open(current_);
    for (Task task : needed)
      follow(current_, at(task));
    uses_ = uses;
    begun_ = !status_;
    return begun_;
  }
  void *stream() const { return streams_[current_].handle; }
  /// The task that was launched since begin(), or kNoTask.
  Task end() {
    if (!begun_)
      return kNoTask;
    begun_ = false;
    Entry entry;
    entry.stream = static_cast<int>(current_);
    entry.event = takeEvent();
    if (!status_)
      check(aclrtRecordEvent(entry.event, stream()));
    Task task = add(entry);
    streams_[current_].last = task;
    remember(task);
    return task;
  }
  /// A task that does nothing and is done when those of `after` are.
  Task join(const std::vector<Task> &after) {
    Entry entry;
    entry.parts = collect(after, {});
    return add(entry);
  }

  /// The host waits for what begin() would make the task wait for. False after an error.
  bool wait(const std::vector<Task> &after, const std::vector<Use> &uses = {}) {
    if (order_ == Order::Program)
      settle();
    else
      for (Task task : collect(after, uses))
        finishOne(task);
    return !status_;
  }
  /// An element as it is now.
  template <typename T> T peek(const uint8_t *element) {
    T value{};
    if (!status_)
      check(aclrtMemcpy(&value, sizeof(T), element, sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST));
    return status_ ? T{} : value;
  }
  /// An element, after all tasks that write it.
  template <typename T> T read(const uint8_t *element) {
    if (order_ != Order::Derived) {
      settle(); // nobody has said who writes what
      return peek<T>(element);
    }
    std::vector<Task> writers;
    for (const Past &past : past_)
      if (past.use.writes && meets(past.use.window, element, element + sizeof(T)))
        writers.push_back(past.task);
    for (Task task : writers)
      finishOne(task);
    return peek<T>(element);
  }
  float readHalf(const uint8_t *element) { return fromHalf(read<uint16_t>(element)); }
  float readBfloat(const uint8_t *element) {
    return fromBits(uint32_t(read<uint16_t>(element)) << 16);
  }

  /// Memory of the device, until finish().
  uint8_t *create(size_t bytes) {
    void *memory = nullptr;
    if (!status_)
      check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    if (!status_)
      arrays_.push_back(memory);
    return static_cast<uint8_t *>(memory);
  }

  /// A number of blocks that a launch takes.
  uint32_t blocks(int64_t count, int64_t most = 65535) {
    if (count < 1 || count > most)
      check(kBadArgument);
    return status_ ? 1 : static_cast<uint32_t>(count);
  }
  /// An element of a small array, and the array with another one.
  template <typename T, size_t N> T get(const std::array<T, N> &array, int64_t index) {
    if (index >= 0 && index < static_cast<int64_t>(N))
      return array[index];
    check(kBadArgument);
    return array[0];
  }
  template <typename T, size_t N>
  std::array<T, N> set(std::array<T, N> array, int64_t index, T value) {
    if (index >= 0 && index < static_cast<int64_t>(N))
      array[index] = value;
    else
      check(kBadArgument);
    return array;
  }

  /// Waits until all is done and gives everything back; the first error, or ACL_SUCCESS.
  int finish() {
    if (finished_)
      return status_;
    finished_ = true;
    for (Stream &stream : streams_)
      if (stream.exists)
        check(aclrtSynchronizeStream(stream.handle));
    for (const Entry &entry : log_)
      if (entry.event)
        check(aclrtDestroyEvent(entry.event));
    for (aclrtEvent event : events_)
      check(aclrtDestroyEvent(event));
    if (before_)
      check(aclrtDestroyEvent(before_));
    for (size_t i = 1; i < kStreams; ++i)
      if (streams_[i].exists)
        check(aclrtDestroyStream(streams_[i].handle));
    for (void *array : arrays_)
      check(aclrtFree(array));
    return status_;
  }

private:
  static constexpr size_t kStreams = 4;
  /// So many tasks at most have an event; then the host waits for all of them.
  static constexpr size_t kMostTasks = 1024;
  static constexpr aclError kBadArgument = 100000; // ACL_ERROR_INVALID_PARAM

  struct Stream {
    void *handle = nullptr;
    bool exists = false;
    Task last = kNoTask; // its last task
  };
  struct Entry {
    int stream = 0;
    aclrtEvent event = nullptr; // none: what join() made
    std::vector<Task> parts;    // of join()
    bool done = false;
  };
  struct Past {
    Task task;
    Use use;
  };

  void check(aclError error) {
    if (error != ACL_SUCCESS && status_ == ACL_SUCCESS)
      status_ = error;
  }
  Entry &at(Task task) { return log_[static_cast<size_t>(task - first_)]; }
  Task add(Entry entry) {
    log_.push_back(std::move(entry));
    return first_ + static_cast<Task>(log_.size()) - 1;
  }

  /// Adds a task, or those that it joins, unless it is done.
  void expand(Task task, std::vector<Task> &into) {
    if (task < first_ || at(task).done)
      return;
    if (!at(task).event)
      into.insert(into.end(), at(task).parts.begin(), at(task).parts.end());
    else
      into.push_back(task);
  }
  /// The tasks to wait for, each once, the latest last.
  std::vector<Task> collect(const std::vector<Task> &after, const std::vector<Use> &uses) {
    std::vector<Task> found;
    for (Task task : after)
      expand(task, found);
    if (order_ == Order::Derived)
      for (const Use &use : uses)
        for (const Past &past : past_)
          if (use.ordered && past.use.ordered && (use.writes || past.use.writes) &&
              overlap(use.window, past.use.window))
            expand(past.task, found);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    found.erase(found.begin(), std::lower_bound(found.begin(), found.end(), first_));
    return found;
  }
  /// Who comes after a write comes after all that it covers.
  void remember(Task task) {
    if (order_ != Order::Derived)
      return;
    for (const Use &use : uses_) {
      auto covered = [&](const Past &past) {
        return use.writes && use.ordered && past.use.ordered && past.task != task &&
               covers(use.window, past.use.window);
      };
      past_.erase(std::remove_if(past_.begin(), past_.end(), covered), past_.end());
      past_.push_back({task, use});
    }
  }

  /// The stream whose last task is the latest of those to wait for, else the next one.
  size_t choose(const std::vector<Task> &needed) {
    for (auto task = needed.rbegin(); task != needed.rend(); ++task) {
      size_t stream = static_cast<size_t>(at(*task).stream);
      if (streams_[stream].last == *task)
        return stream;
    }
    return next_++ % kStreams;
  }
  void open(size_t number) {
    Stream &stream = streams_[number];
    if (stream.exists || status_)
      return;
    check(aclrtCreateStream(&stream.handle));
    stream.exists = !status_;
    if (!status_)
      check(aclrtStreamWaitEvent(stream.handle, before_));
  }
  void follow(size_t stream, const Entry &entry) {
    if (entry.stream != static_cast<int>(stream) && !status_)
      check(aclrtStreamWaitEvent(streams_[stream].handle, entry.event));
  }
  aclrtEvent takeEvent() {
    aclrtEvent event = nullptr;
    if (!events_.empty()) {
      event = events_.back();
      events_.pop_back();
    } else if (!status_) {
      check(aclrtCreateEvent(&event));
    }
    return event;
  }
  void finishOne(Task task) {
    if (status_ || task < first_ || at(task).done)
      return;
    check(aclrtSynchronizeEvent(at(task).event));
    at(task).done = true;
  }
  /// The host waits for all tasks, and forgets them.
  void settle() {
    for (Stream &stream : streams_) {
      if (stream.exists && !status_)
        check(aclrtSynchronizeStream(stream.handle));
      stream.last = kNoTask;
    }
    for (const Entry &entry : log_)
      if (entry.event)
        events_.push_back(entry.event);
    first_ += static_cast<Task>(log_.size());
    log_.clear();
    past_.clear();
  }

  static float fromBits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  static float fromHalf(uint16_t bits) {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31;
    uint32_t fraction = bits & 1023;
    if (exponent == 31)
      return fromBits(sign | 0x7f800000 | fraction << 13);
    if (exponent != 0)
      return fromBits(sign | (exponent + 112) << 23 | fraction << 13);
    float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }

  const Order order_;
  aclError status_ = ACL_SUCCESS;
  bool finished_ = false, begun_ = false;
  std::array<Stream, kStreams> streams_{};
  size_t current_ = 0, next_ = 0;
  aclrtEvent before_ = nullptr;
  std::vector<aclrtEvent> events_; // free ones
  std::vector<Entry> log_;         // the tasks from first_ on
  Task first_ = 0;
  std::vector<Past> past_;
  std::vector<Use> uses_; // of the task that was begun
  std::vector<void *> arrays_;
};

} // namespace pto

#endif // PTO_TASKS_H
