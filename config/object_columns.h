// ObjectColumns are the columns of a custom resource's Table, and what each of its objects has in them.
//
// Thread-safety: immutable.
// Ownership:     shared by the resource's rows (config/resource.h).
// Errors:        AppendCells: of an object that cannot be taken apart; a cell that is not in it is null.
// Cost:          AppendCells some 10 us per KB: the object is taken apart.
#ifndef TIDEMARK_CONFIG_OBJECT_COLUMNS_H_
#define TIDEMARK_CONFIG_OBJECT_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/table_column.h"

namespace tidemark::config {

class ObjectColumns {
 public:
  virtual ~ObjectColumns() = default;

  // With the name's, which comes first.
  virtual const std::vector<TableColumn>& columns() const = 0;
  // Appends the row's cells, "\"w1\",3,null", one for each column. `json` is the object as it is served.
  virtual absl::Status AppendCells(absl::string_view json, absl::Time now, std::string* out) const = 0;
};

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_OBJECT_COLUMNS_H_
