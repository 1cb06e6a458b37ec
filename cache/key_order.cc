#include "cache/key_order.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::cache {
namespace {

constexpr uint64_t kHighest = ~uint64_t{0};
// Between one key and the next when keys come in ascending order: room for 16 million before they crowd, and 40 halvings between.
constexpr uint64_t kAppendStep = uint64_t{1} << 40;
// A window is wide enough when this much room comes to each number: some 24 inserts at one place before the next spreading.
constexpr uint64_t kWideGap = uint64_t{1} << 24;
constexpr size_t kFirstWindow = 16;

}  // namespace

void KeyOrder::Bounds(const SlotNode* keys, size_t begin, size_t end, uint64_t* low, uint64_t* high) const {
  *low = begin == 0 ? 0 : numbers_[SlotTree::Select(keys, begin - 1)];
  *high = end == SlotTree::Size(keys) ? kHighest : numbers_[SlotTree::Select(keys, end)];
}

void KeyOrder::Assign(const SlotNode* keys, size_t rank, Slot slot) {
  if (numbers_.size() <= slot) numbers_.resize(std::max<size_t>(slot + 1u, numbers_.size() + numbers_.size() / 8));
  uint64_t low, high;
  Bounds(keys, rank, rank, &low, &high);
  if (high - low < 2) {
    Spread(keys, rank);
    Bounds(keys, rank, rank, &low, &high);
    TM_CHECK(high - low >= 2) << "no room between numbers " << low << " and " << high;
  }
  const uint64_t half = (high - low) / 2;
  numbers_[slot] = low + (high == kHighest ? std::min(half, kAppendStep) : half);
}

void KeyOrder::Spread(const SlotNode* keys, size_t rank) {
  const size_t size = SlotTree::Size(keys);
  for (size_t window = kFirstWindow;; window *= 2) {
    const size_t begin = rank > window ? rank - window : 0;
    const size_t end = std::min(size, rank + window);
    uint64_t low, high;
    Bounds(keys, begin, end, &low, &high);
    const uint64_t gap = (high - low) / (end - begin + 1);
    const bool all = begin == 0 && end == size;
    if (gap < kWideGap && !all) continue;
    size_t left = end - begin;
    SlotTreeWalk walk(keys, begin);
    for (absl::Span<const Slot> run = walk.NextRun(); left > 0; run = walk.NextRun()) {
      for (const Slot slot : run.first(std::min(left, run.size()))) numbers_[slot] = low += gap;
      left -= std::min(left, run.size());
    }
    return;
  }
}

}  // namespace tidemark::cache
