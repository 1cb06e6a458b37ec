// Matches says whether one object satisfies requirements: for the events of a watch, and for what no index answers.
//
// Thread-safety: pure.
// Cost:          a few nanoseconds per requirement; reading the object (cache/object_reader.h) is what costs.
#ifndef TIDEMARK_CACHE_SELECTOR_MATCH_H_
#define TIDEMARK_CACHE_SELECTOR_MATCH_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "cache/object.h"
#include "cache/object_reader.h"
#include "cache/object_schema.h"
#include "cache/selector.h"

namespace tidemark::cache {

// `values` are those of `object`. metadata.name and metadata.namespace are taken from the key.
bool Matches(const Object& object, const Selectable& values, const ObjectSchema& schema,
             const std::vector<Requirement>& requirements);

// The same, and reads the object where labels or fields are asked for. REQUIRES: !object.unreadable().
bool Matches(const Object& object, const std::vector<Requirement>& requirements, const ObjectSchema& schema,
             ObjectReader* reader);

// Whether the key lies in the scope of a list or watch.
bool InScope(absl::string_view key, const Scope& scope, bool namespaced);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SELECTOR_MATCH_H_
