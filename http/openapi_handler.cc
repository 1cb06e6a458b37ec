#include "http/openapi_handler.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "http/accept_header.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kApplication = "application";
// As clients ask for it, and as it is called in the answer.
constexpr absl::string_view kSwaggerProtobuf = "com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr absl::string_view kSwaggerProtobufAnswer = "com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr absl::Duration kKeptFor = absl::Hours(24 * 365);

enum class SwaggerForm { kJson, kProtobuf };

// nullopt: the client takes neither.
std::optional<SwaggerForm> NegotiateSwagger(const net::Request& request) {
  const AcceptHeader accept(request.Header("accept"));
  if (accept.empty()) return SwaggerForm::kJson;
  for (const AcceptClause& clause : accept.clauses()) {
    if (clause.Matches(kApplication, "json")) return SwaggerForm::kJson;
    for (const absl::string_view type : {kSwaggerProtobuf, kSwaggerProtobufAnswer}) {
      if (clause.Matches(kApplication, type)) return SwaggerForm::kProtobuf;
    }
  }
  return std::nullopt;
}

bool TakesJson(const net::Request& request) {
  const AcceptHeader accept(request.Header("accept"));
  if (accept.empty()) return true;
  for (const AcceptClause& clause : accept.clauses()) {
    if (clause.Matches(kApplication, "json")) return true;
  }
  return false;
}

std::string EtagOf(const openapi::HashedDocument& document) { return absl::StrCat("\"", document.hash, "\""); }

void NotAcceptable(Responder* responder) { responder->Empty(406, {{"Vary", "Accept"}}); }

void AnswerSwagger(const openapi::Swagger& swagger, Responder* responder) {
  const std::optional<SwaggerForm> form = NegotiateSwagger(responder->request());
  if (!form.has_value()) return NotAcceptable(responder);
  const std::string etag = EtagOf(swagger.document);
  if (responder->request().Header("if-none-match") == etag) return responder->NotModified(etag);
  const bool json = form == SwaggerForm::kJson;
  responder->Whole(json ? swagger.document.json : swagger.protobuf,
                   json ? kJsonType : absl::StrCat(kApplication, "/", kSwaggerProtobufAnswer),
                   {{"ETag", etag}, {"Vary", "Accept"}});
}

}  // namespace

void OpenApiHandler::Answer(const std::string& path, std::shared_ptr<openapi::Documents> documents,
                            std::shared_ptr<Responder> responder) {
  const bool swagger = path == "v2";
  if (!swagger && path != "v3" && !absl::StartsWith(path, "v3/")) return responder->Text(404, "404 page not found\n");
  const auto answer = [this, path, swagger, documents, responder] {
    if (swagger) return AnswerSwagger(documents->MakeSwagger(), responder.get());
    AnswerGroup(path, documents->MakeGroups(), responder.get());
  };
  const bool made = swagger ? documents->swagger() != nullptr : documents->groups() != nullptr;
  if (made) return answer();
  const bool waits = lane_->Post([answer, responder] {
    if (!responder->ClientGone()) answer();
  });
  if (!waits) responder->Fail(SlowLane::Refusal());
}

void OpenApiHandler::AnswerGroup(absl::string_view path, const openapi::GroupDocuments& groups,
                                 Responder* responder) const {
  // Its type is what kube-apiserver makes of the text.
  if (path == "v3") return responder->Text(200, groups.index());
  absl::ConsumePrefix(&path, "v3/");
  const openapi::HashedDocument* const document = groups.Find(path);
  if (document == nullptr) return responder->Empty(404, {});
  if (!TakesJson(responder->request())) return NotAcceptable(responder);
  if (Redirect(path, *document, responder)) return;
  const std::string etag = EtagOf(*document);
  if (responder->request().Header("if-none-match") == etag) return responder->NotModified(etag);
  Responder::Headers headers = {{"ETag", etag}, {"Vary", "Accept"}};
  if (responder->request().Query("hash").has_value()) {
    headers.emplace_back("Cache-Control", "public, immutable");
    headers.emplace_back("Expires",
                         absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", clock_.Now() + kKeptFor, absl::UTCTimeZone()));
  }
  responder->Whole(document->json, kJsonType, std::move(headers));
}

bool OpenApiHandler::Redirect(absl::string_view path, const openapi::HashedDocument& document,
                              Responder* responder) const {
  const auto hash = responder->request().Query("hash");
  if (!hash.has_value() || hash->empty() || *hash == document.hash) return false;
  responder->Empty(301, {{"Location", absl::StrCat("/openapi/v3/", path, "?hash=", document.hash)},
                         {"ETag", EtagOf(document)},
                         {"Vary", "Accept"}});
  return true;
}

}  // namespace tidemark::http
