// Which subresources are answered: those that are the object itself, or made from it.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_HTTP_SUBRESOURCE_H_
#define TIDEMARK_HTTP_SUBRESOURCE_H_

#include <algorithm>

#include "config/resource.h"

namespace tidemark::http {

inline bool IsScale(const config::Subresource& subresource) { return subresource.name == "scale"; }

// A status is the object, a scale can be made from it; a pod's log lies elsewhere.
inline bool IsMadeOfTheObject(const config::Subresource& subresource) {
  return subresource.name == "status" || IsScale(subresource);
}

// Some can only be written, a pod's binding say.
inline bool HasGet(const config::Subresource& subresource) {
  return std::find(subresource.verbs.begin(), subresource.verbs.end(), "get") != subresource.verbs.end();
}

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_SUBRESOURCE_H_
