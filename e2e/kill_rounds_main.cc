// kill_rounds proves that acknowledged means durable: round after round it starts `tidemark up` on the same data,
// writes from many clients, kills it with SIGKILL in the middle, starts it again, and looks for every write that was
// ever acknowledged, at the revision that was promised.
//
//   kill_rounds build/release/tidemark 100 DATA_DIR CLIENT_PORT HTTP_PORT
//
// Prints a line per ten rounds and the verdict; exit 1 when a write is lost, altered or promised twice, a round does not
// start by itself, acknowledges nothing, or ends before it is killed. Whatever ends this program says so in a last line;
// kill -9, which cannot, takes the server along.
#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "proto/rpc.grpc.pb.h"

namespace tidemark {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kWriters = 16;
constexpr int kStartSecondsMax = 30;
constexpr int kReadSecondsMax = 5;   // one try to read all keys
constexpr int kWriteSecondsMax = 2;  // one write, which hangs when the server dies under it
// A round without one acknowledged write would prove nothing.
constexpr int kAcknowledgeSecondsMax = 30;
constexpr int kAcknowledgePollMillis = 100;
constexpr int kLostShownMax = 5;
constexpr int kRoundMillisMin = 100;
constexpr int kRoundMillisMax = 700;
constexpr char kPrefix[] = "/registry/configmaps/rounds/";
constexpr char kPrefixEnd[] = "/registry/configmaps/rounds0";

struct Options {
  std::string binary;
  int rounds = 0;
  std::string data_dir;
  std::string client_address;
  std::string http_address;
};

// Every acknowledged write: key to promised revision.
class Ledger {
 public:
  void Add(const std::string& key, int64_t revision) {
    MutexLock lock(&mu_);
    acknowledged_[key] = revision;
  }
  std::map<std::string, int64_t> Copy() {
    MutexLock lock(&mu_);
    return acknowledged_;
  }
  size_t size() {
    MutexLock lock(&mu_);
    return acknowledged_.size();
  }

 private:
  Mutex mu_;
  std::map<std::string, int64_t> acknowledged_ ABSL_GUARDED_BY(mu_);
};

// The new process, or -1 with errno.
pid_t StartServer(const Options& options) {
  const std::string log_file = options.data_dir + ".log";
  const std::string client_url = absl::StrCat("http://", options.client_address);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (log < 0) _exit(126);
  dup2(log, 1);
  dup2(log, 2);
  execl(options.binary.c_str(), options.binary.c_str(), "up", "--data-dir", options.data_dir.c_str(),
        "--listen-client-urls", client_url.c_str(), "--listen-http", options.http_address.c_str(), nullptr);
  _exit(127);
}

// Whether it has ended, by whatever; EndServer still has to be called.
bool HasEnded(pid_t server) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(server), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == server;
}

// Kills the server. Empty when that is what ended it; otherwise how it had ended by itself.
std::string EndServer(pid_t server) {
  kill(server, SIGKILL);
  int status = 0;
  while (waitpid(server, &status, 0) < 0) {
    if (errno != EINTR) return absl::StrCat("waitpid: ", std::strerror(errno));
  }
  if (WIFEXITED(status)) return absl::StrCat("the server ended by itself, exit ", WEXITSTATUS(status));
  return WTERMSIG(status) == SIGKILL ? "" : absl::StrCat("the server ended by itself, signal ", WTERMSIG(status));
}

std::unique_ptr<etcdserverpb::KV::Stub> Connect(const Options& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
  return etcdserverpb::KV::NewStub(
      grpc::CreateCustomChannel(options.client_address, grpc::InsecureChannelCredentials(), arguments));
}

std::string ValueOf(const std::string& key) {
  return absl::StrCat(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")", key.substr(sizeof(kPrefix) - 1),
                      R"(","namespace":"rounds"}})");
}

// All keys of the rounds that have their value, and their revisions, once the server answers. Empty, or why it does not.
std::string ReadAll(const Options& options, pid_t server, std::map<std::string, int64_t>* stored) {
  const auto stub = Connect(options);
  const auto give_up = Clock::now() + std::chrono::seconds(kStartSecondsMax);
  std::string last_error = "no answer";
  while (Clock::now() < give_up && !HasEnded(server)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(kReadSecondsMax));
    context.set_wait_for_ready(true);
    etcdserverpb::RangeRequest request;
    request.set_key(kPrefix);
    request.set_range_end(kPrefixEnd);
    etcdserverpb::RangeResponse response;
    if (const grpc::Status status = stub->Range(&context, request, &response); !status.ok()) {
      last_error = absl::StrCat("code ", static_cast<int>(status.error_code()), ", ", status.error_message());
      continue;
    }
    for (const auto& kv : response.kvs()) {
      if (kv.value() == ValueOf(kv.key())) (*stored)[kv.key()] = kv.mod_revision();
    }
    return "";
  }
  return absl::StrCat("did not start: ", last_error);
}

void Write(const Options& options, int round, int writer, const std::atomic<bool>* stop, Ledger* ledger) {
  const auto stub = Connect(options);
  for (int sequence = 0; !*stop; ++sequence) {
    const std::string key = absl::StrCat(kPrefix, round, "-", writer, "-", sequence);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(kWriteSecondsMax));
    etcdserverpb::PutRequest request;
    request.set_key(key);
    request.set_value(ValueOf(key));
    etcdserverpb::PutResponse response;
    if (stub->Put(&context, request, &response).ok()) ledger->Add(key, response.header().revision());
  }
}

// Empty, or what was wrong with the round.
std::string WriteUntilKilled(const Options& options, int round, pid_t server, std::chrono::milliseconds span,
                             Ledger* ledger) {
  const size_t before = ledger->size();
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] { Write(options, round, i, &stop, ledger); });
  }
  std::this_thread::sleep_for(span);  // the load itself: a kill at a random moment
  const auto give_up = Clock::now() + std::chrono::seconds(kAcknowledgeSecondsMax);
  while (ledger->size() == before && Clock::now() < give_up && !HasEnded(server)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kAcknowledgePollMillis));  // no event tells of a server that ended early
  }
  std::string wrong = EndServer(server);
  stop = true;
  for (auto& writer : writers) writer.join();
  if (wrong.empty() && ledger->size() == before) wrong = "no write was acknowledged";
  return wrong;
}

// The number of acknowledged writes that are missing, have another value or stand at another revision.
int Lost(const std::map<std::string, int64_t>& acknowledged, const std::map<std::string, int64_t>& stored) {
  int lost = 0;
  std::map<int64_t, std::string> owners;
  for (const auto& [key, revision] : acknowledged) {
    const auto found = stored.find(key);
    if (found != stored.end() && found->second == revision && owners.emplace(revision, key).second) continue;
    if (++lost <= kLostShownMax)
      std::printf("LOST %s, acknowledged at revision %ld\n", key.c_str(), static_cast<long>(revision));
  }
  return lost;
}

// One start: looks for all that was acknowledged, and writes until the kill, unless it is the last. Empty, or what is wrong.
std::string Round(const Options& options, int round, std::chrono::milliseconds span, Ledger* ledger) {
  const pid_t server = StartServer(options);
  if (server < 0) return absl::StrCat("cannot start a process: ", std::strerror(errno));
  std::map<std::string, int64_t> stored;
  std::string wrong = ReadAll(options, server, &stored);
  const auto acknowledged = ledger->Copy();
  if (wrong.empty()) {
    if (const int lost = Lost(acknowledged, stored); lost > 0) {
      wrong = absl::StrCat(lost, " lost of ", acknowledged.size());
    }
  }
  if (!wrong.empty() || round > options.rounds) {
    const std::string ended = EndServer(server);
    return wrong.empty() || ended.empty() ? wrong + ended : absl::StrCat(wrong, "; ", ended);
  }
  if (round % 10 == 0) std::printf("round %d: %zu acknowledged, 0 lost\n", round, acknowledged.size());
  return WriteUntilKilled(options, round, server, span, ledger);
}

int Run(const Options& options) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  Ledger ledger;
  for (int round = 1; round <= options.rounds + 1; ++round) {  // the last one only looks
    const std::chrono::milliseconds span(std::uniform_int_distribution(kRoundMillisMin, kRoundMillisMax)(random));
    if (const std::string wrong = Round(options, round, span, &ledger); !wrong.empty()) {
      std::printf("FAILED round %d: %s (its log: %s.log)\n", round, wrong.c_str(), options.data_dir.c_str());
      return 1;
    }
  }
  std::printf("%d rounds of kill -9: %zu acknowledged writes, 0 lost\n", options.rounds, ledger.size());
  if (std::ferror(stdout) == 0) return 0;
  std::fprintf(stderr, "FAILED: the output could not be written\n");
  return 1;
}

// The last line of a program that a signal ends, a failed check and an uncaught exception (SIGABRT) among them.
void SayWhichSignal(int number) {
  char line[] = "FAILED: ended by signal 00\n";
  line[sizeof(line) - 4] = static_cast<char>('0' + number / 10);
  line[sizeof(line) - 3] = static_cast<char>('0' + number % 10);
  const int file = number == SIGPIPE ? STDERR_FILENO : STDOUT_FILENO;
  if (write(file, line, sizeof(line) - 1) < 0) _exit(1);
  raise(number);  // by its default, which SA_RESETHAND has put back
}

void SayWhatEndsUs() {
  struct sigaction action {};
  action.sa_handler = SayWhichSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(number, &action, nullptr);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a line that was printed is out, whatever comes then
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  const int rounds = argc == 6 ? std::atoi(argv[2]) : 0;
  if (rounds <= 0) {
    std::fprintf(stderr, "usage: kill_rounds BINARY ROUNDS DATA_DIR CLIENT_PORT HTTP_PORT\n");
    return 2;
  }
  tidemark::SayWhatEndsUs();
  return tidemark::Run({.binary = argv[1],
                        .rounds = rounds,
                        .data_dir = argv[3],
                        .client_address = absl::StrCat("127.0.0.1:", argv[4]),
                        .http_address = absl::StrCat("127.0.0.1:", argv[5])});
}
