#include "storeclient/wire.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::storeclient {
namespace {

// Field numbers of proto/rpc.proto and proto/kv.proto.
namespace field {
constexpr uint32_t kHeader = 1;  // of both responses
constexpr uint32_t kClusterId = 1, kRevision = 3, kRaftTerm = 4;
constexpr uint32_t kRangeKvs = 2, kRangeMore = 3, kRangeCount = 4;
constexpr uint32_t kWatchId = 2, kCreated = 3, kCanceled = 4, kCompactRevision = 5, kCancelReason = 6, kFragment = 7,
                   kEvents = 11;
constexpr uint32_t kKey = 1, kCreateRevision = 2, kModRevision = 3, kValue = 5;
constexpr uint32_t kEventType = 1, kEventKv = 2;
}  // namespace field

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Walks the fields of one message. After Next() the field's number is tag(), its content number() or bytes().
class FieldReader {
 public:
  explicit FieldReader(absl::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // False at the end, or when the bytes are no message: then ok() is false.
  bool Next() {
    if (at_ == end_) return false;
    uint64_t key;
    if (!ReadVarint(&key)) return Fail();
    tag_ = static_cast<uint32_t>(key >> 3);
    type_ = static_cast<uint32_t>(key & 7);
    if (tag_ == 0) return Fail();
    switch (type_) {
      case kVarint:
        return ReadVarint(&number_) || Fail();
      case kBytes: {
        uint64_t length;
        return (ReadVarint(&length) && Take(length)) || Fail();
      }
      case kFixed64:
        return Take(8) || Fail();
      case kFixed32:
        return Take(4) || Fail();
      default:
        return Fail();
    }
  }

  bool ok() const { return ok_; }
  // Whether the field at hand is this one; one of another type counts as unknown.
  bool Is(uint32_t tag, WireType type) const { return tag_ == tag && type_ == type; }
  uint64_t number() const { return number_; }
  int64_t signed_number() const { return static_cast<int64_t>(number_); }
  absl::string_view bytes() const { return bytes_; }

 private:
  bool Fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }

  bool ReadVarint(uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const unsigned char byte = static_cast<unsigned char>(*at_++);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
  }

  bool Take(uint64_t length) {
    if (length > static_cast<uint64_t>(end_ - at_)) return false;
    bytes_ = absl::string_view(at_, static_cast<size_t>(length));
    at_ += length;
    return true;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
  uint32_t tag_ = 0;
  uint32_t type_ = 0;
  uint64_t number_ = 0;
  absl::string_view bytes_;
};

bool ParseHeader(absl::string_view bytes, StoreHeader* header) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(field::kClusterId, kVarint)) header->cluster_id = reader.number();
    if (reader.Is(field::kRevision, kVarint)) header->revision = Revision(reader.signed_number());
    if (reader.Is(field::kRaftTerm, kVarint)) header->raft_term = reader.number();
  }
  return reader.ok();
}

bool ParseKeyValue(absl::string_view bytes, KeyValueView* kv) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(field::kKey, kBytes)) kv->key = reader.bytes();
    if (reader.Is(field::kCreateRevision, kVarint)) kv->create_revision = Revision(reader.signed_number());
    if (reader.Is(field::kModRevision, kVarint)) kv->mod_revision = Revision(reader.signed_number());
    if (reader.Is(field::kValue, kBytes)) kv->value = reader.bytes();
  }
  return reader.ok();
}

bool ParseEvent(absl::string_view bytes, EventView* event) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(field::kEventType, kVarint)) {
      event->type = reader.number() == 1 ? EventView::Type::kDelete : EventView::Type::kPut;
    } else if (reader.Is(field::kEventKv, kBytes) && !ParseKeyValue(reader.bytes(), &event->kv)) {
      return false;
    }
  }
  return reader.ok();
}

bool ReadRange(absl::string_view bytes, RangeView* message) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(field::kRangeKvs, kBytes)) {
      if (!ParseKeyValue(reader.bytes(), &message->kvs.emplace_back())) return false;
    } else if (reader.Is(field::kHeader, kBytes)) {
      if (!ParseHeader(reader.bytes(), &message->header)) return false;
    } else if (reader.Is(field::kRangeMore, kVarint)) {
      message->more = reader.number() != 0;
    } else if (reader.Is(field::kRangeCount, kVarint)) {
      message->count = reader.signed_number();
    }
  }
  return reader.ok();
}

bool ReadWatch(absl::string_view bytes, WatchView* message) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(field::kEvents, kBytes)) {
      if (!ParseEvent(reader.bytes(), &message->events.emplace_back())) return false;
    } else if (reader.Is(field::kHeader, kBytes)) {
      if (!ParseHeader(reader.bytes(), &message->header)) return false;
    } else if (reader.Is(field::kWatchId, kVarint)) {
      message->watch_id = reader.signed_number();
    } else if (reader.Is(field::kCreated, kVarint)) {
      message->created = reader.number() != 0;
    } else if (reader.Is(field::kCanceled, kVarint)) {
      message->canceled = reader.number() != 0;
    } else if (reader.Is(field::kCompactRevision, kVarint)) {
      message->compact_revision = Revision(reader.signed_number());
    } else if (reader.Is(field::kCancelReason, kBytes)) {
      message->cancel_reason = reader.bytes();
    } else if (reader.Is(field::kFragment, kVarint)) {
      message->fragment = reader.number() != 0;
    }
  }
  return reader.ok();
}

// Empty but for the capacity of its vector.
template <typename Message, typename Element>
void Clear(Message* message, std::vector<Element> Message::*elements) {
  std::vector<Element> kept = std::move(message->*elements);
  kept.clear();
  *message = Message();
  message->*elements = std::move(kept);
}

absl::Status NoMessage(absl::string_view what, size_t bytes) {
  return MakeError(ErrorKind::kCorrupt, absl::StrCat("the store's answer of ", bytes, " bytes is no ", what));
}

}  // namespace

absl::Status ParseRange(absl::string_view bytes, RangeView* message) {
  Clear(message, &RangeView::kvs);
  return ReadRange(bytes, message) ? absl::OkStatus() : NoMessage("RangeResponse", bytes.size());
}

absl::Status ParseWatch(absl::string_view bytes, WatchView* message) {
  Clear(message, &WatchView::events);
  return ReadWatch(bytes, message) ? absl::OkStatus() : NoMessage("WatchResponse", bytes.size());
}

}  // namespace tidemark::storeclient
