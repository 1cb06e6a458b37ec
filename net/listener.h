// Listener accepts connections on one address.
//
// Thread-safety: confined to the event loop, but for Open.
// Ownership:     owns the listening socket; hands each accepted one over.
// Errors:        Open says in one line what is wrong with an address.
// Cost:          at most kAcceptsPerTurnMax accepts in one turn of the loop.
#ifndef TIDEMARK_NET_LISTENER_H_
#define TIDEMARK_NET_LISTENER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "net/event_loop.h"
#include "net/log_gate.h"

struct addrinfo;

namespace tidemark::net {

class Listener : public EventLoop::Watched, public std::enable_shared_from_this<Listener> {
 public:
  // Takes a connected, non-blocking socket and its peer's "address:port".
  using OnAccept = std::function<void(int fd, std::string peer)>;

  // Binds "127.0.0.1:8080", "[::1]:8080", "localhost:0"; port 0 is any free one. Of a name's addresses it takes the first
  // that this machine has.
  static absl::StatusOr<std::shared_ptr<Listener>> Open(absl::string_view address, Clock& clock);
  // A socket that listens on the first of the addresses that this machine has, or why not in the system's words. One that
  // it has and that cannot be taken ends the search: a second server on the same port has to fail.
  static absl::StatusOr<int> ListenOnFirst(const addrinfo* addresses);
  ~Listener() override { Close(); }

  // What is bound, with the true port.
  const std::string& address() const { return address_; }
  void Start(EventLoop* loop, OnAccept on_accept);
  void Close();

  void OnReady(uint32_t epoll_events) override;
  void OnDeadline() override;

 private:
  Listener(int fd, std::string address, Clock& clock) : fd_(fd), address_(std::move(address)), clock_(clock) {}

  // Out of file descriptors (`error`: why, an errno): the waiting client stays in the backlog.
  void Pause(int error);

  int fd_;  // -1: closed
  const std::string address_;
  Clock& clock_;
  EventLoop* loop_ = nullptr;
  OnAccept on_accept_;
  LogGate pause_gate_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_LISTENER_H_
