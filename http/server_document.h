// ServerDocument is what is there as JSON and goes out in any encoding: what the server says of itself, a Status or discovery, and
// objects as YAML or indented.
//
//   EncodeDocument({.kind = "APIVersions", .json = R"({"kind":"APIVersions",...})"}, Encoding::kYaml, false)
//
// Thread-safety: pure functions.
// Cost:          JSON a copy; protobuf and YAML some 20 ns per byte.
// Source:        kube-apiserver 1.36.3.
#ifndef TIDEMARK_HTTP_SERVER_DOCUMENT_H_
#define TIDEMARK_HTTP_SERVER_DOCUMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/answer_form.h"
#include "http/status.h"
#include "net/exchange.h"

namespace tidemark::http {

struct ServerDocument {
  absl::string_view api_version;  // as it stands in the document: empty in the oldest two
  absl::string_view kind;         // this and the version above: of what may be asked for as protobuf
  absl::string_view json;         // compact
};

// The whole body, with the newline that ends JSON unless it is indented. An error when YAML cannot hold it: see YamlWriter.
// REQUIRES: the tables know the kind, by its version or v1.
absl::StatusOr<std::string> EncodeDocument(const ServerDocument& document, AnswerForm::Encoding encoding, bool indent);

struct StatusBody {
  absl::string_view content_type;
  std::string body;
};
// A Status in the form that the request asks for.
StatusBody EncodeStatus(const ApiStatus& status, const net::Request& request);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_SERVER_DOCUMENT_H_
