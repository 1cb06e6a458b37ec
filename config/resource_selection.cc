#include "config/resource_selection.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace tidemark::config {
namespace {

// RESOURCE.GROUP, where the group is a domain.
bool MayBeCustom(absl::string_view name) { return std::count(name.begin(), name.end(), '.') >= 2; }

absl::Status CheckKnown(absl::string_view name, const std::vector<Resource>& table) {
  const absl::string_view group = absl::ClippedSubstr(name, std::min(name.find('.'), name.size()) + 1);
  const auto is_it = [name](const Resource& row) { return name == row.plural || name == row.GroupResource(); };
  // A built-in group has no resources but those of the table.
  const auto has_group = [group](const Resource& row) { return !row.custom && row.group == group; };
  const bool custom = MayBeCustom(name) && std::none_of(table.begin(), table.end(), has_group);
  if (name == "*" || custom || std::any_of(table.begin(), table.end(), is_it)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there is no resource \"", name, "\""));
}

}  // namespace

bool ResourceSelection::Takes(absl::string_view plural, absl::string_view group_resource) const {
  bool taken = !items_.empty() && absl::StartsWith(items_[0], "-");
  for (const std::string& item : items_) {
    absl::string_view name = item;
    const bool take = !absl::ConsumePrefix(&name, "-");
    if (name == "*" || name == plural || name == group_resource) taken = take;
  }
  return taken;
}

bool ResourceSelection::TakesCustom() const {
  // One that no item names is taken when "*" is.
  const bool others = Takes("", "");
  const auto names_one = [](const std::string& item) { return !absl::StartsWith(item, "-") && MayBeCustom(item); };
  return others || std::any_of(items_.begin(), items_.end(), names_one);
}

absl::StatusOr<std::vector<Resource>> SelectResources(const std::vector<std::string>& items,
                                                      const std::vector<Resource>& table) {
  for (const std::string& item : items) {
    TM_RETURN_IF_ERROR(CheckKnown(absl::StripPrefix(item, "-"), table));
  }
  const ResourceSelection selection(items);
  std::vector<Resource> resources;
  for (const Resource& row : table) {
    if (selection.Takes(row.plural, row.GroupResource())) resources.push_back(row);
  }
  if (resources.empty() && !selection.TakesCustom()) return absl::InvalidArgumentError("no resource is left");
  return resources;
}

}  // namespace tidemark::config
