// The columns of the built-in kinds, as kubernetes_columns writes them.
#ifndef TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_
#define TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace tidemark::http {

struct ColumnRow {  // config/table_column.h
  const char* name;
  const char* type;
  const char* format;
  const char* description;
  int32_t priority;
};

struct KindColumnsRow {
  const char* group;
  const char* kind;  // empty: of kinds that have no row
  uint16_t first;    // among kColumnRows
  uint16_t count;
};

extern const ColumnRow kColumnRows[];
// Ascending by group and kind.
extern const KindColumnsRow kKindColumnsRows[];
extern const size_t kKindColumnsRowCount;

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_KUBERNETES_COLUMN_ROWS_H_
