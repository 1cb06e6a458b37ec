// A planted fault is a bug that is built in on purpose, one at a time, by name: `e2e/prove_history` builds the cache with each of
// them, and the random runs have to find it. No product has one.
//
//   cmake --preset debug -B build/planted -DTIDEMARK_PLANTED_FAULT=stale-answer
//
// Thread-safety: constants.
#ifndef TIDEMARK_CACHE_PLANTED_FAULT_H_
#define TIDEMARK_CACHE_PLANTED_FAULT_H_

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"

#ifndef TIDEMARK_PLANTED_FAULT
#define TIDEMARK_PLANTED_FAULT ""
#endif

namespace tidemark::cache {

inline constexpr absl::string_view kPlantedFaults[] = {
    "",
    "event-swallowed",           // a watch passes over some events
    "page-off-by-one",           // a page begins with the last object of the one before
    "index-entry-left-behind",   // an object stays in the index under a pair that it has lost
    "bookmark-ahead-of-events",  // a watch says that it has come further than it has
    "stale-answer",              // a read does not wait for the revision that it has to reach
    "revision-read-too-early",   // a reader shares a read of the store's revision that began before it came
};

constexpr bool HasFault(absl::string_view name) { return name == TIDEMARK_PLANTED_FAULT; }

static_assert(std::any_of(std::begin(kPlantedFaults), std::end(kPlantedFaults), HasFault), "no such fault");

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_PLANTED_FAULT_H_
