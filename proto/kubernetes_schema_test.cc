#include "proto/kubernetes_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/kubernetes_rows.h"

namespace tidemark::proto {
namespace {

TEST(KubernetesSchemaTest, FindsKinds) {
  EXPECT_NE(FindKind("v1", "Pod"), nullptr);
  EXPECT_NE(FindKind("apps/v1", "Deployment"), nullptr);
  EXPECT_EQ(FindKind("apps/v1", "Deploymen"), nullptr);
  EXPECT_EQ(FindKind("", ""), nullptr);
  EXPECT_EQ(FindKind("zzz/v1", "Zzz"), nullptr);
  for (size_t i = 0; i < kKindRowCount; ++i) {
    EXPECT_NE(FindKind(kKindRows[i].api_version, kKindRows[i].kind), nullptr) << kKindRows[i].kind;
  }
}

TEST(KubernetesSchemaTest, FieldsStandInTheOrderOfJson) {
  std::vector<std::string> names;
  for (const FieldRow& field : FindKind("v1", "Secret")->fields()) names.emplace_back(field.name());
  EXPECT_THAT(names, ::testing::ElementsAre("metadata", "immutable", "data", "stringData", "type"));
  EXPECT_EQ(FindKind("v1", "Secret")->fields()[0].key(), ",\"metadata\":");
}

TEST(KubernetesSchemaTest, KnowsWhatIsAlwaysWritten) {
  const MessageType& event = *FindKind("v1", "Event");
  std::vector<std::string> names;
  for (const uint8_t* at = event.always(); *at != MessageType::kPlaceEnd; ++at) {
    names.emplace_back(event.fields()[*at].name());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("metadata", "involvedObject", "source", "firstTimestamp", "lastTimestamp",
                                            "eventTime", "reportingComponent", "reportingInstance"));
}

TEST(KubernetesSchemaTest, EveryFieldIsFoundByItsNumber) {
  for (size_t i = 0; i < kKindRowCount; ++i) {
    const MessageType& type = kMessageTypes[kKindRows[i].message];
    size_t found = 0;
    for (uint32_t number = 0; number < type.number_end(); ++number) {
      const size_t index = type.IndexOf(number);
      if (index == 0) continue;
      ++found;
      EXPECT_EQ(type.fields()[index - 1].number, number) << kKindRows[i].kind;
    }
    EXPECT_EQ(found, type.fields().size()) << kKindRows[i].kind;
    EXPECT_EQ(type.IndexOf(type.number_end()), 0u);
    EXPECT_EQ(type.IndexOf(0xffffffff), 0u);
  }
}

}  // namespace
}  // namespace tidemark::proto
