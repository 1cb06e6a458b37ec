// What a client is told when a request is refused: the gRPC code and etcd's text, derived from our status in one table.
//
// A status whose text is etcd's already (store/mvcc/errors.h) goes out as it is; one with a domain kind gets the text
// of its row; any other keeps its own text. clientv3 recognises errors by their text, so they are etcd's to the byte.
//
// Thread-safety: pure.
// Source:        etcd v3 api/v3rpc/rpctypes. etcd itself sends "too many requests" as Unknown by an oversight; this is
//                the code that its own table gives.
#ifndef TIDEMARK_STORE_SERVER_WIRE_ERROR_H_
#define TIDEMARK_STORE_SERVER_WIRE_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status.h"

namespace tidemark::store {

struct WireError {
  int code = 0;  // gRPC's number
  std::string text;
};

struct WireErrorRow {
  ErrorKind kind;
  absl::StatusCode code;  // gRPC's codes have the same numbers
  absl::string_view text;
};

// In the order of ErrorKind, without kNone.
absl::Span<const WireErrorRow> WireErrorRows();

// REQUIRES: !status.ok().
WireError ToWire(const absl::Status& status);

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_WIRE_ERROR_H_
