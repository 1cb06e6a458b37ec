// Any bytes as a stored object: an error, or JSON that gives the same JSON again when it goes there and back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"
#include "proto/protobuf_to_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark::proto;
  const absl::StatusOr<Envelope> envelope = ReadEnvelope({reinterpret_cast<const char*>(data), size});
  if (!envelope.ok()) return 0;
  const MessageType* const type = FindKind(envelope->api_version, envelope->kind);
  if (type == nullptr) return 0;
  ProtobufToJson to_json;
  std::string json = "{";
  const bool checked = to_json.Check(*type, envelope->object).ok();
  if (!to_json.AppendFields(*type, envelope->object, &json).ok()) {
    TM_CHECK(!checked) << "what was found to be good cannot be written";
    return 0;
  }
  json += "}";
  JsonToProtobuf to_protobuf;
  std::string object;
  if (const absl::Status status = to_protobuf.Append(*type, json, &object); !status.ok()) {
    // Years that RFC 3339 has no digits for are written, as Go writes them, and cannot be read.
    TM_CHECK(absl::StrContains(status.message(), "no time: ")) << status << " of " << json;
    return 0;
  }
  std::string again = "{";
  TM_CHECK(to_json.AppendFields(*type, object, &again).ok()) << json;
  again += "}";
  std::string third;
  TM_CHECK(to_protobuf.Append(*type, again, &third).ok()) << again;
  TM_CHECK(object == third) << json << " and " << again;
  return 0;
}
