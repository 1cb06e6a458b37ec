#include "store/mvcc/watch_message.h"

#include <utility>

#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/wire.h"

namespace tidemark::mvcc {
namespace {

// Field numbers of WatchResponse.
constexpr int kWatchId = 2;
constexpr int kCreated = 3;
constexpr int kCanceled = 4;
constexpr int kCompactRevision = 5;
constexpr int kCancelReason = 6;
constexpr int kFragment = 7;
constexpr int kEvents = 11;
// Field numbers of Event.
constexpr int kType = 1;
constexpr int kKv = 2;
constexpr int kPrevKv = 3;
constexpr int64_t kDelete = 1;
// What a header adds, at most: two ids, a revision, a term, and its own tag and length.
constexpr size_t kHeaderBytesMax = 2 + 4 * 11;

kv::Bytes Previous(const WatchMessage& message, const Event& event, const MvccStore& store) {
  if (!message.with_prev_kv) return nullptr;
  return event.PreviousRecord([&](absl::string_view key, Revision revision) { return store.GetAt(key, revision); });
}

// An event as it stands in field 11.
void AppendEvent(const Event& event, const kv::Bytes& previous, std::string* out) {
  const size_t size = (event.is_delete() ? 2 : 0) + BytesFieldSize(event.kv_bytes().size()) +
                      (previous == nullptr ? 0 : BytesFieldSize(previous->size()));
  out->push_back(static_cast<char>(WireTag(kEvents, WireType::kBytes)));
  AppendVarint(size, out);
  if (event.is_delete()) AppendIntField(kType, kDelete, out);
  AppendBytesField(kKv, event.kv_bytes(), out);
  if (previous != nullptr) AppendBytesField(kPrevKv, *previous, out);
}

std::string EncodeFields(const WatchMessage& message) {
  std::string out;
  AppendIntField(kWatchId, message.watch_id, &out);
  AppendIntField(kCreated, message.created ? 1 : 0, &out);
  AppendIntField(kCanceled, message.canceled ? 1 : 0, &out);
  AppendIntField(kCompactRevision, message.compact_revision.value(), &out);
  if (!message.cancel_reason.empty()) AppendBytesField(kCancelReason, message.cancel_reason, &out);
  return out;
}

// Puts encoded events together into responses.
class Fragmenter {
 public:
  Fragmenter(const WatchMessage& message, size_t limit_bytes)
      : fields_(EncodeFields(message)), limit_bytes_(limit_bytes), piece_(fields_) {}

  void Add(absl::string_view event) {
    // A piece has one event at least, however large that is.
    if (events_ > 0 && piece_.size() + event.size() + kHeaderBytesMax >= limit_bytes_) {
      AppendIntField(kFragment, 1, &piece_);
      pieces_.push_back(std::exchange(piece_, fields_));
      events_ = 0;
    }
    piece_.append(event.data(), event.size());
    ++events_;
  }

  std::vector<std::string> Finish() {
    pieces_.push_back(std::move(piece_));
    return std::move(pieces_);
  }

 private:
  const std::string fields_;
  const size_t limit_bytes_;
  std::string piece_;
  size_t events_ = 0;  // of piece_
  std::vector<std::string> pieces_;
};

}  // namespace

size_t WatchMessage::size_bytes() const {
  size_t bytes = 0;
  for (const EventPtr& event : events) bytes += event->size_bytes();
  return bytes;
}

std::vector<std::string> EncodeWatchResponse(const WatchMessage& message, const MvccStore& store,
                                             size_t fragment_bytes) {
  Fragmenter fragmenter(message, message.may_fragment ? fragment_bytes : std::string::npos);
  std::string encoded;
  for (const EventPtr& event : message.events) {
    encoded.clear();
    AppendEvent(*event, Previous(message, *event, store), &encoded);
    fragmenter.Add(encoded);
  }
  return fragmenter.Finish();
}

}  // namespace tidemark::mvcc
