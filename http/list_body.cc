#include "http/list_body.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "cache/unreadable.h"
#include "http/continue_token.h"
#include "http/pieces.h"

namespace tidemark::http {
namespace {

// Objects taken from the cursor at a time: enough to spread its cost, few enough to stay in the processor's caches.
constexpr size_t kBatchObjects = 512;
// A list of one batch and so many bytes is written at once: its length is known then. Larger ones are made as they are taken.
constexpr size_t kWholeBytesMax = size_t{1} << 20;

// What the head says about the page's end.
void SetEnd(const cache::ListCursor& cursor, const ListRequest& request, ListHead* head) {
  const std::string& next = cursor.continue_key();
  if (next.empty()) return;
  const ContinueToken token{.revision = head->revision.value(),
                            .start_key = std::string(absl::StripPrefix(next, request.KeyPrefix()))};
  head->continue_token = EncodeContinueToken(token, /*leading_slash=*/true);
  if (request.query.selector.empty()) head->remaining = cursor.remaining();
}

class ListSource : public net::BodySource {
 public:
  ListSource(cache::View view, ListRequest request, std::unique_ptr<Encoder> encoder)
      : view_(std::move(view)), request_(std::move(request)), encoder_(std::move(encoder)) {}

  // Reads the first batch, and what the head needs to know.
  absl::Status Begin() {
    cursor_ = view_.snapshot->List(request_.query);
    TM_RETURN_IF_ERROR(ReadBatch());
    (cursor_->work().by_index ? request_.metrics.lists_by_index : request_.metrics.lists_by_range).Increment();
    head_ = {.revision = view_.revision, .empty = complete_ && objects_.empty()};
    if (!complete_) return request_.query.limit > 0 || encoder_->NeedsItemBytes() ? Scout() : absl::OkStatus();
    SetEnd(*cursor_, request_, &head_);
    TM_RETURN_IF_ERROR(AddItemBytes(objects_));
    encoder_->Arrange(&objects_);
    size_t bytes = 0;
    for (const cache::Object* object : objects_) bytes += object->memory_bytes();
    return bytes <= kWholeBytesMax ? WriteWhole() : absl::OkStatus();
  }

  std::string Served() const { return absl::StrCat(cursor_->plan(), "; ", view_.served_from); }

  // Before the first Pull.
  std::optional<uint64_t> Length() const {
    if (whole_.empty()) return std::nullopt;
    return pieces_.bytes();
  }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    if (!whole_.empty()) return PullWhole(max_bytes, slices);
    pieces_.Begin(slices);
    if (!head_sent_) encoder_->AppendHead(head_, &pieces_);
    head_sent_ = true;
    while (pieces_.bytes() < max_bytes) {
      // Only the last item has no comma behind it, so one stays back until it is known whether more follow.
      if (next_ + 1 >= objects_.size() && !complete_) {
        if (!ReadBatch().ok()) return State::kAbort;
        continue;
      }
      if (next_ == objects_.size()) {
        encoder_->AppendTail(/*empty=*/false, &pieces_);
        return State::kEnd;
      }
      const bool last = complete_ && next_ + 1 == objects_.size();
      if (!encoder_->AppendItem(*objects_[next_], last, &pieces_).ok()) return State::kAbort;
      ++next_;
    }
    return State::kMore;
  }
  size_t held_bytes() const override { return pieces_.held_bytes(); }

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

  // Walks to the end without keeping what it sees: where a long page ends, and how long it is.
  absl::Status Scout() {
    const std::unique_ptr<cache::ListCursor> scout = view_.snapshot->List(request_.query);
    std::vector<const cache::Object*> objects;
    bool more = true;
    while (more) {
      objects.clear();
      TM_ASSIGN_OR_RETURN(more, scout->Next(kBatchObjects, &objects));
      TM_RETURN_IF_ERROR(AddItemBytes(objects));
    }
    request_.metrics.list_objects_evaluated.Increment(static_cast<double>(scout->work().evaluated));
    if (request_.query.limit > 0) SetEnd(*scout, request_, &head_);
    return absl::OkStatus();
  }

  absl::Status AddItemBytes(const std::vector<const cache::Object*>& objects) {
    for (const cache::Object* object : objects) {
      const absl::StatusOr<uint64_t> bytes = encoder_->ItemBytes(*object);
      if (!bytes.ok()) return cache::UnreadableError(request_.key_prefix, *object, bytes.status().message());
      head_.item_bytes += *bytes;
    }
    return absl::OkStatus();
  }

  absl::Status WriteWhole() {
    pieces_.Begin(&whole_);
    encoder_->AppendHead(head_, &pieces_);
    for (size_t i = 0; i < objects_.size(); ++i) {
      const absl::Status written = encoder_->AppendItem(*objects_[i], i + 1 == objects_.size(), &pieces_);
      if (!written.ok()) return cache::UnreadableError(request_.key_prefix, *objects_[i], written.message());
    }
    encoder_->AppendTail(head_.empty, &pieces_);
    return absl::OkStatus();
  }

  State PullWhole(size_t max_bytes, std::vector<absl::string_view>* slices) {
    for (size_t bytes = 0; bytes < max_bytes; ++next_) {
      if (next_ == whole_.size()) return State::kEnd;
      slices->push_back(whole_[next_]);
      bytes += whole_[next_].size();
    }
    return next_ == whole_.size() ? State::kEnd : State::kMore;
  }

  const cache::View view_;
  ListRequest request_;
  const std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<cache::ListCursor> cursor_;
  ListHead head_;
  Pieces pieces_;
  std::vector<absl::string_view> whole_;  // all of a small list
  bool head_sent_ = false;
  bool complete_ = false;  // the cursor has nothing behind objects_
  std::vector<const cache::Object*> objects_;
  size_t next_ = 0;  // the first of objects_, or of whole_, that has not been sent
};

}  // namespace

absl::StatusOr<ListBody> MakeListBody(cache::View view, ListRequest request, std::unique_ptr<Encoder> encoder) {
  auto source = std::make_unique<ListSource>(std::move(view), std::move(request), std::move(encoder));
  TM_RETURN_IF_ERROR(source->Begin());
  ListBody body{.length = source->Length(), .served = source->Served()};
  body.source = std::move(source);
  return body;
}

}  // namespace tidemark::http
