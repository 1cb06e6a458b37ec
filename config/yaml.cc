#include "config/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json_string.h"
#include "base/status.h"

namespace tidemark::config {
namespace {

// Deeper than any manifest; below what the parser's own recursion stands.
constexpr int kDepthMax = 100;

// A text without aliases makes at most six bytes of JSON of each of its own (an escaped control byte), and quotes. More
// than this comes of aliases in aliases; a text that is small anyway may have as many as it likes.
constexpr size_t kJsonBytesPerByteMax = 10;
constexpr size_t kJsonBytesMin = 1 << 20;

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

// Writes nodes as JSON. What an alias names is written wherever the alias stands, and what "<<" merges in is looked at
// each time: a short text can ask for more than fits anywhere, so both count against one limit.
class JsonWriter {
 public:
  explicit JsonWriter(size_t bytes_max) : bytes_max_(bytes_max) {}

  absl::Status Append(const YAML::Node& node, int depth);
  // What was appended since the last call; the limit goes on counting.
  std::string Take() { return std::exchange(out_, {}); }

 private:
  using Entries = std::vector<std::pair<YAML::Node, YAML::Node>>;

  absl::Status AppendMap(const YAML::Node& map, int depth);
  absl::Status AddEntries(const YAML::Node& map, int depth, std::set<std::string>* names, Entries* entries);
  absl::Status AddMerged(const YAML::Node& merged, int depth, std::set<std::string>* names, Entries* entries);
  absl::Status Spend(size_t bytes) {
    if (bytes > bytes_max_ - spent_) {
      return absl::InvalidArgumentError(absl::StrCat("its aliases make more than ", bytes_max_, " bytes of it"));
    }
    spent_ += bytes;
    return absl::OkStatus();
  }
  absl::Status Write(absl::string_view text) {
    TM_RETURN_IF_ERROR(Spend(text.size()));
    out_.append(text.data(), text.size());
    return absl::OkStatus();
  }

  const size_t bytes_max_;
  size_t spent_ = 0;
  std::string out_;
};

absl::Status JsonWriter::Append(const YAML::Node& node, int depth) {
  if (depth > kDepthMax) return absl::InvalidArgumentError(absl::StrCat("more than ", kDepthMax, " levels"));
  absl::string_view separator = "";
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      return Write("null");
    case YAML::NodeType::Scalar:
      // The tag of a quoted scalar is "!", that of a plain one "?".
      return Write(node.Tag() == "!" || absl::EndsWith(node.Tag(), ":str") ? JsonString(node.Scalar())
                                                                           : PlainScalar(node.Scalar()));
    case YAML::NodeType::Sequence:
      TM_RETURN_IF_ERROR(Write("["));
      for (const YAML::Node& item : node) {
        TM_RETURN_IF_ERROR(Write(std::exchange(separator, ",")));
        TM_RETURN_IF_ERROR(Append(item, depth + 1));
      }
      return Write("]");
    case YAML::NodeType::Map:
      return AppendMap(node, depth);
  }
  return absl::OkStatus();
}

absl::Status JsonWriter::AppendMap(const YAML::Node& map, int depth) {
  Entries entries;
  std::set<std::string> names;
  TM_RETURN_IF_ERROR(AddEntries(map, depth, &names, &entries));
  absl::string_view separator = "";
  TM_RETURN_IF_ERROR(Write("{"));
  for (const auto& [name, value] : entries) {
    TM_RETURN_IF_ERROR(Write(absl::StrCat(std::exchange(separator, ","), JsonString(name.Scalar()), ":")));
    TM_RETURN_IF_ERROR(Append(value, depth + 1));
  }
  return Write("}");
}

// The map's own entries, then those that it merges in and has not got: the first that has a name gives it.
absl::Status JsonWriter::AddEntries(const YAML::Node& map, int depth, std::set<std::string>* names, Entries* entries) {
  const std::set<std::string> taken = *names;
  std::vector<YAML::Node> merges;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) return absl::InvalidArgumentError("a key is not text");
    const std::string& name = entry.first.Scalar();
    if (name == "<<" && entry.first.Tag() == "?") {
      merges.push_back(entry.second);
    } else if (taken.count(name) == 0) {
      names->insert(name);
      entries->emplace_back(entry.first, entry.second);
    }
  }
  for (const YAML::Node& merged : merges) TM_RETURN_IF_ERROR(AddMerged(merged, depth + 1, names, entries));
  return absl::OkStatus();
}

absl::Status JsonWriter::AddMerged(const YAML::Node& merged, int depth, std::set<std::string>* names,
                                   Entries* entries) {
  if (depth > kDepthMax) return absl::InvalidArgumentError(absl::StrCat("more than ", kDepthMax, " levels"));
  TM_RETURN_IF_ERROR(Spend(1 + merged.size() + names->size()));
  if (merged.IsMap()) return AddEntries(merged, depth, names, entries);
  if (!merged.IsSequence()) return absl::InvalidArgumentError("\"<<\" wants a map, or a list of maps");
  for (const YAML::Node& map : merged) {
    if (!map.IsMap()) return absl::InvalidArgumentError("\"<<\" wants a map, or a list of maps");
    TM_RETURN_IF_ERROR(AddMerged(map, depth + 1, names, entries));
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

absl::StatusOr<std::vector<std::string>> YamlToJson(absl::string_view text) {
  try {
    std::vector<std::string> documents;
    JsonWriter writer(std::max(kJsonBytesMin, text.size() * kJsonBytesPerByteMax));
    for (const YAML::Node& node : YAML::LoadAll(std::string(text))) {
      if (!node.IsDefined() || node.IsNull()) continue;
      TM_RETURN_IF_ERROR(writer.Append(node, 0));
      documents.push_back(writer.Take());
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
