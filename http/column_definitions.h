// The definitions of a Table's columns, as kube-apiserver writes them.
//
// Thread-safety: pure.
// Source:        kube-apiserver's metav1.TableColumnDefinition.
#ifndef TIDEMARK_HTTP_COLUMN_DEFINITIONS_H_
#define TIDEMARK_HTTP_COLUMN_DEFINITIONS_H_

#include <string>

#include "absl/types/span.h"
#include "config/table_column.h"

namespace tidemark::http {

// The array of a Table's columnDefinitions.
std::string ColumnDefinitionsJson(absl::Span<const config::TableColumn> columns);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_COLUMN_DEFINITIONS_H_
