// AppendYaml writes a value as YAML in blocks, the way kube-apiserver does inside the protobuf form of an OpenAPI document.
//
//   {"group":"","kind":"Pod"}    ->  group: ""\nkind: Pod\n
//   [{"a":{"b":1}},["true",[]]]  ->  - a:\n    b: 1\n- - "true"\n  - []\n
//
// The bytes are kube-apiserver's for words, numbers and what is built of them, which is what its own documents have, but for a
// '*' or two and the order of names: ours is that of the names. Text that is no word stands in double quotes here, where
// kube-apiserver chooses between five forms; readers get the same value.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument for what YAML readers do not take: deeper than kYamlDepthMax, or a name longer than
//                kYamlNameBytesMax. Nothing throws.
// Cost:          one pass; each line is indented by up to 4 blanks a level.
// Source:        yaml.v3's encoder.
#ifndef TIDEMARK_OPENAPI_YAML_TEXT_H_
#define TIDEMARK_OPENAPI_YAML_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

// Indentation makes a text of depth d up to 4 * d times as long as its JSON; nobody nests a default or an extension like this.
inline constexpr int kYamlDepthMax = 64;
// As written: readers look that far for the colon (1024 in libyaml and its descendants).
inline constexpr size_t kYamlNameBytesMax = 1000;

// Ends with a new line.
absl::Status AppendYaml(const crd::Json& value, std::string* out);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_YAML_TEXT_H_
