#include "net/head_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/check.h"

namespace tidemark::net {
namespace {

bool IsTokenByte(unsigned char c) {
  return absl::ascii_isalnum(c) || (c != 0 && absl::StrContains("!#$%&'*+-.^_`|~", static_cast<char>(c)));
}

bool IsToken(absl::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte); }

// Printable without '#': a fragment never belongs in a request. Bytes that should have been escaped are taken as Go does.
bool IsTargetByte(unsigned char c) { return c > ' ' && c != 0x7f && c != '#'; }

// Anything but control bytes; a tab is a blank.
bool IsValueByte(unsigned char c) { return (c >= ' ' && c != 0x7f) || c == '\t'; }

bool IsHostByte(unsigned char c) {
  return absl::ascii_isalnum(c) || (c != 0 && absl::StrContains("-._~:[]%!$&'()*+,;=", static_cast<char>(c)));
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

absl::string_view TrimBlanks(absl::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

HeadReader::State HeadReader::Scan(absl::string_view buffer) {
  while (state_ == State::kNeedMore) {
    const size_t lf = buffer.find('\n', scanned_);
    if (lf == absl::string_view::npos) {
      scanned_ = buffer.size();
      WithinLimits(buffer.size());
      break;
    }
    if (!WithinLimits(lf + 1)) break;
    absl::string_view line = buffer.substr(line_start_, lf - line_start_);
    if (line.empty() || line.back() != '\r') {
      Refuse(400, "a line ends with a bare LF");
      break;
    }
    line.remove_suffix(1);
    line_start_ = scanned_ = lf + 1;
    if (!OnLine(line)) break;
  }
  return state_;
}

size_t HeadReader::TakeSkipped() {
  TM_CHECK(state_ == State::kNeedMore);
  if (!head_.method.empty()) return 0;
  const size_t skipped = std::exchange(head_start_, 0);
  line_start_ -= skipped;
  scanned_ -= skipped;
  return skipped;
}

Head HeadReader::TakeHead() {
  TM_CHECK(state_ == State::kDone);
  Head head = std::move(head_);
  *this = HeadReader(*limits_);
  return head;
}

// Judges the line that reaches to `end`, complete or not: always before its content, so that the split does not matter.
bool HeadReader::WithinLimits(size_t end) {
  if (head_.method.empty()) {
    return end - line_start_ <= limits_->request_line_bytes_max || Refuse(414, "the request line is too long");
  }
  return end - head_start_ <= limits_->head_bytes_max || Refuse(431, "the head is too big");
}

bool HeadReader::OnLine(absl::string_view line) {
  if (head_.method.empty()) {
    // Some clients end a body with one CRLF too many.
    if (line.empty() && !skipped_blank_line_) {
      head_start_ = line_start_;
      return skipped_blank_line_ = true;
    }
    return OnRequestLine(line);
  }
  return line.empty() ? OnEnd() : OnField(line);
}

bool HeadReader::OnRequestLine(absl::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == absl::string_view::npos || first == last) return Refuse(400, "the request line is malformed");
  const absl::string_view method = line.substr(0, first);
  const absl::string_view target = line.substr(first + 1, last - first - 1);
  const absl::string_view version = line.substr(last + 1);
  if (!IsToken(method)) return Refuse(400, "the method is malformed");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool other_version = version.size() == 8 && absl::StartsWith(version, "HTTP/") &&
                               absl::ascii_isdigit(version[5]) && version[6] == '.' && absl::ascii_isdigit(version[7]);
    return other_version ? Refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
                         : Refuse(400, "the request line is malformed");
  }
  // What follows it need not be HTTP. Other methods that nobody knows are the handler's to refuse.
  if (method == "CONNECT") return Refuse(501, "this server is nobody's proxy");
  head_.method = std::string(method);
  head_.minor_version = version.back() - '0';
  return OnTarget(target);
}

bool HeadReader::OnTarget(absl::string_view target) {
  const bool known_form = absl::StartsWith(target, "/") || absl::StartsWithIgnoreCase(target, "http://") ||
                          absl::StartsWithIgnoreCase(target, "https://") ||
                          (target == "*" && head_.method == "OPTIONS");
  if (!known_form || !std::all_of(target.begin(), target.end(), IsTargetByte))
    return Refuse(400, "the target is malformed");
  head_.target = std::string(target);
  return true;
}

bool HeadReader::OnField(absl::string_view line) {
  if (IsBlank(line.front())) return Refuse(400, "a header is folded");
  if (head_.headers.size() >= limits_->header_count_max) return Refuse(431, "there are too many headers");
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return Refuse(400, "a header has no colon");
  const absl::string_view name = line.substr(0, colon);
  const absl::string_view value = TrimBlanks(line.substr(colon + 1));
  if (!IsToken(name)) return Refuse(400, "a header's name is malformed");
  if (!std::all_of(value.begin(), value.end(), IsValueByte)) return Refuse(400, "a header's value holds control bytes");
  head_.headers.emplace_back(absl::AsciiStrToLower(name), std::string(value));
  return OnFraming(head_.headers.back().first, value);
}

// The headers that decide where this request ends and what becomes of the connection.
bool HeadReader::OnFraming(absl::string_view name, absl::string_view value) {
  if (name == "host") {
    if (++hosts_ > 1) return Refuse(400, "Host is given twice");
    return std::all_of(value.begin(), value.end(), IsHostByte) || Refuse(400, "Host is malformed");
  }
  if (name == "content-length") {
    if (++content_lengths_ > 1) return Refuse(400, "Content-Length is given twice");
    const bool digits = !value.empty() && std::all_of(value.begin(), value.end(), absl::ascii_isdigit);
    return (digits && absl::SimpleAtoi(value, &head_.content_length)) || Refuse(400, "Content-Length is not a number");
  }
  if (name == "transfer-encoding") {
    if (++transfer_encodings_ > 1) return Refuse(400, "Transfer-Encoding is given twice");
    head_.chunked = absl::EqualsIgnoreCase(value, "chunked");
    return head_.chunked || Refuse(501, "the only transfer coding spoken here is chunked");
  }
  if (name == "expect") {
    head_.expects_continue = absl::EqualsIgnoreCase(value, "100-continue");
    return head_.expects_continue || Refuse(417, "the only expectation met here is 100-continue");
  }
  if (name == "connection") OnConnection(value);
  return true;
}

void HeadReader::OnConnection(absl::string_view value) {
  for (const absl::string_view part : absl::StrSplit(value, ',')) {
    const absl::string_view option = TrimBlanks(part);
    if (absl::EqualsIgnoreCase(option, "close")) says_close_ = true;
    if (absl::EqualsIgnoreCase(option, "keep-alive")) says_keep_alive_ = true;
  }
}

bool HeadReader::OnEnd() {
  if (hosts_ == 0 && head_.minor_version == 1) return Refuse(400, "Host is missing");
  if (transfer_encodings_ > 0 && content_lengths_ > 0)
    return Refuse(400, "Transfer-Encoding and Content-Length are both given");
  if (transfer_encodings_ > 0 && head_.minor_version == 0) return Refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  if (head_.has_body() && (head_.method == "GET" || head_.method == "HEAD"))
    return Refuse(400, "GET and HEAD have no body");
  head_.keep_alive = !says_close_ && (head_.minor_version == 1 || says_keep_alive_);
  state_ = State::kDone;
  return true;
}

bool HeadReader::Refuse(int status, absl::string_view reason) {
  refusal_ = {status, reason};
  state_ = State::kRefused;
  return false;
}

}  // namespace tidemark::net
