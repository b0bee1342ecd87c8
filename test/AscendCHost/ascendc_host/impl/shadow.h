// Host AscendC, compiled once: bounds, definedness and the happens-before check of every access.
//
// Order rules, from the fact sheet. Instructions of one pipe start in order but may overlap, so two
// of them with overlapping bytes (one a write) need PipeBarrier<that pipe>, on every pipe: the
// sheet says it for V and for MTE2, and nothing in it promises more for MTE1, MTE3 and FIX.
// Exceptions: pipe S is in order with itself; two Mmad on the same C with (m/16)(n/16) >= 10; two
// atomic stores of the same kind to GM commute. Between pipes only flags, barriers of PIPE_ALL and
// cross-core flags order. A wait on pipe S orders pipe S only: the sheet gives the dispatch of
// later instructions no such meaning, so a load awaited by S still needs its own flag to V.
#pragma once
#include "state.h"
#include <algorithm>

namespace ascendc_host {

constexpr const char *kSpaceNames[] = {"UB", "L1", "L0A", "L0B", "L0C", "BiasTable", "GM", "?"};
constexpr uint64_t kSpaceSizes[] = {
    (kIs950 ? 256 : 192) << 10, 512 << 10, 64 << 10, 64 << 10, (kIs950 ? 256 : 128) << 10,
    (kIs950 ? 4 : 1) << 10};

inline std::string span(const Memory &m, uint64_t off, uint64_t len) {
  std::string s = kSpaceNames[size_t(m.space)];
  if (m.space == Space::GM)
    s += " '" + m.name + "'";
  return s +
         format(" bytes [0x%llx,0x%llx)", (unsigned long long)off, (unsigned long long)(off + len));
}

void Instr::fail(const char *f, ...) {
  va_list args;
  va_start(args, f);
  std::string s = formatV(f, args);
  va_end(args);
  reportCall(s);
}

void Instr::stop(const char *f, ...) {
  va_list args;
  va_start(args, f);
  std::string s = formatV(f, args);
  va_end(args);
  reportCall(s);
  throw StopInstr();
}

static Space spaceOf(TPosition p) {
  switch (p) {
  case TPosition::VECIN:
  case TPosition::VECOUT:
  case TPosition::VECCALC: return Space::UB;
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::TSCM: return Space::L1;
  case TPosition::A2: return Space::L0A;
  case TPosition::B2: return Space::L0B;
  case TPosition::C2: return Space::BT;
  case TPosition::CO1: return Space::L0C;
  default: return Space::None;
  }
}

static const char *positionName(TPosition p) {
  static const char *names[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return size_t(p) < 16 ? names[size_t(p)] : "?";
}

void reportTensor(const LocalBase &t) {
  World &w = world();
  if (!w.core)
    return report("a LocalTensor is made outside of a launch");
  const Space s = spaceOf(t.pos);
  if (s == Space::None)
    return reportCall(format("LocalTensor: position %s is not a memory the host header has",
                             positionName(t.pos)));
  // The top 8 KiB of UB are the kit's; on the 910B mixed kernels leave 256 B more of UB and of L1.
  uint64_t limit = s == Space::UB ? kSpaceSizes[0] - (8 << 10) : kSpaceSizes[size_t(s)];
  if (!kIs950 && w.launch->mixed && (s == Space::UB || s == Space::L1))
    limit -= 256;
  if (uint64_t(t.hi) > limit)
    reportCall(format("LocalTensor: %s [0x%llx,0x%llx) ends beyond the capacity of %s, %llu bytes"
                      "%s",
                      positionName(t.pos), (long long)t.lo, (long long)t.hi, kSpaceNames[size_t(s)],
                      (unsigned long long)limit,
                      s == Space::UB ? " (the rest of UB is reserved)" : ""));
  if (t.lo % 32)
    reportCall(format("LocalTensor: address 0x%llx is not a multiple of 32", (long long)t.lo));
}

Place Instr::local(const LocalBase &t, Space space, int64_t align, const char *what) {
  if (!t.valid)
    stop("%s is a default-constructed LocalTensor", what);
  if (spaceOf(t.pos) != space)
    stop("%s has position %s, this call needs %s", what, positionName(t.pos),
         kSpaceNames[size_t(space)]);
  if (t.addr % align)
    stop("%s address 0x%llx is not a multiple of %lld", what, (long long)t.addr, (long long)align);
  return {&onChip(*world().core, space), uint64_t(t.addr)};
}

Place Instr::global(const GlobalBase &t, int64_t byteOffset, int64_t align, const char *what,
                    int64_t len) {
  if (!t.valid)
    stop("%s is a GlobalTensor without SetGlobalBuffer", what);
  uint8_t *p = t.ptr + byteOffset;
  if (reinterpret_cast<uintptr_t>(p) % uintptr_t(align))
    stop("%s GM address %p is not a multiple of %lld", what, (void *)p, (long long)align);
  if (p < t.lo || (t.hi && p + len > t.hi))
    stop("%s bytes [%lld,%lld) are outside the GlobalTensor's declared buffer of %lld bytes", what,
         (long long)(p - t.lo), (long long)(p - t.lo + len), (long long)(t.hi ? t.hi - t.lo : 0));
  Region *r = regionAt(p);
  if (!r) // an end pointer or a wild one: name the nearest region below for the reader
    stop("%s: GM address %p is out of bounds: in no registered region", what, (void *)p);
  resizeRace(*r);
  return {r, uint64_t(p - r->bytes)};
}

void Instr::inside(const LocalBase &t, int64_t addr, int64_t len, const char *what) {
  const int64_t hi = (t.hi + 31) / 32 * 32;
  if (len > 0 && (addr < t.lo || addr + len > hi))
    stop("%s bytes [0x%llx,0x%llx) are outside the tensor, declared [0x%llx,0x%llx)", what,
         (long long)addr, (long long)(addr + len), (long long)t.lo, (long long)t.hi);
}

static void bounds(Instr &i, const Place &p, uint64_t len, const char *what) {
  if (p.off > p.mem->size || len > p.mem->size - p.off)
    i.stop("%s: %s is out of bounds, the size is 0x%llx bytes", what,
           span(*p.mem, p.off, len).c_str(), (unsigned long long)p.mem->size);
}

bool Instr::ordered(uint32_t other, bool bothWrite) const {
  World &w = world();
  const Issued &o = w.launch->issued[other];
  const Core &c = *w.core;
  const int slot = slotOf(pipe);
  if (o.core == c.index && o.slot == slot) {
    if (slot == kS || (slot == kM && o.bigMmad && bigMmad))
      return true;
  }
  if (bothWrite && atomic && o.atomic && !std::strcmp(atomic, o.atomic))
    return true;
  return knows(c.clock[slot], c, o);
}

void Instr::race(uint32_t other, bool otherWrote, bool write, const Memory &m, uint64_t off,
                 uint64_t len, const char *what) {
  if (std::find(raced.begin(), raced.end(), other) != raced.end())
    return;
  raced.push_back(other);
  World &w = world();
  const Issued &o = w.launch->issued[other];
  const int slot = slotOf(pipe);
  std::string fix;
  if (o.core != w.core->index)
    fix = "no cross-core flag orders the two";
  else if (o.slot == slot)
    fix = format("no PipeBarrier<PIPE_%s> between the two", kSlotNames[slot]);
  else
    fix = format("no SetFlag/WaitFlag from %s to %s orders the two", kSlotNames[o.slot],
                 kSlotNames[slot]);
  fail("race: %s %s %s, which %s %s; %s", what, write ? "writes" : "reads",
       span(m, off, len).c_str(), describe(o).c_str(), otherWrote ? "wrote" : "read", fix.c_str());
}

// The set of readers since the last write, with this instruction in it; sets are shared by bytes.
static uint32_t withReader(Instr &i, uint32_t set) {
  if (i.memoOld == set)
    return i.memoNew;
  Launch &l = *world().launch;
  std::vector<uint32_t> s;
  const Issued &me = l.issued[i.id];
  for (uint32_t r : l.readSets[set]) {
    if (r == i.id) {
      return set;
    }
    const Issued &o = l.issued[r];
    if (o.core != me.core || o.slot != me.slot) // a later read of the same pipe covers it
      s.push_back(r);
  }
  s.push_back(i.id);
  l.readSets.push_back(std::move(s));
  i.memoOld = set;
  return i.memoNew = uint32_t(l.readSets.size() - 1);
}

bool Instr::wasRead(Place p, uint64_t len) const {
  for (uint64_t k = p.off; k < p.off + len && k < p.mem->size; ++k) {
    const auto &set = world().launch->readSets[p.mem->readers[k]];
    if (!set.empty() && set.back() == id)
      return true;
  }
  return false;
}

bool Instr::isDefined(Place p, uint64_t len) const {
  return !std::memchr(p.mem->def + p.off, 0, len);
}

void Instr::needDefined(Place p, uint64_t len, const char *what) {
  const uint8_t *d = p.mem->def + p.off;
  const void *hole = std::memchr(d, 0, len);
  if (!hole || undefReported)
    return;
  undefReported = true;
  const uint64_t first = uint64_t(static_cast<const uint8_t *>(hole) - d);
  uint64_t last = first;
  while (last < len && !d[last])
    ++last;
  fail("%s reads undefined bytes: %s was never written", what,
       span(*p.mem, p.off + first, last - first).c_str());
}

void Instr::setDefined(Place p, uint64_t len, bool defined) {
  std::memset(p.mem->def + p.off, defined, len);
}

// A SetValue on GM stays in its core's data cache until it is cleaned.
static void uncleaned(Instr &i, uint32_t wr, Memory &m, uint64_t off, uint64_t len,
                      const char *what) {
  Launch &l = *world().launch;
  const Issued &o = l.issued[wr];
  if (o.slot != kS || (i.pipe == PIPE_S && o.core == world().core->index))
    return;
  const auto &lines = l.cores[o.core]->lines;
  for (uint64_t a = reinterpret_cast<uint64_t>(m.bytes + off) / 64;
       a <= reinterpret_cast<uint64_t>(m.bytes + off + len - 1) / 64; ++a) {
    auto it = lines.find(a);
    if (it != lines.end() && it->second.dirty) {
      i.fail("%s reads %s, still in the data cache of %s: %s without DataCacheCleanAndInvalid",
             what, span(m, off, len).c_str(), coreName(*l.cores[o.core]).c_str(),
             describe(o).c_str());
      return;
    }
  }
}

const uint8_t *Instr::read(Place p, uint64_t len, const char *what, bool compute) {
  bounds(*this, p, len, what);
  Memory &m = *p.mem;
  if (compute || m.space == Space::GM)
    needDefined(p, len, what);
  const uint64_t end = p.off + len;
  for (uint64_t i = p.off; i < end;) {
    const uint32_t wr = m.writer[i], rd = m.readers[i];
    uint64_t j = i + 1;
    while (j < end && m.writer[j] == wr && m.readers[j] == rd)
      ++j;
    if (wr == id) {
      if (!ownWriteOk && !ownReported) {
        ownReported = true;
        fail("%s: a later repeat reads %s, which an earlier repeat of the same call wrote", what,
             span(m, i, j - i).c_str());
      }
    } else if (wr && !ordered(wr, false)) {
      race(wr, true, false, m, i, j - i, what);
    }
    if (m.space == Space::GM && wr && wr != id)
      uncleaned(*this, wr, m, i, j - i, what);
    std::fill(m.readers + i, m.readers + j, withReader(*this, rd));
    i = j;
  }
  return m.bytes + p.off;
}

uint8_t *Instr::write(Place p, uint64_t len, const char *what) {
  bounds(*this, p, len, what);
  Memory &m = *p.mem;
  if (!m.writable)
    stop("%s: %s is read-only", what, span(m, p.off, len).c_str());
  Launch &l = *world().launch;
  const uint64_t end = p.off + len;
  for (uint64_t i = p.off; i < end;) {
    const uint32_t wr = m.writer[i], rd = m.readers[i];
    uint64_t j = i + 1;
    while (j < end && m.writer[j] == wr && m.readers[j] == rd)
      ++j;
    if (wr == id) {
      if (!ownWriteOk && !atomic && !ownReported) {
        ownReported = true;
        fail("%s: one call writes %s twice", what, span(m, i, j - i).c_str());
      }
      i = j;
      continue;
    }
    // A reader that is in the way also stands between this write and the one it read.
    bool readerInTheWay = false;
    for (uint32_t r : l.readSets[rd])
      if (r != id && !ordered(r, false)) {
        readerInTheWay = true;
        race(r, false, true, m, i, j - i, what);
      }
    if (!readerInTheWay && wr && !ordered(wr, true))
      race(wr, true, true, m, i, j - i, what);
    i = j;
  }
  std::fill(m.writer + p.off, m.writer + end, id);
  std::fill(m.readers + p.off, m.readers + end, 0u);
  std::memset(m.def + p.off, 1, len);
  if (m.space == Space::GM) {
    Core &c = *world().core;
    c.lastGmStore[slotOf(pipe)] = c.issued[slotOf(pipe)];
    if (pipe != PIPE_S &&
        l.scalarStores) // a scalar write nobody cleaned would come down on these bytes later
      for (auto &other : l.cores)
        if (!other->lines.empty())
          for (uint64_t a = reinterpret_cast<uint64_t>(m.bytes + p.off) / 64;
               a <= reinterpret_cast<uint64_t>(m.bytes + end - 1) / 64; ++a) {
            auto it = other->lines.find(a);
            if (it != other->lines.end() && it->second.dirty)
              fail("%s: a 64 B line of %s holds a SetValue of %s without "
                   "DataCacheCleanAndInvalid",
                   what, span(m, p.off, len).c_str(), coreName(*other).c_str());
          }
  }
  return m.bytes + p.off;
}

void Instr::move(Place dst, Place src, uint64_t len, const char *dstWhat, const char *srcWhat) {
  if (!len)
    return;
  const uint8_t *from = read(src, len, srcWhat, dst.mem->space == Space::GM);
  const std::vector<uint8_t> data(from, from + len);
  const std::vector<uint8_t> def(src.mem->def + src.off, src.mem->def + src.off + len);
  uint8_t *to = write(dst, len, dstWhat);
  std::memcpy(to, data.data(), len);
  // GM holes were reported when they were read; going on as if defined keeps one fault one report.
  if (src.mem->space != Space::GM && dst.mem->space != Space::GM)
    std::memcpy(dst.mem->def + dst.off, def.data(), len);
}

template <typename T>
static void combine(Atomic op, uint8_t *to, const uint8_t *from, uint64_t len) {
  for (uint64_t i = 0; i + sizeof(T) <= len; i += sizeof(T)) {
    const T a = load<T>(to + i), b = load<T>(from + i);
    const double x = toDouble(a), y = toDouble(b);
    T r;
    if (op == Atomic::Add) {
      if constexpr (std::is_integral_v<T>)
        r = T(uint64_t(a) + uint64_t(b));
      else
        r = fromDouble<T>(x + y); // double holds the sum of two of these: one rounding
    } else if (x != x || y != y) {
      r = x != x ? a : b;
    } else {
      r = (op == Atomic::Max ? x >= y : x <= y) ? a : b;
    }
    store<T>(to + i, r);
  }
}

void Instr::storeGlobal(Place dst, const uint8_t *data, uint64_t len, const char *elem,
                        const char *what) {
  if (!len)
    return;
  Core &c = *world().core;
  const std::vector<uint8_t> copy(data, data + len);
  if (c.atomic == Atomic::None) {
    std::memcpy(write(dst, len, what), copy.data(), len);
    return;
  }
  if (std::strcmp(elem, c.atomicType))
    fail("%s stores %s while SetAtomic* was given %s", what, elem, c.atomicType);
  static const char *kinds[] = {"", "add", "max", "min"};
  atomic = world().launch->issued[id].atomic = kinds[size_t(c.atomic)];
  bounds(*this, dst, len, what);
  needDefined(dst, len, "the atomic store's GM");
  uint8_t *to = write(dst, len, what);
  const std::string e = elem;
  if (e == "float")
    combine<float>(c.atomic, to, copy.data(), len);
  else if (e == "half")
    combine<half>(c.atomic, to, copy.data(), len);
  else if (e == "bfloat16_t")
    combine<bfloat16_t>(c.atomic, to, copy.data(), len);
  else if (e == "int8_t")
    combine<int8_t>(c.atomic, to, copy.data(), len);
  else if (e == "int16_t")
    combine<int16_t>(c.atomic, to, copy.data(), len);
  else if (e == "int32_t")
    combine<int32_t>(c.atomic, to, copy.data(), len);
  else
    stop("%s: no atomic store of %s", what, elem);
}

// ---- the scalar unit's data cache --------------------------------------------------------------
void cacheRead(Instr &i, Place p, uint64_t len) {
  World &w = world();
  Launch &l = *w.launch;
  for (uint64_t k = 0; k < len; ++k) {
    const uint32_t wr = p.mem->writer[p.off + k];
    if (!wr || (l.issued[wr].slot == kS && l.issued[wr].core == w.core->index))
      continue;
    auto it = w.core->lines.find(reinterpret_cast<uint64_t>(p.mem->bytes + p.off + k) / 64);
    const Issued &o = l.issued[wr];
    const bool fresh =
        it != w.core->lines.end() && it->second.cleaned && knows(it->second.cleanClock, *w.core, o);
    if (!fresh) {
      i.fail("reads GM that %s wrote, without DataCacheCleanAndInvalid between the two",
             describe(o).c_str());
      return;
    }
  }
}

void cacheWrite(Instr &i, Place p, uint64_t len) {
  World &w = world();
  for (uint64_t a = reinterpret_cast<uint64_t>(p.mem->bytes + p.off) / 64;
       a <= reinterpret_cast<uint64_t>(p.mem->bytes + p.off + len - 1) / 64; ++a) {
    for (auto &other : w.launch->cores) {
      auto it = other->lines.find(a);
      if (other->index != w.core->index && it != other->lines.end() && it->second.dirty)
        i.fail("writes the 64 B line that %s also wrote by SetValue", coreName(*other).c_str());
    }
    w.core->lines[a].dirty = true;
    w.launch->scalarStores = true;
  }
}

void cacheClean(Instr &, Place p, bool whole) {
  Core &c = *world().core;
  auto clean = [&](Line &line) {
    line.dirty = false;
    line.cleaned = true;
    line.cleanClock = c.clock[kS];
  };
  if (whole)
    for (auto &l : c.lines)
      clean(l.second);
  clean(c.lines[reinterpret_cast<uint64_t>(p.mem->bytes + p.off) / 64]);
}
} // namespace ascendc_host
