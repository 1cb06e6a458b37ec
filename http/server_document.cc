#include "http/server_document.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "http/accept.h"
#include "http/indent.h"
#include "http/yaml_writer.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::http {
namespace {

absl::StatusOr<std::string> DocumentAsProtobuf(const ServerDocument& document) {
  const absl::string_view version = document.api_version.empty() ? "v1" : document.api_version;
  const proto::MessageType* type = proto::FindKind(version, document.kind);
  TM_CHECK(type != nullptr) << "no message of " << document.kind;
  std::string message;
  TM_RETURN_IF_ERROR(proto::JsonToProtobuf().Append(*type, document.json, &message));
  return proto::WriteEnvelope({.api_version = document.api_version, .kind = document.kind, .object = message});
}

}  // namespace

absl::StatusOr<std::string> EncodeDocument(const ServerDocument& document, AnswerForm::Encoding encoding, bool indent) {
  if (encoding == AnswerForm::Encoding::kProtobuf) return DocumentAsProtobuf(document);
  if (encoding == AnswerForm::Encoding::kJson)
    return indent ? Indented(document.json) : absl::StrCat(document.json, "\n");
  std::string yaml;
  TM_RETURN_IF_ERROR(YamlWriter().Append(document.json, &yaml));
  return yaml;
}

StatusBody EncodeStatus(const ApiStatus& status, const net::Request& request) {
  const StatusForm form = NegotiateStatus(request);
  const auto encode = [&form](const std::string& json) {
    return EncodeDocument({.api_version = "v1", .kind = "Status", .json = json}, form.encoding, form.indent);
  };
  absl::StatusOr<std::string> body = encode(status.ToJson());
  // A message with a character that YAML refuses: the body tells of that, under the code of the Status itself.
  if (!body.ok()) body = encode(PlainError(body.status().message()).ToJson());
  TM_CHECK_OK(body.status());
  return {.content_type = ContentTypeOf(form.encoding), .body = *std::move(body)};
}

}  // namespace tidemark::http
