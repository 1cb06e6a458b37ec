#include "http/list_options.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/go_quote.h"
#include "base/status.h"
#include "http/go_text.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kMatchField = "resourceVersionMatch";
constexpr absl::string_view kExact = "Exact";
constexpr absl::string_view kNotOlderThan = "NotOlderThan";

bool IsTrue(absl::string_view value) { return value != "0" && !absl::EqualsIgnoreCase(value, "false"); }

std::string QueryText(const net::Request& request, absl::string_view name) {
  return std::string(request.Query(name).value_or(""));
}

StatusCause Forbidden(absl::string_view field, absl::string_view detail) {
  return {.reason = "FieldValueForbidden", .message = absl::StrCat("Forbidden: ", detail), .field = std::string(field)};
}

StatusCause UnsupportedMatch(absl::string_view value, absl::string_view supported) {
  return {.reason = "FieldValueNotSupported",
          .message = absl::StrCat("Unsupported value: ", GoQuote(value), ": supported values: ", supported),
          .field = std::string(kMatchField)};
}

constexpr absl::string_view kForbiddenWithContinue = "resourceVersionMatch is forbidden when continue is provided";

std::vector<StatusCause> ListErrors(const ListOptions& options) {
  std::vector<StatusCause> errors;
  const std::string& match = options.resource_version_match;
  if (!match.empty()) {
    if (options.resource_version.empty()) {
      errors.push_back(Forbidden(kMatchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!options.continue_token.empty()) errors.push_back(Forbidden(kMatchField, kForbiddenWithContinue));
    if (match != kExact && match != kNotOlderThan) {
      errors.push_back(UnsupportedMatch(match, R"("Exact", "NotOlderThan", "")"));
    }
    if (match == kExact && options.resource_version == "0") {
      errors.push_back(Forbidden(kMatchField, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
    }
  }
  if (options.send_initial_events.has_value()) {
    errors.push_back(Forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

std::vector<StatusCause> WatchErrors(const ListOptions& options) {
  std::vector<StatusCause> errors;
  const std::string& match = options.resource_version_match;
  if (!match.empty() && !options.send_initial_events.has_value()) {
    errors.push_back(
        Forbidden(kMatchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (options.send_initial_events.has_value() && match != kNotOlderThan) {
    errors.push_back(Forbidden(kMatchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (!match.empty() && match != kNotOlderThan) errors.push_back(UnsupportedMatch(match, R"("NotOlderThan")"));
  if (!match.empty() && !options.continue_token.empty())
    errors.push_back(Forbidden(kMatchField, kForbiddenWithContinue));
  return errors;
}

absl::Status DecodeNumbers(const net::Request& request, ListOptions* options) {
  if (const auto limit = request.Query("limit")) {
    TM_ASSIGN_OR_RETURN(options->limit, ParseGoInt64(*limit));
  }
  if (const auto timeout = request.Query("timeoutSeconds")) {
    TM_ASSIGN_OR_RETURN(options->timeout_seconds, ParseGoInt64(*timeout));
  }
  return absl::OkStatus();
}

// A watch without a version, or from "0", begins with the state.
void DecideInitialEvents(ListOptions* options) {
  const bool any_state = options->resource_version.empty() || options->resource_version == "0";
  if (!any_state || options->send_initial_events.has_value() || !options->resource_version_match.empty()) return;
  options->send_initial_events = true;
  options->resource_version_match = std::string(kNotOlderThan);
}

}  // namespace

bool QueryFlag(const net::Request& request, absl::string_view name) {
  const std::optional<absl::string_view> value = request.Query(name);
  return value.has_value() && IsTrue(*value);
}

ApiStatusOr<ListOptions> DecodeListOptions(const net::Request& request, const config::Resource& resource, bool watch) {
  ListOptions options{.resource_version = QueryText(request, "resourceVersion"),
                      .resource_version_match = QueryText(request, kMatchField),
                      .continue_token = QueryText(request, "continue"),
                      .allow_watch_bookmarks = QueryFlag(request, "allowWatchBookmarks")};
  if (request.Query("sendInitialEvents").has_value()) {
    options.send_initial_events = QueryFlag(request, "sendInitialEvents");
  }
  if (const absl::Status numbers = DecodeNumbers(request, &options); !numbers.ok())
    return BadRequest(numbers.message());

  auto labels = cache::ParseLabelSelector(QueryText(request, "labelSelector"));
  if (!labels.ok()) return BadRequest(labels.status().message());
  auto fields = cache::ParseFieldSelector(QueryText(request, "fieldSelector"), resource);
  // A selector that cannot be read is found before, an unknown field after what may not stand together.
  const bool unreadable = !fields.ok() && absl::StartsWith(fields.status().message(), "invalid ");
  if (unreadable) return BadRequest(fields.status().message());

  if (watch) DecideInitialEvents(&options);
  std::vector<StatusCause> errors = watch ? WatchErrors(options) : ListErrors(options);
  if (!errors.empty()) return InvalidListOptions(std::move(errors));
  if (!fields.ok()) return BadRequest(fields.status().message());

  options.selector.requirements = *std::move(labels);
  for (cache::Requirement& field : *fields) options.selector.requirements.push_back(std::move(field));
  return options;
}

}  // namespace tidemark::http
