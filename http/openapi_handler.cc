#include "http/openapi_handler.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "http/accept_header.h"
#include "http/gzip_source.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kApplication = "application";
constexpr absl::string_view kJsonSubtype = "json";
// As clients ask for it, and as it is called in the answer.
constexpr absl::string_view kSwaggerProtobuf = "com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr absl::string_view kSwaggerProtobufAnswer = "com.github.proto-openapi.spec.v2.v1.0+protobuf";
constexpr absl::string_view kNoSuchPath = "404 page not found\n";
constexpr absl::Duration kKeptFor = absl::Hours(24 * 365);

// The number of the first of these subtypes that the client prefers; nullopt when it takes none.
std::optional<size_t> Negotiate(const net::Request& request, absl::Span<const absl::string_view> subtypes) {
  const AcceptHeader accept(request.Header("accept"));
  if (accept.empty()) return 0;
  for (const AcceptClause& clause : accept.clauses()) {
    for (size_t i = 0; i < subtypes.size(); ++i) {
      if (clause.Matches(kApplication, subtypes[i])) return i;
    }
  }
  return std::nullopt;
}

void NotAcceptable(Responder* responder) { responder->Empty(406, {{"Vary", "Accept"}}); }

std::string EtagOf(const openapi::Document& document) { return absl::StrCat("\"", document.hash, "\""); }

// As RFC 9110 has it: a list, whose tags may have been weakened on the way, or anything at all.
bool HasEtag(const net::Request& request, absl::string_view etag) {
  for (absl::string_view tag : absl::StrSplit(request.Header("if-none-match"), ',')) {
    tag = absl::StripAsciiWhitespace(tag);
    absl::ConsumePrefix(&tag, "W/");
    if (tag == etag || tag == "*") return true;
  }
  return false;
}

void Send(const openapi::Document& document, const openapi::Body& body, absl::string_view content_type,
          Responder::Headers headers, Responder* responder) {
  const std::string etag = EtagOf(document);
  headers.emplace_back("ETag", etag);
  headers.emplace_back("Vary", "Accept");
  if (HasEtag(responder->request(), etag)) return responder->NotModified(std::move(headers));
  const bool compressed = !body.compressed.empty() && AcceptsGzip(responder->request());
  if (compressed) AddGzipHeaders(&headers);
  responder->Borrowed(compressed ? body.compressed : body.bytes, content_type, std::move(headers));
}

// Which document the client knows, when it says so.
std::string NamedHash(const net::Request& request) { return std::string(request.Query("hash").value_or("")); }

void Redirect(absl::string_view path, const openapi::Document& document, Responder* responder) {
  responder->Empty(301, {{"Location", absl::StrCat("/openapi/v3/", path, "?hash=", document.hash)},
                         {"ETag", EtagOf(document)},
                         {"Cache-Control", "no-cache, private"},
                         {"Vary", "Accept"}});
}

// Makes a document in the lane. Whoever waits for it is told also when the lane is full, or ends before its turn.
template <typename Made>
class Making {
 public:
  Making(std::shared_ptr<openapi::Documents> documents, openapi::MadeOnce<Made>* made)
      : documents_(std::move(documents)), made_(made) {}
  ~Making() {
    if (made_ != nullptr) made_->GiveUp();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  void Run() { std::exchange(made_, nullptr)->Make(); }

 private:
  const std::shared_ptr<openapi::Documents> documents_;
  openapi::MadeOnce<Made>* made_;
};

// Calls `answer` with the document, now or once it is made.
template <typename Made, typename AnswerFn>
void WhenMade(SlowLane* lane, openapi::MadeOnce<Made>* made, const std::shared_ptr<openapi::Documents>& documents,
              const std::shared_ptr<Responder>& responder, AnswerFn answer) {
  const bool first = made->Await([responder, answer](const Made* value) {
    if (value == nullptr) return responder->Fail(SlowLane::Refusal());
    answer(*value, responder.get());
  });
  if (!first) return;
  auto making = std::make_unique<Making<Made>>(documents, made);
  lane->Post([making = std::move(making)] { making->Run(); });
}

}  // namespace

void OpenApiHandler::Answer(absl::string_view path, const DocumentsPtr& documents, ResponderPtr responder) {
  responder->Hold(documents);
  if (path == "v2") return AnswerSwagger(documents, std::move(responder));
  if (path == "v3") {
    // Its type is what kube-apiserver makes of the text.
    return WhenMade(lane_, &documents->groups(), documents, responder,
                    [](const openapi::GroupDocuments& groups, Responder* one) { one->Text(200, groups.index()); });
  }
  if (!absl::ConsumePrefix(&path, "v3/")) return responder->Text(404, std::string(kNoSuchPath));
  AnswerGroup(std::string(path), documents, std::move(responder));
}

void OpenApiHandler::AnswerSwagger(const DocumentsPtr& documents, ResponderPtr responder) {
  const auto form = Negotiate(responder->request(), {kJsonSubtype, kSwaggerProtobuf, kSwaggerProtobufAnswer});
  if (!form.has_value()) return NotAcceptable(responder.get());
  const bool json = *form == 0;
  WhenMade(lane_, &documents->swagger(), documents, responder, [json](const openapi::Swagger& swagger, Responder* one) {
    Send(swagger.document, json ? swagger.document.json : swagger.protobuf,
         absl::StrCat(kApplication, "/", json ? kJsonSubtype : kSwaggerProtobufAnswer), {}, one);
  });
}

void OpenApiHandler::AnswerGroup(const std::string& path, const DocumentsPtr& documents, ResponderPtr responder) {
  if (!documents->Has(path)) return responder->Empty(404, {});
  if (!Negotiate(responder->request(), {kJsonSubtype}).has_value()) return NotAcceptable(responder.get());
  WhenMade(lane_, &documents->groups(), documents, responder,
           [this, path](const openapi::GroupDocuments& groups, Responder* one) {
             const openapi::Document& document = *groups.Find(path);
             const std::string hash = NamedHash(one->request());
             if (!hash.empty() && hash != document.hash) return Redirect(path, document, one);
             Responder::Headers headers;
             if (!hash.empty()) {
               headers = {{"Cache-Control", "public, immutable"},
                          {"Expires", absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", clock_.Now() + kKeptFor,
                                                       absl::UTCTimeZone())}};
             }
             Send(document, document.json, kJsonType, std::move(headers), one);
           });
}

}  // namespace tidemark::http
