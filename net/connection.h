// Connection is one client's connection: it reads a request, hands it to the handler, sends the answer, and begins
// anew. It runs in turns, one at a time, on whichever worker is free; between turns it costs its memory alone.
//
//   kReading -> kHandling -> kWriting -> kReading ...        kWriting -> kLingering -> kClosed
//
// Everything that happens to it (bytes, room, an answer, a wake, a deadline, the end of the server) is a bit in
// events_. The first bit queues a turn; a turn goes on until it finds no new bit. So no lock is held while reading,
// handling or writing, and a hundred wakes are one turn.
//
// Thread-safety: Signal, Answered and Wake are thread-safe; all else is confined to the running turn.
// Ownership:     owns the socket and the answer that is being sent. The loop holds it until it has closed,
//                wakers and exchanges longer.
// Limits:        ServerLimits; reads only when there is no complete request to serve, so that a client who sends faster
//                than it takes answers is held back by TCP.
#ifndef TIDEMARK_NET_CONNECTION_H_
#define TIDEMARK_NET_CONNECTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "metrics/registry.h"
#include "net/answer_writer.h"
#include "net/request_reader.h"
#include "net/server_core.h"

namespace tidemark::net {

class Connection : public WorkerPool::Turn,
                   public EventLoop::Watched,
                   public SendBatch::Sender,
                   public std::enable_shared_from_this<Connection> {
 public:
  enum Event : uint32_t {
    kReadable = 1 << 0,
    kWritable = 1 << 1,
    kPeerFinished = 1 << 2,  // sends no more: it is gone, or waits for its answer
    kBroken = 1 << 3,        // or hung up: both sides have ended their direction
    kAnswered = 1 << 4,
    kWoken = 1 << 5,
    kDeadline = 1 << 6,
    kDrain = 1 << 7,  // the server stops: finish
    kCut = 1 << 8,    // its patience is over
  };

  Connection(std::shared_ptr<ServerCore> core, std::unique_ptr<Transport> transport, std::string peer);
  ~Connection() override;

  // Any thread.
  void Signal(uint32_t events);
  void Answered(std::unique_ptr<Answer> answer);
  // Of the request with this number; nothing happens when another one is being served by now.
  void Wake(uint64_t exchange_number);
  // Whether it is the request with this number that is being served.
  bool Serves(uint64_t exchange_number) const {
    return exchange_number_.load(std::memory_order_relaxed) == exchange_number;
  }
  ServerCore& core() { return *core_; }

  void OnReady(uint32_t epoll_events) override;
  void OnDeadline() override { Signal(kDeadline); }
  void Run(SendBatch* batch) override;
  // Its turn goes on: it has not ended while bytes of it are in a batch.
  void OnSent(const Transfer& transfer, absl::string_view bytes) override;

 private:
  enum class State : uint8_t { kReading, kHandling, kWriting, kLingering, kClosed };

  // Bits of events_ beside Event.
  static constexpr uint32_t kRunning = 1u << 30;
  static constexpr uint32_t kYielded = 1u << 29;

  void Step(uint32_t events, SendBatch* batch);
  // Ends the turn for another one later.
  void Yield();
  void OnBroken();
  void ReadRequests();
  // False when nothing has come.
  bool ReadSome();
  // Keeps the sum of all connections' unread bytes. False when it is over its limit.
  bool CountUnread();
  void BeginExchange(Head head);
  void TakeAnswer();
  // False when too many big answers wait for their readers.
  bool HasRoomFor(const Answer& answer);
  // Keeps the sum of what all connections hold of their answers between two turns.
  void CountUnsent(size_t bytes);
  // Of the next Pull: less while that sum is large.
  size_t PullBytes() const;
  void StartAnswer(Answer answer, const AnswerForm& form);
  void Refuse(const Refusal& refusal);
  void RefuseUnread();
  void SendContinue();
  void AdvanceAnswer(SendBatch* batch);
  void OnAdvanced(AnswerWriter::State state);
  void CountSent(uint64_t sent_bytes_before);
  void OnBlocked();
  void OnAnswerSent();
  void Linger();
  void DiscardInput();
  void CheckDeadline();
  void OnWriteWindowEnd();
  // `reason` is counted, unless it is nullptr: the answer was the last, or the server stops.
  void Close(metrics::Counter* reason, bool reset);
  // Sets the deadline anew only when `why` is not what it is set for already.
  enum class Limit : uint8_t { kNone, kFirstByte, kHead, kIdle, kBody, kWrite, kLinger };
  void SetLimit(Limit why);
  absl::Duration TimeOf(Limit limit) const;

  const std::shared_ptr<ServerCore> core_;
  const std::string peer_;

  // Any thread.
  std::atomic<uint32_t> events_{0};
  std::atomic<Answer*> answer_{nullptr};  // owned; set once for each exchange
  std::atomic<uint64_t> exchange_number_{0};

  // Confined to the running turn.
  const std::unique_ptr<Transport> transport_;
  State state_ = State::kReading;
  Limit limit_ = Limit::kNone;
  bool readable_ = false;  // the socket may have bytes
  bool peer_finished_ = false;
  bool served_before_ = false;  // an idle connection, not a new one
  bool close_after_ = false;    // this answer is the last
  bool counted_waiting_ = false;
  bool batched_ = false;                                         // the turn goes on in OnSent
  bool yield_ = false;                                           // the turn has used up its budget
  bool http10_ = false, head_only_ = false, keep_alive_ = true;  // of the request being served
  absl::Time deadline_ = absl::InfiniteFuture();
  uint64_t window_start_bytes_ = 0;  // sent when the write window began
  size_t lingered_bytes_ = 0;
  size_t counted_unread_bytes_ = 0;  // this connection's part of ServerCore::unread_bytes
  size_t counted_unsent_bytes_ = 0;  // and of ServerCore::unsent_bytes
  size_t budget_ = 0;                // bytes that this turn may still send
  RequestReader requests_;
  AnswerWriter writer_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_CONNECTION_H_
