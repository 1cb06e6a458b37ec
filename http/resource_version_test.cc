#include "http/resource_version.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidemark::http {
namespace {

TEST(ResourceVersionTest, ParsesAsTheVersioner) {
  EXPECT_EQ(*ParseResourceVersion(""), 0u);
  EXPECT_EQ(*ParseResourceVersion("080"), 80u);
  EXPECT_EQ(*ParseResourceVersion("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseResourceVersion("abc").status().message(),
            "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax");
  EXPECT_EQ(ParseResourceVersion("18446744073709551616").status().message(),
            "resourceVersion: Invalid value: \"18446744073709551616\": strconv.ParseUint: parsing "
            "\"18446744073709551616\": value "
            "out of range");
}

TEST(ResourceVersionTest, BeyondTheStoresRangeStaysInTheFuture) {
  EXPECT_EQ(RevisionOfVersion(80), Revision(80));
  EXPECT_EQ(RevisionOfVersion(std::numeric_limits<uint64_t>::max()), Revision(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(PrintResourceVersion(Revision(84)), "84");
}

}  // namespace
}  // namespace tidemark::http
