#include "proto/raw_json.h"

#include "absl/strings/str_cat.h"
#include "proto/field_reader.h"
#include "proto/strict_json.h"
#include "simdjson.h"

namespace tidemark::proto {
namespace {

// How many bytes at `text` are to be escaped as one, and as what; none: 0.
size_t EscapedAt(absl::string_view text, absl::string_view* escape) {
  switch (text[0]) {
    case '<':
      *escape = "\\u003c";
      return 1;
    case '>':
      *escape = "\\u003e";
      return 1;
    case '&':
      *escape = "\\u0026";
      return 1;
    case '\xE2':
      if (text.substr(0, 3) != "\xE2\x80\xA8" && text.substr(0, 3) != "\xE2\x80\xA9") return 0;
      *escape = text[2] == '\xA8' ? "\\u2028" : "\\u2029";
      return 3;
    default:
      return 0;
  }
}

// All that is escaped can only stand in texts.
void AppendEscaped(absl::string_view text, std::string* json) {
  size_t plain = 0;
  absl::string_view escape;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t length = EscapedAt(text.substr(at), &escape);
    if (length == 0) continue;
    absl::StrAppend(json, text.substr(plain, at - plain), escape);
    plain = at + length;
    at = plain - 1;
  }
  json->append(text.data() + plain, text.size() - plain);
}

absl::Status NoJson() { return absl::InvalidArgumentError("what should be JSON is none"); }

// Whether `array` holds exactly one value, whole and right.
bool IsOneValue(simdjson::ondemand::parser& parser, simdjson::padded_string_view array) {
  simdjson::ondemand::document document;
  simdjson::ondemand::array values;
  if (parser.iterate(array).get(document) || document.get_array().get(values)) return false;
  int count = 0;
  for (auto element : values) {
    simdjson::ondemand::value value;
    if (element.get(value) || CheckJson(value, 1)) return false;
    ++count;
  }
  return count == 1 && document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind it
}

}  // namespace

struct RawJson::Buffers {
  simdjson::ondemand::parser parser;
  std::string array;    // with the parser's padding behind it
  std::string compact;  // without white space
};

RawJson::RawJson() : buffers_(std::make_unique<Buffers>()) {}
RawJson::~RawJson() = default;

absl::Status RawJson::AppendField(absl::string_view message, std::string* json) {
  FieldReader reader(message);
  absl::string_view text = "null";
  while (reader.Next()) {
    if (reader.tag() != 1) continue;
    if (reader.type() != WireType::kBytes) return absl::InvalidArgumentError("protobuf: wrong wire type in a value");
    text = reader.bytes().empty() ? "null" : reader.bytes();
  }
  if (!reader.ok()) return absl::InvalidArgumentError("protobuf: no message");
  if (text == "null" || text == "{}") {
    json->append(text.data(), text.size());
    return absl::OkStatus();
  }
  return Append(text, json);
}

// Checked before its white space goes: `1 2` is no number. Within an array, so that a text or a number is a document too.
absl::Status RawJson::Append(absl::string_view text, std::string* json) {
  std::string& array = buffers_->array;
  array.assign(1, '[');
  absl::StrAppend(&array, text, "]");
  const size_t length = array.size();
  array.resize(length + simdjson::SIMDJSON_PADDING);
  if (!IsOneValue(buffers_->parser, simdjson::padded_string_view(array.data(), length, array.size()))) return NoJson();
  std::string& compact = buffers_->compact;
  compact.resize(text.size() + simdjson::SIMDJSON_PADDING);
  size_t compact_length = 0;
  if (simdjson::minify(text.data(), text.size(), compact.data(), compact_length) != simdjson::SUCCESS) return NoJson();
  AppendEscaped({compact.data(), compact_length}, json);
  return absl::OkStatus();
}

}  // namespace tidemark::proto
