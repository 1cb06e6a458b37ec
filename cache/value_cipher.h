// ValueCipher opens values that were sealed with one key.
//
// Thread-safety: immutable.
// Errors:        Open: kInvalidArgument that says what is wrong, as the end of a sentence.
#ifndef TIDEMARK_CACHE_VALUE_CIPHER_H_
#define TIDEMARK_CACHE_VALUE_CIPHER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::cache {

class ValueCipher {
 public:
  virtual ~ValueCipher() = default;
  // `context` is what the value was bound to when it was sealed, if the method binds it to anything. *plain is scratch:
  // undefined after an error.
  virtual absl::Status Open(absl::string_view sealed, absl::string_view context, std::string* plain) const = 0;

 protected:
  static absl::Status CutShort() { return absl::InvalidArgumentError("it is cut short"); }
  static absl::Status WrongKey() {
    return absl::InvalidArgumentError("the key is another one, or the value has been altered");
  }
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_VALUE_CIPHER_H_
