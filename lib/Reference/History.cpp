//===- History.cpp - What tasks did with an array ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/History.h"

using namespace mlir::pto::reference;

bool History::isDefined(ByteRange bytes, uint32_t task) const {
  auto isBad = [&](const HistoryState &state) {
    return !state.written || (task && state.write.task != task);
  };
  auto findBad = [&](int64_t index, uint32_t begin, uint32_t end, int64_t) {
    const auto *chunk = map.lookup(index);
    if (!chunk)
      return isBad(map.getInitial());
    for (size_t i = map.find(*chunk, begin); i < chunk->size() && (*chunk)[i].begin < end; ++i)
      if (isBad((*chunk)[i]))
        return true;
    return false;
  };
  return !ByteMap<HistoryState>::eachChunk(bytes, findBad);
}

/// Whether nothing orders an earlier touch and this one.
static bool conflicts(const Touch &before, const Touch &now, const MergeRules &rules) {
  if (before.task == 0 || now.task == 0 || (before.adds && now.adds))
    return false;
  if (before.task == now.task)
    return rules.blocks && before.block != now.block;
  return rules.isBefore && !rules.isBefore(before.task);
}

/// Leaves out reads that this one implies: who follows it follows them as well.
static void addRead(llvm::SmallVectorImpl<Touch> &reads, const Touch &now,
                    const MergeRules &rules) {
  unsigned ofTask = 0;
  llvm::erase_if(reads, [&](const Touch &read) {
    if (read.task != now.task)
      return read.task == 0 || !rules.isBefore || rules.isBefore(read.task);
    ofTask += read.adds == now.adds;
    return false;
  });
  // Whatever block writes later, one of two different ones is not its own.
  bool known = llvm::any_of(reads, [&](const Touch &read) {
    return read.task == now.task && read.block == now.block && read.adds == now.adds;
  });
  if (!known && ofTask < (rules.blocks ? 2u : 1u))
    reads.push_back(now);
}

Conflict History::touch(ByteRange bytes, const Touch &now, bool writes, const MergeRules &rules) {
  auto touchPiece = [&](int64_t index, uint32_t begin, uint32_t end, int64_t base) -> Conflict {
    auto &chunk = map.getChunk(index);
    auto [first, last] = map.isolate(chunk, begin, end);
    for (size_t i = first; i < last; ++i) {
      HistoryState &state = chunk[i];
      ByteRange piece = {base + chunk[i].begin, base + chunk[i].end};
      if (state.write.op && conflicts(state.write, now, rules))
        return {piece, state.write, now, true, writes || now.adds};
      for (const Touch &read : state.reads)
        if ((writes || now.adds || read.adds) && conflicts(read, now, rules))
          return {piece, read, now, read.adds, writes || now.adds};
    }
    if (!writes) {
      for (size_t i = first; i < last; ++i)
        addRead(chunk[i].reads, now, rules);
      return {};
    }
    if (last - first > 1)
      chunk.erase(chunk.begin() + first + 1, chunk.begin() + last);
    chunk[first].end = end;
    chunk[first].written = true;
    chunk[first].write = now;
    chunk[first].reads.clear();
    return {};
  };
  return ByteMap<HistoryState>::findProblem(bytes, touchPiece);
}

Conflict History::findWrite(ByteRange bytes, const Touch &reader) {
  Conflict found;
  map.eachInterval([&](const auto &interval, ByteRange piece) {
    piece = {std::max(piece.begin, bytes.begin), std::min(piece.end, bytes.end)};
    const Touch &write = interval.write;
    if (piece.begin >= piece.end || write.task != reader.task || write.block == reader.block)
      return;
    Conflict next = {piece, write, reader, true, false};
    if (!found)
      found = next;
    else if (next.continues(found))
      found.bytes.end = piece.end;
  });
  return found;
}

Conflict History::merge(Shadow &shadow, const MergeRules &rules) {
  Conflict found;
  bool ended = false;
  shadow.eachInterval([&](const auto &interval, ByteRange bytes) {
    if (ended || interval.epoch != rules.epoch)
      return;
    bool writes = interval.write.op != nullptr;
    if (!writes && !interval.readCount)
      return;
    auto bring = [&](const Access &access) {
      return touch(
          bytes,
          {access.op, rules.task, rules.block, access.thread, rules.cores, access.operand == kAdds},
          writes, rules);
    };
    Conflict next = bring(writes ? interval.write : interval.reads[interval.readCount - 1]);
    // Beside the last one, one of the other kind: who adds and who reads have other enemies.
    for (uint8_t r = 0; !next && !writes && r + 1 < interval.readCount; ++r)
      if ((interval.reads[r].operand == kAdds) !=
          (interval.reads[interval.readCount - 1].operand == kAdds))
        next = bring(interval.reads[r]);
    ended = found && !(next && next.continues(found));
    if (ended || !next)
      return;
    if (!found)
      found = next;
    found.bytes.end = next.bytes.end;
  });
  return found;
}
