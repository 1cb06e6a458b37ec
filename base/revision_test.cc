#include "base/revision.h"

#include <sstream>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(RevisionTest, DefaultIsNone) {
  EXPECT_TRUE(Revision().is_none());
  EXPECT_FALSE(Revision(1).is_none());
}

TEST(RevisionTest, OrdersByValue) {
  EXPECT_LT(Revision(2), Revision(10));
  EXPECT_EQ(Revision(3).Next(), Revision(4));
  EXPECT_EQ(Revision(3).Previous(), Revision(2));
}

TEST(RevisionTest, PrintsItsValue) {
  std::ostringstream out;
  out << Revision(9007199254740993);
  EXPECT_EQ(out.str(), "9007199254740993");
}

}  // namespace
}  // namespace tidemark
