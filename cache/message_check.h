// MessageCheck says whether a message can be written as JSON, as ProtobufToJson::Check does, at a third of the cost for messages as
// Kubernetes' writers leave them: fields in the order of their numbers, each struct in one piece. One walk over the bytes sees that
// each value is right where it stands, whatever else there is; of other messages ProtobufToJson is asked.
//
// Thread-safety: thread-compatible.
// Ownership:     the ProtobufToJson outlives it.
// Errors:        those of ProtobufToJson::Check.
// Cost:          0.7 us for a pod of 1 KB; no allocation once its buffer has grown.
#ifndef TIDEMARK_CACHE_MESSAGE_CHECK_H_
#define TIDEMARK_CACHE_MESSAGE_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/field_reader.h"
#include "proto/kubernetes_schema.h"
#include "proto/protobuf_to_json.h"
#include "proto/raw_json.h"

namespace tidemark::cache {

class MessageCheck {
 public:
  // Messages in messages, of those that are not passed on: a pod's lie seven deep, a definition's schema deeper.
  static constexpr int kPlainDepthMax = 64;

  explicit MessageCheck(proto::ProtobufToJson* to_json) : to_json_(to_json) {}
  absl::Status Check(const proto::MessageType& type, absl::string_view message) {
    return IsPlain(type, message, 0) ? absl::OkStatus() : to_json_->Check(type, message);
  }

  // Whether it is right without a doubt. `depth` is that of the message.
  bool IsPlain(const proto::MessageType& type, absl::string_view message, int depth = 0);

 private:
  bool IsPlainEntry(const proto::FieldRow& row, absl::string_view entry, int depth);
  bool IsPlainValue(const proto::FieldRow& row, const proto::FieldReader& reader, int depth);
  bool IsPlainMessage(const proto::MessageType& type, absl::string_view message, int depth);

  proto::ProtobufToJson* const to_json_;
  proto::RawJson raw_;
  std::string written_;  // values that are checked by writing them
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_MESSAGE_CHECK_H_
