#include "openapi/definitions.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/types/span.h"

namespace tidemark::openapi {

const DefinitionRow* FindDefinition(absl::string_view name) {
  const auto rows = absl::MakeConstSpan(kDefinitionRows, kDefinitionRowCount);
  const auto found = std::lower_bound(
      rows.begin(), rows.end(), name,
      [](const DefinitionRow& row, absl::string_view sought) { return absl::string_view(row.name) < sought; });
  return found == rows.end() || found->name != name ? nullptr : &*found;
}

const DefinitionRow* FindKind(absl::string_view group, absl::string_view version, absl::string_view kind) {
  using Key = std::tuple<absl::string_view, absl::string_view, absl::string_view>;
  const auto key_of = [](const KindRow& row) { return Key(row.group, row.version, row.kind); };
  const Key sought(group, version, kind);
  const auto rows = absl::MakeConstSpan(kKindRows, kKindRowCount);
  const auto found = std::lower_bound(rows.begin(), rows.end(), sought,
                                      [&key_of](const KindRow& row, const Key& key) { return key_of(row) < key; });
  return found == rows.end() || key_of(*found) != sought ? nullptr : &kDefinitionRows[found->definition];
}

void AddWithReferences(const DefinitionRow& definition, Schemas* schemas) {
  std::vector<const DefinitionRow*> open = {&definition};
  while (!open.empty()) {
    const DefinitionRow* const row = open.back();
    open.pop_back();
    if (!schemas->emplace(row->name, row->json).second) continue;
    for (const uint16_t number : absl::MakeConstSpan(kReferences + row->first_reference, row->references))
      open.push_back(&kDefinitionRows[number]);
  }
}

}  // namespace tidemark::openapi
