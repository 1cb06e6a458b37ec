#include "proto/kubernetes_schema.h"

#include <algorithm>
#include <utility>

#include "proto/kubernetes_rows.h"

namespace tidemark::proto {

absl::string_view FieldRow::key() const { return {kNamePool + name_offset, name_length}; }

absl::string_view FieldRow::name() const {
  constexpr size_t kQuotesAndColon = 3;
  return name_length == 0 ? absl::string_view() : key().substr(1, name_length - kQuotesAndColon);
}

const MessageType& FieldRow::message() const { return kMessageTypes[message_index]; }

absl::Span<const FieldRow> MessageType::fields() const { return {kFieldRows + row_.first_field, row_.field_count}; }

size_t MessageType::IndexOf(uint32_t number) const {
  return number < row_.number_count ? kFieldByNumber[row_.first_number + number] : 0;
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
