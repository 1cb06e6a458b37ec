// Indents compact JSON for people, piece by piece: two blanks a level, as kube-apiserver's `pretty` does.
// IndentedSource does it to a body of any size in constant memory.
//
// Thread-safety: thread-compatible.
// Errors:        none: what is no JSON comes out as it went in, give or take blanks.
// Cost:          about 1 ns per byte, and a copy: only for those who ask for it.
#ifndef TIDEMARK_HTTP_INDENT_H_
#define TIDEMARK_HTTP_INDENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "net/exchange.h"

namespace tidemark::http {

class Indenter {
 public:
  // Appends the indented form of the next piece of a document, until *out has about so many bytes: deep lists grow a hundredfold.
  // Pieces may be cut anywhere. Returns how much of the piece that was.
  size_t Append(absl::string_view piece, size_t bytes_max, std::string* out);

 private:
  void NewLine(std::string* out);
  void Structural(char c, std::string* out);

  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool just_opened_ = false;  // after { or [: empty ones stay on their line
};

// For what the server makes itself, or what is small.
std::string Indented(absl::string_view json);

class IndentedSource : public net::BodySource {
 public:
  explicit IndentedSource(std::unique_ptr<net::BodySource> source) : source_(std::move(source)) {}
  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override;
  size_t held_bytes() const override { return out_.capacity() + source_->held_bytes(); }
  void Drain() override { source_->Drain(); }

 private:
  const std::unique_ptr<net::BodySource> source_;
  Indenter indenter_;
  State state_ = State::kMore;              // what the source said last
  std::vector<absl::string_view> compact_;  // its slices
  size_t next_ = 0;                         // of them
  std::string out_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_INDENT_H_
