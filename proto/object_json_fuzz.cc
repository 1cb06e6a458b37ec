// Any bytes as the JSON of some kind: an error, or a message that can be read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "proto/json_to_protobuf.h"
#include "proto/kubernetes_rows.h"
#include "proto/protobuf_to_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark::proto;
  if (size < 2) return 0;
  const size_t row = (size_t{data[0]} << 8 | data[1]) % kKindRowCount;
  const MessageType& type = kMessageTypes[kKindRows[row].message];
  const absl::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  JsonToProtobuf to_protobuf;
  std::string object;
  if (!to_protobuf.Append(type, text, &object).ok()) return 0;
  ProtobufToJson to_json;
  std::string json = "{";
  const absl::Status status = to_json.AppendFields(type, object, &json);
  TM_CHECK(status.ok()) << status << " of " << text;
  return 0;
}
