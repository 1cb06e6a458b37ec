#include "storeclient/wire.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "proto/field_reader.h"

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

using proto::FieldReader;
constexpr proto::WireType kVarint = proto::WireType::kVarint;
constexpr proto::WireType kBytes = proto::WireType::kBytes;

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
