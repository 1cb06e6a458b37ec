// The order in which YAML writes the keys of an object: letters behind everything else, and numbers inside a key by their value.
//
//   YamlKeyLess("item9", "item10")   // true
//
// Thread-safety: pure functions.
// Source:        go.yaml.in/yaml/v2 2.4.3.
#ifndef TIDEMARK_HTTP_YAML_KEY_ORDER_H_
#define TIDEMARK_HTTP_YAML_KEY_ORDER_H_

#include "absl/strings/string_view.h"

namespace tidemark::http {

// No strict weak order in every odd case: sort with something that stays inside its range all the same, as merging does.
bool YamlKeyLess(absl::string_view a, absl::string_view b);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_KEY_ORDER_H_
