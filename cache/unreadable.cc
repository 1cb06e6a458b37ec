#include "cache/unreadable.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::cache {

absl::Status UnreadableError(absl::string_view key_prefix, const Object& object) {
  TM_CHECK(object.unreadable());
  return UnreadableError(key_prefix, object, object.reason());
}

absl::Status UnreadableError(absl::string_view key_prefix, const Object& object, absl::string_view reason) {
  return MakeError(ErrorKind::kCorrupt,
                   absl::StrCat("the stored value of \"", key_prefix, object.key(), "\" cannot be read: ", reason));
}

}  // namespace tidemark::cache
