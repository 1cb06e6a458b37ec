// The rows of kubernetes_schema.h, as kubernetes_tables writes them.
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

// Every name as a JSON key, `"name":`, one behind the other.
extern const char kNamePool[];
extern const FieldRow kFieldRows[];
// For each message, by number: the place of the field among the message's, one added.
extern const uint8_t kFieldByNumber[];
extern const MessageType kMessageTypes[];
// Ascending by version and kind.
extern const KindRow kKindRows[];
extern const size_t kKindRowCount;

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_KUBERNETES_ROWS_H_
