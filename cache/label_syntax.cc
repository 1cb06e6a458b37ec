#include "cache/label_syntax.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/go_quote.h"

namespace tidemark::cache {
namespace {

constexpr size_t kNameBytesMax = 63;
constexpr size_t kSubdomainBytesMax = 253;

constexpr absl::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr absl::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr absl::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool IsName(absl::string_view text) {
  const auto inner = [](char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && absl::ascii_isalnum(text.front()) && absl::ascii_isalnum(text.back()) &&
         std::all_of(text.begin(), text.end(), inner);
}

bool IsSubdomain(absl::string_view text) {
  const auto alphanumeric = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); };
  const auto inner = [&](char c) { return alphanumeric(c) || c == '-'; };
  for (const absl::string_view part : absl::StrSplit(text, '.')) {
    if (part.empty() || !alphanumeric(part.front()) || !alphanumeric(part.back())) return false;
    if (!std::all_of(part.begin(), part.end(), inner)) return false;
  }
  return true;
}

std::string TooLong(size_t bytes_max) { return absl::StrCat("must be no more than ", bytes_max, " bytes"); }

void CheckPrefix(absl::string_view prefix, std::vector<std::string>* errors) {
  if (prefix.empty()) {
    errors->push_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kSubdomainBytesMax) errors->push_back(absl::StrCat("prefix part ", TooLong(kSubdomainBytesMax)));
  if (!IsSubdomain(prefix)) errors->push_back(absl::StrCat("prefix part ", kSubdomainRule));
}

}  // namespace

std::string WhyNotLabelKey(absl::string_view key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(key, '/');
  if (parts.size() > 2) {
    return absl::StrCat("a valid label key ", kNameRule,
                        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
  }
  std::vector<std::string> errors;
  if (parts.size() == 2) CheckPrefix(parts[0], &errors);
  const absl::string_view name = parts.back();
  if (name.empty()) errors.push_back("name part must be non-empty");
  if (name.size() > kNameBytesMax) errors.push_back(absl::StrCat("name part ", TooLong(kNameBytesMax)));
  if (!IsName(name)) errors.push_back(absl::StrCat("name part ", kNameRule));
  return absl::StrJoin(errors, "; ");
}

std::string WhyNotLabelValue(absl::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kNameBytesMax) errors.push_back(TooLong(kNameBytesMax));
  if (!value.empty() && !IsName(value)) errors.push_back(std::string(kValueRule));
  return absl::StrJoin(errors, "; ");
}

std::string InvalidValueError(absl::string_view path, absl::string_view value, absl::string_view detail) {
  return absl::StrCat(path, ": Invalid value: ", GoQuote(value), ": ", detail);
}

std::optional<int64_t> ParseInt64(absl::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace tidemark::cache
