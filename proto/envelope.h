// The envelope in which kube-apiserver stores what is not JSON: `k8s\0` and a message of apiVersion, kind and the object's bytes.
//
// Thread-safety: pure functions.
// Ownership:     an Envelope points into the bytes that were read.
// Errors:        InvalidArgument for what is no envelope.
// Source:        Kubernetes' runtime.Unknown.
#ifndef TIDEMARK_PROTO_ENVELOPE_H_
#define TIDEMARK_PROTO_ENVELOPE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::proto {

struct Envelope {
  absl::string_view api_version;
  absl::string_view kind;
  absl::string_view object;
};

// Whether it begins like one.
bool IsEnvelope(absl::string_view value);
absl::StatusOr<Envelope> ReadEnvelope(absl::string_view value);
std::string WriteEnvelope(const Envelope& envelope);
// What stands before and behind the object's bytes in its envelope, for those who have them in pieces.
std::string EnvelopeHead(absl::string_view api_version, absl::string_view kind, uint64_t object_bytes);
extern const absl::string_view kEnvelopeTail;

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_ENVELOPE_H_
