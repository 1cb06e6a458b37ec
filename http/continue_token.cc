#include "http/continue_token.h"

#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "http/go_json.h"
#include "http/go_text.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kVersion = "meta.k8s.io/v1";

absl::Status NotValid(absl::string_view cause) {
  return absl::InvalidArgumentError(absl::StrCat("continue key is not valid: ", cause));
}

int Base64UrlDigit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  if (c == '_') return 63;
  return -1;
}

// Go's RawURLEncoding: no padding, line ends are skipped, left-over bits are ignored.
absl::StatusOr<std::string> DecodeRawUrlBase64(absl::string_view text) {
  const auto illegal = [](size_t at) {
    return absl::InvalidArgumentError(absl::StrCat("illegal base64 data at input byte ", at));
  };
  std::string out;
  uint32_t bits = 0;
  int digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') continue;
    const int digit = Base64UrlDigit(text[i]);
    if (digit < 0) return illegal(i);
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (++digits < 4) continue;
    out.append({static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)});
    bits = 0;
    digits = 0;
  }
  if (digits == 1) return illegal(text.size() - 1);
  if (digits >= 2) out.push_back(static_cast<char>(bits >> (digits == 2 ? 4 : 10)));
  if (digits == 3) out.push_back(static_cast<char>(bits >> 2));
  return out;
}

struct Fields {
  std::string version;
  int64_t revision = 0;
  std::string start;
};

absl::Status WrongType(absl::string_view what, absl::string_view field, absl::string_view type) {
  return absl::InvalidArgumentError(
      absl::StrCat("json: cannot unmarshal ", what, " into Go struct field continueToken.", field, " of type ", type));
}

absl::Status SetText(const GoJsonValue& value, absl::string_view field, std::string* out) {
  if (value.type == GoJsonValue::Type::kNull) return absl::OkStatus();
  if (value.type != GoJsonValue::Type::kString) return WrongType(value.TypeName(), field, "string");
  *out = value.text;
  return absl::OkStatus();
}

absl::Status SetRevision(const GoJsonValue& value, int64_t* out) {
  if (value.type == GoJsonValue::Type::kNull) return absl::OkStatus();
  if (value.type != GoJsonValue::Type::kNumber) return WrongType(value.TypeName(), "rv", "int64");
  const absl::StatusOr<int64_t> number = ParseGoInt64(value.text);
  if (!number.ok()) return WrongType(absl::StrCat("number ", value.text), "rv", "int64");
  *out = *number;
  return absl::OkStatus();
}

// As Go decodes: names in any case, the last of a repeated one, and of several errors the first.
absl::StatusOr<Fields> ReadFields(absl::string_view json) {
  TM_ASSIGN_OR_RETURN(const GoJsonObject object, ReadGoJsonObject(json));
  Fields fields;
  if (object.type == GoJsonValue::Type::kNull) return fields;
  if (object.type != GoJsonValue::Type::kObject) {
    return absl::InvalidArgumentError(absl::StrCat("json: cannot unmarshal ",
                                                   GoJsonValue{.type = object.type}.TypeName(),
                                                   " into Go value of type storage.continueToken"));
  }
  absl::Status first;
  for (const GoJsonMember& member : object.members) {
    if (absl::EqualsIgnoreCase(member.name, "v")) first.Update(SetText(member.value, "v", &fields.version));
    if (absl::EqualsIgnoreCase(member.name, "rv")) first.Update(SetRevision(member.value, &fields.revision));
    if (absl::EqualsIgnoreCase(member.name, "start")) first.Update(SetText(member.value, "start", &fields.start));
  }
  if (!first.ok()) return first;
  return fields;
}

// A path that cleaning would change could leave the part of the key space that was listed.
bool IsCleanPath(absl::string_view path_without_leading_slash) {
  if (path_without_leading_slash.empty()) return true;
  for (const absl::string_view part : absl::StrSplit(path_without_leading_slash, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ContinueToken> DecodeContinueToken(absl::string_view text) {
  const absl::StatusOr<std::string> json = DecodeRawUrlBase64(text);
  if (!json.ok()) return NotValid(json.status().message());
  absl::StatusOr<Fields> fields = ReadFields(*json);
  if (!fields.ok()) return NotValid(fields.status().message());
  if (fields->version != kVersion) {
    return NotValid(absl::StrCat("server does not recognize this encoded version ", fields->version));
  }
  if (fields->revision == 0) {
    return NotValid(absl::StrCat("incorrect encoded start resourceVersion (version ", kVersion, ")"));
  }
  if (fields->start.empty()) return NotValid(absl::StrCat("encoded start key empty (version ", kVersion, ")"));
  absl::string_view start = fields->start;
  absl::ConsumePrefix(&start, "/");
  if (!IsCleanPath(start)) return NotValid(fields->start);
  return ContinueToken{.revision = fields->revision, .start_key = std::string(start)};
}

std::string EncodeContinueToken(const ContinueToken& token, bool leading_slash) {
  std::string json = absl::StrCat("{\"v\":\"", kVersion, "\",\"rv\":", token.revision, ",\"start\":");
  AppendGoJsonString(absl::StrCat(leading_slash ? "/" : "", token.start_key), &json);
  json += '}';
  std::string encoded;
  absl::WebSafeBase64Escape(json, &encoded);  // without padding
  return encoded;
}

}  // namespace tidemark::http
