// The file of --resource-definitions: resources beside the built-in ones, or in place of those with the same prefix.
//
//   {"resources": [{"group": "shop.example.com", "version": "v1", "kind": "Order", "resource": "orders",
//                   "singular": "order", "namespaced": true, "prefix": "shop.example.com/orders", "storedAs": "json",
//                   "fields": ["spec.customer"],
//                   "columns": [{"name": "Total", "type": "integer", "format": "int64", "description": "In cents.",
//                                "priority": 1, "jsonPath": ".spec.total"}]}]}
//
// Only the first four are needed: singular is the kind in lower case, prefix GROUP/RESOURCE, namespaced true.
// storedAs changes nothing, since each value says itself what it is; it is json or protobuf.
// A column needs name, type (integer, number, string, boolean or date) and jsonPath. A resource or a prefix that is
// given twice is refused, and so is a prefix inside another's (CheckPrefixes).
//
// Thread-safety: pure, but for reading the file.
// Errors:        kInvalidArgument that names the file, the entry and the member. Nothing throws.
#ifndef TIDEMARK_CONFIG_RESOURCE_DEFINITIONS_H_
#define TIDEMARK_CONFIG_RESOURCE_DEFINITIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/resource.h"

namespace tidemark::config {

// `text` is the file's content.
absl::StatusOr<std::vector<Resource>> ParseResourceDefinitions(absl::string_view text);
absl::StatusOr<std::vector<Resource>> ReadResourceDefinitions(const std::string& path);

// The table with the definitions in it: each replaces the rows of its prefix and of its group and resource. Sorted as
// the table is.
std::vector<Resource> MergeResources(std::vector<Resource> table, const std::vector<Resource>& definitions);

// A mirror reads all that lies under its prefix: refused is a table where one prefix lies inside another, whose mirror
// would take foreign objects for its own.
absl::Status CheckPrefixes(const std::vector<Resource>& table);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_RESOURCE_DEFINITIONS_H_
