// HeadReader accepts or refuses the head of one HTTP/1 request, strictly, before anything else sees its bytes. What two
// readers could understand differently is refused: that is how requests are smuggled through a proxy.
//
//   head  = [ CRLF ] line *( field ) CRLF
//   line  = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF
//   field = token ":" OWS value OWS CRLF            no folding, no space before the colon
//
// Refused beside what breaks the grammar: a bare LF or CR, NUL and other control bytes, Host missing (1.1) or given
// twice, Content-Length twice, with a sign, as a list or beside Transfer-Encoding, any coding but "chunked", a body on
// GET or HEAD, CONNECT, and whatever passes the limits. Other methods that nobody knows are taken: theirs is an answer.
//
// Thread-safety: thread-compatible; pure.
// Errors:        a Refusal: the status to answer before closing (400, 414, 417, 431, 501, 505), and why.
// Invariants:    the verdict does not depend on how the bytes were split.
// Cost:          each byte is looked at about twice; a partial head is not scanned again.
// Source:        RFC 9110, RFC 9112.
#ifndef TIDEMARK_NET_HEAD_READER_H_
#define TIDEMARK_NET_HEAD_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "net/limits.h"

namespace tidemark::net {

struct Head {
  std::string method;  // any token but CONNECT, as sent
  std::string target;  // as sent: origin form, absolute form, or "*"
  int minor_version = 1;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, values without surrounding blanks
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  uint64_t content_length = 0;

  bool has_body() const { return chunked || content_length > 0; }
};

struct Refusal {
  int status = 0;
  absl::string_view reason;  // static text
};

class HeadReader {
 public:
  enum class State { kNeedMore, kDone, kRefused };

  // REQUIRES: limits outlive the reader.
  explicit HeadReader(const HeadLimits& limits) : limits_(&limits) {}

  // `buffer` begins with the head's first byte; from call to call it only grows at its end.
  State Scan(absl::string_view buffer);

  // Bytes of a blank line that was skipped at the front of the buffer; from here on the buffer begins behind them. 0 once
  // the request line has been read. REQUIRES: Scan returned kNeedMore.
  size_t TakeSkipped();
  // Length of the head with its closing empty line. REQUIRES: Scan returned kDone.
  size_t head_bytes() const { return line_start_; }
  // REQUIRES: Scan returned kDone. Leaves the reader ready for the next head.
  Head TakeHead();
  // REQUIRES: Scan returned kRefused.
  const Refusal& refusal() const { return refusal_; }

 private:
  // Each returns false after a refusal.
  bool WithinLimits(size_t end);
  bool OnLine(absl::string_view line);
  bool OnRequestLine(absl::string_view line);
  bool OnTarget(absl::string_view target);
  bool OnField(absl::string_view line);
  bool OnFraming(absl::string_view name, absl::string_view value);
  void OnConnection(absl::string_view value);
  bool OnEnd();
  bool Refuse(int status, absl::string_view reason);

  const HeadLimits* limits_;
  State state_ = State::kNeedMore;
  size_t scanned_ = 0;     // no LF lies between line_start_ and here
  size_t line_start_ = 0;  // of the line that is not complete yet
  size_t head_start_ = 0;  // of the request line: behind a blank line that is still in the buffer
  bool skipped_blank_line_ = false;
  Head head_;
  // What OnEnd judges.
  int hosts_ = 0;
  int content_lengths_ = 0;
  int transfer_encodings_ = 0;
  bool says_close_ = false;
  bool says_keep_alive_ = false;
  Refusal refusal_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_HEAD_READER_H_
