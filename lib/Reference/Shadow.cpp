//===- Shadow.cpp - What is known about each byte of a memory ----------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Shadow.h"
#include "Reference/History.h"

using namespace mlir::pto::reference;

static ShadowState makeInitial(bool written) {
  ShadowState state;
  state.written = written;
  return state;
}

Shadow::Shadow(int64_t size, bool written, const History *below)
    : map(size, makeInitial(written)), below(below) {}

/// Whether `access` is done when the reader starts.
static bool isDone(const Access &access, const Reader &reader) {
  if ((*reader.clock)[access.thread] >= access.index)
    return true;
  bool sameCore = access.thread / kPipes == reader.access.thread / kPipes;
  return !(sameCore ? reader.pipes : reader.cores);
}

void ShadowState::addRead(const Reader &reader) {
  // A read that is done before this one is implied by it: who is ordered after
  // this one is ordered after both. So is an earlier one of the same pipe, but
  // for the last: this instruction may itself write what it reads, and then
  // only its own read is excused.
  if (readCount && reads[readCount - 1].thread == reader.access.thread &&
      reads[readCount - 1].index == reader.access.index)
    return;
  uint8_t kept = 0;
  for (uint8_t i = 0; i < readCount; ++i) {
    bool superseded = false;
    for (uint8_t later = i + 1; later < readCount; ++later)
      superseded |= reads[later].thread == reads[i].thread &&
                    reads[later].index != reader.access.index &&
                    (reads[later].operand == kAdds) == (reads[i].operand == kAdds);
    // Other blocks care that this one has added, whatever it read since.
    bool adds = reads[i].operand == kAdds && reader.access.operand != kAdds;
    if (!superseded && (adds || !isDone(reads[i], reader)))
      reads[kept++] = reads[i];
  }
  if (kept == reads.size())
    --kept;
  reads[kept++] = reader.access;
  readCount = kept;
}

bool Shadow::isDefinedBelow(ByteRange bytes, const Reader &reader) const {
  return below && below->isDefined(bytes, reader.task);
}

Problem Shadow::readPiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                          const Reader &reader) {
  // In a core's space nothing is recorded without order to check, and nothing need
  // be cut; of an array, others want to know what was read.
  bool recorded = reader.clock || below;
  auto [first, last] = recorded ? map.isolate(chunk, begin, end)
                                : std::pair<size_t, size_t>(map.find(chunk, begin), chunk.size());
  for (size_t i = first; i < last && chunk[i].begin < end; ++i) {
    ShadowState &state = chunk[i];
    ByteRange bytes = {base + std::max(begin, chunk[i].begin), base + std::min(end, chunk[i].end)};
    if (!reader.anyBytes && !state.isDefined(reader) && !isDefinedBelow(bytes, reader))
      return {Problem::Undefined, bytes, {}};
    if (reader.buffer && state.lost == reader.buffer && state.buffer != reader.buffer &&
        state.writeEpoch == reader.epoch)
      return {Problem::Reused, bytes, state.write};
    if (!recorded)
      continue;
    state.enter(reader.epoch);
    if (reader.clock && state.write.index && !isDone(state.write, reader))
      return {Problem::ReadAfterWrite, bytes, state.write};
    for (uint8_t r = 0; reader.clock && r < state.readCount; ++r)
      if (state.reads[r].operand == kAdds && !isDone(state.reads[r], reader))
        return {Problem::ReadAfterWrite, bytes, state.reads[r]};
    if (reader.clock) {
      state.addRead(reader);
    } else {
      state.reads[0] = reader.access;
      state.readCount = 1;
    }
  }
  return {};
}

Problem Shadow::read(llvm::ArrayRef<ByteRange> ranges, const Reader &reader) {
  return Map::findProblem(ranges, [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) {
    return readPiece(map.getChunk(index), begin, end, base, reader);
  });
}

/// An addition reads and writes at once; those before it are in no order with it.
Problem Shadow::addPiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                         const Reader &reader) {
  auto [first, last] = map.isolate(chunk, begin, end);
  for (size_t i = first; i < last; ++i) {
    ShadowState &state = chunk[i];
    ByteRange bytes = {base + chunk[i].begin, base + chunk[i].end};
    if (!reader.anyBytes && !state.isDefined(reader) && !isDefinedBelow(bytes, reader))
      return {Problem::Undefined, bytes, {}};
    state.enter(reader.epoch);
    if (reader.clock && state.write.index && !isDone(state.write, reader))
      return {Problem::WriteAfterWrite, bytes, state.write};
    for (uint8_t r = 0; reader.clock && r < state.readCount; ++r)
      if (state.reads[r].operand != kAdds && !isDone(state.reads[r], reader))
        return {Problem::WriteAfterRead, bytes, state.reads[r]};
    if (reader.clock) {
      state.addRead(reader);
    } else {
      state.reads[0] = reader.access;
      state.readCount = 1;
    }
  }
  return {};
}

Problem Shadow::add(llvm::ArrayRef<ByteRange> ranges, const Reader &reader) {
  return Map::findProblem(ranges, [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) {
    return addPiece(map.getChunk(index), begin, end, base, reader);
  });
}

/// The bytes are what the reader writes now.
static void mark(ShadowState &interval, const Reader &reader) {
  interval.epoch = interval.writeEpoch = reader.epoch;
  interval.written = true;
  interval.readCount = 0;
  interval.write = reader.access;
  interval.buffer = reader.buffer;
}

Problem Shadow::writePiece(Map::Chunk &chunk, uint32_t begin, uint32_t end, int64_t base,
                           const Reader &reader) {
  auto [first, last] = map.isolate(chunk, begin, end);
  for (size_t i = first; i < last && reader.clock; ++i) {
    ShadowState &state = chunk[i];
    ByteRange bytes = {base + chunk[i].begin, base + chunk[i].end};
    state.enter(reader.epoch);
    if (state.write.index && !isDone(state.write, reader))
      return {Problem::WriteAfterWrite, bytes, state.write};
    for (uint8_t r = 0; r < state.readCount; ++r)
      // What an instruction reads itself it may write.
      if (!isDone(state.reads[r], reader) && (state.reads[r].thread != reader.access.thread ||
                                              state.reads[r].index != reader.access.index))
        return {state.reads[r].operand == kAdds ? Problem::WriteAfterWrite
                                                : Problem::WriteAfterRead,
                bytes, state.reads[r]};
  }
  // One interval, but where different tiles were there before.
  auto getLost = [&](const ShadowState &state) {
    bool same = state.buffer == reader.buffer || state.writeEpoch != reader.epoch;
    return same ? (state.writeEpoch == reader.epoch ? state.lost : 0) : state.buffer;
  };
  size_t kept = first;
  for (size_t i = first; i < last; ++i) {
    uint32_t lost = reader.buffer ? getLost(chunk[i]) : 0;
    if (i > first && chunk[kept].lost == lost) {
      chunk[kept].end = chunk[i].end;
      continue;
    }
    if (i > first)
      chunk[++kept] = chunk[i];
    mark(chunk[kept], reader);
    chunk[kept].lost = lost;
  }
  chunk.erase(chunk.begin() + kept + 1, chunk.begin() + last);
  return {};
}

Problem Shadow::write(llvm::ArrayRef<ByteRange> ranges, const Reader &reader) {
  return Map::findProblem(ranges, [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) {
    return writePiece(map.getChunk(index), begin, end, base, reader);
  });
}

bool Shadow::isDefined(ByteRange range, const Reader &reader) const {
  auto findBad = [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) {
    const Map::Chunk *chunk = map.lookup(index);
    if (!chunk)
      return !map.getInitial().isDefined(reader) &&
             !isDefinedBelow({base + begin, base + end}, reader);
    for (size_t i = map.find(*chunk, begin); i < chunk->size() && (*chunk)[i].begin < end; ++i) {
      const Map::Interval &interval = (*chunk)[i];
      ByteRange bytes = {base + std::max(begin, interval.begin),
                         base + std::min(end, interval.end)};
      if (!interval.isDefined(reader) && !isDefinedBelow(bytes, reader))
        return true;
    }
    return false;
  };
  return !Map::eachChunk(range, findBad);
}

Problem Shadow::findWrite(ByteRange range, uint32_t epoch, unsigned core) {
  Problem found;
  map.eachInterval([&](const Map::Interval &interval, ByteRange bytes) {
    bytes = {std::max(bytes.begin, range.begin), std::min(bytes.end, range.end)};
    if (bytes.begin >= bytes.end || interval.epoch != epoch || !interval.write.op ||
        interval.write.thread / kPipes == core)
      return;
    Problem next = {Problem::ReadAfterWrite, bytes, interval.write};
    if (!found)
      found = next;
    else if (next.continues(found))
      found.bytes.end = bytes.end;
  });
  return found;
}

void Shadow::undefine(ByteRange range) {
  Map::eachChunk(range, [&](int64_t index, uint32_t begin, uint32_t end, int64_t) {
    Map::Chunk &chunk = map.getChunk(index);
    auto [first, last] = map.isolate(chunk, begin, end);
    for (size_t i = first; i < last; ++i)
      chunk[i].written = false;
    return false;
  });
}
