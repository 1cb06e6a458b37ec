#include "http/accept.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kJson = "application/json";
constexpr absl::string_view kAny = "*/*";

// One clause of an Accept header: "application/json;as=Table;v=v1;q=0.5".
struct Clause {
  absl::string_view type;
  std::vector<std::pair<absl::string_view, absl::string_view>> parameters;
  double quality = 1;

  absl::string_view Parameter(absl::string_view name) const {
    for (const auto& [key, value] : parameters) {
      if (key == name) return value;
    }
    return {};
  }
  bool IsRouteMatch() const { return type == kJson || type == kAny; }
  bool IsTypeMatch() const { return IsRouteMatch() || type == "application/*" || type == "*"; }
  bool IsPlain() const { return Parameter("as").empty(); }
  bool IsAggregatedDiscovery() const {
    return Parameter("as") == "APIGroupDiscoveryList" && Parameter("g") == "apidiscovery.k8s.io" &&
           Parameter("v") == "v2";
  }
};

Clause ParseClause(absl::string_view text) {
  Clause clause;
  bool first = true;
  for (const absl::string_view part : absl::StrSplit(text, ';')) {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(part);
    if (first) {
      clause.type = trimmed;
      first = false;
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(trimmed, absl::MaxSplits('=', 1));
    if (pair.first == "q") {
      // Neither more nor less than anything, "nan" has no place in an order.
      if (!absl::SimpleAtod(pair.second, &clause.quality) || std::isnan(clause.quality)) clause.quality = 1;
    } else {
      clause.parameters.push_back(pair);
    }
  }
  return clause;
}

// In the order of preference; no header is the same as */*.
std::vector<Clause> ParseAccept(const net::Request& request) {
  const absl::string_view header = request.Header("accept");
  if (absl::StripAsciiWhitespace(header).empty()) return {Clause{.type = kAny}};
  std::vector<Clause> clauses;
  for (const absl::string_view part : absl::StrSplit(header, ',')) clauses.push_back(ParseClause(part));
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const Clause& a, const Clause& b) { return a.quality > b.quality; });
  return clauses;
}

const Clause* FirstPlainJson(const std::vector<Clause>& clauses) {
  for (const Clause& clause : clauses) {
    if (clause.IsTypeMatch() && clause.IsPlain()) return &clause;
  }
  return nullptr;
}

bool IsPeoplesTool(absl::string_view user_agent) {
  return absl::StartsWith(user_agent, "curl") || absl::StartsWith(user_agent, "Wget") ||
         absl::StartsWith(user_agent, "Mozilla/5.0");
}

}  // namespace

std::optional<ApiStatus> RefuseUnlessJson(const net::Request& request, bool watch) {
  const std::vector<Clause> clauses = ParseAccept(request);
  const bool route =
      std::any_of(clauses.begin(), clauses.end(), [](const Clause& clause) { return clause.IsRouteMatch(); });
  if (!route) return NotAcceptable(watch ? "application/json, application/json;stream=watch" : kJson, false);
  if (FirstPlainJson(clauses) == nullptr) return NotAcceptable(kJson, true);
  return std::nullopt;
}

bool PrefersAggregatedDiscovery(const net::Request& request) {
  for (const Clause& clause : ParseAccept(request)) {
    if (!clause.IsTypeMatch()) continue;
    if (clause.IsAggregatedDiscovery()) return true;
    if (clause.IsPlain()) return false;
  }
  return false;
}

bool WantsIndent(const net::Request& request) {
  if (const auto query = request.Query("pretty")) {
    if (*query == "1" || *query == "true") return true;
    if (*query == "0" || *query == "false") return false;
  }
  const std::vector<Clause> clauses = ParseAccept(request);
  const Clause* json = FirstPlainJson(clauses);
  if (json != nullptr && json->Parameter("pretty") == "1") return true;
  return !request.Query("pretty").has_value() && IsPeoplesTool(request.Header("user-agent"));
}

bool WantsIndentedStatus(const net::Request& request) {
  return WantsIndent(request) || FirstPlainJson(ParseAccept(request)) == nullptr;
}

}  // namespace tidemark::http
