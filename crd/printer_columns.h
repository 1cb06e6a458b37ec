// PrinterColumns gives the cells of a Table row of a custom object: its name, and what the definition's columns find.
//
// Thread-safety: immutable.
// Cost:          a walk per column.
// Source:        apiextensions-apiserver's table convertor. A column whose path cannot be read ends the list, there as
//                here.
#ifndef TIDEMARK_CRD_PRINTER_COLUMNS_H_
#define TIDEMARK_CRD_PRINTER_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "config/table_column.h"
#include "crd/json_path.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

class PrinterColumns {
 public:
  // Without columns, the age is the only one beside the name.
  explicit PrinterColumns(const std::vector<config::TableColumn>& columns);

  const std::vector<config::TableColumn>& columns() const { return columns_; }
  // "\"w1\",3,null"
  void AppendCells(const Json& object, absl::Time now, std::string* out) const;

 private:
  std::vector<config::TableColumn> columns_;
  std::vector<JsonPath> paths_;  // of the columns behind the first
};

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_PRINTER_COLUMNS_H_
