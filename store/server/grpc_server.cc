#include "store/server/grpc_server.h"

#include <grpcpp/alarm.h>

#include <chrono>
#include <climits>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/executor.h"
#include "base/status.h"
#include "store/server/grpc_calls.h"

namespace tidemark::store {
namespace {

// Streams of a method that are prepared in advance: watches begin rarely, compared with calls.
constexpr int kArmedStreams = 8;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf())) return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
  return bytes.str();
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> TlsCredentials(const GrpcServerOptions& options) {
  grpc::SslServerCredentialsOptions ssl(options.client_cert_auth
                                            ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                            : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  TM_ASSIGN_OR_RETURN(std::string key, ReadFile(options.tls.key_file));
  TM_ASSIGN_OR_RETURN(std::string cert, ReadFile(options.tls.cert_file));
  ssl.pem_key_cert_pairs.push_back({std::move(key), std::move(cert)});
  if (!options.tls.ca_file.empty()) {
    TM_ASSIGN_OR_RETURN(ssl.pem_root_certs, ReadFile(options.tls.ca_file));
  }
  return grpc::SslServerCredentials(ssl);
}

int Milliseconds(absl::Duration duration) { return static_cast<int>(absl::ToInt64Milliseconds(duration)); }

void SetLimits(const GrpcServerOptions& options, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(static_cast<int>(options.request_bytes_max + kFrameBytes));
  builder->SetMaxSendMessageSize(INT_MAX);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, Milliseconds(kClientPingMin));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(kServerPingAfter));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(kServerPingTimeout));
  if (options.concurrent_streams_max > 0 && options.concurrent_streams_max < INT_MAX) {
    builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(options.concurrent_streams_max));
  }
  // Nothing here acts on a deadline: the client resets a call that it has given up.
  builder->AddChannelArgument(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 0);
  builder->AddChannelArgument(GRPC_ARG_ENABLE_CENSUS, 0);
  builder->AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  // A port that is taken is an error, not shared.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

// Tasks for the polling thread; one wake for all that gather meanwhile.
class PostedTasks : public Tag {
 public:
  using Task = absl::AnyInvocable<void()>;

  void Post(grpc::ServerCompletionQueue* queue, Task task) {
    MutexLock lock(&mu_);
    tasks_.push_back(std::move(task));
    if (std::exchange(awake_, true)) return;
    alarm_.Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Tag*>(this));
  }
  void Run(bool) override {
    std::vector<Task> tasks;
    {
      MutexLock lock(&mu_);
      tasks.swap(tasks_);
      awake_ = false;
    }
    for (Task& task : tasks) task();
  }
  // Until everything that is in the queue now has run.
  void WaitUntilPassed(grpc::ServerCompletionQueue* queue) {
    bool passed = false;  // guarded by mu_
    // The first task may come with an alarm that is ahead of something; the second one's is set when that has run.
    Post(queue, [this, queue, &passed] {
      Post(queue, [this, &passed] {
        MutexLock lock(&mu_);
        passed = true;
        changed_.SignalAll();
      });
    });
    MutexLock lock(&mu_);
    while (!passed) changed_.Wait(&mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool awake_ ABSL_GUARDED_BY(mu_) = false;  // the alarm is in the queue
  std::vector<Task> tasks_ ABSL_GUARDED_BY(mu_);
  grpc::Alarm alarm_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

struct GrpcServer::Parts {
  std::vector<std::unique_ptr<Method>> methods;
  OpenStreams streams;
  LiveCalls live;
  PostedTasks posted;
  std::unique_ptr<RawService> service = std::make_unique<RawService>();
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::Server> server;
  std::vector<config::Address> listening;
  std::thread poller;
  bool shut_down = false;

  void Poll() {
    SetThreadName("grpc-poll");
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) static_cast<Tag*>(tag)->Run(ok);
  }
};

GrpcServer::GrpcServer() : parts_(std::make_unique<Parts>()) {}

GrpcServer::~GrpcServer() {
  Shutdown();
  Join();
}

void GrpcServer::AddUnary(std::string path, int expected, UnaryHandler handler) {
  TM_CHECK(parts_->server == nullptr);
  auto method = std::make_unique<Method>();
  method->path = std::move(path);
  method->expected = expected;
  method->unary = std::move(handler);
  parts_->methods.push_back(std::move(method));
}

void GrpcServer::AddStream(std::string path, StreamHandler handler) {
  TM_CHECK(parts_->server == nullptr);
  auto method = std::make_unique<Method>();
  method->path = std::move(path);
  method->expected = kArmedStreams;
  method->stream = std::move(handler);
  parts_->methods.push_back(std::move(method));
}

absl::Status GrpcServer::Start(const GrpcServerOptions& options) {
  TM_CHECK(parts_->server == nullptr);
  grpc::ServerBuilder builder;
  SetLimits(options, &builder);
  std::vector<int> ports(options.listen.size(), 0);
  for (size_t i = 0; i < options.listen.size(); ++i) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (options.listen[i].tls()) {
      TM_ASSIGN_OR_RETURN(credentials, TlsCredentials(options));
    }
    builder.AddListeningPort(options.listen[i].HostPort(), credentials, &ports[i]);
  }
  for (const std::unique_ptr<Method>& method : parts_->methods) {
    const auto type = method->unary ? grpc::internal::RpcMethod::NORMAL_RPC : grpc::internal::RpcMethod::BIDI_STREAMING;
    method->index = parts_->service->Add(method->path.c_str(), type);
  }
  builder.RegisterService(parts_->service.get());
  parts_->queue = builder.AddCompletionQueue();
  parts_->server = builder.BuildAndStart();
  for (size_t i = 0; i < options.listen.size(); ++i) {
    if (parts_->server == nullptr || ports[i] == 0) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", options.listen[i].ToString()));
    }
    parts_->listening.push_back(options.listen[i]);
    parts_->listening.back().port = ports[i];
  }
  if (parts_->server == nullptr) return absl::UnavailableError("cannot start the gRPC server");
  for (const std::unique_ptr<Method>& method : parts_->methods) {
    method->service = parts_->service.get();
    method->queue = parts_->queue.get();
    method->streams = &parts_->streams;
    method->live = &parts_->live;
    for (int i = 0; i < method->expected; ++i) method->unary ? ArmUnary(method.get()) : ArmStream(method.get());
  }
  parts_->poller = std::thread([parts = parts_.get()] { parts->Poll(); });
  return absl::OkStatus();
}

const std::vector<config::Address>& GrpcServer::listening() const { return parts_->listening; }

std::shared_ptr<grpc::Channel> GrpcServer::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(INT_MAX);
  return parts_->server->InProcessChannel(arguments);
}

void GrpcServer::Post(absl::AnyInvocable<void()> task) { parts_->posted.Post(parts_->queue.get(), std::move(task)); }

void GrpcServer::WaitPosted() {
  if (parts_->poller.joinable()) parts_->posted.WaitUntilPassed(parts_->queue.get());
}

void GrpcServer::Shutdown() {
  if (parts_->server == nullptr || std::exchange(parts_->shut_down, true)) return;
  parts_->streams.EndAll(MakeError(ErrorKind::kStopped, "shutting down"));
  const absl::Time deadline = absl::Now() + kShutdownGrace;
  parts_->streams.WaitUntilNone(deadline);
  parts_->server->Shutdown(absl::ToChronoTime(deadline));
}

void GrpcServer::Join() {
  if (parts_->queue == nullptr) return;
  TM_CHECK(parts_->server == nullptr || parts_->shut_down);
  if (parts_->poller.joinable()) {
    // A call may have begun just before the shutdown: let it be answered, since nothing may enter a
    // queue that is shut down.
    parts_->posted.WaitUntilPassed(parts_->queue.get());
    parts_->live.WaitUntilNone();
  }
  parts_->queue->Shutdown();
  if (parts_->poller.joinable()) {
    parts_->poller.join();
  } else {
    void* tag = nullptr;
    bool ok = false;
    while (parts_->queue->Next(&tag, &ok)) static_cast<Tag*>(tag)->Run(ok);
  }
  parts_->queue.reset();
}

}  // namespace tidemark::store
