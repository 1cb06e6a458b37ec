// What the tests of selectors share.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_CACHE_TEST_SELECTORS_H_
#define TIDEMARK_CACHE_TEST_SELECTORS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cache/selector.h"
#include "config/resource.h"
#include "gtest/gtest.h"

namespace tidemark::cache {

// What a selector parses to, as text; or the error.
inline std::string Show(const absl::StatusOr<std::vector<Requirement>>& requirements) {
  if (!requirements.ok()) return std::string(requirements.status().message());
  std::vector<std::string> texts;
  for (const Requirement& requirement : *requirements) texts.push_back(ToString(requirement));
  return absl::StrJoin(texts, " & ");
}

inline const config::Resource& Find(absl::string_view plural, absl::string_view group = "") {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.plural == plural && resource.group == group) return resource;
  }
  ADD_FAILURE() << "no resource " << plural;
  return config::BuiltinResources().front();
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TEST_SELECTORS_H_
