#include "cache/canonical_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"

namespace tidemark::cache {
namespace {

// In the order in which kube-apiserver writes them.
constexpr std::array<absl::string_view, 5> kIdentity = {"name", "generateName", "namespace", "selfLink", "uid"};

// The end of the text that begins at `begin` with a quote.
size_t EndOfText(absl::string_view json, size_t begin) {
  size_t i = begin + 1;
  while (json[i] != '"') i += json[i] == '\\' ? 2 : 1;
  return i + 1;
}

std::string WithoutSpace(absl::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size();) {
    const size_t end = json[i] == '"' ? EndOfText(json, i) : i + 1;
    if (json[i] != ' ' && json[i] != '\n' && json[i] != '\t' && json[i] != '\r') {
      absl::StrAppend(&out, json.substr(i, end - i));
    }
    i = end;
  }
  return out;
}

// The end of the value that begins at `begin`, in JSON without space.
size_t EndOfValue(absl::string_view json, size_t begin) {
  int depth = 0;
  size_t i = begin;
  do {
    if (json[i] == '"') {
      i = EndOfText(json, i);
      continue;
    }
    if (json[i] == '{' || json[i] == '[') ++depth;
    if (json[i] == '}' || json[i] == ']') --depth;
    ++i;
  } while (depth > 0 || (json[i] != ',' && json[i] != '}' && json[i] != ']'));
  return i;
}

uint32_t HexDigits(absl::string_view digits) {
  uint32_t number = 0;
  for (const char c : digits) number = number << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  return number;
}

std::string Unescape(absl::string_view text) {
  constexpr absl::string_view kNames = "bfnrt", kMeanings = "\b\f\n\r\t";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out.push_back(text[i]);
      continue;
    }
    const char escape = text[++i];
    if (escape != 'u') {
      const size_t named = kNames.find(escape);
      out.push_back(named == absl::string_view::npos ? escape : kMeanings[named]);
      continue;
    }
    uint32_t rune = HexDigits(text.substr(i + 1, 4));
    i += 4;
    if (rune >= 0xd800 && rune < 0xdc00) {  // the first half of a pair; valid JSON has the second
      rune = 0x10000 + ((rune - 0xd800) << 10) + (HexDigits(text.substr(i + 3, 4)) - 0xdc00);
      i += 6;
    }
    AppendUtf8(rune, &out);
  }
  return out;
}

struct Field {
  std::string name;
  absl::string_view text;  // "name":value
  absl::string_view value;
};

// The fields of an object without space; of those with one name only the last, as JSON readers take it.
std::vector<Field> FieldsOf(absl::string_view object) {
  std::vector<Field> fields;
  for (size_t begin = 1; object[begin] == '"';) {
    const size_t name_end = EndOfText(object, begin);
    const size_t value_begin = name_end + 1;  // behind the colon
    const size_t end = EndOfValue(object, value_begin);
    fields.push_back({Unescape(object.substr(begin + 1, name_end - begin - 2)), object.substr(begin, end - begin),
                      object.substr(value_begin, end - value_begin)});
    begin = object[end] == ',' ? end + 1 : end;
  }
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<Field> kept;
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    if (seen.insert(field->name).second) kept.push_back(*field);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

const Field* Find(const std::vector<Field>& fields, absl::string_view name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [name](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

void AppendField(const Field& field, std::string* out) {
  absl::StrAppend(out, out->back() == '{' ? "" : ",", field.text);
}

std::string CanonicalMetadata(absl::string_view object, bool identity_first) {
  const std::vector<Field> fields = FieldsOf(object);
  std::string out = "{";
  for (const absl::string_view name : kIdentity) {
    const Field* const field = identity_first ? Find(fields, name) : nullptr;
    if (field != nullptr) AppendField(*field, &out);
  }
  for (const Field& field : fields) {
    const bool written = identity_first && IsIdentityField(field.name);
    if (!written && field.name != "resourceVersion") AppendField(field, &out);
  }
  return out + "}";
}

}  // namespace

bool IsIdentityField(absl::string_view name) {
  return std::find(kIdentity.begin(), kIdentity.end(), name) != kIdentity.end();
}

absl::StatusOr<std::string> CanonicalJson(absl::string_view json, bool identity_first) {
  const std::string compact = WithoutSpace(json);
  const std::vector<Field> fields = FieldsOf(compact);
  const Field* const found = Find(fields, "metadata");
  const absl::string_view metadata = found == nullptr || found->value == "null" ? "{}" : found->value;
  if (metadata.front() != '{') return absl::InvalidArgumentError("its metadata is not an object");
  std::string out = absl::StrCat("{\"metadata\":", CanonicalMetadata(metadata, identity_first));
  for (const Field& field : fields) {
    if (field.name != "kind" && field.name != "apiVersion" && field.name != "metadata") AppendField(field, &out);
  }
  return out + "}";
}

}  // namespace tidemark::cache
