// AnswerWriter sends one answer after the other: head, then a whole body, or a source's pieces as they are given, with
// the framing that the client understands. It pulls only when the socket has taken all that came before.
//
// Thread-safety: thread-compatible; the connection's turn calls it.
// Ownership:     owns the answer and its source, until the answer has been sent, or Abandon.
// Cost:          slices are not kept as copies, but for what is left of a small piece; waiting for a source takes no buffer.
#ifndef TIDEMARK_NET_ANSWER_WRITER_H_
#define TIDEMARK_NET_ANSWER_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "net/exchange.h"
#include "net/limits.h"
#include "net/outbox.h"
#include "net/response_head.h"
#include "net/transport.h"

namespace tidemark::net {

// What Exchange::Reply was given.
struct Answer {
  ResponseHead head;
  std::string body;                    // without a source
  std::unique_ptr<BodySource> source;  // or nullptr
  std::optional<uint64_t> length;      // of the source's body, if known
};

// What the request says of its answer.
struct AnswerForm {
  bool head_only = false;  // HEAD: no body follows
  bool http10 = false;     // no chunks; keep-alive has to be said
  bool close = false;
};

class AnswerWriter {
 public:
  enum class State {
    kDone,     // all is sent
    kBlocked,  // the socket takes no more now
    kWaiting,  // the source waits for its waker
    kReady,    // the small piece is for the caller to send, and what became of it for Sent
    kMore,     // the budget is used up
    kAborted,  // the body cannot be completed
    kBroken,   // the socket is
  };

  // REQUIRES: the answer before has been sent.
  void Start(Answer answer, const AnswerForm& form, absl::Time now);
  // Goes on as far as socket, source and `budget` (bytes; lowered by what was sent) allow, in pieces of about `pull_bytes`.
  // `small`: if not nullptr, the last piece before the source waits is put there and not sent, when it has no more than
  // kGatheredBytesMax.
  State Advance(Transport* transport, size_t* budget, size_t pull_bytes = kPullBytes,
                std::vector<absl::string_view>* small = nullptr);
  // After kReady, what became of `bytes`, which are the small piece's: kWaiting, kBlocked or kBroken.
  State Sent(const Transfer& transfer, absl::string_view bytes);
  // The source may have something. Kept until the next Pull.
  void Wake() { woken_ = true; }
  // Asks a source to end its body, and wakes it.
  void Drain();
  void Abandon();

  // Whether the body ends with the connection.
  bool close_delimited() const { return body_ == Framing::Body::kClose; }
  // Memory made for the answer that is being sent: its whole body, or what its source holds.
  size_t held_bytes() const { return whole_body_.size() + (source_ != nullptr ? source_->held_bytes() : 0); }
  // Bytes that the socket took, over all answers.
  uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  // Pulls once and sends what came. nullopt: go on.
  std::optional<State> PullOnce(Transport* transport, size_t* budget, size_t pull_bytes,
                                std::vector<absl::string_view>* small);
  State Wait();
  // Whether `bytes` more of the body fit what its head has promised.
  bool FitsLength(uint64_t bytes, bool end);
  std::optional<State> Account(const Transfer& transfer, size_t* budget);

  Outbox outbox_;
  std::string head_;        // unsent, or in the outbox
  std::string whole_body_;  // in the outbox: of an answer without a source, or what is left of a small piece
  std::unique_ptr<BodySource> source_;
  BodySource::State source_state_ = BodySource::State::kMore;
  Framing::Body body_ = Framing::Body::kNone;
  uint64_t length_left_ = 0;  // with kLength
  bool head_waits_ = false;   // head_ goes out with the first piece
  bool woken_ = false;
  bool drained_ = false;      // the source has been asked to end
  char chunk_line_[20] = {};  // size and CRLF of the chunk in the outbox
  uint64_t sent_bytes_ = 0;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_ANSWER_WRITER_H_
