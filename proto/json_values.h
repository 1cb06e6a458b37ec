// The messages of Kubernetes whose JSON is one value, and numbers and bytes, as Go writes them.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument for bytes that are no such message, and for what Go's encoding/json refuses to write.
// Source:        Kubernetes' metav1.Time, MicroTime, Duration, intstr.IntOrString, resource.Quantity; Go's encoding/json.
#ifndef TIDEMARK_PROTO_JSON_VALUES_H_
#define TIDEMARK_PROTO_JSON_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::proto {

// Go's zero time, 1 January of the year 1: null in JSON, and no bytes at all in protobuf.
inline constexpr int64_t kZeroTimeSeconds = -62135596800;

// In quotes, with padding.
void AppendJsonBase64(absl::string_view bytes, std::string* json);
// `bits` of a double; NaN and the infinities are errors.
absl::Status AppendJsonDouble(uint64_t bits, std::string* json);

absl::Status AppendJsonTime(absl::string_view message, std::string* json);
// Whether it can be written as a Time, and as a MicroTime.
bool IsTime(absl::string_view message);
// Whether a Time is the zero one.
bool IsZeroTime(absl::string_view message);
absl::Status AppendJsonMicroTime(absl::string_view message, std::string* json);
absl::Status AppendJsonDuration(absl::string_view message, std::string* json);
absl::Status AppendJsonQuantity(absl::string_view message, std::string* json);
absl::Status AppendJsonIntOrString(absl::string_view message, std::string* json);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_JSON_VALUES_H_
