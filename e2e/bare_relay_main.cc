// bare_relay is the floor under a fan-out: what the kernel alone takes to write an event to so many connections, one write(2)
// each, nothing else done. It stands beside a server, watches there once, and gives every client that comes the bytes of that
// one watch, so that both sides write the same bytes to the same clients.
//
//   bare_relay UPSTREAM_PORT THREADS     prints "port N"; ends by SIGTERM
//
// The first client's request is the one that is sent upstream. Threads share the clients evenly; who does not read is left out.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/mutex.h"

namespace {

using tidemark::CondVar;
using tidemark::Mutex;
using tidemark::MutexLock;

constexpr int kBacklog = 4096;
constexpr size_t kReadBytes = 64 << 10;
constexpr absl::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

void AllowManyFiles() {
  rlimit limit;
  TM_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  TM_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

sockaddr_in Loopback(int port) {
  return {.sin_family = AF_INET,
          .sin_port = htons(static_cast<uint16_t>(port)),
          .sin_addr = {htonl(INADDR_LOOPBACK)},
          .sin_zero = {}};
}

// Everything up to the blank line; false when the other side ends before it. One byte after the other: what follows stays.
bool ReadHead(int fd, std::string* head) {
  head->clear();
  char byte;
  while (!absl::EndsWith(*head, "\r\n\r\n")) {
    if (read(fd, &byte, 1) != 1) return false;
    head->push_back(byte);
  }
  return true;
}

// The clients, shared among threads that write each event to theirs.
class Writers {
 public:
  explicit Writers(int threads) : shares_(static_cast<size_t>(threads)) {
    for (int i = 0; i < threads; ++i) std::thread(&Writers::Write, this, static_cast<size_t>(i)).detach();
  }

  void Add(int fd) {
    MutexLock lock(&mu_);
    shares_[clients_++ % shares_.size()].push_back(fd);
  }
  void Send(std::string bytes) {
    MutexLock lock(&mu_);
    bytes_ = std::make_shared<const std::string>(std::move(bytes));
    ++round_;
    next_round_.SignalAll();
  }

 private:
  [[noreturn]] void Write(size_t thread) {
    for (uint64_t written = 0;; ++written) {
      std::shared_ptr<const std::string> bytes;
      std::vector<int> share;
      {
        MutexLock lock(&mu_);
        while (round_ == written) next_round_.Wait(&mu_);
        TM_CHECK(round_ == written + 1) << "events come faster than they are written";
        bytes = bytes_;
        share = shares_[thread];
      }
      for (const int fd : share) {
        [[maybe_unused]] const ssize_t taken = send(fd, bytes->data(), bytes->size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      }
    }
  }

  Mutex mu_;
  CondVar next_round_;
  uint64_t round_ ABSL_GUARDED_BY(mu_) = 0;
  std::shared_ptr<const std::string> bytes_ ABSL_GUARDED_BY(mu_);
  size_t clients_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<std::vector<int>> shares_ ABSL_GUARDED_BY(mu_);
};

// Watches upstream, and hands on every event whole.
void Relay(int port, std::string request, Writers* writers) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(port);
  TM_CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) << "nobody on port " << port;
  TM_CHECK(write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
  std::string head;
  TM_CHECK(ReadHead(fd, &head) && absl::StartsWith(head, "HTTP/1.1 200")) << head;
  std::string chunk, buffer(kReadBytes, '\0');
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got <= 0) return;
    chunk.append(buffer, 0, static_cast<size_t>(got));
    if (absl::EndsWith(chunk, "}\n\r\n")) writers->Send(std::exchange(chunk, {}));
  }
}

[[noreturn]] void Accept(int listener, int upstream_port, Writers* writers) {
  bool relaying = false;
  while (true) {
    const int fd = accept(listener, nullptr, nullptr);
    TM_CHECK(fd >= 0) << "accept";
    std::string request;
    if (!ReadHead(fd, &request)) {
      close(fd);
      continue;
    }
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    TM_CHECK(write(fd, kHead.data(), kHead.size()) == static_cast<ssize_t>(kHead.size()));
    writers->Add(fd);
    if (!std::exchange(relaying, true)) std::thread(Relay, upstream_port, request, writers).detach();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int upstream_port, threads;
  if (argc != 3 || !absl::SimpleAtoi(argv[1], &upstream_port) || !absl::SimpleAtoi(argv[2], &threads) || threads < 1) {
    fputs("bare_relay UPSTREAM_PORT THREADS\n", stderr);
    return 2;
  }
  AllowManyFiles();
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof address;
  TM_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0 && listen(listener, kBacklog) == 0);
  TM_CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  Writers writers(threads);
  Accept(listener, upstream_port, &writers);
}
