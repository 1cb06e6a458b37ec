#include "crd/json_tree.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "proto/json_values.h"

namespace tidemark::crd {
namespace {

// Of text that may be no JSON; strings are skipped as JSON writes them.
int DepthOf(absl::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

void AppendDouble(double number, std::string* out) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  // The parser refuses numbers beyond a double's range, so that every one can be written.
  TM_CHECK(proto::AppendJsonDouble(bits, out).ok());
}

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  if (DepthOf(text) > kJsonDepthMax) return absl::InvalidArgumentError("it is nested too deeply");
  Json value = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return absl::InvalidArgumentError("it is not valid JSON");
  return value;
}

template <typename Tree>
void AppendGoJson(const Tree& value, std::string* out) {
  switch (value.type()) {
    case Tree::value_t::boolean:
      *out += value.template get<bool>() ? "true" : "false";
      return;
    case Tree::value_t::number_integer:
      return absl::StrAppend(out, value.template get<int64_t>());
    case Tree::value_t::number_unsigned: {
      const uint64_t number = value.template get<uint64_t>();
      if (number > std::numeric_limits<int64_t>::max()) return AppendDouble(static_cast<double>(number), out);
      return absl::StrAppend(out, number);
    }
    case Tree::value_t::number_float:
      return AppendDouble(value.template get<double>(), out);
    case Tree::value_t::string:
      return AppendGoJsonString(value.template get_ref<const std::string&>(), out);
    case Tree::value_t::array: {
      char separator = '[';
      for (const Tree& element : value) {
        out->push_back(std::exchange(separator, ','));
        AppendGoJson(element, out);
      }
      *out += value.empty() ? "[]" : "]";
      return;
    }
    case Tree::value_t::object: {
      char separator = '{';
      for (const auto& [name, member] : value.items()) {
        out->push_back(std::exchange(separator, ','));
        AppendGoJsonString(name, out);
        out->push_back(':');
        AppendGoJson(member, out);
      }
      *out += value.empty() ? "{}" : "}";
      return;
    }
    default:
      *out += "null";
  }
}

template void AppendGoJson(const Json& value, std::string* out);
template void AppendGoJson(const nlohmann::ordered_json& value, std::string* out);

const Json* Member(const Json& value, absl::string_view name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(std::string(name));
  return found == value.end() ? nullptr : &*found;
}

Json* Member(Json& value, absl::string_view name) {
  return const_cast<Json*>(Member(static_cast<const Json&>(value), name));
}

std::string TextMember(const Json& value, absl::string_view name) {
  const Json* const member = Member(value, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : "";
}

bool BoolMember(const Json& value, absl::string_view name) {
  const Json* const member = Member(value, name);
  return member != nullptr && member->is_boolean() && member->get<bool>();
}

std::vector<std::string> TextsMember(const Json& value, absl::string_view name) {
  std::vector<std::string> texts;
  const Json* const member = Member(value, name);
  if (member == nullptr || !member->is_array()) return texts;
  for (const Json& element : *member) {
    if (element.is_string()) texts.push_back(element.get<std::string>());
  }
  return texts;
}

std::optional<int64_t> Integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const uint64_t number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  return std::nullopt;
}

}  // namespace tidemark::crd
