// mute_proxy stands between a client and an etcd v3 store, and swallows every progress request: a store that never answers them.
// Everything else passes unchanged, as bytes.
//
//   mute_proxy 127.0.0.1:23000 127.0.0.1:2379
//
// Threads: gRPC's own, one per open call; for tests, not for load.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>

#include "proto/rpc.grpc.pb.h"

namespace {

using etcdserverpb::KV;
using etcdserverpb::Maintenance;
using etcdserverpb::Watch;

class MuteKv : public KV::Service {
 public:
  explicit MuteKv(const std::shared_ptr<grpc::Channel>& channel) : stub_(KV::NewStub(channel)) {}
  grpc::Status Range(grpc::ServerContext*, const etcdserverpb::RangeRequest* request,
                     etcdserverpb::RangeResponse* response) override {
    grpc::ClientContext context;
    return stub_->Range(&context, *request, response);
  }

 private:
  const std::unique_ptr<KV::Stub> stub_;
};

class MuteMaintenance : public Maintenance::Service {
 public:
  explicit MuteMaintenance(const std::shared_ptr<grpc::Channel>& channel) : stub_(Maintenance::NewStub(channel)) {}
  grpc::Status Status(grpc::ServerContext*, const etcdserverpb::StatusRequest* request,
                      etcdserverpb::StatusResponse* response) override {
    grpc::ClientContext context;
    return stub_->Status(&context, *request, response);
  }

 private:
  const std::unique_ptr<Maintenance::Stub> stub_;
};

class MuteWatch : public Watch::Service {
 public:
  explicit MuteWatch(const std::shared_ptr<grpc::Channel>& channel) : stub_(Watch::NewStub(channel)) {}

  grpc::Status Watch(
      grpc::ServerContext* call,
      grpc::ServerReaderWriter<etcdserverpb::WatchResponse, etcdserverpb::WatchRequest>* client) override {
    grpc::ClientContext context;
    const auto store = stub_->Watch(&context);
    std::thread requests([&] {
      etcdserverpb::WatchRequest request;
      while (client->Read(&request)) {
        if (!request.has_progress_request()) store->Write(request);
      }
      store->WritesDone();
    });
    etcdserverpb::WatchResponse response;
    while (store->Read(&response) && client->Write(response)) {
    }
    context.TryCancel();
    call->TryCancel();  // ends the Read of a client that still waits, when it was the store that went
    requests.join();
    return grpc::Status::OK;
  }

 private:
  const std::unique_ptr<Watch::Stub> stub_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: mute_proxy LISTEN_ADDRESS STORE_ADDRESS\n");
    return 2;
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  const auto channel = grpc::CreateCustomChannel(argv[2], grpc::InsecureChannelCredentials(), arguments);
  MuteKv kv(channel);
  MuteMaintenance maintenance(channel);
  MuteWatch watch(channel);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(argv[1], grpc::InsecureServerCredentials());
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&kv).RegisterService(&maintenance).RegisterService(&watch);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) {
    std::fprintf(stderr, "mute_proxy: cannot listen on %s\n", argv[1]);
    return 1;
  }
  int received = 0;
  sigwait(&ends, &received);
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  return 0;
}
