#include "store/server/grpc_server.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/test_gate.h"
#include "gtest/gtest.h"
#include "proto/rpc.grpc.pb.h"

namespace tidemark::store {
namespace {

// Says back what it hears, and remembers that it was closed.
class EchoSession : public StreamSession {
 public:
  EchoSession(std::shared_ptr<StreamCall> call, std::atomic<int>* closed) : call_(std::move(call)), closed_(closed) {
    call_->Read();
  }
  void OnMessage(absl::string_view message) override {
    etcdserverpb::LeaseKeepAliveRequest request;
    ASSERT_TRUE(request.ParseFromArray(message.data(), static_cast<int>(message.size())));
    etcdserverpb::LeaseKeepAliveResponse response;
    response.set_id(request.id());
    call_->Write(response.SerializeAsString());
  }
  void OnHalfClosed() override { call_->Finish(absl::OkStatus()); }
  void OnWritten() override { call_->Read(); }
  void OnClosed() override { ++*closed_; }

 private:
  const std::shared_ptr<StreamCall> call_;
  std::atomic<int>* const closed_;
};

class GrpcServerTest : public ::testing::Test {
 protected:
  GrpcServerTest() {
    server_.AddUnary("/etcdserverpb.KV/Put", kManyCalls, [](absl::string_view request, Reply reply) {
      // The request's bytes stand in the answer as its previous value.
      etcdserverpb::PutResponse response;
      response.mutable_prev_kv()->set_value(std::string(request));
      reply.Send(response.SerializeAsString());
    });
    server_.AddUnary("/etcdserverpb.KV/Compact", kFewCalls,
                     [](absl::string_view, Reply reply) { reply.Fail(MakeError(ErrorKind::kCompacted, "compacted")); });
    server_.AddUnary("/etcdserverpb.KV/DeleteRange", kFewCalls, [this](absl::string_view, Reply reply) {
      MutexLock lock(&mu_);
      held_.push_back(std::move(reply));
      changed_.SignalAll();
    });
    server_.AddStream("/etcdserverpb.Lease/LeaseKeepAlive", [this](std::shared_ptr<StreamCall> call) {
      return std::make_shared<EchoSession>(std::move(call), &closed_);
    });
  }

  GrpcServerOptions Options() {
    GrpcServerOptions options;
    options.listen = {{"http", "127.0.0.1", 0}};
    options.request_bytes_max = 1 << 20;
    return options;
  }
  std::shared_ptr<grpc::Channel> Dial() {
    return grpc::CreateChannel(server_.listening()[0].HostPort(), grpc::InsecureChannelCredentials());
  }
  void WaitHeld(size_t count) {
    MutexLock lock(&mu_);
    while (held_.size() < count) changed_.Wait(&mu_);
  }
  std::vector<Reply> TakeHeld() {
    MutexLock lock(&mu_);
    return std::exchange(held_, {});
  }

  std::atomic<int> closed_{0};
  Mutex mu_;
  CondVar changed_;
  std::vector<Reply> held_ ABSL_GUARDED_BY(mu_);
  GrpcServer server_;
};

TEST_F(GrpcServerTest, UnaryCallsComeBackOverSocketsAndInProcess) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  EXPECT_GT(server_.listening()[0].port, 0);
  for (const auto& channel : {Dial(), server_.InProcessChannel()}) {
    const auto stub = etcdserverpb::KV::NewStub(channel);
    for (const size_t size : {size_t{0}, size_t{10}, size_t{5000}, size_t{1} << 20}) {
      grpc::ClientContext context;
      etcdserverpb::PutRequest request;
      request.set_value(std::string(size, 'v'));
      etcdserverpb::PutResponse response;
      const grpc::Status status = stub->Put(&context, request, &response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(response.prev_kv().value(), request.SerializeAsString());
    }
  }
}

TEST_F(GrpcServerTest, RefusalsCarryCodeAndText) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  const auto stub = etcdserverpb::KV::NewStub(Dial());
  {
    grpc::ClientContext context;
    etcdserverpb::CompactionResponse response;
    const grpc::Status status = stub->Compact(&context, {}, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
    EXPECT_EQ(status.error_message(), "etcdserver: mvcc: required revision has been compacted");
  }
  {
    grpc::ClientContext context;
    etcdserverpb::TxnResponse response;
    EXPECT_EQ(stub->Txn(&context, {}, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
  {
    grpc::ClientContext context;
    etcdserverpb::PutRequest request;
    request.set_value(std::string(2 << 20, 'v'));  // beyond the largest request and its frame
    etcdserverpb::PutResponse response;
    EXPECT_EQ(stub->Put(&context, request, &response).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
}

TEST_F(GrpcServerTest, StreamEchoesUntilTheClientIsDone) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  const auto stub = etcdserverpb::Lease::NewStub(Dial());
  grpc::ClientContext context;
  const auto stream = stub->LeaseKeepAlive(&context);
  for (int64_t id = 1; id <= 100; ++id) {
    etcdserverpb::LeaseKeepAliveRequest request;
    request.set_id(id);
    ASSERT_TRUE(stream->Write(request));
    etcdserverpb::LeaseKeepAliveResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.id(), id);
  }
  ASSERT_TRUE(stream->WritesDone());
  EXPECT_TRUE(stream->Finish().ok());
  server_.Shutdown();
  server_.Join();
  EXPECT_EQ(closed_, 1);
}

TEST_F(GrpcServerTest, ClientThatGoesAwayClosesItsSession) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  {
    const auto stub = etcdserverpb::Lease::NewStub(Dial());
    grpc::ClientContext context;
    const auto stream = stub->LeaseKeepAlive(&context);
    ASSERT_TRUE(stream->Write({}));
    etcdserverpb::LeaseKeepAliveResponse response;
    ASSERT_TRUE(stream->Read(&response));
    context.TryCancel();
    (void)stream->Finish();
  }
  while (closed_ == 0) std::this_thread::yield();
}

TEST_F(GrpcServerTest, ManyClientsAtOnceAreAllAnswered) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      const auto stub = etcdserverpb::KV::NewStub(Dial());
      for (int j = 0; j < 200; ++j) {
        grpc::ClientContext context;
        etcdserverpb::PutResponse response;
        if (stub->Put(&context, {}, &response).ok()) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 1600);
}

TEST_F(GrpcServerTest, ShutdownEndsStreamsAndWaitsForAnswersThatAreOwed) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  const auto channel = Dial();
  grpc::ClientContext stream_context;
  const auto lease = etcdserverpb::Lease::NewStub(channel);
  const auto stream = lease->LeaseKeepAlive(&stream_context);
  ASSERT_TRUE(stream->Write({}));
  etcdserverpb::LeaseKeepAliveResponse echoed;
  ASSERT_TRUE(stream->Read(&echoed));
  std::thread caller([&] {
    const auto stub = etcdserverpb::KV::NewStub(channel);
    grpc::ClientContext context;
    etcdserverpb::DeleteRangeResponse response;
    EXPECT_FALSE(stub->DeleteRange(&context, {}, &response).ok());
  });
  WaitHeld(1);
  std::thread stopper([&] { server_.Shutdown(); });
  const grpc::Status ended = stream->Finish();
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(ended.error_message(), "etcdserver: server stopped");
  stopper.join();  // after the grace: the unary call is cancelled, but still owed an answer
  TakeHeld();      // dropped replies answer
  server_.Join();
  caller.join();
}

TEST_F(GrpcServerTest, PostedTasksRunOnThePollingThreadInOrder) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  std::vector<int> order;
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    server_.Post([&order, &done, i] {
      order.push_back(i);
      ++done;
    });
  }
  while (done < 100) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

// Whoever waits knows of every task posted before, each time anew.
TEST_F(GrpcServerTest, WaitPostedWaitsForTheTasksBeforeIt) {
  server_.WaitPosted();  // nothing can have been posted before the start
  ASSERT_TRUE(server_.Start(Options()).ok());
  const auto stub = etcdserverpb::KV::NewStub(Dial());
  std::vector<std::thread> callers;
  for (size_t round = 1; round <= 3; ++round) {
    callers.emplace_back([&] {
      grpc::ClientContext context;
      etcdserverpb::DeleteRangeResponse response;
      EXPECT_FALSE(stub->DeleteRange(&context, {}, &response).ok());
    });
    WaitHeld(1);
    Gate gate;
    std::atomic<bool> answered{false};
    server_.Post([&] { gate.Wait(); });
    server_.Post([&] {
      TakeHeld();
      answered = true;
    });
    std::thread opener([&] { gate.Open(); });
    server_.WaitPosted();
    EXPECT_TRUE(answered) << round;
    opener.join();
  }
  for (std::thread& caller : callers) caller.join();
  server_.Shutdown();
  bool last = false;
  server_.Post([&] { last = true; });
  server_.WaitPosted();
  EXPECT_TRUE(last);
  server_.Join();
}

TEST_F(GrpcServerTest, TakenPortIsAnError) {
  ASSERT_TRUE(server_.Start(Options()).ok());
  GrpcServer second;
  GrpcServerOptions options = Options();
  options.listen = server_.listening();
  const absl::Status status = second.Start(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST_F(GrpcServerTest, MissingCertificateIsAnError) {
  GrpcServerOptions options = Options();
  options.listen[0].scheme = "https";
  options.tls.cert_file = options.tls.key_file = "/nonexistent.pem";
  EXPECT_EQ(server_.Start(options).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tidemark::store
