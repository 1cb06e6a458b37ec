// Every form of an answer, through the API: what is asked for by Accept comes out under its content type.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/api_fixture.h"
#include "proto/envelope.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr absl::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr absl::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr absl::string_view kList = "/api/v1/namespaces/blue/configmaps";
constexpr absl::string_view kOne = "/api/v1/namespaces/blue/configmaps/cm-0";

class AnswerFormsTest : public ApiFixture {
 protected:
  std::shared_ptr<FakeExchange> Ask(absl::string_view target, absl::string_view accept) {
    return Send(std::string(target), {{"accept", std::string(accept)}});
  }
};

TEST_F(AnswerFormsTest, EveryRow) {
  const std::string partial_list = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  const std::string partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const struct {
    std::string target;
    std::string accept;
    int status;
    std::string content_type;
    std::string body;  // a part of it
  } kRows[] = {
      {std::string(kList), "", 200, "application/json", R"({"kind":"ConfigMapList","apiVersion":"v1")"},
      {std::string(kList), "application/yaml", 200, "application/yaml", "apiVersion: v1\nitems:\n- metadata:\n"},
      {std::string(kOne), "application/yaml", 200, "application/yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n"},
      {std::string(kList), std::string(kProtobuf), 200, std::string(kProtobuf), "ConfigMapList"},
      {std::string(kOne), std::string(kProtobuf), 200, std::string(kProtobuf), "ConfigMap"},
      {std::string(kList), std::string(kTable), 200, "application/json", R"("cells":["cm-0",0,)"},
      {std::string(kOne), std::string(kTable), 200, "application/json",
       R"({"kind":"Table","apiVersion":"meta.k8s.io/v1",)"},
      {absl::StrCat(kList, "?includeObject=None"), std::string(kTable), 200, "application/json", R"("object":null)"},
      {absl::StrCat(kList, "?includeObject=Object"), std::string(kTable), 200, "application/json",
       R"("object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cm-0")"},
      {absl::StrCat(kList, "?includeObject=Some"), std::string(kTable), 400, "application/json", "includeObject"},
      {std::string(kList), partial_list, 200, "application/json", R"({"kind":"PartialObjectMetadataList")"},
      {std::string(kOne), partial, 200, "application/json", R"({"kind":"PartialObjectMetadata")"},
      {std::string(kList), partial, 406, "application/json", "NotAcceptable"},
      {std::string(kOne), "application/cbor", 406, "application/json", "NotAcceptable"},
      {absl::StrCat(kOne, "9"), "application/yaml", 404, "application/yaml",
       "message: configmaps \"cm-09\" not found\n"},
      {absl::StrCat(kOne, "9"), std::string(kProtobuf), 404, std::string(kProtobuf), "configmaps \"cm-09\" not found"},
      {absl::StrCat(kList, "?watch=true&resourceVersion=75"), "application/yaml", 406, "application/yaml",
       "NotAcceptable"},
      {absl::StrCat(kOne, "?pretty=true"), "", 200, "application/json", "{\n  \"kind\": \"ConfigMap\",\n"},
  };
  for (const auto& row : kRows) {
    const auto exchange = Ask(row.target, row.accept);
    EXPECT_EQ(exchange->status(), row.status) << row.target << " as " << row.accept;
    EXPECT_EQ(exchange->head().content_type, row.content_type) << row.target << " as " << row.accept;
    EXPECT_THAT(exchange->Drain(), HasSubstr(row.body)) << row.target << " as " << row.accept;
  }
}

TEST_F(AnswerFormsTest, WatchInEachForm) {
  const std::string target = absl::StrCat(kList, "?watch=true&resourceVersion=82");
  EXPECT_THAT(Ask(target, "")->Drain(), StartsWith(R"({"type":"ADDED","object":{"kind":"ConfigMap")"));
  const auto protobuf = Ask(target, kProtobuf);
  EXPECT_EQ(protobuf->head().content_type, "application/vnd.kubernetes.protobuf;stream=watch");
  const std::string frame = protobuf->Drain();
  ASSERT_GT(frame.size(), 4u);
  EXPECT_EQ(static_cast<size_t>(static_cast<unsigned char>(frame[3])), frame.size() - 4);
  EXPECT_THAT(frame, HasSubstr("k8s"));
  const std::string table = Ask(absl::StrCat(kList, "?watch=true&resourceVersion=80"), kTable)->Drain();
  EXPECT_THAT(table, StartsWith(R"({"type":"MODIFIED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                                R"("metadata":{"resourceVersion":"81"},"columnDefinitions":[{)"));
  // Only the first event names the columns.
  EXPECT_THAT(table,
              HasSubstr(R"({"type":"DELETED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                        R"("metadata":{"resourceVersion":"82"},"columnDefinitions":null,"rows":[{"cells":["cm-2",)"));
  // No event is a list of metadata.
  const auto list = Ask(target, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  EXPECT_EQ(list->status(), 200);
  EXPECT_EQ(list->Drain(), "");
  EXPECT_TRUE(list->ended());
  // Nor is a bookmark.
  const auto bookmarked =
      Ask("/api/v1/namespaces/nowhere/configmaps?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
          "&resourceVersionMatch=NotOlderThan",
          "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  EXPECT_EQ(bookmarked->Drain(), "");
  EXPECT_TRUE(bookmarked->ended());
}

TEST_F(AnswerFormsTest, LargeListIsCompressedForThoseWhoAsk) {
  for (int i = 0; i < 3000; ++i) config_maps_->Put(100 + i, absl::StrCat("blue/many-", i));
  config_maps_->Progress(3200);
  const auto plain = Send(std::string(kList));
  const auto packed = Send(std::string(kList), {{"accept-encoding", "gzip"}});
  EXPECT_EQ(plain->Header("Content-Encoding"), "");
  EXPECT_EQ(packed->Header("Content-Encoding"), "gzip");
  EXPECT_GT(plain->Drain().size(), 10 * packed->Drain().size());
  EXPECT_EQ(Send(std::string(kOne), {{"accept-encoding", "gzip"}})->Header("Content-Encoding"), "");
}

TEST_F(AnswerFormsTest, ScaleIsMadeOfTheObject) {
  deployments_->Put(85, "blue/web");
  const auto scale = Send("/apis/apps/v1/namespaces/blue/deployments/web/scale?resourceVersion=85");
  EXPECT_EQ(scale->Drain(),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"blue",)"
            R"("resourceVersion":"85"},"spec":{},"status":{"replicas":0}})"
            "\n");
}

TEST_F(AnswerFormsTest, ScaleInOtherShapes) {
  deployments_->Put(85, "blue/web");
  const std::string target = "/apis/apps/v1/namespaces/blue/deployments/web/scale?resourceVersion=85";
  const std::string metadata = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"
                               R"({"name":"web","namespace":"blue","resourceVersion":"85"}})";
  const std::string table = Ask(target, kTable)->Drain();
  EXPECT_THAT(table, StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"85"},)"
                                R"("columnDefinitions":[{"name":"Name","type":"string","format":"","description":)"));
  EXPECT_THAT(table, HasSubstr(R"({"name":"Desired","type":"integer",)"));
  EXPECT_THAT(table, HasSubstr(absl::StrCat(R"("rows":[{"cells":["web",0,0,"\u003cunknown\u003e"],"object":)", metadata,
                                            "}]}\n")));
  EXPECT_EQ(Ask(target, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")->Drain(),
            absl::StrCat(metadata, "\n"));
}

}  // namespace
}  // namespace tidemark::http
