#include "http/read_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "config/options.h"
#include "http/api_fixture.h"
#include "http/continue_token.h"

namespace tidemark::http {
namespace {

using cache::Freshness;

// Cut by kube-apiserver at 84 behind blue/cm-1 in namespace blue.
const std::string kToken = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ODQsInN0YXJ0IjoiL2NtLTFcdTAwMDAifQ";
const std::string kTokenAt80 = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ODAsInN0YXJ0IjoiL2NtLTFcdTAwMDAifQ";
const std::string kBlue = "/api/v1/namespaces/blue/configmaps";

std::string Latest(const std::string& start) {
  return EncodeContinueToken({.revision = -1, .start_key = start}, false);
}

class ReadHandlerTest : public ApiFixture {
 protected:
  std::string Continue(const std::string& token, int remaining) {
    return absl::StrCat(R"(,"continue":")", token, R"(","remainingItemCount":)", remaining);
  }
  const std::vector<std::string> now_ = {cm0_, cm1_, cm3_, cm9_};
  const std::vector<std::string> at_80_ = {cm0_, cm1_old_, cm2_, cm3_};
};

// kube-list-watch 1.4, row by row: what is asked of the cache, and the answer.
struct ListRow {
  std::string name;
  std::string query;
  Freshness freshness;
  int64_t revision;
  std::string answer;
};

TEST_F(ReadHandlerTest, EveryRowOfTheListTable) {
  const std::string page = List(84, {cm0_, cm1_}, Continue(kToken, 2));
  const std::string page_at_80 = List(80, {cm0_, cm1_old_}, Continue(kTokenAt80, 2));
  const std::vector<ListRow> rows = {
      {"L1", "", Freshness::kConsistent, 0, List(84, now_)},
      {"L1 empty version", "resourceVersion=", Freshness::kConsistent, 0, List(84, now_)},
      {"L2", "limit=2", Freshness::kConsistent, 0, page},
      {"L3", "resourceVersion=0", Freshness::kAny, 0, List(84, now_)},
      {"L3 limit ignored", "resourceVersion=0&limit=2", Freshness::kAny, 0, List(84, now_)},
      {"L4", "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2", Freshness::kAny, 0, List(84, now_)},
      {"L5", "resourceVersion=80", Freshness::kNotOlderThan, 80, List(84, now_)},
      {"L5 leading zero", "resourceVersion=080", Freshness::kNotOlderThan, 80, List(84, now_)},
      {"L6", "resourceVersion=80&resourceVersionMatch=NotOlderThan", Freshness::kNotOlderThan, 80, List(84, now_)},
      {"L7", "resourceVersion=80&resourceVersionMatch=NotOlderThan&limit=2", Freshness::kNotOlderThan, 80, page},
      {"L8", "resourceVersion=80&limit=2", Freshness::kExact, 80, page_at_80},
      {"L9", "resourceVersion=80&resourceVersionMatch=Exact", Freshness::kExact, 80, List(80, at_80_)},
      {"L9 limit", "resourceVersion=80&resourceVersionMatch=Exact&limit=2", Freshness::kExact, 80, page_at_80},
      {"L9 before all", "resourceVersion=1&resourceVersionMatch=Exact", Freshness::kExact, 1, List(1, {})},
      {"L10", "continue=" + kToken, Freshness::kExact, 84, List(84, {cm3_, cm9_})},
      {"L10 limit", "limit=2&continue=" + kToken, Freshness::kExact, 84, List(84, {cm3_, cm9_})},
      {"L10 at 80", "continue=" + kTokenAt80, Freshness::kExact, 80, List(80, {cm2_, cm3_})},
      {"L10 version 0 drops the limit", "limit=1&resourceVersion=0&continue=" + kToken, Freshness::kExact, 84,
       List(84, {cm3_, cm9_})},
      {"L11", "continue=" + Latest("cm-2"), Freshness::kConsistent, 0, List(84, {cm3_, cm9_})},
      {"L11 leading slash", "continue=" + Latest("/cm-2"), Freshness::kConsistent, 0, List(84, {cm3_, cm9_})},
      {"limit below zero", "limit=-1", Freshness::kConsistent, 0, List(84, now_)},
      {"page that ends with the list", "limit=4", Freshness::kConsistent, 0, List(84, now_)},
  };
  for (const ListRow& row : rows) {
    const auto exchange = Send(kBlue + "?" + row.query);
    ASSERT_TRUE(exchange->answered()) << row.name;
    EXPECT_EQ(exchange->status(), 200) << row.name;
    EXPECT_EQ(cache_.reads().back().freshness, row.freshness) << row.name;
    EXPECT_EQ(cache_.reads().back().revision, Revision(row.revision)) << row.name;
    EXPECT_EQ(exchange->Drain(), row.answer) << row.name;
  }
}

struct RefusedRow {
  std::string query;
  int code;
  std::string message;
};

TEST_F(ReadHandlerTest, RefusedLists) {
  const std::string syntax =
      "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing "
      "\"abc\": invalid syntax";
  const std::vector<RefusedRow> rows = {
      {"resourceVersion=80&continue=" + kToken, 400,
       "specifying resource version is not allowed when using continue"},  // L12
      {"resourceVersion=abc&continue=" + kToken, 400,
       "specifying resource version is not allowed when using continue"},        // L12
      {"resourceVersion=80&resourceVersionMatch=Exact&continue=" + kToken, 422,  // L13
       R"(ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is )"
       R"(forbidden when continue is provided)"},
      {"resourceVersion=abc", 400, absl::StrReplaceAll(syntax, {{"\"", "\\\""}})},
      {"resourceVersion=abc&resourceVersionMatch=Exact", 400, absl::StrReplaceAll(syntax, {{"\"", "\\\""}})},
      {"continue=rubbish", 400,
       "invalid continue token: continue key is not valid: invalid character '\xC2\xAE' looking for beginning of "
       "value"},
      {"fieldSelector=metadata.name%3Dcm-1&limit=1&continue=rubbish", 400,
       "invalid continue token: continue key is not valid: invalid character '\xC2\xAE' looking for beginning of "
       "value"},
      {"timeout=abc", 400, R"(invalid timeout specified in the request URL - time: invalid duration \"abc\")"},
  };
  for (const RefusedRow& row : rows) {
    const auto exchange = Send(kBlue + "?" + row.query);
    EXPECT_EQ(exchange->status(), row.code) << row.query;
    EXPECT_THAT(exchange->Drain(), testing::HasSubstr("\"message\":\"" + row.message + "\"")) << row.query;
  }
  EXPECT_TRUE(cache_.reads().empty());
}

TEST_F(ReadHandlerTest, FutureRevisionsAreTooLarge) {
  for (const std::string query : {"resourceVersion=9000000", "resourceVersion=9000000&limit=2",
                                  "resourceVersion=9000000&resourceVersionMatch=Exact"}) {
    const auto exchange = Send(kBlue + "?" + query);
    EXPECT_EQ(exchange->status(), 504) << query;
    EXPECT_EQ(exchange->Header("Retry-After"), "1");
    EXPECT_EQ(exchange->Drain(), R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                                 R"("message":"Timeout: Too large resource )"
                                 R"(version: 9000000, current: 84","reason":"Timeout",)"
                                 R"("details":{"causes":[{"reason":"ResourceVersionTooLarge",)"
                                 R"("message":"Too large resource version"}],"retryAfterSeconds":1},"code":504})"
                                 "\n");
  }
  EXPECT_THAT(Get(kBlue + "?resourceVersion=18446744073709551615"),
              testing::HasSubstr("Too large resource version: 18446744073709551615, current: 84"));
}

TEST_F(ReadHandlerTest, ExpiredListsAndTokens) {
  config_maps_->Compact(82);
  EXPECT_THAT(Get(kBlue + "?resourceVersion=80&resourceVersionMatch=Exact"),
              testing::HasSubstr("The resourceVersion for the provided list is too old."));
  const auto exchange = Send(kBlue + "?continue=" + kTokenAt80);
  EXPECT_EQ(exchange->status(), 410);
  const std::string fresh = Latest(std::string("cm-1\0", 5));
  EXPECT_THAT(exchange->Drain(), testing::HasSubstr(absl::StrCat(R"("metadata":{"continue":")", fresh, "\"}")));
  EXPECT_EQ(Get(kBlue + "?continue=" + fresh), List(84, {cm3_, cm9_}));
}

TEST_F(ReadHandlerTest, AllNamespacesPageAcrossThem) {
  const std::string first = Get("/api/v1/configmaps?limit=3");
  EXPECT_THAT(first, testing::HasSubstr(R"("remainingItemCount":3)"));
  const std::string token = EncodeContinueToken({.revision = 84, .start_key = std::string("blue/cm-3\0", 10)}, true);
  EXPECT_THAT(first, testing::HasSubstr("\"continue\":\"" + token + "\""));
  EXPECT_EQ(Get("/api/v1/configmaps?continue=" + token), List(84, {cm9_, gr0_, gr1_}));
  // A token says nothing of the namespace it was cut in.
  EXPECT_EQ(Get("/api/v1/namespaces/green/configmaps?continue=" + kToken), List(84, {gr0_, gr1_}));
}

TEST_F(ReadHandlerTest, CountsListsOnceAndTheirObjects) {
  metrics::ReadMetrics& reads = config_maps_->reads();
  reads = metrics::MirrorMetrics(&registry_, "", "configmaps").reads;
  for (int i = 0; i < 1500; ++i) config_maps_->Put(100, absl::StrFormat("many/x-%04d", i));
  Get(kBlue);
  EXPECT_EQ(reads.lists_by_range.Value(), 1);
  EXPECT_EQ(reads.list_objects_returned.Value(), 4);
  EXPECT_EQ(reads.list_objects_evaluated.Value(), 4);
  Get("/api/v1/namespaces/many/configmaps");
  EXPECT_EQ(reads.lists_by_range.Value(), 2);
  EXPECT_EQ(reads.list_objects_returned.Value(), 4 + 1500);
  // A long page is walked twice: its head says where it ends.
  Get("/api/v1/namespaces/many/configmaps?limit=1000");
  EXPECT_EQ(reads.lists_by_range.Value(), 3);
  EXPECT_EQ(reads.list_objects_returned.Value(), 4 + 1500 + 1000);
  EXPECT_EQ(reads.list_objects_evaluated.Value(), 4 + 1500 + 2 * 1000);
  Get(kBlue + "/cm-1");
  EXPECT_EQ(reads.lists_by_range.Value() + reads.lists_by_index.Value(), 3);
  EXPECT_EQ(reads.init_events.Value(), 0);
}

TEST_F(ReadHandlerTest, SelectorsLeaveOutTheCount) {
  const std::string page = Get(kBlue + "?limit=1&labelSelector=app%3Dweb");
  EXPECT_THAT(page, testing::HasSubstr("\"continue\""));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("remainingItemCount")));
  EXPECT_EQ(Get(kBlue + "?labelSelector=app%3Dnone"), List(84, {}));
  EXPECT_EQ(Get(kBlue + "?labelSelector=app+in+(db)&resourceVersion=80&resourceVersionMatch=Exact"), List(80, {}));
}

TEST_F(ReadHandlerTest, OneNameGoesOnBehindAToken) {
  const std::string one = kBlue + "?fieldSelector=metadata.name%3D";
  EXPECT_EQ(Get(one + "cm-3&continue=" + kToken), List(84, {cm3_}));
  EXPECT_EQ(Get(one + "cm-1&continue=" + kToken), List(84, {}));
  EXPECT_EQ(Get(one + "cm-2&limit=1&continue=" + kTokenAt80), List(80, {cm2_}));
  EXPECT_EQ(Get(one + "cm-0&continue=" + Latest("cm-2")), List(84, {}));
}

TEST_F(ReadHandlerTest, OneNameIsNeitherPagedNorExactByItsLimit) {
  EXPECT_EQ(Get(kBlue + "?fieldSelector=metadata.name%3Dcm-1"), List(84, {cm1_}));
  EXPECT_EQ(Get(kBlue + "?fieldSelector=metadata.name%3Dcm-1&resourceVersion=80&limit=1"), List(84, {cm1_}));
  EXPECT_EQ(cache_.reads().back().freshness, Freshness::kNotOlderThan);
  EXPECT_EQ(Get(kBlue + "?fieldSelector=metadata.name%3Dcm-2&resourceVersion=80&resourceVersionMatch=Exact"),
            List(80, {cm2_}));
  EXPECT_EQ(Get(kBlue + "?fieldSelector=metadata.name%3Dnone"), List(84, {}));
  EXPECT_EQ(cache_.reads().back().scope.name, "none");
  EXPECT_EQ(Get("/api/v1/configmaps?fieldSelector=metadata.name%3Dgr-1"), List(84, {gr1_}));
}

TEST_F(ReadHandlerTest, CustomResourcesKeepTheirKindInLists) {
  widgets_->Put(90, "d/w1");
  widgets_->Put(91, "d/w2");
  const std::string item = R"({"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w)";
  EXPECT_EQ(
      Get("/apis/shop.example.com/v1/namespaces/d/widgets"),
      absl::StrCat(R"({"apiVersion":"shop.example.com/v1","items":[)", item,
                   R"(1","namespace":"d","resourceVersion":"90"}},)", item,
                   R"(2","namespace":"d","resourceVersion":"91"}}],"kind":"WidgetList","metadata":{"continue":"",)"
                   R"("resourceVersion":"91"}})",
                   "\n"));
}

TEST_F(ReadHandlerTest, SmallListsHaveALengthAndSayHowTheyWereServed) {
  const auto exchange = Send(kBlue);
  EXPECT_EQ(exchange->Header("X-Tidemark-Served"), "scan; mirror");
  const auto length = exchange->length();
  EXPECT_EQ(exchange->Drain().size(), length);
}

TEST_F(ReadHandlerTest, LongListsAndLongPagesAreStreamed) {
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = absl::StrFormat("pod-%05d", i);
    pods_->Put(100, "long/" + name);
    expected.push_back(Item("long", name, 100));
  }
  const auto all = Send("/api/v1/namespaces/long/pods");
  EXPECT_FALSE(all->length().has_value());
  EXPECT_THAT(all->Drain(1000), testing::HasSubstr("\"items\":[" + absl::StrJoin(expected, ",") + "]}\n"));
  EXPECT_TRUE(all->ended());

  const auto page = Send("/api/v1/namespaces/long/pods?limit=2000");
  const std::string body = page->Drain(1000);
  EXPECT_THAT(body, testing::HasSubstr("\"remainingItemCount\":1000}"));
  expected.resize(2000);
  EXPECT_THAT(body, testing::HasSubstr("\"items\":[" + absl::StrJoin(expected, ",") + "]}\n"));
}

// A list of few but large objects is made as it is taken, as one of many.
TEST_F(ReadHandlerTest, AListOfAMebibyteHasNoLength) {
  constexpr int kObjectBytes = 100'000;
  const std::string large(kObjectBytes, 'x');
  std::vector<std::string> expected;
  for (int i = 1; i <= 12; ++i) {
    const std::string name = absl::StrFormat("pod-%02d", i);
    pods_->Put(100, "large/" + name, {{"app", large}});
    expected.push_back(Item("large", name, 100, large));
    const auto list = Send("/api/v1/namespaces/large/pods");
    EXPECT_EQ(list->length().has_value(), i * (kObjectBytes + 1000) <= 1 << 20) << i;
    const std::string body = list->Drain(30'000);
    EXPECT_EQ(list->length().value_or(body.size()), body.size()) << i;
    EXPECT_THAT(body, testing::EndsWith("\"items\":[" + absl::StrJoin(expected, ",") + "]}\n")) << i;
    EXPECT_TRUE(list->ended() && !list->aborted()) << i;
  }
}

TEST_F(ReadHandlerTest, AListThatIsAMultipleOfTheBatchEndsWithoutAComma) {
  for (int i = 0; i < 1024; ++i) pods_->Put(100, absl::StrFormat("long/pod-%05d", i));
  EXPECT_THAT(Send("/api/v1/pods")->Drain(1 << 20), testing::EndsWith("}}]}\n"));
}

TEST_F(ReadHandlerTest, UnreadableObjectsAreNamedBeforeTheAnswerBegins) {
  for (int i = 0; i < 2000; ++i) pods_->Put(100, absl::StrFormat("long/pod-%05d", i));
  pods_->PutUnreadable(101, "long/zz");
  const auto list = Send("/api/v1/pods");
  EXPECT_EQ(list->status(), 500);
  EXPECT_THAT(list->Drain(), testing::HasSubstr("long/zz"));
  EXPECT_EQ(Send("/api/v1/namespaces/other/pods")->status(), 200);

  const auto get = Send("/api/v1/namespaces/long/pods/zz");
  EXPECT_EQ(get->status(), 500);
  EXPECT_EQ(get->Drain(),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the stored value of )"
            R"body(\"/registry/pods/long/zz\" cannot be read: it is encrypted at rest (aescbc)","code":500})body"
            "\n");
}

TEST_F(ReadHandlerTest, PeopleGetIndentedJson) {
  const auto exchange = Send("/api/v1/namespaces/absent/configmaps", {{"user-agent", "curl/7.88.1"}});
  EXPECT_FALSE(exchange->length().has_value());
  EXPECT_EQ(exchange->Drain(), R"({
  "kind": "ConfigMapList",
  "apiVersion": "v1",
  "metadata": {
    "resourceVersion": "84"
  },
  "items": []
})");
}

// kube-list-watch 1.5. By choice, a GET without a version is consistent from memory.
TEST_F(ReadHandlerTest, EveryRowOfTheGetTable) {
  struct GetRow {
    std::string query;
    Freshness freshness;
    int64_t revision;
  };
  const std::string object = Object(cm1_) + "\n";
  for (const GetRow& row :
       {GetRow{"", Freshness::kConsistent, 0}, GetRow{"?resourceVersion=", Freshness::kConsistent, 0},
        GetRow{"?resourceVersion=0", Freshness::kAny, 0}, GetRow{"?resourceVersion=80", Freshness::kNotOlderThan, 80},
        GetRow{"?resourceVersion=80&resourceVersionMatch=Exact", Freshness::kNotOlderThan, 80},
        GetRow{"?resourceVersionMatch=Sideways", Freshness::kConsistent, 0},
        GetRow{"?limit=abc", Freshness::kConsistent, 0}, GetRow{"?labelSelector=%3D%3D", Freshness::kConsistent, 0},
        GetRow{"?continue=x", Freshness::kConsistent, 0}, GetRow{"?watch=true", Freshness::kConsistent, 0}}) {
    const auto exchange = Send(kBlue + "/cm-1" + row.query);
    EXPECT_EQ(exchange->status(), 200) << row.query;
    EXPECT_EQ(exchange->Drain(), object) << row.query;
    EXPECT_EQ(cache_.reads().back().freshness, row.freshness) << row.query;
    EXPECT_EQ(cache_.reads().back().revision, Revision(row.revision)) << row.query;
  }
}

TEST_F(ReadHandlerTest, RefusedGets) {
  EXPECT_EQ(Get(kBlue + "/none"), R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                                  R"("message":"configmaps \"none\" not found",)"
                                  R"("reason":"NotFound","details":{"name":"none","kind":"configmaps"},"code":404})"
                                  "\n");
  EXPECT_EQ(Get(kBlue + "/cm-1?resourceVersion=abc"),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"resourceVersion: Invalid value: )"
            R"(\"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax","code":500})"
            "\n");
  EXPECT_EQ(Send(kBlue + "/cm-1?resourceVersion=9000000")->status(), 504);
  EXPECT_THAT(Get(kBlue + "/.."), testing::HasSubstr(R"("message":"Name parameter invalid: \"..\": may not be )"
                                                     R"('..'")"));
  EXPECT_THAT(Get(kBlue + "/."), testing::HasSubstr(R"("message":"Name parameter invalid: \".\": may not be )"
                                                    R"('.'")"));
}

TEST_F(ReadHandlerTest, ClusterScopedAndStatus) {
  nodes_->Put(85, "node-7");
  EXPECT_EQ(Get("/api/v1/nodes/node-7"),
            R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"node-7","resourceVersion":"85"}})"
            "\n");
  pods_->Put(86, "d/p");
  EXPECT_EQ(Get("/api/v1/namespaces/d/pods/p/status"), Get("/api/v1/namespaces/d/pods/p"));
}

TEST_F(ReadHandlerTest, AReadThatWaitsGoesOnLaterWithTheLimitOrTheClientsOwn) {
  cache_.HoldReads();
  const auto exchange = Send(kBlue + "?timeout=1s");
  EXPECT_FALSE(exchange->answered());
  EXPECT_EQ(cache_.reads().back().deadline, clock_.Now() + absl::Seconds(1));
  for (const std::string query : {"", "?timeout=32s", "?timeout=0", "?timeout=-3s"}) {
    Send(kBlue + query);
    EXPECT_EQ(cache_.reads().back().deadline, clock_.Now() + config::kReadWaitMax) << query;
  }
  cache_.ReleaseReads();
  executor_.RunUntilIdle();
  EXPECT_EQ(exchange->Drain(), List(84, now_));
}

TEST_F(ReadHandlerTest, NotReadyAndUnreachable) {
  config_maps_->set_ready(false);
  const auto exchange = Send(kBlue);
  EXPECT_EQ(exchange->status(), 429);
  EXPECT_EQ(exchange->Header("Retry-After"), "1");
  config_maps_->set_ready(true);
  cache_.FailReads(MakeError(ErrorKind::kStoreUnavailable, "no endpoint"));
  EXPECT_THAT(Get(kBlue), testing::HasSubstr("The list operation against configmaps could not be completed"));
  EXPECT_THAT(Get(kBlue + "/cm-1"), testing::HasSubstr("The get operation against configmaps could not be completed"));
}

}  // namespace
}  // namespace tidemark::http
