#include "http/protobuf_encoder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/event.h"
#include "http/frame_forms.h"
#include "http/resource_version.h"
#include "http/server_document.h"
#include "proto/envelope.h"
#include "proto/field_writer.h"

namespace tidemark::http {
namespace {

using proto::WireType;

// Field numbers of lists, of the ListMeta in it, of a WatchEvent and of its RawExtension.
constexpr uint32_t kFirst = 1, kSecond = 2;
constexpr uint32_t kSelfLink = 1, kResourceVersion = 2, kContinue = 3, kRemaining = 4;
constexpr uint32_t kEventType = 1, kEventObject = 2;
constexpr uint32_t kRaw = 1;

// A slice of the object, or a copy of what was made of it.
void AddMessage(absl::string_view message, Pieces* pieces) {
  if (message.data() == EncoderScratch()->data()) {
    pieces->AddCopy(message);
  } else {
    pieces->Add(message);
  }
}

std::string ListMetaField(const ListHead& head, uint32_t number) {
  std::string meta;
  proto::AppendBytesField(kSelfLink, "", &meta);
  proto::AppendBytesField(kResourceVersion, PrintResourceVersion(head.revision), &meta);
  proto::AppendBytesField(kContinue, head.continue_token, &meta);
  if (head.remaining.has_value()) {
    proto::AppendNumberField(kRemaining, static_cast<uint64_t>(*head.remaining), &meta);
  }
  std::string field;
  proto::AppendBytesField(number, meta, &field);
  return field;
}

// All of a frame that comes before an envelope of so many bytes.
std::string FrameHead(absl::string_view type, uint64_t envelope_bytes) {
  std::string raw;
  proto::AppendTag(kRaw, WireType::kBytes, &raw);
  proto::AppendVarint(envelope_bytes, &raw);
  std::string event;
  proto::AppendBytesField(kEventType, type, &event);
  proto::AppendTag(kEventObject, WireType::kBytes, &event);
  proto::AppendVarint(raw.size() + envelope_bytes, &event);
  const uint32_t length = static_cast<uint32_t>(event.size() + raw.size() + envelope_bytes);
  const char big_endian[] = {static_cast<char>(length >> 24), static_cast<char>(length >> 16),
                             static_cast<char>(length >> 8), static_cast<char>(length)};
  return absl::StrCat(absl::string_view(big_endian, sizeof(big_endian)), event, raw);
}

}  // namespace

ProtobufEncoder::ProtobufEncoder(ShownObject form) : form_(std::move(form)) { TM_CHECK(form_.has_messages()); }

std::string ProtobufEncoder::ItemHeader(uint64_t message_bytes) const {
  std::string header;
  proto::AppendTag(ItemsComeFirst() ? kFirst : kSecond, WireType::kBytes, &header);
  proto::AppendVarint(message_bytes, &header);
  return header;
}

absl::StatusOr<uint64_t> ProtobufEncoder::ItemBytes(const cache::Object& object) const {
  if (IsOneSlice(object)) return object.Item().size();
  std::string scratch;
  TM_ASSIGN_OR_RETURN(const absl::string_view message, form_.Message(object, object.mod_revision(), &scratch));
  return ItemHeader(message.size()).size() + message.size();
}

void ProtobufEncoder::AppendHead(const ListHead& head, Pieces* pieces) {
  list_meta_ = ListMetaField(head, ItemsComeFirst() ? kSecond : kFirst);
  pieces->AddCopy(proto::EnvelopeHead(form_.api_version(), form_.list_kind(), list_meta_.size() + head.item_bytes));
  if (!ItemsComeFirst()) pieces->AddCopy(list_meta_);
}

absl::Status ProtobufEncoder::AppendItem(const cache::Object& object, bool, Pieces* pieces) {
  if (IsOneSlice(object)) {
    pieces->Add(object.Item());
    return absl::OkStatus();
  }
  TM_ASSIGN_OR_RETURN(const absl::string_view message, form_.Message(object, object.mod_revision(), EncoderScratch()));
  pieces->AddCopy(ItemHeader(message.size()));
  AddMessage(message, pieces);
  return absl::OkStatus();
}

void ProtobufEncoder::AppendTail(bool, Pieces* pieces) {
  if (ItemsComeFirst()) pieces->AddCopy(list_meta_);
  pieces->AddCopy(proto::kEnvelopeTail);
}

absl::StatusOr<std::string> ProtobufEncoder::Whole(const cache::Object& object) {
  TM_ASSIGN_OR_RETURN(const absl::string_view message, form_.Message(object, object.mod_revision(), EncoderScratch()));
  return proto::WriteEnvelope({.api_version = form_.api_version(), .kind = form_.kind(), .object = message});
}

absl::StatusOr<std::string> ProtobufEncoder::Frame(absl::string_view type, const cache::Object& object,
                                                   Revision at) const {
  std::string scratch;
  TM_ASSIGN_OR_RETURN(const absl::string_view message, form_.Message(object, at, &scratch));
  const std::string envelope =
      proto::WriteEnvelope({.api_version = form_.api_version(), .kind = form_.kind(), .object = message});
  return absl::StrCat(FrameHead(type, envelope.size()), envelope);
}

absl::Status ProtobufEncoder::AppendAdded(const cache::Object& object, Pieces* pieces) {
  TM_ASSIGN_OR_RETURN(const absl::string_view message, form_.Message(object, object.mod_revision(), EncoderScratch()));
  const std::string head = proto::EnvelopeHead(form_.api_version(), form_.kind(), message.size());
  pieces->AddCopy(FrameHead(EventTypeName(cache::WatchEvent::Type::kAdded),
                            head.size() + message.size() + proto::kEnvelopeTail.size()));
  pieces->AddCopy(head);
  AddMessage(message, pieces);
  pieces->AddCopy(proto::kEnvelopeTail);
  return absl::OkStatus();
}

absl::Status ProtobufEncoder::AppendEvent(const cache::WatchEvent& event, Pieces* pieces) {
  const auto build = [&] {
    const auto frame = Frame(EventTypeName(event.type), *event.object, ShownRevision(event));
    return frame.ok() ? *frame : std::string();
  };
  const std::string& frame =
      event.event->Frame(cache::FrameSlot(FrameFormOf(form_, /*protobuf=*/true), event.type), build);
  if (!frame.empty()) {
    pieces->Add(frame);
    return absl::OkStatus();
  }
  return Frame(EventTypeName(event.type), *event.object, ShownRevision(event)).status();
}

absl::Status ProtobufEncoder::AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) {
  const cache::ObjectRef bookmark = form_.Bookmark(revision, initial_events_end);
  TM_ASSIGN_OR_RETURN(const std::string frame, Frame("BOOKMARK", *bookmark, revision));
  pieces->AddCopy(frame);
  return absl::OkStatus();
}

void ProtobufEncoder::AppendError(const ApiStatus& status, Pieces* pieces) {
  const absl::StatusOr<std::string> envelope = EncodeDocument(
      {.api_version = "v1", .kind = "Status", .json = status.ToJson()}, AnswerForm::Encoding::kProtobuf, false);
  TM_CHECK(envelope.ok()) << envelope.status();
  pieces->AddCopy(FrameHead("ERROR", envelope->size()));
  pieces->AddCopy(*envelope);
}

}  // namespace tidemark::http
