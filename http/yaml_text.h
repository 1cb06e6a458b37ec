// What a YAML 1.1 parser takes an unquoted text for: a text that looks like a number, a bool, null or a time has to be quoted.
//
//   ReadsAsYamlText("web")        // true
//   ReadsAsYamlText("2001-1-1")   // false: a day
//
// Thread-safety: pure functions.
// Source:        go.yaml.in/yaml/v2 2.4.3; Go's strconv and time.
#ifndef TIDEMARK_HTTP_YAML_TEXT_H_
#define TIDEMARK_HTTP_YAML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

bool ReadsAsYamlText(absl::string_view text);

// A number of JSON as YAML writes it: "1.50" -> "1.5", "1000000.0" -> "1e+06", "-0" -> "0". What no double holds stays as it is.
std::string YamlNumber(absl::string_view digits);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_TEXT_H_
