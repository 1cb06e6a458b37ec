// The columns of the built-in kinds, as kubernetes_columns writes them.
#ifndef TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_
#define TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "http/table_column.h"

namespace tidemark::http {

struct KindColumnsRow {
  const char* group;
  const char* kind;  // empty: of kinds that have no row
  uint16_t first;    // among kColumnRows
  uint16_t count;
};

extern const TableColumn kColumnRows[];
// Ascending by group and kind.
extern const KindColumnsRow kKindColumnsRows[];
extern const size_t kKindColumnsRowCount;

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_
