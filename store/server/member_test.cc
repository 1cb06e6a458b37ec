#include "store/server/member.h"

#include <grpcpp/grpcpp.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "proto/rpc.grpc.pb.h"
#include "store/kv/full_disk.h"

namespace tidemark::store {
namespace {

// ThreadSanitizer looks at each byte that crosses the library's channel, and tens of megabytes take it minutes: the test of
// RangeStream shrinks values and pieces alike, so that the pieces stay the same.
#ifdef __SANITIZE_THREAD__
constexpr int kShrink = 100;
#else
constexpr int kShrink = 1;
#endif

class MemberTest : public ::testing::Test {
 protected:
  MemberTest() : directory_((std::filesystem::temp_directory_path() / "tidemark-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(directory_.data()), nullptr);
    options_.name = "one";
    options_.data_dir = directory_ + "/data";
    options_.listen_client_urls = {{"http", "127.0.0.1", 0}};
    options_.advertise_client_urls = options_.listen_client_urls;
    options_.initial_advertise_peer_urls = {{"http", "127.0.0.1", 2380}};
    options_.quota_backend_bytes = int64_t{1} << 30;
    options_.max_txn_ops = 128;
    options_.max_request_bytes = 1536 << 10;
    options_.watch_progress_notify_interval = absl::Minutes(10);
  }
  ~MemberTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<Member> Start() {
    auto member = Member::Start(options_, {});
    EXPECT_TRUE(member.ok()) << member.status();
    return member.ok() ? *std::move(member) : nullptr;
  }

  static etcdserverpb::PutResponse Put(Member* member, const std::string& key, const std::string& value) {
    grpc::ClientContext context;
    etcdserverpb::PutRequest request;
    request.set_key(key);
    request.set_value(value);
    etcdserverpb::PutResponse response;
    const auto stub = etcdserverpb::KV::NewStub(member->InProcessChannel());
    const grpc::Status status = stub->Put(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  static etcdserverpb::RangeResponse Range(Member* member, const std::string& key, const std::string& range_end,
                                           int64_t limit = 0) {
    grpc::ClientContext context;
    etcdserverpb::RangeRequest request;
    request.set_key(key);
    request.set_range_end(range_end);
    request.set_limit(limit);
    etcdserverpb::RangeResponse response;
    const auto stub = etcdserverpb::KV::NewStub(member->InProcessChannel());
    const grpc::Status status = stub->Range(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  std::string directory_;
  config::StoreOptions options_;
};

TEST_F(MemberTest, StateIdentityAndRevisionSurviveRestartAndTheTermRises) {
  auto member = Start();
  const uint64_t cluster_id = member->cluster_id();
  const uint64_t member_id = member->member_id();
  EXPECT_NE(cluster_id, 0u);
  EXPECT_NE(member_id, 0u);
  uint64_t term = 0;
  for (int i = 0; i < 50; ++i) term = Put(member.get(), absl::StrCat("k", i), "v").header().raft_term();
  member->Stop();
  member.reset();
  for (int restart = 0; restart < 3; ++restart) {
    member = Start();
    EXPECT_EQ(member->cluster_id(), cluster_id);
    EXPECT_EQ(member->member_id(), member_id);
    const auto response = Range(member.get(), "k", "l");
    EXPECT_EQ(response.count(), 50);
    EXPECT_EQ(response.header().revision(), 51);
    EXPECT_EQ(response.header().cluster_id(), cluster_id);
    EXPECT_GT(response.header().raft_term(), term);
    term = response.header().raft_term();
    member.reset();
  }
}

TEST_F(MemberTest, FullDiskUnderTheStateIsIllHealthAndNothingRefusedComesTrueLater) {
  auto member = Start();
  Put(member.get(), "before", "1");
  ASSERT_GT(kv::FillDiskUnder(options_.data_dir + "/state/data.mdb"), 0);
  const auto try_put = [&](const std::string& key) {
    grpc::ClientContext context;
    etcdserverpb::PutRequest request;
    request.set_key(key);
    etcdserverpb::PutResponse response;
    return etcdserverpb::KV::NewStub(member->InProcessChannel())->Put(&context, request, &response).error_code();
  };
  // Until the next commit fails, the log's word is enough.
  grpc::StatusCode code = grpc::StatusCode::OK;
  while (code == grpc::StatusCode::OK) code = try_put("meanwhile");
  EXPECT_EQ(code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(KindOf(member->health()), ErrorKind::kStoreUnavailable) << member->health();
  EXPECT_EQ(try_put("refused"), grpc::StatusCode::UNAVAILABLE);
  member.reset();
  member = Start();
  EXPECT_TRUE(member->health().ok());
  EXPECT_EQ(Range(member.get(), "before", "").count(), 1);
  EXPECT_EQ(Range(member.get(), "meanwhile", "").count(), 1);
  EXPECT_EQ(Range(member.get(), "refused", "").count(), 0);
}

TEST_F(MemberTest, SecondMemberOnOneDirectoryIsRefused) {
  const auto first = Start();
  const absl::Status second = Member::Start(options_, {}).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable) << second;
}

TEST_F(MemberTest, TakenPortIsRefusedAndTheDirectoryGivenBack) {
  const auto first = Start();
  config::StoreOptions options = options_;
  options.data_dir = directory_ + "/other";
  options.listen_client_urls = first->listen_urls();
  EXPECT_EQ(Member::Start(options, {}).status().code(), absl::StatusCode::kUnavailable);
  options.listen_client_urls[0].port = 0;
  EXPECT_TRUE(Member::Start(options, {}).ok());
}

TEST_F(MemberTest, LogOfAnotherDirectoryIsRefused) {
  {
    auto member = Start();
    for (int i = 0; i < 10; ++i) Put(member.get(), "a", "1");
  }
  std::filesystem::remove_all(options_.data_dir + "/wal");
  const absl::Status status = Member::Start(options_, {}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << status;
}

TEST_F(MemberTest, MemberListShowsTheBoundPort) {
  const auto member = Start();
  grpc::ClientContext context;
  etcdserverpb::MemberListResponse response;
  const auto stub = etcdserverpb::Cluster::NewStub(member->InProcessChannel());
  ASSERT_TRUE(stub->MemberList(&context, {}, &response).ok());
  ASSERT_EQ(response.members_size(), 1);
  EXPECT_EQ(response.members(0).name(), "one");
  EXPECT_EQ(response.members(0).id(), member->member_id());
  EXPECT_EQ(response.members(0).clienturls(0), member->listen_urls()[0].ToString());
  EXPECT_EQ(response.members(0).peerurls(0), "http://127.0.0.1:2380");
  EXPECT_EQ(response.header().revision(), 0);
}

TEST_F(MemberTest, StatusAndHashes) {
  const auto member = Start();
  Put(member.get(), "a", "1");
  const auto stub = etcdserverpb::Maintenance::NewStub(member->InProcessChannel());
  {
    etcdserverpb::StatusResponse status;
    do {  // a write is answered before it counts as applied
      grpc::ClientContext context;
      ASSERT_TRUE(stub->Status(&context, {}, &status).ok());
    } while (status.raftappliedindex() == 0);
    EXPECT_EQ(status.version(), kApiVersion);
    EXPECT_EQ(status.leader(), member->member_id());
    EXPECT_EQ(status.header().revision(), 2);
    EXPECT_EQ(status.raftindex(), status.raftappliedindex());
    EXPECT_GT(status.dbsize(), 0);
    EXPECT_EQ(status.errors_size(), 0);
  }
  {
    grpc::ClientContext context;
    etcdserverpb::HashKVResponse hash;
    ASSERT_TRUE(stub->HashKV(&context, {}, &hash).ok());
    EXPECT_EQ(hash.hash_revision(), 2);
    EXPECT_EQ(hash.compact_revision(), -1);
  }
  {
    grpc::ClientContext context;
    etcdserverpb::HashResponse hash;
    EXPECT_TRUE(stub->Hash(&context, {}, &hash).ok());
  }
  {
    grpc::ClientContext context;
    etcdserverpb::DefragmentResponse response;
    EXPECT_EQ(stub->Defragment(&context, {}, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
  {
    const auto auth = etcdserverpb::Auth::NewStub(member->InProcessChannel());
    grpc::ClientContext context;
    etcdserverpb::AuthStatusResponse response;
    EXPECT_EQ(auth->AuthStatus(&context, {}, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
}

TEST_F(MemberTest, RangeStreamIsTheRangeInPieces) {
  options_.max_request_bytes /= kShrink;  // the aim of a piece
  const auto member = Start();
  for (int i = 0; i < 300; ++i) Put(member.get(), absl::StrCat("k", 1000 + i), std::string(20'000 / kShrink, 'v'));
  struct Row {
    const char* name;
    int64_t limit;
    bool keys_only;
    bool count_only;
  };
  const Row rows[] = {{"all", 0, false, false},
                      {"limited", 37, false, false},
                      {"limit beyond the end", 1000, false, false},
                      {"limit is all", 300, false, false},
                      {"keys only", 0, true, false},
                      {"count only", 0, false, true}};
  const auto stub = etcdserverpb::KV::NewStub(member->InProcessChannel());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    etcdserverpb::RangeRequest request;
    request.set_key("k");
    request.set_range_end("l");
    request.set_limit(row.limit);
    request.set_keys_only(row.keys_only);
    request.set_count_only(row.count_only);
    etcdserverpb::RangeResponse whole;
    {
      grpc::ClientContext context;
      ASSERT_TRUE(stub->Range(&context, request, &whole).ok());
    }
    grpc::ClientContext context;
    const auto stream = stub->RangeStream(&context, request);
    etcdserverpb::RangeResponse joined;
    etcdserverpb::RangeStreamResponse piece;
    std::vector<int> keys_of_pieces;
    while (stream->Read(&piece)) {
      keys_of_pieces.push_back(piece.range_response().kvs_size());
      joined.MergeFrom(piece.range_response());
    }
    const grpc::Status status = stream->Finish();
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(joined.SerializeAsString(), whole.SerializeAsString());
    if (row.limit == 0 && !row.keys_only && !row.count_only) {
      // 10 keys, then twice as many until a piece has half of the aim.
      EXPECT_EQ(keys_of_pieces, (std::vector<int>{10, 20, 40, 40, 40, 40, 40, 40, 30}));
    }
  }
}

TEST_F(MemberTest, RangeStreamRefusesWhatItCannotDo) {
  const auto member = Start();
  const auto stub = etcdserverpb::KV::NewStub(member->InProcessChannel());
  const auto refusal = [&](const etcdserverpb::RangeRequest& request) {
    grpc::ClientContext context;
    const auto stream = stub->RangeStream(&context, request);
    etcdserverpb::RangeStreamResponse piece;
    EXPECT_FALSE(stream->Read(&piece));
    const grpc::Status status = stream->Finish();
    return absl::StrCat(status.error_code(), " ", status.error_message());
  };
  etcdserverpb::RangeRequest request;
  EXPECT_EQ(refusal(request), "3 etcdserver: key is not provided");
  request.set_key("a");
  request.set_revision(99);
  EXPECT_EQ(refusal(request), "11 etcdserver: mvcc: required revision is a future revision");
  request.set_revision(0);
  request.set_sort_order(etcdserverpb::RangeRequest::DESCEND);
  EXPECT_EQ(refusal(request), "12 RangeStream does not support custom sort orders");
  request.clear_sort_order();
  request.set_min_mod_revision(1);
  EXPECT_EQ(refusal(request), "12 RangeStream does not support revision filters");
}

TEST_F(MemberTest, WatchSeesWritesAndEndsWithTheMember) {
  const auto member = Start();
  // Over its port: a channel inside the process forgets what was not read when its server goes.
  const auto channel =
      grpc::CreateChannel(member->listen_urls().front().HostPort(), grpc::InsecureChannelCredentials());
  const auto stub = etcdserverpb::Watch::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->Watch(&context);
  etcdserverpb::WatchRequest request;
  request.mutable_create_request()->set_key("a");
  ASSERT_TRUE(stream->Write(request));
  etcdserverpb::WatchResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.created());
  for (int i = 0; i < 100; ++i) Put(member.get(), "a", absl::StrCat(i));
  int64_t next = 2;
  while (next < 102 && stream->Read(&response)) {
    for (const auto& event : response.events()) EXPECT_EQ(event.kv().mod_revision(), next++);
  }
  EXPECT_EQ(next, 102);
  std::thread stopper([&] { member->Stop(); });
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_message(), "etcdserver: server stopped");
  stopper.join();
}

}  // namespace
}  // namespace tidemark::store
