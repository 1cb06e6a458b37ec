#include "base/json_edit.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(JsonEditTest, SetsAddsAndTakesOut) {
  struct Row {
    absl::string_view name;
    absl::string_view object;
    absl::string_view value;
    absl::string_view wanted;
  };
  const Row rows[] = {
      {"before the first that comes behind", R"({"a":1,"d":4,"c":3})", "2", R"({"a":1,"b":2,"d":4,"c":3})"},
      {"last", R"({"a":1})", "2", R"({"a":1,"b":2})"},
      {"alone", "{}", "2", R"({"b":2})"},
      {"of nothing", "", "2", R"({"b":2})"},
      {"of null", "null", "2", R"({"b":2})"},
      {"in its place", R"({"c":3,"b":1,"a":1})", "[2]", R"({"c":3,"b":[2],"a":1})"},
      {"taken out", R"({"a":1,"b":{"x":1},"c":3})", "", R"({"a":1,"c":3})"},
      {"not there to be taken out", R"({"a":1})", "", R"({"a":1})"},
      {"given twice", R"({"b":1,"b":3})", "2", R"({"b":2})"},
  };
  for (const Row& row : rows) {
    constexpr absl::string_view kBehind[] = {"c", "d"};
    EXPECT_EQ(WithJsonField(row.object, "b", row.value, kBehind), row.wanted) << row.name;
  }
}

}  // namespace
}  // namespace tidemark
