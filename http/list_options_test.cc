#include "http/list_options.h"

#include <gtest/gtest.h>

#include <string>

#include "http/fake_exchange.h"

namespace tidemark::http {
namespace {

const config::Resource& ConfigMaps() {
  static const config::Resource resource{.version = "v1", .kind = "ConfigMap", .plural = "configmaps"};
  return resource;
}

// "" when accepted, else the code and the message.
std::string Verdict(const std::string& query, bool watch) {
  const FakeExchange exchange("/api/v1/configmaps?" + query);
  const auto options = DecodeListOptions(exchange.request(), ConfigMaps(), watch);
  return options.ok() ? "" : absl::StrCat(options.status().code, " ", options.status().message);
}

struct Row {
  std::string query;
  std::string errors;  // of a 422, without what stands before them
};

const std::string kInvalid = "422 ListOptions.meta.k8s.io \"\" is invalid: ";
const std::string kUnlessVersion =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
const std::string kWithContinue =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";
const std::string kExactZero =
    "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
const std::string kForList = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list";
const std::string kForWatch =
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
const std::string kNeedsMatch =
    "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
std::string Unsupported(const std::string& value, const std::string& supported) {
  return "resourceVersionMatch: Unsupported value: \"" + value + "\": supported values: " + supported;
}

TEST(ListOptionsTest, ListValidation) {
  const std::string supported = R"("Exact", "NotOlderThan", "")";
  const Row rows[] = {
      {"", ""},
      {"resourceVersionMatch=", ""},
      {"resourceVersion=80&resourceVersionMatch=Exact", ""},
      {"resourceVersion=0&resourceVersionMatch=NotOlderThan", ""},
      {"allowWatchBookmarks=true", ""},
      {"resourceVersionMatch=Exact", kUnlessVersion},
      {"resourceVersion=&resourceVersionMatch=NotOlderThan", kUnlessVersion},
      {"resourceVersionMatch=Sideways", "[" + kUnlessVersion + ", " + Unsupported("Sideways", supported) + "]"},
      {"resourceVersion=80&resourceVersionMatch=exact", Unsupported("exact", supported)},
      {"resourceVersion=0&resourceVersionMatch=Exact", kExactZero},
      {"continue=t&resourceVersion=80&resourceVersionMatch=Exact", kWithContinue},
      {"continue=t&resourceVersionMatch=Exact", "[" + kUnlessVersion + ", " + kWithContinue + "]"},
      {"continue=t&resourceVersion=0&resourceVersionMatch=Exact", "[" + kWithContinue + ", " + kExactZero + "]"},
      {"sendInitialEvents=true", kForList},
      {"sendInitialEvents=false", kForList},
      {"sendInitialEvents=true&resourceVersionMatch=Sideways&continue=x",
       "[" + kUnlessVersion + ", " + kWithContinue + ", " + Unsupported("Sideways", supported) + ", " + kForList + "]"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Verdict(row.query, false), row.errors.empty() ? "" : kInvalid + row.errors) << row.query;
}

TEST(ListOptionsTest, WatchValidation) {
  const std::string supported = R"("NotOlderThan")";
  const Row rows[] = {
      {"", ""},
      {"resourceVersion=0", ""},
      {"limit=1&resourceVersion=74&continue=x", ""},
      {"sendInitialEvents=true&resourceVersionMatch=NotOlderThan", ""},
      {"sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=74", ""},
      {"resourceVersionMatch=NotOlderThan", kForWatch},
      {"resourceVersionMatch=Exact", "[" + kForWatch + ", " + Unsupported("Exact", supported) + "]"},
      {"sendInitialEvents=true", kNeedsMatch},
      {"sendInitialEvents=false&resourceVersionMatch=", kNeedsMatch},
      {"sendInitialEvents=true&resourceVersionMatch=Exact",
       "[" + kNeedsMatch + ", " + Unsupported("Exact", supported) + "]"},
      {"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", kWithContinue},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Verdict(row.query, true), row.errors.empty() ? "" : kInvalid + row.errors) << row.query;
}

TEST(ListOptionsTest, NumbersBeforeLabelsBeforeFieldsBeforeCombinationsBeforeUnknownFields) {
  const std::string bad_number = "400 strconv.ParseInt: parsing \"abc\": invalid syntax";
  const std::string bad_label = "400 found ',', expected: !, identifier, or 'end of string'";
  const std::string bad_field = "400 invalid selector: 'x'; can't understand 'x'";
  const std::string unknown =
      "400 \"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
  EXPECT_EQ(Verdict("limit=abc&labelSelector=,&fieldSelector=x&resourceVersionMatch=Exact", false), bad_number);
  EXPECT_EQ(Verdict("timeoutSeconds=abc&labelSelector=,", true), bad_number);
  EXPECT_EQ(Verdict("labelSelector=,&fieldSelector=x&resourceVersionMatch=Exact", false), bad_label);
  EXPECT_EQ(Verdict("fieldSelector=x&resourceVersionMatch=Exact", false), bad_field);
  EXPECT_EQ(Verdict("fieldSelector=spec.x%3D1&resourceVersionMatch=Exact", false), kInvalid + kUnlessVersion);
  EXPECT_EQ(Verdict("fieldSelector=spec.x%3D1", false), unknown);
}

TEST(ListOptionsTest, Limit) {
  EXPECT_EQ(Verdict("limit=", false), "400 strconv.ParseInt: parsing \"\": invalid syntax");
  EXPECT_EQ(Verdict("limit=%2B5", false), "");
  EXPECT_EQ(Verdict("limit=+5", false), "400 strconv.ParseInt: parsing \" 5\": invalid syntax");
  EXPECT_EQ(Verdict("limit=9223372036854775808", false),
            "400 strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
}

TEST(ListOptionsTest, OfAParameterGivenTwiceTheFirstCounts) {
  const FakeExchange exchange("/x?limit=2&limit=1");
  auto options = DecodeListOptions(exchange.request(), ConfigMaps(), false);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->limit, 2);
}

TEST(ListOptionsTest, Flags) {
  const auto flag = [](const std::string& query) { return QueryFlag(FakeExchange("/x?" + query).request(), "watch"); };
  for (const std::string query : {"", "watch=false", "watch=FALSE", "watch=0", "Watch=true"})
    EXPECT_FALSE(flag(query)) << query;
  for (const std::string query : {"watch", "watch=", "watch=1", "watch=True", "watch=no"})
    EXPECT_TRUE(flag(query)) << query;
}

TEST(ListOptionsTest, AWatchFromNowhereBeginsWithTheState) {
  const auto initial = [](const std::string& query) {
    const FakeExchange exchange("/x?" + query);
    return DecodeListOptions(exchange.request(), ConfigMaps(), true)->send_initial_events;
  };
  EXPECT_EQ(initial(""), true);
  EXPECT_EQ(initial("resourceVersion=0"), true);
  EXPECT_EQ(initial("resourceVersion=7"), std::nullopt);
  EXPECT_EQ(initial("sendInitialEvents=false&resourceVersionMatch=NotOlderThan"), false);
}

}  // namespace
}  // namespace tidemark::http
