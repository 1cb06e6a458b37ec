#include "http/accept.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "http/fake_exchange.h"

namespace tidemark::http {
namespace {

const std::string kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
const std::string kAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

net::Request With(const std::string& accept, const std::string& target = "/x", const std::string& agent = "") {
  FakeExchange::Headers headers;
  if (!accept.empty()) headers.emplace_back("accept", accept);
  if (!agent.empty()) headers.emplace_back("user-agent", agent);
  return FakeExchange(target, headers).request();
}

enum class Verdict { kJson, kNoType, kNoForm };

Verdict Judge(const std::string& accept) {
  const std::optional<ApiStatus> refusal = RefuseUnlessJson(With(accept));
  if (!refusal.has_value()) return Verdict::kJson;
  EXPECT_EQ(refusal->code, 406);
  return refusal->details.has_value() ? Verdict::kNoType : Verdict::kNoForm;
}

TEST(AcceptTest, WhatClientsSend) {
  EXPECT_EQ(Judge(""), Verdict::kJson);
  EXPECT_EQ(Judge("application/json"), Verdict::kJson);
  EXPECT_EQ(Judge("application/json, */*"), Verdict::kJson);
  EXPECT_EQ(Judge("*/*"), Verdict::kJson);
  EXPECT_EQ(Judge("application/json, */*;q=0.8"), Verdict::kJson);
  EXPECT_EQ(Judge("application/vnd.kubernetes.protobuf,application/json"), Verdict::kJson);
  EXPECT_EQ(Judge(kTable + ",application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"), Verdict::kJson);
  EXPECT_EQ(Judge("application/json;pretty=1"), Verdict::kJson);
  EXPECT_EQ(Judge("text/html,application/xhtml+xml,*/*;q=0.8"), Verdict::kJson);
}

TEST(AcceptTest, WhatCannotBeGiven) {
  EXPECT_EQ(Judge("application/vnd.kubernetes.protobuf"), Verdict::kNoType);
  EXPECT_EQ(Judge("application/cbor"), Verdict::kNoType);
  EXPECT_EQ(Judge("application/*"), Verdict::kNoType);
  EXPECT_EQ(Judge("*"), Verdict::kNoType);
  EXPECT_EQ(Judge("APPLICATION/JSON"), Verdict::kNoType);
  EXPECT_EQ(Judge("text/html"), Verdict::kNoType);
  EXPECT_EQ(Judge("image/png, text/html"), Verdict::kNoType);
  EXPECT_EQ(Judge(";"), Verdict::kNoType);
  EXPECT_EQ(Judge(kTable), Verdict::kNoForm);
  EXPECT_EQ(Judge("application/json;as=Nonsense;v=v1;g=meta.k8s.io"), Verdict::kNoForm);
}

TEST(AcceptTest, AggregatedDiscovery) {
  EXPECT_TRUE(PrefersAggregatedDiscovery(With(kAggregated + ",application/json")));
  EXPECT_TRUE(PrefersAggregatedDiscovery(With(kAggregated + ";profile=nopeer,application/json")));
  EXPECT_TRUE(PrefersAggregatedDiscovery(
      With("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList," + kAggregated)));
  EXPECT_FALSE(PrefersAggregatedDiscovery(With("application/json")));
  EXPECT_FALSE(PrefersAggregatedDiscovery(With("application/json," + kAggregated)));
  EXPECT_FALSE(
      PrefersAggregatedDiscovery(With("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList")));
  EXPECT_FALSE(PrefersAggregatedDiscovery(With("")));
  EXPECT_FALSE(PrefersAggregatedDiscovery(With(kAggregated + ";q=0.1,application/json;q=0.2")));
}

TEST(AcceptTest, AQualityThatIsNoNumberCountsAsNone) {
  for (const std::string quality : {"nan", "-nan", "high", ""}) {
    EXPECT_TRUE(PrefersAggregatedDiscovery(With("application/json;q=0.5," + kAggregated + ";q=" + quality))) << quality;
  }
}

TEST(AcceptTest, Indent) {
  struct Row {
    std::string accept;
    std::string target;
    std::string agent;
    bool indent;
  };
  const Row rows[] = {
      {"", "/x?pretty=1", "", true},
      {"", "/x?pretty=true", "", true},
      {"", "/x?pretty=yes", "", false},
      {"", "/x?pretty=", "", false},
      {"", "/x?pretty=0", "curl/8.0", false},
      {"", "/x?pretty=false", "curl/8.0", false},
      {"", "/x", "curl/8.0", true},
      {"", "/x", "Wget/1.21", true},
      {"", "/x", "Mozilla/5.0 (X11)", true},
      {"", "/x", "kubectl/v1.36.3", false},
      {"application/json; pretty=1", "/x", "", true},
      {"application/json", "/x", "", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(WantsIndent(With(row.accept, row.target, row.agent)), row.indent)
        << row.accept << row.target << row.agent;
  }
}

TEST(AcceptTest, StatusIsIndentedWhereNoJsonWasAskedFor) {
  EXPECT_TRUE(WantsIndentedStatus(With("text/html")));
  EXPECT_TRUE(WantsIndentedStatus(With(kTable)));
  EXPECT_FALSE(WantsIndentedStatus(With(kTable + ",application/json")));
  EXPECT_FALSE(WantsIndentedStatus(With("application/*")));
  EXPECT_FALSE(WantsIndentedStatus(With("*")));
}

}  // namespace
}  // namespace tidemark::http
