// MessageCheck finds out whether a message can be written as JSON, without writing it, in one pass over its fields.
//
//   MessageCheck check(kDepthMax, &raw_json, &scratch);
//   if (check.IsSurelyGood(*FindKind("v1", "Pod"), message)) ...
//
// Thread-safety: thread-compatible.
// Ownership:     borrows what it is given.
// Errors:        none: false means that only writing the message will tell. Besides errors that is so of messages whose fields are
//                not in the order of their numbers, in which a value can be replaced by a later one; Kubernetes makes none such.
// Cost:          0.5 us for a pod of 1 KB.
#ifndef TIDEMARK_PROTO_MESSAGE_CHECK_H_
#define TIDEMARK_PROTO_MESSAGE_CHECK_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/kubernetes_schema.h"
#include "proto/raw_json.h"

namespace tidemark::proto {

class MessageCheck {
 public:
  MessageCheck(int depth_max, RawJson* raw, std::string* scratch)
      : depth_max_(depth_max), raw_(raw), scratch_(scratch) {}

  bool IsSurelyGood(const MessageType& type, absl::string_view message) { return Fields(type, message, 0); }

 private:
  bool Fields(const MessageType& type, absl::string_view message, int depth);
  bool Value(const FieldRow& field, absl::string_view bytes, int depth);
  bool MapEntry(const FieldRow& field, absl::string_view entry, int depth);
  bool Message(const MessageType& type, absl::string_view message, int depth);

  const int depth_max_;
  RawJson* const raw_;
  std::string* const scratch_;  // for values that must be written to be checked
};

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_MESSAGE_CHECK_H_
