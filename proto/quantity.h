// Quantities of Kubernetes: "100m", "1.5Gi", "12e6".
//
//   CanonicalQuantity("1000m")  ->  "1"
//   CanonicalQuantity("1.5Gi")  ->  "1536Mi"
//
// kube-apiserver writes each quantity anew, and keeps a text that its parser takes for canonical as it is ("+5", "001"): so does
// this.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument with kube-apiserver's words.
// Cost:          some 0.1 us, linear in its digits.
// Source:        Kubernetes' resource.Quantity; its answers to each row of the test.
#ifndef TIDEMARK_PROTO_QUANTITY_H_
#define TIDEMARK_PROTO_QUANTITY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::proto {

absl::StatusOr<std::string> CanonicalQuantity(absl::string_view text);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_QUANTITY_H_
