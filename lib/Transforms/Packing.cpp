//===- Packing.cpp - Lives of bytes into a space --------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// First fit: each item, in some order, gets the lowest address where nothing is
// that lives with it. The order is what matters: the largest first is good mostly,
// and where it is not, another one is, or one in which those that were left over
// come first.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Packing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::pto;

namespace {
struct Neighbor {
  unsigned item;
  bool sharable; // may have the same address
};

class Packer {
public:
  explicit Packer(PackProblem &problem);
  int64_t run(int64_t bound);

private:
  using Order = std::vector<unsigned>;
  int64_t place(const Order &order, std::vector<int64_t> &addresses) const;
  int64_t findAddress(unsigned item, const std::vector<int64_t> &addresses) const;
  void attempt(const Order &order, std::vector<int64_t> &addresses);
  void repair(Order order, int64_t bound);

  PackProblem &problem;
  std::vector<std::vector<Neighbor>> neighbors;
  std::vector<int64_t> best;
  int64_t bestPeak = std::numeric_limits<int64_t>::max();
};
} // namespace

bool PackItem::livesAt(int64_t point) const {
  return llvm::any_of(stretches, [&](auto s) { return s.first <= point && point <= s.second; });
}

/// Whether the items live at one time.
static bool meet(const PackItem &a, const PackItem &b) {
  for (auto i = a.stretches.begin(), j = b.stretches.begin();
       i != a.stretches.end() && j != b.stretches.end();) {
    if (i->first <= j->second && j->first <= i->second)
      return true;
    i->second < j->second ? static_cast<void>(++i) : static_cast<void>(++j);
  }
  return false;
}

Packer::Packer(PackProblem &problem) : problem(problem), neighbors(problem.items.size()) {
  llvm::ArrayRef<PackItem> items = problem.items;
  Order order(items.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return items[a].begin < items[b].begin; });
  std::vector<unsigned> live;
  for (unsigned item : order) {
    llvm::erase_if(live, [&](unsigned other) { return items[other].end < items[item].begin; });
    for (unsigned other : live) {
      if (!meet(items[item], items[other]))
        continue;
      bool sharable = problem.inPlace.count({other, item}) || problem.inPlace.count({item, other});
      neighbors[item].push_back({other, sharable});
      neighbors[other].push_back({item, sharable});
    }
    live.push_back(item);
  }
}

int64_t Packer::findAddress(unsigned item, const std::vector<int64_t> &addresses) const {
  int64_t bytes = problem.items[item].bytes;
  llvm::SmallVector<std::pair<int64_t, int64_t>> taken;   // with all neighbors
  llvm::SmallVector<std::pair<int64_t, unsigned>> shared; // addresses of sharable ones
  for (const Neighbor &neighbor : neighbors[item]) {
    int64_t address = addresses[neighbor.item];
    if (address < 0)
      continue;
    taken.push_back({address, address + problem.items[neighbor.item].bytes});
    if (neighbor.sharable)
      shared.push_back({address, neighbor.item});
  }
  llvm::sort(taken);
  int64_t address = 0;
  for (auto [begin, end] : taken) {
    if (begin >= address + bytes)
      break;
    address = std::max(address, static_cast<int64_t>(llvm::alignTo(end, problem.alignment)));
  }
  llvm::sort(shared);
  for (auto [candidate, partner] : shared) {
    if (candidate >= address)
      break;
    bool isFree = llvm::none_of(neighbors[item], [&](const Neighbor &neighbor) {
      int64_t other = addresses[neighbor.item];
      // All partners at this very address share it.
      if (other < 0 || (neighbor.sharable && other == candidate))
        return false;
      return other < candidate + bytes && candidate < other + problem.items[neighbor.item].bytes;
    });
    if (isFree)
      return candidate;
  }
  return address;
}

int64_t Packer::place(const Order &order, std::vector<int64_t> &addresses) const {
  int64_t peak = 0;
  addresses.assign(problem.items.size(), -1);
  for (auto [number, item] : llvm::enumerate(problem.items))
    if (item.fixed) {
      addresses[number] = item.address;
      peak = std::max(peak, item.address + item.bytes);
    }
  for (unsigned item : order) {
    addresses[item] = findAddress(item, addresses);
    peak = std::max(peak, addresses[item] + problem.items[item].bytes);
  }
  return peak;
}

void Packer::attempt(const Order &order, std::vector<int64_t> &addresses) {
  int64_t peak = place(order, addresses);
  if (peak < bestPeak) {
    bestPeak = peak;
    best = addresses;
  }
}

/// What ends highest comes first in the next attempt.
void Packer::repair(Order order, int64_t bound) {
  std::vector<int64_t> addresses;
  int64_t rounds = std::max<int64_t>(8, 200000 / std::max<int64_t>(1, order.size() * 8));
  rounds = std::min<int64_t>(rounds, 400);
  for (int64_t round = 0; round < rounds && bestPeak > bound; ++round) {
    attempt(order, addresses);
    int64_t limit = bestPeak <= problem.capacity ? bestPeak - 1 : problem.capacity;
    limit = std::max(limit, bound);
    auto high = [&](unsigned item) { return addresses[item] + problem.items[item].bytes > limit; };
    auto middle = std::stable_partition(order.begin(), order.end(), high);
    if (middle == order.begin() || middle == order.end())
      return;
    // Those already in front would come back in the same order: turn them.
    std::rotate(order.begin(), order.begin() + round % (middle - order.begin()), middle);
  }
}

int64_t Packer::run(int64_t bound) {
  llvm::ArrayRef<PackItem> items = problem.items;
  Order order;
  for (auto [number, item] : llvm::enumerate(items))
    if (!item.fixed)
      order.push_back(number);
  auto span = [&](unsigned i) { return items[i].end - items[i].begin + 1; };
  std::function<int64_t(unsigned)> keys[] = {
      [&](unsigned i) { return -items[i].bytes; },
      [&](unsigned i) { return items[i].begin; },
      [&](unsigned i) { return -span(i); },
      [&](unsigned i) { return -span(i) * items[i].bytes; },
      [&](unsigned i) { return -items[i].end; },
  };
  std::vector<int64_t> addresses;
  for (const auto &key : keys) {
    Order sorted = order;
    llvm::stable_sort(sorted, [&](unsigned a, unsigned b) {
      return std::tuple(key(a), -items[a].bytes, items[a].begin) <
             std::tuple(key(b), -items[b].bytes, items[b].begin);
    });
    attempt(sorted, addresses);
    if (bestPeak <= bound)
      break;
  }
  for (const auto &key : keys) {
    if (bestPeak <= bound + bound / 10 && bestPeak <= problem.capacity)
      break;
    Order sorted = order;
    llvm::stable_sort(sorted, [&](unsigned a, unsigned b) {
      return std::tuple(key(a), -items[a].bytes) < std::tuple(key(b), -items[b].bytes);
    });
    repair(sorted, bound);
  }
  for (auto [number, item] : llvm::enumerate(problem.items))
    item.address = best[number];
  return bestPeak;
}

int64_t pto::pack(PackProblem &problem, int64_t bound) {
  if (problem.items.empty())
    return 0;
  return Packer(problem).run(bound);
}

PackBound pto::getPackBound(const PackProblem &problem) {
  // Twice as many points: what begins in place begins behind the end of the other.
  std::vector<std::pair<int64_t, int64_t>> changes; // point, bytes
  llvm::DenseSet<unsigned> inPlace;
  for (auto [source, made] : problem.inPlace)
    inPlace.insert(made);
  for (auto [number, item] : llvm::enumerate(problem.items)) {
    // Author's buffers may overlap each other, so that they bound nothing by sum.
    if (item.fixed)
      continue;
    for (auto [first, last] : item.stretches) {
      int64_t begin = 2 * first + (inPlace.count(number) ? 1 : 0);
      changes.push_back({begin, item.bytes});
      changes.push_back({std::max(begin, 2 * last) + 1, -item.bytes});
    }
  }
  llvm::sort(changes);
  PackBound bound;
  int64_t live = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].second;
    bool last = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
    if (last && live > bound.bytes)
      bound = {live, changes[i].first / 2};
  }
  return bound;
}
