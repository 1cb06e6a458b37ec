#include "store/mvcc/event_history.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::mvcc {

void EventHistory::Append(EventBatchPtr batch) {
  const Revision newest = batches_.empty() ? dropped_ : batches_.back()->revision;
  TM_CHECK(batch->revision > newest) << batch->revision << " after " << newest;
  bytes_ += batch->size_bytes;
  batches_.push_back(std::move(batch));
  while (bytes_ > bytes_max_) {
    bytes_ -= batches_.front()->size_bytes;
    dropped_ = batches_.front()->revision;
    batches_.pop_front();
  }
}

std::vector<EventBatchPtr> EventHistory::Page(Revision from, size_t revisions_max, size_t page_bytes_max) const {
  TM_CHECK(Covers(from)) << from << " dropped up to " << dropped_;
  auto at = std::lower_bound(batches_.begin(), batches_.end(), from,
                             [](const EventBatchPtr& batch, Revision wanted) { return batch->revision < wanted; });
  std::vector<EventBatchPtr> page;
  size_t bytes = 0;
  for (; at != batches_.end() && page.size() < revisions_max && bytes < page_bytes_max; ++at) {
    bytes += (*at)->size_bytes;
    page.push_back(*at);
  }
  return page;
}

}  // namespace tidemark::mvcc
