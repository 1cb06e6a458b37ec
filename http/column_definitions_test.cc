#include "http/column_definitions.h"

#include <gtest/gtest.h>

#include "http/table_printer.h"

namespace tidemark::http {
namespace {

TEST(ColumnDefinitionsTest, DefinitionsAsJson) {
  const config::TableColumn columns[] = {{"Name", "string", "name", "a <b>", 0}, {"Age", "string", "", "", 1}};
  EXPECT_EQ(ColumnDefinitionsJson(columns),
            R"([{"name":"Name","type":"string","format":"name","description":"a \u003cb\u003e","priority":0},)"
            R"({"name":"Age","type":"string","format":"","description":"","priority":1}])");
  EXPECT_EQ(ColumnDefinitionsJson({}), "[]");
}

TEST(ColumnDefinitionsTest, WideColumnsHavePriorityOne) {
  const absl::Span<const config::TableColumn> columns = TablePrinter::Of("apps", "Deployment").columns();
  ASSERT_EQ(columns.size(), 8u);
  EXPECT_EQ(columns[4].name, "Age");
  EXPECT_EQ(columns[4].priority, 0);
  EXPECT_EQ(columns[5].name, "Containers");
  EXPECT_EQ(columns[5].priority, 1);
  EXPECT_EQ(columns[5].description, "Names of each container in the template.");
}

}  // namespace
}  // namespace tidemark::http
