// The messages of Kubernetes whose JSON is one value, from that value: the way back of json_values.h. Each is appended without
// a tag.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument for a text that is no such value.
// Source:        Kubernetes' metav1.Time, MicroTime, Duration, intstr.IntOrString, resource.Quantity.
#ifndef TIDEMARK_PROTO_MESSAGE_VALUES_H_
#define TIDEMARK_PROTO_MESSAGE_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::proto {

// RFC 3339, any zone; empty is no time. Fractions of a second are dropped.
absl::Status AppendTimeMessage(absl::string_view text, std::string* message);
// The same to the microsecond.
absl::Status AppendMicroTimeMessage(absl::string_view text, std::string* message);
// "1m30s".
absl::Status AppendDurationMessage(absl::string_view text, std::string* message);
// The number, or the text, of an IntOrString.
void AppendIntMessage(int64_t number, std::string* message);
void AppendTextMessage(absl::string_view text, std::string* message);
absl::Status AppendQuantityMessage(absl::string_view text, std::string* message);

// What one of these forms is when it is zero; nothing for the others.
void AppendZeroValue(MessageForm form, std::string* message);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_MESSAGE_VALUES_H_
