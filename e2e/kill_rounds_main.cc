// kill_rounds proves that acknowledged means durable: round after round it starts `tidemark up` on the same data,
// writes from many clients, kills it with SIGKILL in the middle, starts it again, and looks for every write that was
// ever acknowledged, at the revision that was promised.
//
//   kill_rounds build/release/tidemark 100 DATA_DIR CLIENT_PORT HTTP_PORT
//
// Prints a line per ten rounds and the verdict; exit 1 when a write is lost, promised twice, or a round does not start
// by itself.
#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

 private:
  Mutex mu_;
  std::map<std::string, int64_t> acknowledged_ ABSL_GUARDED_BY(mu_);
};

pid_t StartServer(const Options& options) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int log = open((options.data_dir + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(log, 1);
  dup2(log, 2);
  execl(options.binary.c_str(), options.binary.c_str(), "up", "--data-dir", options.data_dir.c_str(),
        "--listen-client-urls", absl::StrCat("http://", options.client_address).c_str(), "--listen-http",
        options.http_address.c_str(), nullptr);
  _exit(127);
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

// All keys of the rounds and their revisions, once the server answers.
bool ReadAll(const Options& options, std::map<std::string, int64_t>* stored) {
  const auto stub = Connect(options);
  const auto give_up = Clock::now() + std::chrono::seconds(kStartSecondsMax);
  while (Clock::now() < give_up) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
    context.set_wait_for_ready(true);
    etcdserverpb::RangeRequest request;
    request.set_key(kPrefix);
    request.set_range_end(kPrefixEnd);
    etcdserverpb::RangeResponse response;
    if (!stub->Range(&context, request, &response).ok()) continue;
    for (const auto& kv : response.kvs()) (*stored)[kv.key()] = kv.mod_revision();
    return true;
  }
  return false;
}

void Write(const Options& options, int round, int writer, const std::atomic<bool>* stop, Ledger* ledger) {
  const auto stub = Connect(options);
  for (int sequence = 0; !*stop; ++sequence) {
    const std::string key = absl::StrCat(kPrefix, round, "-", writer, "-", sequence);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
    etcdserverpb::PutRequest request;
    request.set_key(key);
    request.set_value(absl::StrCat(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")", round, "-", writer,
                                   "-", sequence, R"(","namespace":"rounds"}})"));
    etcdserverpb::PutResponse response;
    if (stub->Put(&context, request, &response).ok()) ledger->Add(key, response.header().revision());
  }
}

void WriteUntilKilled(const Options& options, int round, pid_t server, std::chrono::milliseconds span, Ledger* ledger) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] { Write(options, round, i, &stop, ledger); });
  }
  std::this_thread::sleep_for(span);  // the load itself: a kill at a random moment
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  stop = true;
  for (auto& writer : writers) writer.join();
}

// The number of acknowledged writes that are missing or stand at another revision.
int Lost(const std::map<std::string, int64_t>& acknowledged, const std::map<std::string, int64_t>& stored) {
  int lost = 0;
  std::map<int64_t, std::string> owners;
  for (const auto& [key, revision] : acknowledged) {
    const auto found = stored.find(key);
    if (found != stored.end() && found->second == revision && owners.emplace(revision, key).second) continue;
    if (++lost <= 5) std::printf("LOST %s, acknowledged at revision %ld\n", key.c_str(), static_cast<long>(revision));
  }
  return lost;
}

int Run(const Options& options) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  Ledger ledger;
  for (int round = 1; round <= options.rounds + 1; ++round) {  // the last one only looks
    const pid_t server = StartServer(options);
    std::map<std::string, int64_t> stored;
    const bool started = ReadAll(options, &stored);
    const auto acknowledged = ledger.Copy();
    const int lost = started ? Lost(acknowledged, stored) : 0;
    if (!started || lost > 0) {
      std::printf("FAILED round %d: %s, %d lost of %zu\n", round, started ? "started" : "did not start", lost,
                  acknowledged.size());
      kill(server, SIGKILL);
      waitpid(server, nullptr, 0);
      return 1;
    }
    if (round % 10 == 0) std::printf("round %d: %zu acknowledged, 0 lost\n", round, acknowledged.size());
    std::fflush(stdout);
    if (round > options.rounds) {
      kill(server, SIGKILL);
      waitpid(server, nullptr, 0);
      break;
    }
    const std::chrono::milliseconds span(std::uniform_int_distribution(kRoundMillisMin, kRoundMillisMax)(random));
    WriteUntilKilled(options, round, server, span, &ledger);
  }
  std::printf("%d rounds of kill -9: %zu acknowledged writes, 0 lost\n", options.rounds, ledger.Copy().size());
  return 0;
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: kill_rounds BINARY ROUNDS DATA_DIR CLIENT_PORT HTTP_PORT\n");
    return 2;
  }
  return tidemark::Run({.binary = argv[1],
                        .rounds = std::atoi(argv[2]),
                        .data_dir = argv[3],
                        .client_address = absl::StrCat("127.0.0.1:", argv[4]),
                        .http_address = absl::StrCat("127.0.0.1:", argv[5])});
}
