// The small messages of the etcd v3 API, to and from bytes, so that the generated classes are seen by one file.
//
// Thread-safety: the functions are pure.
// Errors:        kCorrupt for bytes that are no such message.
// Source:        proto/rpc.proto.
#ifndef TIDEMARK_STORECLIENT_MESSAGES_H_
#define TIDEMARK_STORECLIENT_MESSAGES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

inline constexpr char kRangeMethod[] = "/etcdserverpb.KV/Range";
inline constexpr char kPutMethod[] = "/etcdserverpb.KV/Put";
inline constexpr char kDeleteMethod[] = "/etcdserverpb.KV/DeleteRange";
inline constexpr char kWatchMethod[] = "/etcdserverpb.Watch/Watch";
inline constexpr char kStatusMethod[] = "/etcdserverpb.Maintenance/Status";

std::string RangeRequestBytes(const RangeRequest& request);
// Whether a key exists: its answer's header is all that is wanted of it.
std::string HeaderRequestBytes(absl::string_view key);
// All keys that begin with `prefix`, changes from `start` on, without previous values, in fragments.
std::string WatchCreateBytes(absl::string_view prefix, Revision start);
std::string WatchProgressBytes();
std::string PutRequestBytes(absl::string_view key, absl::string_view value);
std::string DeleteRequestBytes(absl::string_view key);

// StatusResponse.version.
absl::StatusOr<std::string> ParseStatusVersion(absl::string_view bytes);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_MESSAGES_H_
