// TableColumn is one column of a Table, and its definition as kube-apiserver writes it.
//
// Thread-safety: immutable; pure functions.
// Ownership:     the texts live as long as the program.
// Source:        kube-apiserver's metav1.TableColumnDefinition.
#ifndef TIDEMARK_HTTP_TABLE_COLUMN_H_
#define TIDEMARK_HTTP_TABLE_COLUMN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark::http {

struct TableColumn {
  absl::string_view name;
  absl::string_view type;  // of JSON, or "date"
  absl::string_view format;
  absl::string_view description;
  int priority;  // 0: always shown; 1: only when more is asked for
};

// The array of a Table's columnDefinitions.
std::string ColumnDefinitionsJson(absl::Span<const TableColumn> columns);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_COLUMN_H_
