#include "http/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/api_fixture.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;
using testing::Not;

// Serves objects with "served" in their labels, and no version but one.
class TestForm : public config::ObjectForm {
 public:
  TestForm(bool converts, absl::Status servable) : converts_(converts), servable_(std::move(servable)) {}
  absl::StatusOr<std::string> Decode(absl::string_view value) const override { return std::string(value); }
  absl::Status Servable() const override { return servable_; }
  bool Converts() const override { return converts_; }
  absl::StatusOr<std::string> Serve(absl::string_view) const override { return R"({"metadata":{"name":"served"}})"; }
  absl::StatusOr<std::string> Scale(absl::string_view) const override {
    return scale_error_.ok() ? absl::StatusOr<std::string>(R"({"kind":"Scale"})") : scale_error_;
  }
  absl::Status scale_error_;

 private:
  const bool converts_;
  const absl::Status servable_;
};

class CatalogueTest : public ApiFixture {
 protected:
  // A row of gears.shop.example.org in `version`, on one mirror for all.
  ServedRow Row(const std::string& version, std::shared_ptr<TestForm> form = nullptr) {
    auto resource = std::make_shared<config::Resource>(gears_);
    resource->version = version;
    resource->form = std::move(form);
    resource->version_number = version == "v1" ? 0 : 1;
    resource->warning = version == "v1" ? "" : "old \"gears\"";
    return std::make_shared<const ServedResource>(ServedResource{.resource = resource, .mirror = mirror_});
  }

  const config::Resource gears_{.group = "shop.example.org",
                                .version = "v1",
                                .kind = "Gear",
                                .plural = "gears",
                                .singular = "gear",
                                .namespaced = false,
                                .prefix = "shop.example.org/gears",
                                .subresources = {{"status", "Gear", {"get"}}, {"scale", "Scale", {"get", "update"}}},
                                .custom = true};
  std::shared_ptr<FakeMirror> mirror_ = std::make_shared<FakeMirror>(gears_);
};

TEST_F(CatalogueTest, CustomResourcesComeAndGo) {
  mirror_->Put(84, "g1");
  EXPECT_EQ(Send("/apis/shop.example.org/v1/gears")->status(), 404);
  server_->SetCustomResources({Row("v1"), Row("v2")});
  EXPECT_THAT(Get("/apis/shop.example.org/v1/gears/g1?resourceVersion=0"),
              HasSubstr(R"("apiVersion":"shop.example.org/v1")"));
  EXPECT_THAT(Get("/apis/shop.example.org/v2/gears/g1?resourceVersion=0"),
              HasSubstr(R"("apiVersion":"shop.example.org/v2")"));
  EXPECT_THAT(Get("/apis"), HasSubstr(R"("preferredVersion":{"groupVersion":"shop.example.org/v2")"));
  EXPECT_THAT(Get("/readyz?verbose"), HasSubstr("[+]mirror/gears.shop.example.org ok\n"));
  EXPECT_EQ(Send("/api/v1/configmaps?resourceVersion=0")->status(), 200);

  server_->SetCustomResources({Row("v1")});
  EXPECT_EQ(Send("/apis/shop.example.org/v1/gears?resourceVersion=0")->status(), 200);
  EXPECT_EQ(Send("/apis/shop.example.org/v2/gears?resourceVersion=0")->status(), 404);
  server_->SetCustomResources({});
  EXPECT_EQ(Get("/apis/shop.example.org/v1/gears"), "404 page not found\n");
}

TEST_F(CatalogueTest, AWatchKeepsItsRowUntilItEnds) {
  server_->SetCustomResources({Row("v1")});
  const auto watch = Send("/apis/shop.example.org/v1/gears?watch=true&resourceVersion=1");
  std::weak_ptr<FakeMirror> mirror = mirror_;
  mirror_->Put(90, "g2");
  mirror_.reset();
  server_->SetCustomResources({});
  ASSERT_FALSE(mirror.expired());
  EXPECT_THAT(watch->Drain(), HasSubstr(R"("type":"ADDED")"));
}

TEST_F(CatalogueTest, TheCountsOfItsRequestsGoWithAResource) {
  server_->SetCustomResources({Row("v1")});
  const std::string listed = R"(resource="gears",scope="cluster")";
  EXPECT_EQ(Send("/apis/shop.example.org/v1/gears?resourceVersion=0")->status(), 200);
  EXPECT_EQ(Send("/api/v1/configmaps?resourceVersion=0")->status(), 200);
  server_->SetCustomResources({Row("v1")});  // the definition has changed
  EXPECT_THAT(Get("/metrics"), HasSubstr(listed));
  server_->SetCustomResources({});
  EXPECT_THAT(Get("/metrics"), Not(HasSubstr(listed)));
  EXPECT_THAT(Get("/metrics"), HasSubstr(R"(resource="configmaps",scope="cluster")"));
}

TEST_F(CatalogueTest, DeprecatedVersionsWarn) {
  server_->SetCustomResources({Row("v1"), Row("v2")});
  const auto warned = Send("/apis/shop.example.org/v2/gears?resourceVersion=0");
  EXPECT_THAT(warned->head().headers, testing::Contains(testing::Pair("Warning", R"(299 - "old \"gears\"")")));
  const auto silent = Send("/apis/shop.example.org/v1/gears?resourceVersion=0");
  EXPECT_THAT(silent->head().headers, Not(testing::Contains(testing::Pair("Warning", testing::_))));
}

TEST_F(CatalogueTest, VersionsThatNeedAWebhookSaySo) {
  server_->SetCustomResources({Row("v2", std::make_shared<TestForm>(false, absl::InternalError("no webhook")))});
  const auto refused = Send("/apis/shop.example.org/v2/gears");
  EXPECT_EQ(refused->status(), 500);
  EXPECT_THAT(refused->Drain(),
              HasSubstr(R"("message":"Internal error occurred: no webhook","reason":"InternalError")"));
}

TEST_F(CatalogueTest, OtherVersionsShowTheirOwnForm) {
  mirror_->Put(84, "g1");
  server_->SetCustomResources({Row("v1", std::make_shared<TestForm>(false, absl::OkStatus())),
                               Row("v2", std::make_shared<TestForm>(true, absl::OkStatus()))});
  EXPECT_THAT(Get("/apis/shop.example.org/v1/gears/g1?resourceVersion=0"), HasSubstr(R"("name":"g1")"));
  EXPECT_THAT(Get("/apis/shop.example.org/v2/gears/g1?resourceVersion=0"), HasSubstr(R"("name":"served")"));
  // One event, two versions, two frames.
  const auto first = Send("/apis/shop.example.org/v1/gears?watch=true&resourceVersion=84");
  const auto second = Send("/apis/shop.example.org/v2/gears?watch=true&resourceVersion=84");
  mirror_->Put(91, "g2");
  EXPECT_THAT(first->Drain(), HasSubstr(R"("apiVersion":"shop.example.org/v1","kind":"Gear","metadata":{"name":"g2")"));
  EXPECT_THAT(second->Drain(),
              HasSubstr(R"("apiVersion":"shop.example.org/v2","kind":"Gear","metadata":{"name":"served")"));
}

TEST_F(CatalogueTest, ScaleOfACustomObject) {
  mirror_->Put(84, "g1");
  const auto form = std::make_shared<TestForm>(false, absl::OkStatus());
  server_->SetCustomResources({Row("v1", form)});
  EXPECT_EQ(Get("/apis/shop.example.org/v1/gears/g1/scale?resourceVersion=0"), "{\"kind\":\"Scale\"}\n");
  form->scale_error_ = absl::InternalError("no replicas");
  EXPECT_THAT(
      Get("/apis/shop.example.org/v1/gears/g1/scale?resourceVersion=0"),
      HasSubstr(R"("message":"Internal error occurred: no replicas","reason":"InternalError","details":{"causes":)"
                R"([{"message":"no replicas"}]},"code":500)"));
  EXPECT_THAT(Get("/apis/shop.example.org/v1"),
              HasSubstr(R"({"name":"gears/scale","singularName":"","namespaced":false,"group":"autoscaling",)"
                        R"("version":"v1","kind":"Scale","verbs":["get"]})"));
}

}  // namespace
}  // namespace tidemark::http
