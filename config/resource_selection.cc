#include "config/resource_selection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tidemark::config {

absl::StatusOr<std::vector<Resource>> SelectResources(const std::vector<std::string>& items,
                                                      const std::vector<Resource>& table) {
  const bool starts_full = !items.empty() && absl::StartsWith(items[0], "-");
  std::vector<bool> selected(table.size(), starts_full);
  for (const std::string& item : items) {
    absl::string_view name = item;
    const bool take = !absl::ConsumePrefix(&name, "-");
    bool known = name == "*";
    for (size_t i = 0; i < table.size(); ++i) {
      if (name != "*" && name != table[i].plural && name != table[i].GroupResource()) continue;
      selected[i] = take;
      known = true;
    }
    if (!known) return absl::InvalidArgumentError(absl::StrCat("there is no resource \"", name, "\""));
  }
  std::vector<Resource> resources;
  for (size_t i = 0; i < table.size(); ++i) {
    if (selected[i]) resources.push_back(table[i]);
  }
  if (resources.empty()) return absl::InvalidArgumentError("no resource is left");
  return resources;
}

}  // namespace tidemark::config
