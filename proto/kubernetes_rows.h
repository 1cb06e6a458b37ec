// The rows of kinds; like those of kubernetes_schema.h, kubernetes_tables writes them.
#ifndef TIDEMARK_PROTO_KUBERNETES_ROWS_H_
#define TIDEMARK_PROTO_KUBERNETES_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "proto/kubernetes_schema.h"

namespace tidemark::proto {

struct KindRow {
  const char* api_version;
  const char* kind;
  uint16_t message;
};

// Ascending by version and kind.
extern const KindRow kKindRows[];
extern const size_t kKindRowCount;

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_KUBERNETES_ROWS_H_
