#include "net/outbox.h"

#include <algorithm>
#include <array>
#include <utility>

#include "net/limits.h"

namespace tidemark::net {
namespace {

// Writes `slices` in order. On return *next is the first slice that was not taken whole, its front
// cut off as far as it was.
Transfer WriteSlices(Transport* transport, absl::Span<absl::string_view> slices, size_t* next) {
  Transfer total;
  size_t at = 0;
  while (at < slices.size()) {
    std::array<iovec, kSlicesPerWriteMax> parts;
    const size_t count = std::min(parts.size(), slices.size() - at);
    for (size_t i = 0; i < count; ++i) {
      parts[i] = {const_cast<char*>(slices[at + i].data()), slices[at + i].size()};
    }
    const Transfer step = transport->Write(parts.data(), static_cast<int>(count));
    total.bytes += step.bytes;
    total.state = step.state;
    size_t taken = step.bytes;
    const size_t end = at + count;
    while (at < end && taken >= slices[at].size()) taken -= slices[at++].size();
    if (taken > 0) slices[at].remove_prefix(taken);
    if (step.state != Transfer::State::kOpen) break;
  }
  *next = at;
  return total;
}

}  // namespace

Transfer Outbox::Send(Transport* transport, absl::Span<const absl::string_view> more) {
  Transfer total;
  if (!waiting_.empty()) {
    size_t next = 0;
    total = WriteSlices(transport, absl::MakeSpan(waiting_), &next);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(next));
    if (total.state == Transfer::State::kOpen) Clear();
  }
  if (more.empty()) return total;
  if (total.state != Transfer::State::kOpen) {
    waiting_.insert(waiting_.end(), more.begin(), more.end());
    return total;
  }
  // The common case: all of it goes at once, and nothing is kept.
  thread_local std::vector<absl::string_view> slices;
  slices.assign(more.begin(), more.end());
  size_t next = 0;
  const Transfer step = WriteSlices(transport, absl::MakeSpan(slices), &next);
  waiting_.assign(slices.begin() + static_cast<std::ptrdiff_t>(next), slices.end());
  return {total.bytes + step.bytes, step.state};
}

void Outbox::Clear() { std::vector<absl::string_view>().swap(waiting_); }

}  // namespace tidemark::net
