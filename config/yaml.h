// YAML as JSON text, so that the rest of the program knows one form: manifests as kubectl reads them, settings files,
// resource definitions. JSON is YAML here too. The only door to yaml-cpp.
//
// Thread-safety: pure functions.
// Errors:        kInvalidArgument with the line of what cannot be read. Nothing throws.
// Source:        YAML 1.1's plain scalars as kubectl resolves them: yes/on/true, 0644 is octal, ~
//                is null; quoted is text.
#ifndef TIDEMARK_CONFIG_YAML_H_
#define TIDEMARK_CONFIG_YAML_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

// One JSON text for each document that is not empty, keys in the order written, then those that "<<" merges in. Aliases
// are written out, up to a limit.
absl::StatusOr<std::vector<std::string>> YamlToJson(absl::string_view text);

// One level of names and values; a value may be a list. Scalars are given as written.
using Settings = std::map<std::string, std::vector<std::string>>;
absl::StatusOr<Settings> ParseSettings(absl::string_view text);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_YAML_H_
