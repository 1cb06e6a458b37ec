// StoredObject is one key and value as a store keeps them: what `tidemark load` writes.
//
// Thread-safety: immutable value.
#ifndef TIDEMARK_CMD_STORED_OBJECT_H_
#define TIDEMARK_CMD_STORED_OBJECT_H_

#include <string>

namespace tidemark::cmd {

struct StoredObject {
  std::string key;    // "/registry/pods/default/web-0"
  std::string value;  // JSON with a newline at its end, as kube-apiserver stores it
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_STORED_OBJECT_H_
