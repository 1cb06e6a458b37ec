// StoreError turns what a gRPC call of the store ended with into a status in our words: the one table from wire codes to kinds on
// this side.
//
// Thread-safety: pure.
// Source:        etcd's rpctypes: clients go by the text of the message, not by the code alone.
#ifndef TIDEMARK_STORECLIENT_STORE_ERRORS_H_
#define TIDEMARK_STORECLIENT_STORE_ERRORS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::storeclient {

// `code` is the number of a gRPC status code. `endpoint` is named in the message.
absl::Status StoreError(int code, absl::string_view message, absl::string_view endpoint);
// Whether another endpoint, or the same one later, may well answer.
bool IsWorthRetrying(const absl::Status& status);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_ERRORS_H_
