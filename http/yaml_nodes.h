// YamlNodes reads JSON as a YAML parser of the 1.1 kind reads it, which is how kube-apiserver comes from JSON to YAML: numbers
// take YAML's form, and some texts that JSON allows are refused. The values lie flat in one array, children behind their parent.
//
//   YamlNodes nodes;                                  // reused from document to document
//   TM_RETURN_IF_ERROR(nodes.Read(R"({"a":1.50})"));  // kObject, kText "a", kPlain "1.5"
//
// Thread-safety: thread-compatible.
// Ownership:     texts point into the JSON that was read, or into this object; both until the next Read.
// Errors:        InvalidArgument, with the real parser's words where it has an answer of its own: "yaml: control characters are
//                not allowed". ResourceExhausted for more than kValuesMax.
// Cost:          one pass, 32 bytes a value.
// Source:        go.yaml.in/yaml/v2 2.4.3, as sigs.k8s.io/yaml 1.6.0 uses it.
#ifndef TIDEMARK_HTTP_YAML_NODES_H_
#define TIDEMARK_HTTP_YAML_NODES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::http {

struct YamlNode {
  enum class Kind : uint8_t {
    kPlain,   // null, a bool or a number, as it is written
    kText,    // unescaped
    kList,    // of the nodes up to `end`
    kObject,  // of pairs: a key that is kText, and its value
  };
  absl::string_view text;
  uint32_t end = 0;  // the place behind its last descendant
  Kind kind = Kind::kPlain;
};

class YamlNodes {
 public:
  // Values in values: a guard of the stack.
  static constexpr int kDepthMax = 1000;
  // Of a key's characters, quotes included: a longer one is no key to the real parser, nor is one of two lines.
  static constexpr size_t kKeyCharactersMax = 1024;

  // Keys count.
  static constexpr size_t kValuesMax = size_t{8} << 20;

  absl::Status Read(absl::string_view json);
  // The document is the first one.
  const std::vector<YamlNode>& nodes() const { return nodes_; }

 private:
  absl::Status Value(int depth);
  absl::Status Members(char close, int depth);
  absl::Status Key();
  absl::Status Text(absl::string_view* out);
  absl::Status EscapedText(absl::string_view* out);
  absl::Status Escape(std::string* text);
  void Blanks(std::string* text);
  // Passes one character that YAML allows.
  absl::Status Character();
  void Number(absl::string_view digits, YamlNode* node);
  void SkipSpace();

  absl::string_view json_;
  size_t at_ = 0;
  std::vector<YamlNode> nodes_;
  std::deque<std::string> texts_;  // what had to be unescaped or written anew
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_NODES_H_
