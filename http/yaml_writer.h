// YamlWriter writes JSON as the YAML that kube-apiserver answers, byte for byte: keys sorted, blocks, lines folded behind 80
// characters.
//
//   YamlWriter writer;                                             // reused from object to object
//   TM_RETURN_IF_ERROR(writer.Append(R"({"b":[{"c":1}],"a":"yes"})", &out));   // a: "yes"\nb:\n- c: 1\n
//
// Thread-safety: thread-compatible.
// Errors:        InvalidArgument for what is no JSON and for what YAML's reader refuses, with the words in which kube-apiserver
//                then answers 500: control characters (DEL, U+0080 to U+009F but for U+0085, U+FFFE, U+FFFF), keys longer than
//                1024 characters, the escape `\/` and halves of surrogate pairs. ResourceExhausted for what takes more than
//                kYamlBytesMax or YamlNodes::kValuesMax. What was appended until then is to be thrown away.
// Cost:          some 10 ns per byte, and 32 bytes a value while it writes; a value deep in lists takes a line of blanks.
// Source:        sigs.k8s.io/yaml 1.6.0 over go.yaml.in/yaml/v2 2.4.3.
#ifndef TIDEMARK_HTTP_YAML_WRITER_H_
#define TIDEMARK_HTTP_YAML_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "http/yaml_nodes.h"

namespace tidemark::http {

class YamlEmitter;

// What one document may take: lists in lists grow a hundredfold.
inline constexpr size_t kYamlBytesMax = size_t{256} << 20;

class YamlWriter {
 public:
  explicit YamlWriter(size_t bytes_max = kYamlBytesMax) : bytes_max_(bytes_max) {}

  // Appends a document; it ends in a newline.
  absl::Status Append(absl::string_view json, std::string* out);

 private:
  void Value(size_t place, int indent, bool in_object, YamlEmitter* emitter);
  void Members(size_t place, int indent, YamlEmitter* emitter);
  void SortedKeys(size_t place);

  const size_t bytes_max_;
  YamlNodes nodes_;
  std::vector<uint32_t> keys_;  // of the objects around the one at hand, and its own
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_WRITER_H_
