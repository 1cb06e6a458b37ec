#include "store/kv/write_batch.h"

#include <utility>

#include "base/check.h"

namespace tidemark::kv {

absl::string_view TableName(Table table) {
  constexpr std::array<absl::string_view, kTableCount> kNames = {"key", "meta", "lease", "alarm"};
  return kNames[static_cast<size_t>(table)];
}

void WriteBatch::Set(Table table, absl::string_view key, Bytes value) {
  TM_CHECK(!key.empty() && key.size() <= kKeyBytesMax) << "key of " << key.size() << " bytes";
  ++ops_;
  size_bytes_ += key.size() + (value == nullptr ? 0 : value->size());
  Changes& changes = tables_[static_cast<size_t>(table)];
  // Revisions ascend, so most changes belong at the end.
  changes.insert_or_assign(changes.end(), std::string(key), std::move(value));
}

}  // namespace tidemark::kv
