// TcpRelay is the cable between a client and a server in a test: it carries bytes, until it is cut.
//
// Thread-safety: thread-safe. One thread of its own carries.
#ifndef TIDEMARK_STORECLIENT_TCP_RELAY_H_
#define TIDEMARK_STORECLIENT_TCP_RELAY_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"

namespace tidemark::storeclient {

class TcpRelay {
 public:
  explicit TcpRelay(int target_port) : target_port_(target_port), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = Loopback(0);
    TM_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    TM_CHECK(listen(listener_, 64) == 0);
    socklen_t size = sizeof(address);
    TM_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    TM_CHECK(pipe(wake_) == 0);
    thread_ = std::thread([this] { Run(); });
  }
  ~TcpRelay() {
    Order(&stopped_, true);
    thread_.join();
    for (const int fd : {listener_, wake_[0], wake_[1]}) close(fd);
  }

  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }
  // Connections end; new ones are taken as before.
  void BreakConnections() { Order(&broken_, true); }
  // No connection lives until Mend.
  void Cut() { Order(&cut_, true); }
  void Mend() { Order(&cut_, false); }

 private:
  struct Pair {
    int client;
    int server;
  };

  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }

  void Order(bool* what, bool value) {
    MutexLock lock(&mu_);
    *what = value;
    TM_CHECK(write(wake_[1], "", 1) == 1);
  }

  void Run() {
    std::vector<Pair> pairs;
    while (ObeyOrders(&pairs)) {
      std::vector<pollfd> polled = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const Pair& pair : pairs) {
        polled.push_back({pair.client, POLLIN, 0});
        polled.push_back({pair.server, POLLIN, 0});
      }
      poll(polled.data(), polled.size(), -1);
      char order;
      if (polled[0].revents != 0) TM_CHECK(read(wake_[0], &order, 1) == 1);
      std::vector<Pair> alive;
      for (size_t i = 0; i < pairs.size(); ++i) {
        const bool carries = (polled[2 + 2 * i].revents == 0 || Carry(pairs[i].client, pairs[i].server)) &&
                             (polled[3 + 2 * i].revents == 0 || Carry(pairs[i].server, pairs[i].client));
        if (carries) {
          alive.push_back(pairs[i]);
        } else {
          Close(pairs[i]);
        }
      }
      pairs = std::move(alive);
      if (polled[1].revents != 0) Accept(&pairs);
    }
    for (const Pair& pair : pairs) Close(pair);
  }

  // False when told to stop.
  bool ObeyOrders(std::vector<Pair>* pairs) {
    MutexLock lock(&mu_);
    if (std::exchange(broken_, false) || cut_) {
      for (const Pair& pair : *pairs) Close(pair);
      pairs->clear();
    }
    return !stopped_;
  }

  void Accept(std::vector<Pair>* pairs) {
    const Pair pair{accept(listener_, nullptr, nullptr), socket(AF_INET, SOCK_STREAM, 0)};
    const sockaddr_in target = Loopback(target_port_);
    if (connect(pair.server, reinterpret_cast<const sockaddr*>(&target), sizeof(target)) != 0) return Close(pair);
    pairs->push_back(pair);
  }

  static bool Carry(int from, int to) {
    char buffer[65536];
    const ssize_t size = recv(from, buffer, sizeof(buffer), 0);
    if (size <= 0) return false;
    for (ssize_t sent = 0; sent < size;) {
      const ssize_t part = send(to, buffer + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
      if (part <= 0) return false;
      sent += part;
    }
    return true;
  }

  static void Close(const Pair& pair) {
    close(pair.client);
    close(pair.server);
  }

  const int target_port_;
  const int listener_;
  int port_ = 0;
  int wake_[2];
  Mutex mu_;
  bool broken_ ABSL_GUARDED_BY(mu_) = false;
  bool cut_ ABSL_GUARDED_BY(mu_) = false;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_TCP_RELAY_H_
