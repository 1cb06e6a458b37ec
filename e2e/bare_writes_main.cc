// bare_writes is the floor under a fan-out: what the kernel alone takes to write the same bytes to so many connections, one
// write(2) each, nothing else done. A child process holds the other ends and reads them through one epoll.
//
//   bare_writes CONNECTIONS BYTES ROUNDS THREADS STALLED     THREADS write; STALLED of the connections are never read
//
// Prints "cpu_us_per_write U all_ms M": CPU time of the writing process for each write, and how long a round took from its first
// write until the readers had all of it, at the median of the rounds. Rounds are a second apart, as rare events are.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/check.h"

namespace {

constexpr size_t kReadBytes = 64 << 10;
constexpr int kReadyMax = 256;
constexpr int kBacklog = 4096;
constexpr int kSmallBufferBytes = 4096;
// Beside a second for each round: both processes end by then, whatever the other one does.
constexpr unsigned kSpareSeconds = 60;

struct Plan {
  int connections = 0;
  int bytes = 0;
  int rounds = 0;
  int threads = 0;
  int stalled = 0;
};

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double OwnCpuSeconds() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

void AllowManyFiles() {
  rlimit limit;
  TM_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  TM_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

// Reads one round after the other, and says when each is complete.
void ReadRounds(const Plan& plan, const sockaddr_in& address, int done_pipe) {
  const int poll = epoll_create1(0);
  for (int i = 0; i < plan.connections; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    TM_CHECK(fd >= 0) << "no more files at " << i;
    const bool stalled = i < plan.stalled;
    if (stalled) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSmallBufferBytes, sizeof kSmallBufferBytes);
    TM_CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    if (!stalled) TM_CHECK(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0);
  }
  std::string buffer(kReadBytes, '\0');
  const int64_t due = int64_t{plan.bytes} * (plan.connections - plan.stalled);
  for (int round = 0; round < plan.rounds; ++round) {
    for (int64_t got = 0; got < due;) {
      epoll_event ready[kReadyMax];
      const int count = epoll_wait(poll, ready, kReadyMax, -1);
      for (int i = 0; i < count; ++i) got += std::max<ssize_t>(0, read(ready[i].data.fd, buffer.data(), buffer.size()));
    }
    TM_CHECK(write(done_pipe, "d", 1) == 1);
  }
}

std::vector<int> Accept(int listener, int connections) {
  std::vector<int> fds;
  while (static_cast<int>(fds.size()) < connections) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
    TM_CHECK(fd >= 0) << "accept";
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fds.push_back(fd);
  }
  return fds;
}

// To each connection of one thread's share. Who never reads is full at some time; the others have read before the next round.
void WriteShare(const Plan& plan, const std::vector<int>& fds, int thread) {
  const std::string bytes(static_cast<size_t>(plan.bytes), 'x');
  for (size_t i = static_cast<size_t>(thread); i < fds.size(); i += static_cast<size_t>(plan.threads)) {
    const bool whole = write(fds[i], bytes.data(), bytes.size()) == plan.bytes;
    TM_CHECK(whole || plan.stalled > 0) << "a reader is behind";
  }
}

// Writes the rounds; both figures.
void WriteRounds(const Plan& plan, const std::vector<int>& fds, int done_pipe) {
  std::vector<double> took;
  double cpu = 0;
  for (int round = 0; round < plan.rounds; ++round) {
    sleep(1);  // as rare events are: what the last round left in caches is gone
    const double cpu_before = OwnCpuSeconds(), before = Seconds(CLOCK_MONOTONIC);
    std::vector<std::thread> threads;
    for (int i = 0; i < plan.threads; ++i) threads.emplace_back(WriteShare, std::cref(plan), std::cref(fds), i);
    for (std::thread& thread : threads) thread.join();
    cpu += OwnCpuSeconds() - cpu_before;
    char done;
    TM_CHECK(read(done_pipe, &done, 1) == 1) << "the readers have gone";
    took.push_back(Seconds(CLOCK_MONOTONIC) - before);
  }
  std::nth_element(took.begin(), took.begin() + took.size() / 2, took.end());
  printf("cpu_us_per_write %.2f all_ms %.1f\n", cpu * 1e6 / plan.rounds / plan.connections,
         took[took.size() / 2] * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  int* const numbers[] = {&plan.connections, &plan.bytes, &plan.rounds, &plan.threads, &plan.stalled};
  bool understood = argc == 1 + static_cast<int>(std::size(numbers));
  for (int i = 1; understood && i < argc; ++i)
    understood = absl::SimpleAtoi(argv[i], numbers[i - 1]) && *numbers[i - 1] >= 0;
  if (!understood || std::min({plan.connections, plan.bytes, plan.rounds, plan.threads}) < 1 ||
      plan.stalled >= plan.connections) {
    fputs("bare_writes CONNECTIONS BYTES ROUNDS THREADS STALLED\n", stderr);
    return 2;
  }
  AllowManyFiles();
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t length = sizeof address;
  int done[2];
  TM_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0 && listen(listener, kBacklog) == 0);
  TM_CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0 && pipe(done) == 0);
  const pid_t child = fork();
  TM_CHECK(child >= 0);
  alarm(static_cast<unsigned>(plan.rounds) + kSpareSeconds);
  if (child == 0) {
    close(done[0]);
    ReadRounds(plan, address, done[1]);
    _exit(0);
  }
  close(done[1]);
  WriteRounds(plan, Accept(listener, plan.connections), done[0]);
  TM_CHECK(waitpid(child, nullptr, 0) == child);
  return 0;
}
