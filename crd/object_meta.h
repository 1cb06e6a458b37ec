// CoerceObjectMeta brings a custom object's metadata into the form that the typed ObjectMeta has: unknown fields go, and
// so does each field that cannot be read; times are whole seconds in UTC; empty fields are left out.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument when `metadata` is neither an object nor null; it is unchanged then.
// Source:        meta/v1 ObjectMeta, and how apiextensions-apiserver reads it with malformed fields dropped.
#ifndef TIDEMARK_CRD_OBJECT_META_H_
#define TIDEMARK_CRD_OBJECT_META_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

absl::Status CoerceObjectMeta(Json* metadata);

// As Go reads RFC 3339: no lower-case letters, a comma or a point before the fraction.
std::optional<absl::Time> ParseGoTime(absl::string_view text);
// "2006-01-02T15:04:05Z"
std::string GoTimeText(absl::Time time);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_OBJECT_META_H_
