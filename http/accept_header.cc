#include "http/accept_header.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tidemark::http {
namespace {

// Nobody names more; the rest is not looked at. Go sorts up to 12 by insertion, which shows, since the order is none in the
// strict sense.
constexpr size_t kClausesMax = 64;

// Blanks alone: a tab stays.
absl::string_view StripBlanks(absl::string_view text) {
  while (absl::ConsumePrefix(&text, " ")) continue;
  while (absl::ConsumeSuffix(&text, " ")) continue;
  return text;
}

// What is no number counts as 0.
double ParseQuality(absl::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  float quality = 0;
  const absl::from_chars_result result = absl::from_chars(text.data(), text.data() + text.size(), quality);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument) return 0;
  if (result.ec == std::errc::result_out_of_range && quality > 1) return std::numeric_limits<double>::infinity();
  return quality;
}

bool ParseType(absl::string_view text, AcceptClause* clause) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
  clause->type = StripBlanks(parts.first);
  if (parts.second.empty()) {
    clause->subtype = "*";
    return clause->type == "*";
  }
  absl::string_view subtype = parts.second;
  absl::ConsumeSuffix(&subtype, "/");
  clause->subtype = StripBlanks(subtype);
  return subtype.find('/') == absl::string_view::npos;
}

void ParseParameter(absl::string_view text, AcceptClause* clause) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  absl::string_view value = parts.second;
  if (value.empty()) return;
  absl::ConsumeSuffix(&value, "=");
  if (value.find('=') != absl::string_view::npos) return;
  const absl::string_view name = StripBlanks(parts.first);
  if (name == "q") {
    clause->quality = ParseQuality(value);
  } else {
    clause->parameters.emplace_back(name, StripBlanks(value));
  }
}

bool IsPreferred(const AcceptClause& a, const AcceptClause& b) {
  if (a.quality > b.quality) return true;
  return (a.type != "*" && b.type == "*") || (a.subtype != "*" && b.subtype == "*");
}

void SortByPreference(std::vector<AcceptClause>* clauses) {
  for (size_t i = 1; i < clauses->size(); ++i) {
    for (size_t j = i; j > 0 && IsPreferred((*clauses)[j], (*clauses)[j - 1]); --j) {
      std::swap((*clauses)[j], (*clauses)[j - 1]);
    }
  }
}

}  // namespace

bool AcceptClause::Has(absl::string_view name) const {
  return std::any_of(parameters.begin(), parameters.end(), [name](const auto& pair) { return pair.first == name; });
}

absl::string_view AcceptClause::Parameter(absl::string_view name) const {
  absl::string_view found;
  for (const auto& [key, value] : parameters) {
    if (key == name) found = value;
  }
  return found;
}

bool AcceptClause::Matches(absl::string_view other_type, absl::string_view other_subtype) const {
  if (type == "*" && subtype == "*") return true;
  return type == other_type && (subtype == other_subtype || subtype == "*");
}

AcceptHeader::AcceptHeader(absl::string_view header) : header_(header) {
  if (header.empty()) return;
  for (const absl::string_view part : absl::StrSplit(header, ',')) {
    const std::pair<absl::string_view, absl::string_view> type_and_rest =
        absl::StrSplit(StripBlanks(part), absl::MaxSplits(';', 1));
    AcceptClause clause;
    if (!ParseType(type_and_rest.first, &clause)) continue;
    for (const absl::string_view parameter : absl::StrSplit(type_and_rest.second, ';'))
      ParseParameter(parameter, &clause);
    clauses_.push_back(std::move(clause));
    if (clauses_.size() == kClausesMax) break;
  }
  SortByPreference(&clauses_);
}

bool AcceptHeader::Names(absl::Span<const absl::string_view> types) const {
  if (header_.empty()) return true;
  for (const absl::string_view part : absl::StrSplit(header_, ',')) {
    const absl::string_view type = StripBlanks(part.substr(0, part.find(';')));
    if (type == "*/*" || std::find(types.begin(), types.end(), type) != types.end()) return true;
  }
  return false;
}

}  // namespace tidemark::http
