// What --resources names: which rows of the table are mirrored.
//
//   selection = item { "," item }
//   item      = "*" | name | "-" name          name = RESOURCE | RESOURCE "." GROUP
//
// Items count from left to right: "*,-secrets" is all but secrets, "pods,nodes" just these two. A plain RESOURCE means
// every group's resource of that name. A selection that begins with "-" takes out of "*".
//
// Thread-safety: pure.
// Errors:        kInvalidArgument for a name that no row has, and for a selection of nothing.
#ifndef TIDEMARK_CONFIG_RESOURCE_SELECTION_H_
#define TIDEMARK_CONFIG_RESOURCE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/resource.h"

namespace tidemark::config {

// The selected rows, in the table's order.
absl::StatusOr<std::vector<Resource>> SelectResources(const std::vector<std::string>& items,
                                                      const std::vector<Resource>& table);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_RESOURCE_SELECTION_H_
