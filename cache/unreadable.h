// The error of whoever would have to show an object that cannot be read: the same words wherever it is met.
//
// Thread-safety: pure.
#ifndef TIDEMARK_CACHE_UNREADABLE_H_
#define TIDEMARK_CACHE_UNREADABLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cache/object.h"

namespace tidemark::cache {

// kCorrupt, with the key as it lies in the store: `the stored value of "/registry/pods/default/web-1" cannot be read: it
// is encrypted at rest (aescbc), and no --encryption-provider-config gives its key`. `key_prefix` is what the resource's
// keys begin with there: "/registry/pods/".
// REQUIRES: object.unreadable().
absl::Status UnreadableError(absl::string_view key_prefix, const Object& object);
// Of an object that can be read, but not in the form that is asked for.
absl::Status UnreadableError(absl::string_view key_prefix, const Object& object, absl::string_view reason);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_UNREADABLE_H_
