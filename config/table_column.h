// TableColumn is one column of a resource's Table: of a built-in kind, of a custom resource as its definition has it, or of one
// in the file of --resource-definitions.
//
// Thread-safety: a value.
// Source:        meta/v1 TableColumnDefinition, and a definition's additionalPrinterColumns.
#ifndef TIDEMARK_CONFIG_TABLE_COLUMN_H_
#define TIDEMARK_CONFIG_TABLE_COLUMN_H_

#include <cstdint>
#include <string>

namespace tidemark::config {

struct TableColumn {
  std::string name;
  std::string type;    // "integer", "number", "string", "boolean" or "date"
  std::string format;  // "int64", "date-time"; empty: none
  std::string description;
  int32_t priority = 0;   // above 0: shown in wide tables only
  std::string json_path;  // where an object has its cell, ".spec.replicas"; empty where code makes it
};

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_TABLE_COLUMN_H_
