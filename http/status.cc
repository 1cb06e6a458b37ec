#include "http/status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "base/status.h"

namespace tidemark::http {
namespace {

// kube-apiserver's own: how long a client waits before it asks again.
constexpr int kRetryAfterTooLarge = 1;
constexpr int kRetryAfterNotReady = 1;
constexpr int kRetryAfterUnavailable = 2;

constexpr absl::string_view kExpiredList = "The resourceVersion for the provided list is too old.";
constexpr absl::string_view kExpiredContinue =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the "
    "continue parameter";
constexpr absl::string_view kExpiredContinueHint =
    ", or use the continue token in this response to retrieve the remainder of the results. Continuing with the "
    "provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between the time the first "
    "chunk was "
    "returned and now may show up in the list";

// Appends `"name":value,` pieces and drops the last comma.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string* out) : out_(out) { out_->push_back('{'); }
  void Text(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    Raw(name, GoJsonString(value));
  }
  void Raw(absl::string_view name, absl::string_view json) { absl::StrAppend(out_, "\"", name, "\":", json, ","); }
  void Close() {
    if (out_->back() == ',') out_->pop_back();
    out_->push_back('}');
  }

 private:
  std::string* const out_;
};

std::string CausesJson(const std::vector<StatusCause>& causes) {
  std::string out = "[";
  for (const StatusCause& cause : causes) {
    if (out.size() > 1) out += ',';
    ObjectWriter writer(&out);
    writer.Text("reason", cause.reason);
    writer.Text("message", cause.message);
    writer.Text("field", cause.field);
    writer.Close();
  }
  return out + "]";
}

std::string DetailsJson(const StatusDetails& details) {
  std::string out;
  ObjectWriter writer(&out);
  writer.Text("name", details.name);
  writer.Text("group", details.group);
  writer.Text("kind", details.kind);
  if (!details.causes.empty()) writer.Raw("causes", CausesJson(details.causes));
  if (details.retry_after_seconds > 0) writer.Raw("retryAfterSeconds", absl::StrCat(details.retry_after_seconds));
  writer.Close();
  return out;
}

ApiStatus Retry(int code, absl::string_view reason, absl::string_view message, int seconds) {
  return {.code = code,
          .reason = std::string(reason),
          .message = std::string(message),
          .details = StatusDetails{.retry_after_seconds = seconds}};
}

ApiStatus Expired(absl::string_view message) {
  return {.code = 410, .reason = "Expired", .message = std::string(message)};
}

ApiStatus Compacted(const absl::Status& error, const ReadContext& context) {
  if (context.read == ReadKind::kWatch || context.read == ReadKind::kWatchState) {
    const Revision oldest = RevisionOf(error).value_or(Revision());
    return Expired(absl::StrCat("too old resource version: ", context.version, " (", oldest.value(), ")"));
  }
  if (context.read != ReadKind::kContinue) return Expired(kExpiredList);
  ApiStatus status = Expired(
      absl::StrCat(kExpiredContinue, context.fresh_token.empty() ? absl::string_view() : kExpiredContinueHint, "."));
  status.continue_token = context.fresh_token;
  return status;
}

// The mirror has not reached the revision, or nobody has written it yet.
ApiStatus TooLarge(const absl::Status& error, const ReadContext& context) {
  const Revision current = RevisionOf(error).value_or(Revision());
  std::string message =
      absl::StrCat("Timeout: Too large resource version: ", context.version, ", current: ", current.value());
  const bool store_revision = context.version == 0;  // the client named none: the store's own was not reached
  if (store_revision) message = absl::StrCat("Timeout: ", error.message());
  if (context.read == ReadKind::kConsistent) return Retry(429, "TooManyRequests", message, kRetryAfterTooLarge);
  ApiStatus status = Retry(504, "Timeout", message, kRetryAfterTooLarge);
  status.details->causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}};
  return status;
}

ApiStatus Unavailable(const ReadContext& context) {
  TM_CHECK(context.resource != nullptr) << "a read of no resource";
  ApiStatus status = Retry(500, "ServerTimeout",
                           absl::StrCat("The ", context.verb, " operation against ", context.resource->GroupResource(),
                                        " could not be completed at this time, please try again."),
                           kRetryAfterUnavailable);
  status.details->group = context.resource->group;
  status.details->kind = context.resource->plural;
  return status;
}

}  // namespace

std::string ApiStatus::ToJson() const {
  std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
  if (!continue_token.empty()) absl::StrAppend(&out, "\"continue\":", GoJsonString(continue_token));
  absl::StrAppend(&out, "},\"status\":\"Failure\"");
  if (!message.empty()) absl::StrAppend(&out, ",\"message\":", GoJsonString(message));
  if (!reason.empty()) absl::StrAppend(&out, ",\"reason\":", GoJsonString(reason));
  if (details.has_value()) absl::StrAppend(&out, ",\"details\":", DetailsJson(*details));
  absl::StrAppend(&out, ",\"code\":", code, "}");
  return out;
}

ApiStatus BadRequest(absl::string_view message) {
  return {.code = 400, .reason = "BadRequest", .message = std::string(message)};
}

ApiStatus InvalidListOptions(std::vector<StatusCause> causes) {
  std::string errors = absl::StrJoin(causes, ", ", [](std::string* out, const StatusCause& cause) {
    absl::StrAppend(out, cause.field, ": ", cause.message);
  });
  if (causes.size() > 1) errors = absl::StrCat("[", errors, "]");
  return {.code = 422,
          .reason = "Invalid",
          .message = absl::StrCat("ListOptions.meta.k8s.io \"\" is invalid: ", errors),
          .details = StatusDetails{.group = "meta.k8s.io", .kind = "ListOptions", .causes = std::move(causes)}};
}

ApiStatus ObjectNotFound(const config::Resource& resource, absl::string_view name) {
  return {.code = 404,
          .reason = "NotFound",
          .message = absl::StrCat(resource.GroupResource(), " \"", name, "\" not found"),
          .details = StatusDetails{.name = std::string(name), .group = resource.group, .kind = resource.plural}};
}

ApiStatus ResourceNotFound() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource",
          .details = StatusDetails{}};
}

ApiStatus MethodNotAllowed(absl::string_view why) {
  return {.code = 405, .reason = "MethodNotAllowed", .message = std::string(why), .details = StatusDetails{}};
}

ApiStatus NotAcceptable(absl::string_view available, bool restricted) {
  ApiStatus status{.code = 406, .reason = "NotAcceptable"};
  if (restricted) {
    status.message = absl::StrCat("only the following media types are accepted: ", available);
  } else {
    status.message = absl::StrCat("406: Not Acceptable\n\nAvailable representations: ", available);
    status.details = StatusDetails{};
  }
  return status;
}

ApiStatus InternalFailure(absl::string_view why) {
  return {.code = 500,
          .reason = "InternalError",
          .message = absl::StrCat("Internal error occurred: ", why),
          .details = StatusDetails{.causes = {{.message = std::string(why)}}}};
}

ApiStatus PlainError(absl::string_view message) { return {.code = 500, .message = std::string(message)}; }

ApiStatus FromReadError(const absl::Status& error, const ReadContext& context) {
  switch (KindOf(error)) {
    case ErrorKind::kCompacted:
      return Compacted(error, context);
    case ErrorKind::kFutureRevision:
    case ErrorKind::kStale:
      return TooLarge(error, context);
    case ErrorKind::kNotReady:
      return Retry(429, "TooManyRequests", "storage is (re)initializing", kRetryAfterNotReady);
    case ErrorKind::kOverloaded:
      return Retry(429, "TooManyRequests", error.message(), kRetryAfterTooLarge);
    case ErrorKind::kStoreUnavailable:
      return Unavailable(context);
    case ErrorKind::kRewound:
      return Expired(error.message());
    case ErrorKind::kGone:
      return ResourceNotFound();
    case ErrorKind::kStopped:
      return Retry(503, "ServiceUnavailable", error.message(), kRetryAfterTooLarge);
    default:
      return PlainError(error.message());  // kCorrupt: the message names the key and why
  }
}

}  // namespace tidemark::http
