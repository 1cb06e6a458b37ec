// What Kubernetes accepts as a label's key and value, with its words for what it does not.
//
// Thread-safety: pure.
// Source:        apimachinery's validation of qualified names and label values.
#ifndef TIDEMARK_CACHE_LABEL_SYNTAX_H_
#define TIDEMARK_CACHE_LABEL_SYNTAX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::cache {

// Empty when the key is valid; otherwise everything that is wrong with it.
std::string WhyNotLabelKey(absl::string_view key);
std::string WhyNotLabelValue(absl::string_view value);

// `path: Invalid value: "value": detail`, the value quoted as Go's %q does.
std::string InvalidValueError(absl::string_view path, absl::string_view value, absl::string_view detail);

// A decimal integer of 64 bits with an optional sign and nothing else.
std::optional<int64_t> ParseInt64(absl::string_view text);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_LABEL_SYNTAX_H_
