#include "http/resource_version.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/go_quote.h"
#include "http/go_text.h"

namespace tidemark::http {

absl::StatusOr<uint64_t> ParseResourceVersion(absl::string_view text) {
  if (text.empty()) return 0;
  absl::StatusOr<uint64_t> version = ParseGoUint64(text);
  if (!version.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("resourceVersion: Invalid value: ", GoQuote(text), ": ", version.status().message()));
  }
  return version;
}

Revision RevisionOfVersion(uint64_t version) {
  return Revision(static_cast<int64_t>(std::min<uint64_t>(version, std::numeric_limits<int64_t>::max())));
}

std::string PrintResourceVersion(Revision revision) { return absl::StrCat(revision.value()); }

}  // namespace tidemark::http
