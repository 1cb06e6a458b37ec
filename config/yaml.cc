#include "config/yaml.h"

#include <yaml-cpp/yaml.h>

#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace tidemark::config {
namespace {

// Deeper than any manifest; below what the parser's own recursion stands.
constexpr int kDepthMax = 100;

absl::Status ParseError(const YAML::Exception& error) {
  return absl::InvalidArgumentError(absl::StrCat("line ", error.mark.line + 1, ": ", error.msg));
}

bool IsAny(absl::string_view text, std::initializer_list<absl::string_view> words) {
  for (const absl::string_view word : words) {
    if (absl::EqualsIgnoreCase(text, word)) return true;
  }
  return false;
}

// An integer with a base of its own (0x1f, 0b101, 0o17, 0644) in decimal; nullopt: not one.
std::optional<std::string> BasedInteger(absl::string_view text) {
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (text.size() < 2 || text[0] != '0') return std::nullopt;
  int base = 8;
  absl::string_view digits = text.substr(1);
  if (absl::ConsumePrefix(&digits, "x")) base = 16;
  if (absl::ConsumePrefix(&digits, "b")) base = 2;
  absl::ConsumePrefix(&digits, "o");
  if (digits.empty()) return std::nullopt;
  int64_t value = 0;
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c)) || digit >= base) return std::nullopt;
    if (value > (INT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return absl::StrCat(negative ? "-" : "", value);
}

// Whether `text` is a number as JSON writes it.
bool IsJsonNumber(absl::string_view text) {
  const auto digits = [&text] {
    size_t count = 0;
    while (count < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[count]))) ++count;
    text.remove_prefix(count);
    return count;
  };
  absl::ConsumePrefix(&text, "-");
  const bool zero = absl::StartsWith(text, "0");
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (absl::ConsumePrefix(&text, ".") && digits() == 0) return false;
  if (absl::ConsumePrefix(&text, "e") || absl::ConsumePrefix(&text, "E")) {
    if (!absl::ConsumePrefix(&text, "+")) absl::ConsumePrefix(&text, "-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

std::string PlainScalar(const std::string& text) {
  if (text.empty() || text == "~" || IsAny(text, {"null"})) return "null";
  if (IsAny(text, {"true", "yes", "on"})) return "true";
  if (IsAny(text, {"false", "no", "off"})) return "false";
  if (IsJsonNumber(text)) return text;
  if (const auto based = BasedInteger(text); based.has_value()) return *based;
  if (text.size() > 1 && text[0] == '+' && IsJsonNumber(text.substr(1))) return text.substr(1);
  return JsonString(text);
}

absl::Status AppendJson(const YAML::Node& node, int depth, std::string* out) {
  if (depth > kDepthMax) return absl::InvalidArgumentError(absl::StrCat("more than ", kDepthMax, " levels"));
  absl::string_view separator = "";
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      out->append("null");
      return absl::OkStatus();
    case YAML::NodeType::Scalar:
      // The tag of a quoted scalar is "!", that of a plain one "?".
      out->append(node.Tag() == "!" || absl::EndsWith(node.Tag(), ":str") ? JsonString(node.Scalar())
                                                                          : PlainScalar(node.Scalar()));
      return absl::OkStatus();
    case YAML::NodeType::Sequence:
      out->push_back('[');
      for (const YAML::Node& item : node) {
        out->append(std::exchange(separator, ",").data());
        TM_RETURN_IF_ERROR(AppendJson(item, depth + 1, out));
      }
      out->push_back(']');
      return absl::OkStatus();
    case YAML::NodeType::Map:
      out->push_back('{');
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) return absl::InvalidArgumentError("a key is not text");
        absl::StrAppend(out, std::exchange(separator, ","), JsonString(entry.first.Scalar()), ":");
        TM_RETURN_IF_ERROR(AppendJson(entry.second, depth + 1, out));
      }
      out->push_back('}');
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status AppendSetting(const std::string& name, const YAML::Node& value, Settings* settings) {
  std::vector<std::string>& values = (*settings)[name];
  if (value.IsNull()) return absl::OkStatus();
  if (value.IsScalar()) {
    values.push_back(value.Scalar());
    return absl::OkStatus();
  }
  if (!value.IsSequence())
    return absl::InvalidArgumentError(absl::StrCat(name, " must be a value or a list of values"));
  for (const YAML::Node& item : value) {
    if (!item.IsScalar()) return absl::InvalidArgumentError(absl::StrCat(name, " must be a list of plain values"));
    values.push_back(item.Scalar());
  }
  return absl::OkStatus();
}

}  // namespace

std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out.push_back(static_cast<char>(c));
    }
  }
  out.push_back('"');
  return out;
}

absl::StatusOr<std::vector<std::string>> YamlToJson(absl::string_view text) {
  try {
    std::vector<std::string> documents;
    for (const YAML::Node& node : YAML::LoadAll(std::string(text))) {
      if (!node.IsDefined() || node.IsNull()) continue;
      std::string json;
      TM_RETURN_IF_ERROR(AppendJson(node, 0, &json));
      documents.push_back(std::move(json));
    }
    return documents;
  } catch (const YAML::Exception& error) {
    return ParseError(error);
  }
}

absl::StatusOr<Settings> ParseSettings(absl::string_view text) {
  try {
    const YAML::Node node = YAML::Load(std::string(text));
    Settings settings;
    if (!node.IsDefined() || node.IsNull()) return settings;
    if (!node.IsMap()) return absl::InvalidArgumentError("names with values are wanted");
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) return absl::InvalidArgumentError("a name is not text");
      TM_RETURN_IF_ERROR(AppendSetting(entry.first.Scalar(), entry.second, &settings));
    }
    return settings;
  } catch (const YAML::Exception& error) {
    return ParseError(error);
  }
}

}  // namespace tidemark::config
