// Figures of HttpServer over loopback: the server in a process of its own, so that its CPU time and memory can be told
// from the client's. "per CPU s" is per second of the server's CPU time, all its threads together.
//
// http/small: requests for a 12-byte body at 1, 32 and 256 connections; http/big: a body of 600 MB, 1 KB slices out of
// 300 MB or one block of 512 KB; http/watch: 10,000 idle watches, then one event of 1 KB to all, beside a loop of bare
// send() of the same bytes.
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/process_stats.h"
#include "net/http_server.h"
#include "net/raw_client.h"

namespace tidemark::net {
namespace {

constexpr size_t kBigBytes = 600'000'000;
constexpr size_t kStoredBytes = 300'000'000;
constexpr size_t kObjectBytes = 1000;
constexpr int kWatches = 10'000;
constexpr size_t kEventBytes = 1000;
constexpr absl::string_view kGet =
    "GET /small HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: application/json\r\n"
    "Accept-Encoding: gzip\r\nUser-Agent: kubectl/v1.32.5 (linux/amd64) kubernetes/9894294\r\n\r\n";

double Seconds() { return absl::ToDoubleSeconds(RealClock().Now() - absl::UnixEpoch()); }

// ---- The server's process.

class SliceSource : public BodySource {
 public:
  SliceSource(absl::string_view stored, size_t slice) : stored_(stored), slice_(slice) {}
  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    for (size_t given = 0; given < max_bytes && sent_ < kBigBytes && slices->size() < kSlicesPerWriteMax;) {
      const size_t bytes = std::min(slice_, kBigBytes - sent_);
      slices->push_back(stored_.substr(sent_ % stored_.size(), bytes));
      given += bytes;
      sent_ += bytes;
    }
    return sent_ == kBigBytes ? State::kEnd : State::kMore;
  }

 private:
  const absl::string_view stored_;
  const size_t slice_;
  size_t sent_ = 0;
};

// One event for all who watch, by number.
class Broadcast {
 public:
  void Add(Waker waker) {
    MutexLock lock(&mu_);
    wakers_.push_back(std::move(waker));
  }
  void Fire() {
    number_.fetch_add(1);
    MutexLock lock(&mu_);
    for (const Waker& waker : wakers_) waker();
  }
  uint64_t number() const { return number_.load(); }

 private:
  std::atomic<uint64_t> number_{0};
  Mutex mu_;
  std::vector<Waker> wakers_ ABSL_GUARDED_BY(mu_);
};

class BroadcastSource : public BodySource {
 public:
  BroadcastSource(const Broadcast* broadcast, absl::string_view event) : broadcast_(broadcast), event_(event) {}
  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    if (seen_ < broadcast_->number()) {
      ++seen_;
      slices->push_back(event_);
    }
    return State::kWait;
  }

 private:
  const Broadcast* const broadcast_;
  const absl::string_view event_;
  uint64_t seen_ = 0;
};

class BenchHandler : public Handler {
 public:
  BenchHandler() : stored_(kStoredBytes, 's'), event_(kEventBytes, 'e') {}

  void Handle(std::shared_ptr<Exchange> exchange) override {
    const std::string& path = exchange->request().path;
    const ResponseHead ok = {.status = 200, .content_type = "application/json"};
    if (path == "/small") return exchange->Reply(ok, "twelve bytes");
    if (path == "/objects") return exchange->Reply(ok, std::make_unique<SliceSource>(stored_, kObjectBytes), kBigBytes);
    const absl::string_view block = absl::string_view(stored_).substr(0, kPullBytes);
    if (path == "/block") return exchange->Reply(ok, std::make_unique<SliceSource>(block, kPullBytes), kBigBytes);
    if (path == "/watch") {
      broadcast_.Add(exchange->waker());
      return exchange->Reply(ok, std::make_unique<BroadcastSource>(&broadcast_, event_));
    }
    if (path == "/fire") broadcast_.Fire();
    const auto resident_bytes = static_cast<int64_t>(metrics::ReadResidentBytes());
    exchange->Reply(ok, absl::StrCat(metrics::ReadCpuSeconds(), " ", resident_bytes));
  }

 private:
  const std::string stored_, event_;
  Broadcast broadcast_;
};

void SendAddress(int out, const std::string& address) {
  TM_CHECK(::write(out, address.data(), address.size()) == static_cast<ssize_t>(address.size()));
  ::close(out);
}

[[noreturn]] void ServeHttp(int out) {
  BenchHandler handler;
  auto server = HttpServer::Start({.listen = {"127.0.0.1:0"}}, &handler);
  TM_CHECK_OK(server.status());
  SendAddress(out, (*server)->addresses().front());
  while (true) ::pause();
}

// Accepts kWatches connections, then answers each byte on the first one with one send() of an event to every one, and
// its CPU time.
[[noreturn]] void ServeBare(int out) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  TM_CHECK(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
           ::listen(listener, kListenBacklog) == 0);
  TM_CHECK(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  SendAddress(out, absl::StrCat("127.0.0.1:", ntohs(address.sin_port)));
  const int control = ::accept(listener, nullptr, nullptr);
  std::vector<int> watches;
  for (int i = 0; i < kWatches; ++i) watches.push_back(::accept(listener, nullptr, nullptr));
  const std::string event(kEventBytes + 7, 'e');  // with the chunk's framing
  char byte = 0;
  while (::recv(control, &byte, 1, 0) == 1) {
    const double before = metrics::ReadCpuSeconds();
    for (const int watch : watches) ::send(watch, event.data(), event.size(), MSG_NOSIGNAL);
    const auto micros = static_cast<int64_t>((metrics::ReadCpuSeconds() - before) * 1e6);
    ::send(control, &micros, sizeof(micros), MSG_NOSIGNAL);
  }
  ::_exit(0);
}

class ServerProcess {
 public:
  explicit ServerProcess(void (*serve)(int)) {
    int ends[2];
    TM_CHECK(::pipe(ends) == 0);
    pid_ = ::fork();
    TM_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      serve(ends[1]);
    }
    ::close(ends[1]);
    char text[64];
    const ssize_t got = ::read(ends[0], text, sizeof(text));
    TM_CHECK(got > 0);
    address_.assign(text, static_cast<size_t>(got));
    ::close(ends[0]);
  }
  ~ServerProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  const std::string& address() const { return address_; }

 private:
  pid_t pid_;
  std::string address_;
};

// ---- The client's process.

struct Usage {
  double cpu_seconds = 0;
  double resident_bytes = 0;
};

Usage Ask(RawClient* client, absl::string_view path) {
  const std::string body = client->Get(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n")).body;
  const std::vector<std::string> parts = absl::StrSplit(body, ' ');
  Usage usage;
  TM_CHECK(parts.size() == 2 && absl::SimpleAtod(parts[0], &usage.cpu_seconds));
  TM_CHECK(absl::SimpleAtod(parts[1], &usage.resident_bytes));
  return usage;
}

// Clients and an epoll set of them.
class Crowd {
 public:
  Crowd(const std::string& address, int count) : epoll_(::epoll_create1(0)) {
    for (int i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<RawClient>(address));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = clients_.back()->fd();
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, event.data.fd, &event);
    }
  }
  ~Crowd() { ::close(epoll_); }

  void SendAll(absl::string_view bytes) {
    for (auto& client : clients_) client->Send(bytes);
  }
  // Reads whatever comes; calls `done` for each answer or event, which is over when `bytes` have
  // come on that connection.
  template <typename Done>
  void ReadEvents(size_t bytes, Done done) {
    std::array<epoll_event, 256> events;
    const int ready = ::epoll_wait(epoll_, events.data(), events.size(), 1000);
    static char dropped[1 << 16];
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      const ssize_t got = ::recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT);
      TM_CHECK(got > 0) << "the server closed";
      if (read_.size() <= static_cast<size_t>(fd)) read_.resize(static_cast<size_t>(fd) + 1);
      read_[static_cast<size_t>(fd)] += static_cast<size_t>(got);
      while (read_[static_cast<size_t>(fd)] >= bytes) {
        read_[static_cast<size_t>(fd)] -= bytes;
        done(fd);
      }
    }
  }

 private:
  const int epoll_;
  std::vector<std::unique_ptr<RawClient>> clients_;
  std::vector<size_t> read_;  // by fd, of the answer that is coming
};

void BenchSmall() {
  const ServerProcess server(ServeHttp);
  RawClient control(server.address());
  control.Send(kGet);
  const RawClient::Response one = control.ReadResponse();
  const size_t answer_bytes = one.head.size() + one.body.size();
  for (const int connections : {1, 32, 256}) {
    Crowd crowd(server.address(), connections);
    const Usage before = Ask(&control, "/usage");
    const double start = Seconds();
    double now = start;
    int64_t answers = 0;
    crowd.SendAll(kGet);
    while (now - start < 2.0) {
      crowd.ReadEvents(answer_bytes, [&](int fd) {
        ++answers;
        ::send(fd, kGet.data(), kGet.size(), MSG_NOSIGNAL);
      });
      now = Seconds();
    }
    const double cpu = Ask(&control, "/usage").cpu_seconds - before.cpu_seconds;
    std::printf("small  c=%-4d  %8.0f requests/s  %8.0f per CPU s  (server at %.0f %% CPU)\n", connections,
                static_cast<double>(answers) / (now - start), static_cast<double>(answers) / cpu,
                100 * cpu / (now - start));
  }
}

void BenchBig() {
  const ServerProcess server(ServeHttp);
  RawClient control(server.address());
  for (const char* const path : {"/objects", "/block"}) {
    for (int round = 0; round < 3; ++round) {
      RawClient client(server.address());
      const Usage before = Ask(&control, "/usage");
      const double start = Seconds();
      client.Send(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"));
      client.Take("\r\n\r\n");
      TM_CHECK(client.Discard(kBigBytes) == kBigBytes);
      const double elapsed = Seconds() - start;
      const Usage after = Ask(&control, "/usage");
      std::printf("big    %-9s %5.2f GB/s  %5.2f GB per CPU s  resident %+.1f MB\n", path, kBigBytes / elapsed / 1e9,
                  kBigBytes / (after.cpu_seconds - before.cpu_seconds) / 1e9,
                  (after.resident_bytes - before.resident_bytes) / 1e6);
    }
  }
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

constexpr int kRounds = 7;
// Median CPU time of one send(), in microseconds.
double BareSend() {
  const ServerProcess server(ServeBare);
  RawClient control(server.address());
  Crowd crowd(server.address(), kWatches);
  std::vector<double> micros;
  for (int round = 0; round < kRounds; ++round) {
    control.Send("x");
    int done = 0;
    while (done < kWatches) crowd.ReadEvents(kEventBytes + 7, [&](int) { ++done; });
    int64_t spent = 0;
    std::memcpy(&spent, control.TakeBytes(sizeof(spent)).data(), sizeof(spent));
    micros.push_back(static_cast<double>(spent) / kWatches);
  }
  return Median(micros);
}

void BenchWatch() {
  const double bare = BareSend();
  const ServerProcess server(ServeHttp);
  RawClient control(server.address());
  Ask(&control, "/usage");
  const Usage empty = Ask(&control, "/usage");
  RawClient one(server.address());
  one.Send("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n");
  const size_t head_bytes = one.Take("\r\n\r\n").size();
  Crowd crowd(server.address(), kWatches);
  crowd.SendAll("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n");
  int heads = 0;
  while (heads < kWatches) crowd.ReadEvents(head_bytes, [&](int) { ++heads; });
  const Usage idle = Ask(&control, "/usage");
  ::poll(nullptr, 0, 3000);
  const Usage after_rest = Ask(&control, "/usage");
  std::printf("watch  %d idle: %.0f bytes resident each, %.3f %% CPU\n", kWatches,
              (idle.resident_bytes - empty.resident_bytes) / kWatches,
              100 * (after_rest.cpu_seconds - idle.cpu_seconds) / 3);
  std::vector<double> micros, all;
  for (int round = 0; round < kRounds; ++round) {
    const Usage before = Ask(&control, "/usage");
    const double start = Seconds();
    control.Send("GET /fire HTTP/1.1\r\nHost: x\r\n\r\n");
    int done = 0;
    while (done < kWatches) crowd.ReadEvents(kEventBytes + 7, [&](int) { ++done; });
    all.push_back((Seconds() - start) * 1e3);
    control.ReadResponse();
    micros.push_back((Ask(&control, "/usage").cpu_seconds - before.cpu_seconds) * 1e6 / kWatches);
  }
  std::printf("watch  one event to %d: %.0f ms until all have it; %.2f us CPU each, bare send() %.2f us, ratio %.2f\n",
              kWatches, Median(all), Median(micros), bare, Median(micros) / bare);
}

int Main(int argc, char** argv) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  absl::string_view filter = argc > 1 ? argv[1] : "";  // as every other benchmark takes it
  absl::ConsumePrefix(&filter, "--benchmark_filter=");
  const std::regex names{std::string(filter)};
  const auto wanted = [&](const char* name) { return std::regex_search(name, names); };
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (wanted("http/small")) BenchSmall();
  if (wanted("http/big")) BenchBig();
  if (wanted("http/watch")) BenchWatch();
  return 0;
}

}  // namespace
}  // namespace tidemark::net

int main(int argc, char** argv) { return tidemark::net::Main(argc, argv); }
