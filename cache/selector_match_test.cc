#include "cache/selector_match.h"

#include <memory>
#include <string>

#include "cache/object_reader.h"
#include "cache/test_selectors.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

class MatchesTest : public testing::Test {
 protected:
  MatchesTest() {
    const char value[] = R"({"metadata":{"name":"p","labels":{"app":"web","tier":"","weight":"5","text":"x5"}},)"
                         R"("spec":{"nodeName":"n1","restartPolicy":"Always"},"status":{"phase":"Running"}})";
    ObjectBuilder builder(schema_);
    object_ = builder.Build("north/p", value, Revision(3));
  }
  bool Labels(const std::string& text) { return Matches(*object_, *ParseLabelSelector(text), *schema_, &reader_); }
  bool Fields(const std::string& text) {
    return Matches(*object_, *ParseFieldSelector(text, Find("pods")), *schema_, &reader_);
  }

  std::shared_ptr<const ObjectSchema> schema_ = std::make_shared<const ObjectSchema>(Find("pods"));
  ObjectReader reader_{schema_};
  ObjectRef object_;
};

TEST_F(MatchesTest, Labels) {
  for (const char* const text :
       {"", "app=web", "app in (web,db)", "app", "!nobody", "tier=", "tier", "nobody!=x", "nobody notin (a)", "app!=db",
        "weight>4", "weight<6", "tier notin (a)", "app=web,weight>4"}) {
    EXPECT_TRUE(Labels(text)) << text;
  }
  for (const char* const text : {"app=Web", "app!=web", "!app", "nobody", "nobody=", "tier=a", "tier!=", "weight>5",
                                 "weight<5", "text>1", "text<9", "nobody<9", "app notin (web)", "app=web,weight>5"}) {
    EXPECT_FALSE(Labels(text)) << text;
  }
}

TEST_F(MatchesTest, Fields) {
  for (const char* const text :
       {"metadata.name=p", "metadata.namespace=north", "spec.nodeName=n1", "spec.host=n1",
        "status.podIPs=", "status.podIP=", "spec.hostNetwork=false", "spec.nodeName!=n2", "metadata.name!=q"}) {
    EXPECT_TRUE(Fields(text)) << text;
  }
  for (const char* const text : {"metadata.name=q", "metadata.namespace=", "spec.nodeName=", "status.podIPs=10.1.0.1",
                                 "spec.hostNetwork=", "spec.hostNetwork=true", "status.phase!=Running"}) {
    EXPECT_FALSE(Fields(text)) << text;
  }
}

TEST(InScopeTest, NamespacesThatArePrefixesOfOthers) {
  EXPECT_TRUE(InScope("north/p", {}, true));
  EXPECT_TRUE(InScope("north/p", {"north", ""}, true));
  EXPECT_FALSE(InScope("north2/p", {"north", ""}, true));
  EXPECT_FALSE(InScope("north-a/p", {"north", ""}, true));
  EXPECT_TRUE(InScope("north/p", {"north", "p"}, true));
  EXPECT_FALSE(InScope("north/p2", {"north", "p"}, true));
  EXPECT_TRUE(InScope("north/p", {"", "p"}, true));
  EXPECT_TRUE(InScope("node-1", {"", "node-1"}, false));
  EXPECT_FALSE(InScope("node-12", {"", "node-1"}, false));
}

}  // namespace
}  // namespace tidemark::cache
