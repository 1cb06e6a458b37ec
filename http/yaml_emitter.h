// YamlEmitter puts YAML's marks and scalars on lines: it knows the column, and whether the line holds anything but marks so far.
//
// Thread-safety: thread-compatible.
// Units:         columns in characters.
// Source:        go.yaml.in/yaml/v2 2.4.3; what looks odd here is odd there.
#ifndef TIDEMARK_HTTP_YAML_EMITTER_H_
#define TIDEMARK_HTTP_YAML_EMITTER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

class YamlEmitter {
 public:
  // From this column on a line is broken at the next single blank.
  static constexpr int kWidth = 80;
  static constexpr int kIndent = 2;
  // A longer key, or one with a line break, is written as `? key` and `: value`.
  static constexpr size_t kSimpleKeyBytesMax = 128;

  // REQUIRES: whoever writes asks full() from value to value, and then stops.
  YamlEmitter(std::string* out, size_t bytes_max) : out_(out), bytes_max_(bytes_max) {}

  // Begins a line with so many blanks, unless the one at hand holds nothing yet.
  void Line(int indent);
  // "-", "?", ":" of a block: what follows may stand on the same line.
  void Mark(char mark, bool blank_before, bool block);
  void Plain(absl::string_view word);
  // Goes on with `indent` blanks on further lines.
  void Text(absl::string_view text, int indent, bool simple_key);
  static bool IsSimpleKey(absl::string_view text);
  // Nothing but marks on this line so far.
  bool fresh() const { return indention_; }
  bool full() const { return out_->size() > bytes_max_; }

 private:
  enum class Style { kPlain, kSingle, kDouble, kLiteral };
  struct Traits;

  static Traits Analyze(absl::string_view text);
  static Style StyleOf(absl::string_view text, bool simple_key);
  void Folded(absl::string_view text, int indent, bool fold, bool quoted);
  void Escaped(absl::string_view text, int indent, bool fold);
  void EscapedCharacter(absl::string_view character);
  void Literal(absl::string_view text, int indent);
  void Put(char c);
  void PutBlankUnlessThere();
  void PutBreak();
  // Appends the character at text[i], and returns the place behind it; the second one breaks the line with it.
  size_t Write(absl::string_view text, size_t i);
  size_t WriteBreak(absl::string_view text, size_t i);

  std::string* const out_;
  const size_t bytes_max_;
  int column_ = 0;
  bool whitespace_ = true;  // the last thing was a blank, or a mark that stands for one
  bool indention_ = true;   // nothing but blanks and marks of blocks on this line
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_EMITTER_H_
