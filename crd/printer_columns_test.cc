#include "crd/printer_columns.h"

#include <gtest/gtest.h>

#include "crd/object_meta.h"

namespace tidemark::crd {
namespace {

const absl::Time kNow = *ParseGoTime("2024-01-02T00:00:00Z");

config::TableColumn Column(const char* type, const char* path) {
  return {.name = "C", .type = type, .json_path = path};
}

std::string CellsOf(const std::vector<config::TableColumn>& columns, const char* object) {
  std::string cells;
  const absl::Status status = PrinterColumns(columns).AppendCells(object, kNow, &cells);
  return status.ok() ? cells : std::string(status.message());
}

TEST(PrinterColumnsTest, CellsByType) {
  const struct {
    const char* type;
    const char* value;
    const char* cell;
  } rows[] = {
      {"string", "\"a<b\"", "\"a\\u003cb\""},
      {"string", "3", "\"3\""},
      {"string", "2.5", "\"2.5\""},
      {"string", "1000000.0", "\"1e+06\""},
      {"string", "true", "\"true\""},
      {"string", "null", "\"\\u003cno value\\u003e\""},
      {"string", R"({"b":[1],"a":"<"})", R"("{\"a\":\"\\u003c\",\"b\":[1]}")"},
      {"integer", "3", "3"},
      {"integer", "3.9", "3"},
      {"integer", "\"3\"", "null"},
      {"integer", "null", "null"},
      {"number", "3", "3"},
      {"number", "2.5", "2.5"},
      {"number", "true", "null"},
      {"boolean", "true", "true"},
      {"boolean", "\"true\"", "null"},
      {"date", "\"2024-01-01T23:59:30Z\"", "\"30s\""},
      {"date", "\"\"", "\"\\u003cunknown\\u003e\""},
      {"date", "\"soon\"", "\"\\u003cinvalid\\u003e\""},
      {"date", "5", "null"},
      {"other", "\"a\"", "null"},
  };
  for (const auto& row : rows) {
    const std::string object = std::string(R"({"metadata":{"name":"n"},"v":)") + row.value + "}";
    EXPECT_EQ(CellsOf({Column(row.type, ".v")}, object.c_str()), std::string("\"n\",") + row.cell)
        << row.type << " " << row.value;
  }
}

TEST(PrinterColumnsTest, WhatIsMissingIsNull) {
  EXPECT_EQ(CellsOf({Column("string", ".v")}, R"({"metadata":{"name":"n"}})"), "\"n\",null");
}

TEST(PrinterColumnsTest, WithoutColumnsTheAgeIsShown) {
  const PrinterColumns columns({});
  ASSERT_EQ(columns.columns().size(), 2u);
  EXPECT_EQ(columns.columns()[0].format, "name");
  EXPECT_EQ(columns.columns()[1].name, "Age");
  EXPECT_EQ(CellsOf({}, R"({"metadata":{"name":"n","creationTimestamp":"2024-01-01T00:00:00Z"}})"), "\"n\",\"24h\"");
}

TEST(PrinterColumnsTest, WhatIsNoJsonHasNoCells) {
  std::string cells;
  EXPECT_FALSE(PrinterColumns({Column("string", ".v")}).AppendCells("{", kNow, &cells).ok());
}

TEST(PrinterColumnsTest, APathThatCannotBeReadEndsTheColumns) {
  EXPECT_EQ(PrinterColumns({Column("string", ".a"), Column("string", ".b["), Column("string", ".c")}).columns().size(),
            2u);
}

}  // namespace
}  // namespace tidemark::crd
