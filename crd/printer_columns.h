// PrinterColumns gives the cells of a Table row of a custom object: its name, and what the columns find that its definition, or
// its entry in the file of --resource-definitions, has.
//
// Thread-safety: immutable.
// Cost:          a walk per column.
// Source:        apiextensions-apiserver's table convertor. A column whose path cannot be read ends the list, there as
//                here.
#ifndef TIDEMARK_CRD_PRINTER_COLUMNS_H_
#define TIDEMARK_CRD_PRINTER_COLUMNS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/object_columns.h"
#include "crd/json_path.h"

namespace tidemark::crd {

class PrinterColumns : public config::ObjectColumns {
 public:
  // Without columns, the age is the only one beside the name.
  explicit PrinterColumns(const std::vector<config::TableColumn>& columns);

  const std::vector<config::TableColumn>& columns() const override { return columns_; }
  absl::Status AppendCells(absl::string_view json, absl::Time now, std::string* out) const override;

 private:
  std::vector<config::TableColumn> columns_;
  std::vector<JsonPath> paths_;  // of the columns behind the first
};

// Of the Scale of any custom object.
std::shared_ptr<const config::ObjectColumns> ScaleColumns();

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_PRINTER_COLUMNS_H_
