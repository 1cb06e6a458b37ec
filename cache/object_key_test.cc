#include "cache/object_key.h"

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

TEST(ObjectKeyTest, OneNameOrTwoAndNothingElse) {
  struct Row {
    const char* key;
    bool namespaced;  // whether a namespaced resource has such a key
    bool cluster;
  };
  const Row rows[] = {
      {"", false, false},
      {"/", false, false},
      {"//", false, false},
      {"web-1", false, true},
      {"web-1/", false, false},
      {"/web-1", false, false},
      {"default/web-1", true, false},
      {"default/web-1/", false, false},
      {"default//web-1", false, false},
      {"/default/web-1", false, false},
      {"default/web-1/status", false, false},
      {"a/b", true, false},
      {"system:odd:name", false, true},
      {"ns1/a.b", true, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(IsObjectKey(row.key, true), row.namespaced) << row.key;
    EXPECT_EQ(IsObjectKey(row.key, false), row.cluster) << row.key;
  }
}

}  // namespace
}  // namespace tidemark::cache
