// The keys that objects have under their resource's prefix: NAMESPACE/NAME, or NAME where the resource has no namespaces. What
// else lies there was put by hand or by something that is no API server: no request can name it.
//
//   "default/web-1"       of a namespaced resource;   "node-7" of another
//   "web-1", "a/b/c", "/web-1", "default/", ""        no object's key
//
// Thread-safety: pure function.
#ifndef TIDEMARK_CACHE_OBJECT_KEY_H_
#define TIDEMARK_CACHE_OBJECT_KEY_H_

#include "absl/strings/string_view.h"

namespace tidemark::cache {

// `key` is relative to the resource's prefix.
inline bool IsObjectKey(absl::string_view key, bool namespaced) {
  const size_t slash = key.find('/');
  if (!namespaced) return !key.empty() && slash == absl::string_view::npos;
  return slash != absl::string_view::npos && slash > 0 && slash + 1 < key.size() &&
         key.find('/', slash + 1) == absl::string_view::npos;
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_OBJECT_KEY_H_
