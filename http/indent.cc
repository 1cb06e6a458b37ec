#include "http/indent.h"

#include <limits>

namespace tidemark::http {
namespace {

// Most indented JSON is up to some three times as long as compact JSON: pull less than may be sent.
constexpr size_t kIndentedGrowth = 2;

}  // namespace

void Indenter::NewLine(std::string* out) {
  out->push_back('\n');
  out->append(static_cast<size_t>(depth_ > 0 ? depth_ : 0) * 2, ' ');
}

void Indenter::Structural(char c, std::string* out) {
  const bool opened = just_opened_;
  just_opened_ = false;
  switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      just_opened_ = opened;
      return;
    case '}':
    case ']':
      --depth_;
      if (!opened) NewLine(out);
      out->push_back(c);
      return;
    case ',':
      out->push_back(c);
      NewLine(out);
      return;
    case ':':
      out->append(": ");
      return;
    default:
      break;
  }
  if (opened) NewLine(out);
  out->push_back(c);
  if (c == '{' || c == '[') {
    ++depth_;
    just_opened_ = true;
  }
  in_string_ = c == '"';
}

size_t Indenter::Append(absl::string_view piece, size_t bytes_max, std::string* out) {
  size_t i = 0;
  for (; i < piece.size() && out->size() < bytes_max; ++i) {
    if (!in_string_) {
      Structural(piece[i], out);
      continue;
    }
    out->push_back(piece[i]);
    if (escaped_) {
      escaped_ = false;
    } else if (piece[i] == '\\') {
      escaped_ = true;
    } else if (piece[i] == '"') {
      in_string_ = false;
    }
  }
  return i;
}

std::string Indented(absl::string_view json) {
  std::string out;
  Indenter().Append(json, std::numeric_limits<size_t>::max(), &out);
  return out;
}

net::BodySource::State IndentedSource::Pull(size_t max_bytes, std::vector<absl::string_view>* slices) {
  out_.clear();
  if (out_.capacity() / 2 > max_bytes) out_.shrink_to_fit();  // pieces have become smaller
  if (next_ == compact_.size()) {
    compact_.clear();
    next_ = 0;
    state_ = source_->Pull(max_bytes / kIndentedGrowth + 1, &compact_);
  }
  while (next_ < compact_.size() && out_.size() < max_bytes) {
    absl::string_view& piece = compact_[next_];
    piece.remove_prefix(indenter_.Append(piece, max_bytes, &out_));
    if (piece.empty()) ++next_;
  }
  if (!out_.empty()) slices->push_back(out_);
  return next_ < compact_.size() ? State::kMore : state_;
}

}  // namespace tidemark::http
