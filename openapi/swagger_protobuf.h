// SwaggerToProtobuf writes an OpenAPI 2 document, given as JSON, in gnostic's messages (swagger.proto).
//
//   TM_ASSIGN_OR_RETURN(crd::Json document, crd::ParseJson(text));
//   TM_ASSIGN_OR_RETURN(std::string body, SwaggerToProtobuf(document));
//
// What is false, zero or empty text is not written and reads as absent, and a bound that is no double is rounded:
// kube-apiserver's bytes are the same.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument, with its place, for what the messages cannot hold, or what is nested too deeply for
//                readers: "definitions.X.properties.y.type: is no text or list". Nothing is left out silently. Nothing throws.
// Cost:          about 10 ms for a document of 2 MB, and three times its size in memory meanwhile.
// Source:        gnostic's openapiv2, which kube-apiserver 1.36 writes with.
#ifndef TIDEMARK_OPENAPI_SWAGGER_PROTOBUF_H_
#define TIDEMARK_OPENAPI_SWAGGER_PROTOBUF_H_

#include <string>

#include "absl/status/statusor.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

// libprotobuf's readers refuse more messages inside the document's than this. Go's take 10'000, and so does kube-apiserver,
// but a document that some clients cannot read is worth less than an error here. A schema in `properties` takes 3, in `items` 2.
inline constexpr int kSwaggerNestingMax = 100;

absl::StatusOr<std::string> SwaggerToProtobuf(const crd::Json& document);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_SWAGGER_PROTOBUF_H_
