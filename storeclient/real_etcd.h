// RealEtcd is an etcd process for tests, where the machine has one: $TIDEMARK_ETCD, etcd in $TIDEMARK_PEERS (by default
// ~/.cache/tidemark-peers), or /usr/bin/etcd.
//
// Ownership: the process and its directory go with the object.
#ifndef TIDEMARK_STORECLIENT_REAL_ETCD_H_
#define TIDEMARK_STORECLIENT_REAL_ETCD_H_

#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "proto/rpc.grpc.pb.h"
#include "storeclient/memory_store.h"

namespace tidemark::storeclient {

class RealEtcd {
 public:
  // Empty when there is none.
  static std::string FindBinary() {
    const auto from_environment = [](const char* name) -> std::string {
      const char* value = std::getenv(name);
      return value == nullptr ? "" : value;
    };
    const std::string peers = from_environment("TIDEMARK_PEERS");
    const std::string candidates[] = {
        from_environment("TIDEMARK_ETCD"),
        absl::StrCat(peers.empty() ? absl::StrCat(from_environment("HOME"), "/.cache/tidemark-peers") : peers, "/etcd"),
        "/usr/bin/etcd",
    };
    for (const std::string& candidate : candidates) {
      if (!candidate.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
  }

  explicit RealEtcd(const std::string& binary) : port_(FreePort()) {
    char directory[] = "/tmp/tidemark-etcd-XXXXXX";
    TM_CHECK(mkdtemp(directory) != nullptr);
    directory_ = directory;
    const std::string client = absl::StrCat("http://127.0.0.1:", port_),
                      peer = absl::StrCat("http://127.0.0.1:", FreePort());
    std::vector<std::string> words = {binary,
                                      "--data-dir",
                                      directory_ + "/data",
                                      "--listen-client-urls",
                                      client,
                                      "--advertise-client-urls",
                                      client,
                                      "--listen-peer-urls",
                                      peer,
                                      "--initial-advertise-peer-urls",
                                      peer,
                                      "--initial-cluster",
                                      "default=" + peer,
                                      "--unsafe-no-fsync"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log = directory_ + "/log";
    pid_ = fork();
    if (pid_ == 0) {
      // Ends with this process, however that ends.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int file = open(log.c_str(), O_WRONLY | O_CREAT, 0644);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
      execv(binary.c_str(), arguments.data());
      _exit(127);
    }
    TM_CHECK(pid_ > 0);
    channel_ = grpc::CreateChannel(absl::StrCat("127.0.0.1:", port_), grpc::InsecureChannelCredentials());
    kv_ = etcdserverpb::KV::NewStub(channel_);
    TM_CHECK(channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30))) << "see " << log;
    // The first write waits for a leader.
    while (!Try({{"/ready", "1"}}).ok()) absl::SleepFor(absl::Milliseconds(20));
  }
  ~RealEtcd() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(directory_);
  }

  int port() const { return port_; }
  pid_t pid() const { return pid_; }

  Revision Txn(const std::vector<MemoryStore::Write>& writes) {
    const grpc::Status status = Try(writes);
    TM_CHECK(status.ok()) << status.error_message();
    return Revision(txn_.header().revision());
  }
  void Compact(Revision revision) {
    grpc::ClientContext context;
    etcdserverpb::CompactionRequest request;
    request.set_revision(revision.value());
    request.set_physical(true);
    etcdserverpb::CompactionResponse response;
    const grpc::Status status = kv_->Compact(&context, request, &response);
    TM_CHECK(status.ok()) << status.error_message();
  }
  void DeleteAll(const std::string& prefix) {
    grpc::ClientContext context;
    etcdserverpb::DeleteRangeRequest request;
    request.set_key(prefix);
    request.set_range_end(PrefixEnd(prefix));
    etcdserverpb::DeleteRangeResponse response;
    TM_CHECK(kv_->DeleteRange(&context, request, &response).ok());
  }

 private:
  // One that nobody listened on a moment ago.
  static int FreePort() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    TM_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
    TM_CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    close(fd);
    return ntohs(address.sin_port);
  }

  grpc::Status Try(const std::vector<MemoryStore::Write>& writes) {
    grpc::ClientContext context;
    etcdserverpb::TxnRequest request;
    for (const MemoryStore::Write& write : writes) {
      if (write.value.has_value()) {
        auto* put = request.add_success()->mutable_request_put();
        put->set_key(write.key);
        put->set_value(*write.value);
      } else {
        request.add_success()->mutable_request_delete_range()->set_key(write.key);
      }
    }
    return kv_->Txn(&context, request, &txn_);
  }

  const int port_;
  std::string directory_;
  pid_t pid_ = 0;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<etcdserverpb::KV::Stub> kv_;
  etcdserverpb::TxnResponse txn_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_REAL_ETCD_H_
