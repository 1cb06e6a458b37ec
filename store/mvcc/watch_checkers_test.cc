// The checkers themselves: a good observation passes, and each kind of fault is caught by the checker of its name.
#include "store/mvcc/watch_checkers.h"

#include <functional>

#include "gtest/gtest.h"

namespace tidemark::mvcc {
namespace {

ModelStore History() {
  ModelStore model;
  const auto put = [&](const char* key, const char* value) {
    etcdserverpb::PutRequest request;
    request.set_key(key);
    request.set_value(value);
    model.Put(request);
  };
  put("/a", "1");                         // 2
  put("/b", "1");                         // 3
  put("/a", "2");                         // 4
  etcdserverpb::DeleteRangeRequest both;  // 5
  both.set_key("/a");
  both.set_range_end("/c");
  model.DeleteRange(both);
  return model;
}

void AddEvent(etcdserverpb::WatchResponse* response, int64_t revision, const char* key, const char* value,
              int64_t created) {
  auto* event = response->add_events();
  event->set_type(*value == '\0' ? mvccpb::Event::DELETE : mvccpb::Event::PUT);
  event->mutable_kv()->set_key(key);
  event->mutable_kv()->set_value(value);
  event->mutable_kv()->set_mod_revision(revision);
  event->mutable_kv()->set_create_revision(created);
}

// All of /a to /c from revision 2 on, and a progress notification at the end.
WatchObservation GoodWatch() {
  WatchObservation watch;
  watch.request.set_key("/a");
  watch.request.set_range_end("/c");
  watch.request.set_start_revision(2);
  watch.responses.resize(3);
  AddEvent(&watch.responses[0], 2, "/a", "1", 2);
  AddEvent(&watch.responses[0], 3, "/b", "1", 3);
  AddEvent(&watch.responses[0], 4, "/a", "2", 2);
  AddEvent(&watch.responses[1], 5, "/a", "", 0);
  AddEvent(&watch.responses[1], 5, "/b", "", 0);
  watch.responses[2].mutable_header()->set_revision(5);
  return watch;
}

TEST(WatchCheckersTest, GoodWatchPasses) { EXPECT_EQ(CheckWatch(GoodWatch(), History(), 5), ""); }

TEST(WatchCheckersTest, EachFaultIsCaughtByItsName) {
  using Responses = std::vector<etcdserverpb::WatchResponse>;
  struct Row {
    const char* complaint;
    std::function<void(WatchObservation*, Responses&)> fault;
  };
  const Row rows[] = {
      {"filter", [](auto* watch, auto&) { watch->request.add_filters(etcdserverpb::WatchCreateRequest::NODELETE); }},
      {"ordered", [](auto*, auto& responses) { responses[0].mutable_events()->SwapElements(0, 1); }},
      {"unique", [](auto*, auto& responses) { *responses[1].add_events() = responses[1].events(1); }},
      {"atomic",
       [](auto*, auto& responses) {
         responses.insert(responses.begin() + 2, responses[1]);
         responses[1].mutable_events()->RemoveLast();
         responses[2].mutable_events()->DeleteSubrange(0, 1);
       }},
      {"bookmarkable", [](auto*, auto& responses) { std::swap(responses[1], responses[2]); }},
      {"resumable", [](auto*, auto& responses) { responses[0].mutable_events()->DeleteSubrange(0, 1); }},
      {"is create",
       [](auto*, auto& responses) { responses[0].mutable_events(2)->mutable_kv()->set_create_revision(4); }},
      {"reliable", [](auto*, auto& responses) { responses.erase(responses.begin() + 1); }},
      {"reliable", [](auto*, auto& responses) { responses[0].mutable_events()->DeleteSubrange(1, 1); }},
      {"prev kv", [](auto* watch, auto&) { watch->request.set_prev_kv(true); }},
      {"prev kv", [](auto*, auto& responses) { responses[0].mutable_events(1)->mutable_prev_kv()->set_key("/b"); }},
  };
  for (const Row& row : rows) {
    WatchObservation watch = GoodWatch();
    row.fault(&watch, watch.responses);
    const std::string complaint = CheckWatch(watch, History(), 5);
    EXPECT_EQ(complaint.substr(0, complaint.find(':')), row.complaint) << complaint;
  }
}

}  // namespace
}  // namespace tidemark::mvcc
