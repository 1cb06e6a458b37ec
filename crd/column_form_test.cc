#include "crd/column_form.h"

#include "gtest/gtest.h"

namespace tidemark::crd {
namespace {

TEST(ColumnFormTest, CellsAreWhatThePathsFind) {
  const auto form = MakeColumnForm({{.name = "Size", .type = "integer", .json_path = ".spec.size"},
                                    {.name = "Born", .type = "date", .json_path = ".metadata.creationTimestamp"}});
  ASSERT_EQ(form->columns().size(), 3u);
  EXPECT_EQ(form->columns()[0].name, "Name");
  EXPECT_EQ(form->columns()[1].name, "Size");
  EXPECT_EQ(form->columns()[1].type, "integer");
  std::string cells;
  const absl::Time now = absl::FromUnixSeconds(1000000000);
  ASSERT_TRUE(
      form->AppendCells(R"({"metadata":{"name":"a","creationTimestamp":"2001-09-09T01:41:40Z"},"spec":{"size":7}})",
                        now, &cells)
          .ok());
  EXPECT_EQ(cells, R"("a",7,"5m")");
  EXPECT_FALSE(form->AppendCells("{", now, &cells).ok());
  EXPECT_FALSE(form->Converts());
}

}  // namespace
}  // namespace tidemark::crd
