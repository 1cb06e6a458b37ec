// Custom resources for tests, and a reader of JSON that fails the test.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_OPENAPI_TEST_RESOURCES_H_
#define TIDEMARK_OPENAPI_TEST_RESOURCES_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "config/resource.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

inline crd::Json Parsed(absl::string_view text) {
  const absl::StatusOr<crd::Json> json = crd::ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status() << ": " << text;
  return json.ok() ? *json : crd::Json();
}

// With a schema, a status and a scale.
inline config::Resource Widgets() {
  return {.group = "shop.example.com",
          .version = "v1",
          .kind = "Widget",
          .plural = "widgets",
          .subresources = {{"status", "Widget", {"get", "patch", "update"}},
                           {"scale", "Scale", {"get", "patch", "update"}}},
          .schema = std::make_shared<const std::string>(
              R"({"type":"object","properties":{"spec":{"type":"string","default":"a"}}})"),
          .custom = true};
}

// Without namespaces and without a schema; a list is called otherwise.
inline config::Resource Things() {
  return {.group = "shop.example.com",
          .version = "v1",
          .kind = "Thing",
          .list_kind = "ThingBag",
          .plural = "things",
          .namespaced = false,
          .custom = true};
}

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_TEST_RESOURCES_H_
