#include "net/exchange.h"

namespace tidemark::net {

std::optional<absl::string_view> Request::Query(absl::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

absl::string_view Request::Header(absl::string_view lower_case_name) const {
  for (const auto& [name, value] : headers) {
    if (name == lower_case_name) return value;
  }
  return {};
}

}  // namespace tidemark::net
