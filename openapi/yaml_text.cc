#include "openapi/yaml_text.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/status.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

// What readers of YAML 1.1 or 1.2 take for something else than text.
bool IsYamlKeyword(absl::string_view text) {
  static constexpr absl::string_view kKeywords[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  return absl::c_any_of(kKeywords, [&](absl::string_view word) { return absl::EqualsIgnoreCase(text, word); });
}

// Whether it stands for itself without quotes: it begins with a letter, and has nothing that means anything to YAML.
bool IsYamlWord(absl::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text[0])) || text.back() == ' ') return false;
  const bool plain = absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(" +,-./_", c);
  });
  return plain && !IsYamlKeyword(text);
}

// The length of the rune at the front when JSON's strings may have it as it is and YAML's may not: DEL, U+0080 to U+009F (of
// which U+0085 would be a line's end), U+FFFE and U+FFFF; otherwise 0.
size_t UnprintableLength(absl::string_view text) {
  if (text[0] == '\x7f') return 1;
  if (text[0] == '\xc2' && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0) return 2;
  return absl::StartsWith(text, "\xef\xbf\xbe") || absl::StartsWith(text, "\xef\xbf\xbf") ? 3 : 0;
}

void AppendYamlString(absl::string_view text, std::string* out) {
  if (IsYamlWord(text)) return absl::StrAppend(out, text);
  const std::string json = GoJsonString(text);
  for (size_t at = 0; at < json.size();) {
    const absl::string_view rest = absl::string_view(json).substr(at);
    const size_t length = UnprintableLength(rest);
    if (length == 0) {
      out->push_back(json[at++]);
      continue;
    }
    // The last byte has the rune's low bits, with 0x80 as a mark where it is not the first.
    const unsigned low = static_cast<unsigned char>(rest[length - 1]);
    absl::StrAppend(out, "\\u", absl::Hex(length == 3 ? 0xff40 + low : low, absl::kZeroPad4));
    at += length;
  }
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string* out) : out_(out) {}

  // The line stands at column `indent`.
  absl::Status Append(const Json& value, size_t indent) {
    if (!IsBlock(value)) {
      AppendScalar(value);
      out_->push_back('\n');
      return absl::OkStatus();
    }
    if (++depth_ > kYamlDepthMax) return absl::InvalidArgumentError("is nested too deeply for YAML");
    TM_RETURN_IF_ERROR(value.is_array() ? AppendList(value, indent) : AppendMap(value, indent));
    --depth_;
    return absl::OkStatus();
  }

 private:
  static bool IsBlock(const Json& value) { return value.is_structured() && !value.empty(); }

  absl::Status AppendList(const Json& list, size_t indent) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_->append(indent, ' ');
      *out_ += "- ";
      TM_RETURN_IF_ERROR(Append(list[i], indent + 2));
    }
    return absl::OkStatus();
  }

  absl::Status AppendMap(const Json& map, size_t indent) {
    // Columns are multiples of 4 again below a list's 2.
    const size_t inner = indent / 4 * 4 + 4;
    bool first = true;
    for (const auto& [name, member] : map.items()) {
      if (!first) out_->append(indent, ' ');
      first = false;
      TM_RETURN_IF_ERROR(AppendName(name));
      if (IsBlock(member)) {
        out_->push_back('\n');
        out_->append(inner, ' ');
      } else {
        out_->push_back(' ');
      }
      TM_RETURN_IF_ERROR(Append(member, inner));
    }
    return absl::OkStatus();
  }

  absl::Status AppendName(const std::string& name) {
    const size_t begin = out_->size();
    AppendYamlString(name, out_);
    if (out_->size() - begin > kYamlNameBytesMax) return absl::InvalidArgumentError("has a name too long for YAML");
    out_->push_back(':');
    return absl::OkStatus();
  }

  void AppendScalar(const Json& value) {
    if (value.is_string()) return AppendYamlString(value.get_ref<const std::string&>(), out_);
    crd::AppendGoJson(value, out_);
  }

  std::string* const out_;
  int depth_ = 0;
};

}  // namespace

absl::Status AppendYaml(const crd::Json& value, std::string* out) { return YamlWriter(out).Append(value, 0); }

}  // namespace tidemark::openapi
