// Any bytes as a stored object, or as the message of a kind that the first two choose: an error, or JSON that gives the same JSON
// again when it goes there and back. What can be checked can be written, with a revision in it too, and an envelope comes back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"
#include "proto/kubernetes_rows.h"
#include "proto/protobuf_to_json.h"
#include "proto/raw_json.h"
#include "proto/revision_splice.h"

namespace tidemark::proto {
namespace {

constexpr absl::string_view kRevision = "12345678901";

// nullptr for the kinds that have no ObjectMeta: lists and the like.
const MessageType* ObjectMetaOf(const MessageType& type) {
  const size_t index = type.IndexOf(1);
  if (index == 0 || type.fields()[index - 1].name() != "metadata") return nullptr;
  const MessageType& metadata = type.fields()[index - 1].message();
  const size_t revision = metadata.IndexOf(6);
  return revision == 0 || metadata.fields()[revision - 1].name() != "resourceVersion" ? nullptr : &metadata;
}

// `checked`: the message without its revision was found to be good.
void CheckSplice(const MessageType& type, absl::string_view message, bool checked) {
  const auto splice = FindRevision(message);
  if (!splice.has_value()) return;
  std::string spliced;
  AppendWithRevision(message, *splice, kRevision, &spliced);
  TM_CHECK(spliced.size() == SizeWithRevision(message, *splice, kRevision));
  const auto again = FindRevision(spliced);
  TM_CHECK(again.has_value()) << "no place where one was";
  // Tag and length, and the digits.
  TM_CHECK(again->end - again->begin == 2 + kRevision.size());
  TM_CHECK(absl::string_view(spliced).substr(again->begin + 2, kRevision.size()) == kRevision);
  std::string twice;
  AppendWithRevision(spliced, *again, kRevision, &twice);
  TM_CHECK(twice == spliced);
  const MessageType* const metadata_type = ObjectMetaOf(type);
  if (!checked || metadata_type == nullptr) return;
  ProtobufToJson to_json;
  std::string json = "{";
  TM_CHECK(to_json.AppendFields(type, spliced, &json).ok()) << "the revision broke it";
  const size_t metadata_bytes = again->metadata_end - again->metadata_begin;
  json = "{";
  TM_CHECK(
      to_json
          .AppendFields(*metadata_type, absl::string_view(spliced).substr(again->metadata_begin, metadata_bytes), &json)
          .ok());
  TM_CHECK(absl::StrContains(json, absl::StrCat("\"resourceVersion\":\"", kRevision, "\""))) << json;
}

void CheckMessage(const MessageType& type, absl::string_view message) {
  ProtobufToJson to_json;
  std::string json = "{";
  const bool checked = to_json.Check(type, message).ok();
  CheckSplice(type, message, checked);
  if (!to_json.AppendFields(type, message, &json).ok()) {
    TM_CHECK(!checked) << "what was found to be good cannot be written";
    return;
  }
  json += "}";
  JsonToProtobuf to_protobuf;
  std::string object;
  if (const absl::Status status = to_protobuf.Append(type, json, &object); !status.ok()) {
    // Years that RFC 3339 has no digits for are written, as Go writes them, and cannot be read; nor can JSON in messages that
    // only Go takes, with bytes that are no UTF-8 say.
    std::string same;
    const bool only_gos = absl::StartsWith(status.message(), "object: ") && RawJson().Append(json, &same).ok();
    TM_CHECK(only_gos || absl::StrContains(status.message(), "no time: ")) << status << " of " << json;
    return;
  }
  // What is written here is what every writer of Kubernetes leaves.
  TM_CHECK(ObjectMetaOf(type) == nullptr || FindRevision(object).has_value()) << "no place for a revision in " << json;
  std::string again = "{";
  TM_CHECK(to_json.AppendFields(type, object, &again).ok()) << json;
  again += "}";
  std::string third;
  TM_CHECK(to_protobuf.Append(type, again, &third).ok()) << again;
  TM_CHECK(object == third) << json << " and " << again;
}

void CheckEnvelope(const Envelope& envelope) {
  const std::string written = WriteEnvelope(envelope);
  const absl::StatusOr<Envelope> read = ReadEnvelope(written);
  TM_CHECK(read.ok()) << read.status();
  TM_CHECK(read->api_version == envelope.api_version && read->kind == envelope.kind && read->object == envelope.object);
}

}  // namespace
}  // namespace tidemark::proto

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark::proto;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (IsEnvelope(bytes)) {
    const absl::StatusOr<Envelope> envelope = ReadEnvelope(bytes);
    if (!envelope.ok()) return 0;
    CheckEnvelope(*envelope);
    const MessageType* const type = FindKind(envelope->api_version, envelope->kind);
    if (type != nullptr) CheckMessage(*type, envelope->object);
    return 0;
  }
  if (size < 2) return 0;
  const KindRow& row = kKindRows[(size_t{data[0]} << 8 | data[1]) % kKindRowCount];
  CheckEnvelope({.api_version = row.api_version, .kind = row.kind, .object = bytes.substr(2)});
  CheckMessage(kMessageTypes[row.message], bytes.substr(2));
  return 0;
}
