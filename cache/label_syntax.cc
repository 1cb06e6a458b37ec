#include "cache/label_syntax.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

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

// One character of valid UTF-8 at the front of `text`, or 0xffffffff; its length in `length`.
uint32_t DecodeRune(absl::string_view text, size_t* length) {
  constexpr uint32_t kBad = 0xffffffff;
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  *length = 1;
  const uint8_t first = byte(0);
  if (first < 0x80) return first;
  const size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return kBad;
  uint32_t rune = first & (0xff >> (n + 1));
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kBad;
    rune = rune << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (rune < kLeast[n] || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return kBad;
  *length = n;
  return rune;
}

// The characters beyond ASCII that are quoted by number: spaces, format characters and what is not assigned to anyone.
bool IsPrintable(uint32_t rune) {
  constexpr std::pair<uint32_t, uint32_t> kNot[] = {{0x7f, 0xa0},     {0xad, 0xad},     {0x2000, 0x200f},
                                                    {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},
                                                    {0xe000, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb},
                                                    {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
  const auto holds = [rune](const auto& range) { return rune >= range.first && rune <= range.second; };
  return rune >= 0x20 && std::none_of(std::begin(kNot), std::end(kNot), holds);
}

void AppendQuotedRune(uint32_t rune, absl::string_view bytes, std::string* out) {
  constexpr absl::string_view kNamed = "\a\b\f\n\r\t\v\"\\";
  constexpr absl::string_view kNames = "abfnrtv\"\\";
  if (rune == 0xffffffff) {
    absl::StrAppendFormat(out, "\\x%02x", static_cast<uint8_t>(bytes[0]));
  } else if (const size_t named = rune < 0x80 ? kNamed.find(static_cast<char>(rune)) : absl::string_view::npos;
             named != absl::string_view::npos) {
    absl::StrAppend(out, "\\", kNames.substr(named, 1));
  } else if (IsPrintable(rune)) {
    absl::StrAppend(out, bytes);
  } else if (rune < 0x80) {
    absl::StrAppendFormat(out, "\\x%02x", rune);
  } else if (rune < 0x10000) {
    absl::StrAppendFormat(out, "\\u%04x", rune);
  } else {
    absl::StrAppendFormat(out, "\\U%08x", rune);
  }
}

std::string Quote(absl::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = 0;
    const uint32_t rune = DecodeRune(text, &length);
    AppendQuotedRune(rune, text.substr(0, length), &out);
    text.remove_prefix(length);
  }
  out.push_back('"');
  return out;
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
  return absl::StrCat(path, ": Invalid value: ", Quote(value), ": ", detail);
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
