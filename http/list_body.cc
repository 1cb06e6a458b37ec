#include "http/list_body.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "http/continue_token.h"
#include "http/object_json.h"
#include "http/resource_version.h"

namespace tidemark::http {
namespace {

// Objects taken from the cursor at a time: enough to spread its cost, few enough to stay in the processor's caches.
constexpr size_t kBatchObjects = 512;

constexpr absl::string_view kTail = "]}\n";

// What a list's head says about the page.
struct PageEnd {
  std::string continue_token;
  std::optional<int64_t> remaining;
};

PageEnd EndOf(const cache::ListCursor& cursor, const ListRequest& request, Revision revision) {
  const std::string& next = cursor.continue_key();
  if (next.empty()) return {};
  const ContinueToken token{.revision = revision.value(),
                            .start_key = std::string(absl::StripPrefix(next, request.KeyPrefix()))};
  PageEnd end{.continue_token = EncodeContinueToken(token, /*leading_slash=*/true)};
  if (request.query.selector.empty()) end.remaining = cursor.remaining();
  return end;
}

std::string HeadJson(const config::Resource& resource, Revision revision, const PageEnd& end) {
  std::string head = absl::StrCat("{\"kind\":", GoJsonString(absl::StrCat(resource.kind, "List")),
                                  ",\"apiVersion\":", GoJsonString(resource.ApiVersion()),
                                  ",\"metadata\":{\"resourceVersion\":\"", PrintResourceVersion(revision), "\"");
  // The list of a custom resource has no Go type that would leave an empty field out.
  if (resource.custom || !end.continue_token.empty()) {
    absl::StrAppend(&head, ",\"continue\":", GoJsonString(end.continue_token));
  }
  if (end.remaining.has_value()) absl::StrAppend(&head, ",\"remainingItemCount\":", *end.remaining);
  absl::StrAppend(&head, "},\"items\":[");
  return head;
}

// Walks to the end without keeping what it sees: where a long page ends.
absl::Status WalkToEnd(cache::ListCursor* cursor) {
  std::vector<const cache::Object*> objects;
  while (true) {
    objects.clear();
    TM_ASSIGN_OR_RETURN(const bool more, cursor->Next(kBatchObjects, &objects));
    if (!more) return absl::OkStatus();
  }
}

class ListSource : public net::BodySource {
 public:
  ListSource(cache::View view, ListRequest request)
      : view_(std::move(view)), request_(std::move(request)), encoder_(*request_.resource) {}

  // Reads the first batch, and what the head needs to know.
  absl::Status Begin() {
    cursor_ = view_.snapshot->List(request_.query);
    TM_RETURN_IF_ERROR(ReadBatch());
    (cursor_->work().by_index ? request_.metrics.lists_by_index : request_.metrics.lists_by_range).Increment();
    PageEnd end;
    if (complete_) {
      end = EndOf(*cursor_, request_, view_.revision);
    } else if (request_.query.limit > 0) {
      const std::unique_ptr<cache::ListCursor> scout = view_.snapshot->List(request_.query);
      TM_RETURN_IF_ERROR(WalkToEnd(scout.get()));
      request_.metrics.list_objects_evaluated.Increment(static_cast<double>(scout->work().evaluated));
      end = EndOf(*scout, request_, view_.revision);
    }
    head_ = HeadJson(*request_.resource, view_.revision, end);
    return absl::OkStatus();
  }

  std::string Served() const { return absl::StrCat(cursor_->plan(), "; ", view_.served_from); }

  // Before the first Pull.
  std::optional<uint64_t> Length() const {
    if (!complete_) return std::nullopt;
    uint64_t length = head_.size() + kTail.size();
    std::vector<absl::string_view> slices;
    for (size_t i = 0; i < objects_.size(); ++i) encoder_.AppendItem(*objects_[i], i + 1 == objects_.size(), &slices);
    for (const absl::string_view slice : slices) length += slice.size();
    return length;
  }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    size_t bytes = 0;
    if (!head_sent_) {
      slices->push_back(head_);
      bytes += head_.size();
      head_sent_ = true;
    }
    while (bytes < max_bytes) {
      // Only the last item has no comma behind it, so one stays back until it is known whether more follow.
      if (next_ + 1 >= objects_.size() && !complete_) {
        if (!ReadBatch().ok()) return State::kAbort;
        continue;
      }
      if (next_ == objects_.size()) {
        slices->push_back(kTail);
        return State::kEnd;
      }
      const size_t before = slices->size();
      encoder_.AppendItem(*objects_[next_], complete_ && next_ + 1 == objects_.size(), slices);
      for (size_t i = before; i < slices->size(); ++i) bytes += (*slices)[i].size();
      ++next_;
    }
    return State::kMore;
  }

 private:
  // Keeps what has not been sent, and appends the next objects.
  absl::Status ReadBatch() {
    objects_.erase(objects_.begin(), objects_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const size_t kept = objects_.size();
    const size_t evaluated = cursor_->work().evaluated;
    TM_ASSIGN_OR_RETURN(const bool more, cursor_->Next(kBatchObjects, &objects_));
    request_.metrics.list_objects_evaluated.Increment(static_cast<double>(cursor_->work().evaluated - evaluated));
    request_.metrics.list_objects_returned.Increment(static_cast<double>(objects_.size() - kept));
    complete_ = !more;
    return absl::OkStatus();
  }

  const cache::View view_;
  ListRequest request_;
  const ObjectEncoder encoder_;
  std::unique_ptr<cache::ListCursor> cursor_;
  std::string head_;
  bool head_sent_ = false;
  bool complete_ = false;  // the cursor has nothing behind objects_
  std::vector<const cache::Object*> objects_;
  size_t next_ = 0;  // the first of objects_ that has not been sent
};

}  // namespace

absl::StatusOr<ListBody> MakeListBody(cache::View view, ListRequest request) {
  auto source = std::make_unique<ListSource>(std::move(view), std::move(request));
  TM_RETURN_IF_ERROR(source->Begin());
  ListBody body{.length = source->Length(), .served = source->Served()};
  body.source = std::move(source);
  return body;
}

}  // namespace tidemark::http
