// SendBatch sends a little on each of many connections with one system call: the events that thousands of watches are woken for.
// One send(2) each costs twice as much, since a reader on the same machine takes the processor after every one. Bytes are copied;
// whoever added them hears what became of them when the batch is sent. Where the kernel has no io_uring, or forbids it, a batch is
// not open, and connections send for themselves.
//
//   if (batch->open()) batch->Add(fd, parts, sender);
//   batch->Flush();        // calls sender->OnSent
//
// Thread-safety: confined to one worker.
// Ownership:     shares its senders until they have been told; borrows their sockets, which stay open until then.
// Limits:        kSendsMax sends of kGatheredBytesMax bytes.
// Cost:          a copy of the bytes; Flush of 16 some 5 us each, 11 us by send(2) (e2e/prove_fanout).
#ifndef TIDEMARK_NET_SEND_BATCH_H_
#define TIDEMARK_NET_SEND_BATCH_H_

#include <array>
#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "net/limits.h"
#include "net/transport.h"

namespace tidemark::net {

class SendBatch {
 public:
  class Sender {
   public:
    virtual ~Sender() = default;
    // `bytes`: what was added; valid during the call. Adds nothing to the batch that calls.
    virtual void OnSent(const Transfer& transfer, absl::string_view bytes) = 0;
  };

  // 8 do as well as 128 (e2e/prove_fanout): what is saved is the way back to the worker after each.
  static constexpr size_t kSendsMax = 16;

  // A batch without a ring is never open; what is added to it all the same is sent one by one.
  explicit SendBatch(bool with_ring = true);
  ~SendBatch();
  SendBatch(const SendBatch&) = delete;
  SendBatch& operator=(const SendBatch&) = delete;

  bool open() const { return ring_ != nullptr; }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == kSendsMax; }
  // REQUIRES: !full(), and no more bytes than kGatheredBytesMax.
  void Add(int fd, absl::Span<const absl::string_view> parts, std::shared_ptr<Sender> sender);
  void Flush();

 private:
  struct Ring;
  struct Send {
    int fd = -1;
    size_t size = 0;
    Transfer result;
    std::shared_ptr<Sender> sender;
  };

  // The bytes of one after the other: what has been sent is soon overwritten, in the cache that it lies in.
  const char* BytesOf(size_t number) const { return bytes_.get() + number * kGatheredBytesMax; }
  void SendTogether();
  // The number of sends that are done by now.
  size_t TakeResults();
  void GiveUp(size_t told);
  void SendOneByOne(size_t first);

  std::unique_ptr<Ring> ring_;
  std::array<Send, kSendsMax> sends_;
  size_t count_ = 0;
  const std::unique_ptr<char[]> bytes_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_SEND_BATCH_H_
