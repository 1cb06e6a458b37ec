// What --resources names: which rows of the table are mirrored, and which custom resources that definitions announce.
//
//   selection = item { "," item }
//   item      = "*" | name | "-" name          name = RESOURCE | RESOURCE "." GROUP
//
// Items count from left to right: "*,-secrets" is all but secrets, "pods,nodes" just these two. A plain RESOURCE means
// every group's resource of that name. A selection that begins with "-" takes out of "*". A name that no row has may be
// that of a custom resource if it is written with its group, which has a point in it: "widgets.shop.example.com".
//
// Thread-safety: pure; ResourceSelection is immutable.
// Errors:        kInvalidArgument for a name that no row has and no custom resource can have, and for a selection of
//                nothing.
#ifndef TIDEMARK_CONFIG_RESOURCE_SELECTION_H_
#define TIDEMARK_CONFIG_RESOURCE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/resource.h"

namespace tidemark::config {

class ResourceSelection {
 public:
  // Nothing.
  ResourceSelection() = default;
  explicit ResourceSelection(std::vector<std::string> items) : items_(std::move(items)) {}

  bool Takes(absl::string_view plural, absl::string_view group_resource) const;
  // Whether a custom resource might be taken.
  bool TakesCustom() const;

 private:
  std::vector<std::string> items_;
};

// The selected rows, in the table's order.
absl::StatusOr<std::vector<Resource>> SelectResources(const std::vector<std::string>& items,
                                                      const std::vector<Resource>& table);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_RESOURCE_SELECTION_H_
