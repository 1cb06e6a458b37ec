#include "http/watch_source.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "cache/unreadable.h"

namespace tidemark::http {
namespace {

// Objects and events taken at a time: a Pull ends soon after it has what was asked for.
constexpr size_t kStateBatchObjects = 256;
constexpr size_t kBatchEvents = 64;
// Of an event that is made for one watch, a Table's: a small Pull takes as many events as it has room for.
constexpr size_t kUsualEventBytes = size_t{4} << 10;
// An idle watch keeps room for a few events, and gives back what a burst took: there are thousands of them.
constexpr size_t kKeptEvents = 8;

class WatchSource : public net::BodySource {
 public:
  explicit WatchSource(WatchStart start) : start_(std::move(start)) {
    if (!start_.state.has_value()) return;
    state_cursor_ = start_.state->snapshot->List(start_.state_query);
    phase_ = Phase::kState;
  }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    Release();
    pieces_.Begin(slices);
    if (start_.alarm->expired()) return State::kEnd;
    if (phase_ == Phase::kState) return PullState(max_bytes, slices);
    if (phase_ == Phase::kStateWritten) {  // its bytes have been taken: nothing points into the snapshot any more
      state_cursor_.reset();
      start_.state.reset();
      start_.state_query = {};
      objects_ = {};
      phase_ = Phase::kLive;
    }
    return PullEvents(max_bytes);
  }
  void Release() override {
    events_.clear();
    if (events_.capacity() > kKeptEvents) events_ = {};
    pieces_.Begin(nullptr);
  }
  size_t held_bytes() const override { return pieces_.held_bytes(); }
  void Drain() override { draining_ = true; }

 private:
  enum class Phase { kState, kStateWritten, kLive };

  State PullState(size_t max_bytes, std::vector<absl::string_view>* slices) {
    while (pieces_.bytes() < max_bytes) {
      if (next_object_ < objects_.size()) {
        const cache::Object& object = *objects_[next_object_++];
        const absl::Status written = start_.encoder->AppendAdded(object, &pieces_);
        if (!written.ok()) return FailOf(object, written);
        continue;
      }
      if (more_objects_) {
        objects_.clear();
        next_object_ = 0;
        const absl::StatusOr<bool> more = state_cursor_->Next(kStateBatchObjects, &objects_);
        if (!more.ok()) return Fail(more.status());
        if (start_.nothing_fits && !objects_.empty()) return State::kEnd;
        more_objects_ = *more;
        start_.sent_events.Increment(static_cast<double>(objects_.size()));
        start_.init_events.Increment(static_cast<double>(objects_.size()));
        continue;
      }
      phase_ = Phase::kStateWritten;
      if (start_.end_state_with_bookmark && start_.nothing_fits) return State::kEnd;
      if (start_.end_state_with_bookmark) AppendBookmark(start_.revision, /*initial_events_end=*/true);
      return pieces_.bytes() == 0 ? Pull(max_bytes, slices) : State::kMore;
    }
    return State::kMore;
  }

  State PullEvents(size_t max_bytes) {
    const size_t batch = std::clamp(max_bytes / kUsualEventBytes, size_t{1}, kBatchEvents);
    while (pieces_.bytes() < max_bytes) {
      const size_t first = events_.size();
      const absl::Status status = start_.cursor->Next(batch, &events_);
      if (start_.nothing_fits && !events_.empty()) return State::kEnd;
      for (size_t i = first; i < events_.size(); ++i) {
        const absl::Status written = start_.encoder->AppendEvent(events_[i], &pieces_);
        if (!written.ok()) return FailOf(*events_[i].object, written);
      }
      start_.sent_events.Increment(static_cast<double>(events_.size() - first));
      if (KindOf(status) == ErrorKind::kGone) return State::kEnd;  // nothing is wrong: there will be no more
      if (!status.ok()) return Fail(status);
      if (events_.size() == first || start_.cursor->caught_up()) break;
    }
    if (!events_.empty()) return HasMoreToSay() ? State::kMore : State::kWait;
    // All that was handed out lies in the connection: the cursor's revision is what may be said, unless the watch begins
    // in the future: a client must not learn of a revision that may never be.
    const Revision revision = start_.cursor->revision();
    const bool reached = revision >= start_.revision && revision <= start_.mirror->revision();
    if (start_.alarm->TakeBookmark() && reached) {
      if (start_.nothing_fits) return State::kEnd;
      AppendBookmark(revision, false);
      return draining_ ? State::kEnd : State::kMore;  // not kWait, which would keep the piece until something happens
    }
    return draining_ ? State::kEnd : State::kWait;
  }

  // Behind the events of this Pull. What comes up later wakes the source.
  bool HasMoreToSay() const { return !start_.cursor->caught_up() || start_.alarm->bookmark_due() || draining_; }

  State Fail(const absl::Status& error) {
    const ReadContext context{.read = ReadKind::kWatch,
                              .verb = "watch",
                              .version = static_cast<uint64_t>(start_.cursor->revision().value()),
                              .resource = start_.resource};
    start_.encoder->AppendError(FromReadError(error, context), &pieces_);
    return State::kEnd;
  }

  // The object has no such form.
  State FailOf(const cache::Object& object, const absl::Status& error) {
    return Fail(cache::UnreadableError(start_.mirror->key_prefix(), object, error.message()));
  }

  void AppendBookmark(Revision revision, bool initial_events_end) {
    const absl::Status written = start_.encoder->AppendBookmark(revision, initial_events_end, &pieces_);
    TM_CHECK(written.ok()) << written;  // it is made here
  }

  WatchStart start_;
  std::unique_ptr<cache::ListCursor> state_cursor_;
  Phase phase_ = Phase::kLive;
  bool draining_ = false;  // ends when it has caught up
  // What the slices of the last Pull lie in.
  std::vector<const cache::Object*> objects_;  // those before next_object_ are sent
  size_t next_object_ = 0;
  bool more_objects_ = true;
  std::vector<cache::WatchEvent> events_;
  Pieces pieces_;
};

class ErrorSource : public net::BodySource {
 public:
  ErrorSource(std::unique_ptr<Encoder> encoder, ApiStatus status)
      : encoder_(std::move(encoder)), status_(std::move(status)) {}
  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    pieces_.Begin(slices);
    encoder_->AppendError(status_, &pieces_);
    return State::kEnd;
  }

 private:
  const std::unique_ptr<Encoder> encoder_;
  const ApiStatus status_;
  Pieces pieces_;
};

}  // namespace

std::unique_ptr<net::BodySource> MakeWatchSource(WatchStart start) {
  return std::make_unique<WatchSource>(std::move(start));
}

std::unique_ptr<net::BodySource> MakeErrorSource(std::unique_ptr<Encoder> encoder, const ApiStatus& status) {
  return std::make_unique<ErrorSource>(std::move(encoder), status);
}

}  // namespace tidemark::http
