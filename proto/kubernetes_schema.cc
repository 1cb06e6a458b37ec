#include "proto/kubernetes_schema.h"

#include <algorithm>
#include <utility>

#include "proto/kubernetes_rows.h"

namespace tidemark::proto {

absl::string_view FieldRow::name() const {
  constexpr size_t kCommaAndQuote = 2;
  constexpr size_t kQuoteAndColon = 2;
  if (key_length == 0) return {};
  return key().substr(kCommaAndQuote, key_length - kCommaAndQuote - kQuoteAndColon);
}

const MessageType* FindKind(absl::string_view api_version, absl::string_view kind) {
  using Name = std::pair<absl::string_view, absl::string_view>;
  const KindRow* const end = kKindRows + kKindRowCount;
  const auto below = [](const KindRow& row, const Name& name) { return Name(row.api_version, row.kind) < name; };
  const KindRow* const found = std::lower_bound(kKindRows, end, Name(api_version, kind), below);
  if (found == end || api_version != found->api_version || kind != found->kind) return nullptr;
  return &kMessageTypes[found->message];
}

}  // namespace tidemark::proto
