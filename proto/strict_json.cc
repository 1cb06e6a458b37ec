#include "proto/strict_json.h"

#include <algorithm>

#include "absl/strings/strip.h"
#include "simdjson.h"

namespace tidemark::proto {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

namespace {

error_code CheckArray(ondemand::value value, int depth) {
  ondemand::array array;
  if (const error_code error = value.get_array().get(array)) return error;
  for (auto element : array) {
    ondemand::value child;
    if (const error_code error = element.get(child)) return error;
    if (const error_code error = CheckJson(child, depth + 1)) return error;
  }
  return SUCCESS;
}

error_code CheckObject(ondemand::value value, int depth) {
  return ForEachJsonField(value,
                          [depth](absl::string_view, ondemand::value child) { return CheckJson(child, depth + 1); });
}

}  // namespace

error_code CheckJson(ondemand::value value, int depth) {
  if (depth > kJsonDepthMax) return simdjson::DEPTH_ERROR;
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::object:
      return CheckObject(value, depth);
    case ondemand::json_type::array:
      return CheckArray(value, depth);
    case ondemand::json_type::string: {
      std::string_view text;
      return value.get_string().get(text);
    }
    case ondemand::json_type::number: {
      const std::string_view token = value.raw_json_token();
      return IsJsonNumber(TrimJsonEnd({token.data(), token.size()})) ? SUCCESS : simdjson::NUMBER_ERROR;
    }
    case ondemand::json_type::boolean: {
      bool flag;
      return value.get_bool().get(flag);
    }
    case ondemand::json_type::null: {
      bool null;
      return value.is_null().get(null);
    }
  }
  return simdjson::TAPE_ERROR;
}

bool IsJsonNumber(absl::string_view text) {
  const auto digits = [&text] {
    const size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n;
  };
  absl::ConsumePrefix(&text, "-");
  const bool zero = !text.empty() && text.front() == '0';
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (absl::ConsumePrefix(&text, ".") && digits() == 0) return false;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    if (!absl::ConsumePrefix(&text, "+")) absl::ConsumePrefix(&text, "-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

absl::string_view TrimJsonEnd(absl::string_view text) {
  const size_t last = text.find_last_not_of(" \t\n\r");
  return text.substr(0, last + 1);  // npos + 1 is 0
}

}  // namespace tidemark::proto
