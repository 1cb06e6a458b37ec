#include "http/watch_source.h"

#include <utility>

#include "base/status.h"

namespace tidemark::http {
namespace {

// Objects and events taken at a time: a Pull ends soon after it has what was asked for.
constexpr size_t kStateBatchObjects = 256;
constexpr size_t kBatchEvents = 64;
// An idle watch keeps room for a few events, and gives back what a burst took: there are thousands of them.
constexpr size_t kKeptEvents = 8;

class WatchSource : public net::BodySource {
 public:
  explicit WatchSource(WatchStart start) : start_(std::move(start)), encoder_(*start_.encoder) {
    if (!start_.state.has_value()) return;
    state_cursor_ = start_.state->snapshot->List(start_.state_query);
    phase_ = Phase::kState;
  }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    objects_.clear();
    events_.clear();
    if (start_.alarm->expired()) return State::kEnd;
    if (phase_ == Phase::kState) return PullState(max_bytes, slices);
    if (phase_ == Phase::kStateWritten) {  // its bytes have been taken: nothing points into the snapshot any more
      state_cursor_.reset();
      start_.state.reset();
      start_.state_query = {};
      objects_ = {};
      phase_ = Phase::kLive;
    }
    return PullEvents(max_bytes, slices);
  }
  void Drain() override { draining_ = true; }

 private:
  enum class Phase { kState, kStateWritten, kLive };

  State PullState(size_t max_bytes, std::vector<absl::string_view>* slices) {
    size_t bytes = 0;
    while (bytes < max_bytes) {
      objects_.clear();
      const absl::StatusOr<bool> more = state_cursor_->Next(kStateBatchObjects, &objects_);
      if (!more.ok()) return Fail(more.status(), slices);
      for (const cache::Object* object : objects_) bytes += encoder_.AppendAdded(*object, slices);
      start_.sent_events.Increment(static_cast<double>(objects_.size()));
      start_.init_events.Increment(static_cast<double>(objects_.size()));
      if (*more) continue;
      phase_ = Phase::kStateWritten;
      if (start_.end_state_with_bookmark) AppendBookmark(start_.revision, /*initial_events_end=*/true, slices);
      return slices->empty() ? Pull(max_bytes, slices) : State::kMore;
    }
    return State::kMore;
  }

  State PullEvents(size_t max_bytes, std::vector<absl::string_view>* slices) {
    size_t bytes = 0;
    while (bytes < max_bytes) {
      const size_t first = events_.size();
      const absl::Status status = start_.cursor->Next(kBatchEvents, &events_);
      for (size_t i = first; i < events_.size(); ++i) {
        const absl::string_view frame = encoder_.SharedFrame(events_[i]);
        slices->push_back(frame);
        bytes += frame.size();
      }
      start_.sent_events.Increment(static_cast<double>(events_.size() - first));
      if (KindOf(status) == ErrorKind::kGone) return State::kEnd;  // nothing is wrong: there will be no more
      if (!status.ok()) return Fail(status, slices);
      if (events_.size() == first) break;
    }
    if (!events_.empty()) return State::kMore;
    // All that was handed out lies in the connection: the cursor's revision is what may be said, unless the watch begins
    // in the future: a client must not learn of a revision that may never be.
    const Revision revision = start_.cursor->revision();
    const bool reached = revision >= start_.revision && revision <= start_.mirror->revision();
    if (start_.alarm->TakeBookmark() && reached) AppendBookmark(revision, false, slices);
    if (events_.capacity() > kKeptEvents) events_ = {};
    return draining_ ? State::kEnd : State::kWait;
  }

  State Fail(const absl::Status& error, std::vector<absl::string_view>* slices) {
    const ReadContext context{.read = ReadKind::kWatch,
                              .verb = "watch",
                              .version = static_cast<uint64_t>(start_.cursor->revision().value()),
                              .resource = &encoder_.resource()};
    own_frame_ = ErrorFrame(FromReadError(error, context));
    slices->push_back(own_frame_);
    return State::kEnd;
  }

  void AppendBookmark(Revision revision, bool initial_events_end, std::vector<absl::string_view>* slices) {
    own_frame_ = encoder_.BookmarkFrame(revision, initial_events_end);
    slices->push_back(own_frame_);
  }

  WatchStart start_;
  const ObjectEncoder& encoder_;
  std::unique_ptr<cache::ListCursor> state_cursor_;
  Phase phase_ = Phase::kLive;
  bool draining_ = false;  // ends when it has caught up
  // What the slices of the last Pull lie in.
  std::vector<const cache::Object*> objects_;
  std::vector<cache::WatchEvent> events_;
  std::string own_frame_;
};

class ErrorSource : public net::BodySource {
 public:
  explicit ErrorSource(const ApiStatus& status) : frame_(ErrorFrame(status)) {}
  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    slices->push_back(frame_);
    return State::kEnd;
  }

 private:
  const std::string frame_;
};

}  // namespace

std::unique_ptr<net::BodySource> MakeWatchSource(WatchStart start) {
  return std::make_unique<WatchSource>(std::move(start));
}

std::unique_ptr<net::BodySource> MakeErrorSource(const ApiStatus& status) {
  return std::make_unique<ErrorSource>(status);
}

}  // namespace tidemark::http
