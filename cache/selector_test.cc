#include "cache/selector.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cache/label_syntax.h"
#include "cache/object_reader.h"
#include "cache/selector_match.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

// What a selector parses to, as text; or the error.
std::string Show(const absl::StatusOr<std::vector<Requirement>>& requirements) {
  if (!requirements.ok()) return std::string(requirements.status().message());
  std::vector<std::string> texts;
  for (const Requirement& requirement : *requirements) texts.push_back(ToString(requirement));
  return absl::StrJoin(texts, " & ");
}

const config::Resource& Find(absl::string_view plural, absl::string_view group = "") {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.plural == plural && resource.group == group) return resource;
  }
  ADD_FAILURE() << "no resource " << plural;
  return config::BuiltinResources().front();
}

struct Row {
  std::string text;
  std::string shown;
};

const char kValueRule[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const char kNameRule[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  "
    "or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

// Answers of kube-apiserver 1.36.3.
TEST(LabelSelectorTest, ParsesAndRefusesWhatKubernetesDoes) {
  const std::string prefix = "unable to parse requirement: ";
  const std::string a64(64, 'a');
  const std::vector<Row> rows = {
      {"", ""},
      {"app=web", "app=web"},
      {"app==web", "app=web"},
      {"app = web", "app=web"},
      {" app=web , tier=front ", "app=web & tier=front"},
      {"tier=front,app=web", "app=web & tier=front"},
      {"app=web,app=db", "app=web & app=db"},
      {"app!=web", "app!=web"},
      {"app in (web,db)", "app in (db,web)"},
      {"app in (web)", "app=web"},
      {"app in(web, db )", "app in (db,web)"},
      {"app in (web,web)", "app=web"},
      {"tier in ()", "tier="},
      {"tier in (,front)", "tier in (,front)"},
      {"tier in (front,)", "tier in (,front)"},
      {"tier in (a,,b)", "tier in (,a,b)"},
      {"tier in (,)", "tier="},
      {"tier notin (a,b)", "tier notin (a,b)"},
      {"tier notin ()", "tier!="},
      {"app", "app"},
      {"!app", "!app"},
      {"! app", "!app"},
      {"app,!tier", "app & !tier"},
      {"tier=", "tier="},
      {"tier== ", "tier="},
      {"tier!=", "tier!="},
      {"x=,z= ", "x= & z="},
      {"weight>4", "weight>4"},
      {"weight < 6", "weight<6"},
      {"in in (in)", "in=in"},
      {"notin notin (y)", "notin!=y"},
      {"in=in", "in=in"},
      {"in", "in"},
      {"!in", "!in"},
      {"x=notin,in", "in & x=notin"},
      {"example.com/app.kubernetes=Web_1.0-a", "example.com/app.kubernetes=Web_1.0-a"},
      {"weight>-5,weight<6", prefix + "values[0][weight]: Invalid value: \"-5\": " + kValueRule},
      {"weight>=5", prefix + "found '=', expected: identifier"},
      {"weight>heavy",
       prefix + "values[0]: Invalid value: \"heavy\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"weight>1.5",
       prefix + "values[0]: Invalid value: \"1.5\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"weight>99999999999999999999", prefix + "values[0]: Invalid value: \"99999999999999999999\": for 'Gt', 'Lt' "
                                               "operators, the value must be an integer"},
      {"x>", prefix + "values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"weight gt 5", prefix + "found 'gt', expected: in, notin, =, ==, !=, gt, lt"},
      {"x=a||y=b", prefix + "values[0][x]: Invalid value: \"a||y\": " + kValueRule},
      {"x==a==b", "found '==', expected: ',' or 'end of string'"},
      {"x=a=b", "found '=', expected: ',' or 'end of string'"},
      {"!x=a", "found '=', expected: ',' or 'end of string'"},
      {",x", "found ',', expected: !, identifier, or 'end of string'"},
      {"x,", "found '', expected: identifier after ','"},
      {"x,,y", "found ',', expected: identifier after ','"},
      {",", "found ',', expected: !, identifier, or 'end of string'"},
      {"x in (a", prefix + "found '', expected: ',' or ')'"},
      {"x in a", prefix + "found 'a' expected: '('"},
      {"x in", prefix + "found '' expected: '('"},
      {"x in (", prefix + "found '', expected: ',', ')' or identifier"},
      {"x in (a b)", prefix + "found 'b', expected: ',' or ')'"},
      {"x in ((a))", prefix + "found '(', expected: ',', ')' or identifier"},
      {"x in (a,(b))", prefix + "found '(', expected: ',', or identifier"},
      {"x in (a,", prefix + "found '', expected: ',', or identifier"},
      {"x in (,,)", prefix + "found ')', expected: ',', or identifier"},
      {"x notin", prefix + "found '' expected: '('"},
      {"=a", "found '=', expected: !, identifier, or 'end of string'"},
      {"!", prefix + "found '', expected: identifier"},
      {"!!x", prefix + "found '!', expected: identifier"},
      {"x y", prefix + "found 'y', expected: in, notin, =, ==, !=, gt, lt"},
      {"x=a b", "found 'b', expected: ',' or 'end of string'"},
      {"x=(a)", prefix + "found '(', expected: identifier"},
      {"x=-a", prefix + "values[0][x]: Invalid value: \"-a\": " + kValueRule},
      {"-x=a", prefix + "<nil>: Invalid value: \"-x\": name part " + kNameRule},
      {"x=a/b", prefix + "values[0][x]: Invalid value: \"a/b\": " + kValueRule},
      {"a/b/c=d", prefix + "<nil>: Invalid value: \"a/b/c\": a valid label key " + kNameRule +
                      " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
      {"/b=d", prefix + "<nil>: Invalid value: \"/b\": prefix part must be non-empty"},
      {"a/=d", prefix + "<nil>: Invalid value: \"a/\": name part must be non-empty; name part " + kNameRule},
      {"A.B/c=d",
       prefix +
           "<nil>: Invalid value: \"A.B/c\": prefix part a lowercase RFC 1123 subdomain must consist of lower case "
           "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
           "'example.com', regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
      {"x=" + a64, prefix + "values[0][x]: Invalid value: \"" + a64 + "\": must be no more than 63 bytes"},
      {a64 + "=x", prefix + "<nil>: Invalid value: \"" + a64 + "\": name part must be no more than 63 bytes"},
      {"x in (" + a64 + ",b)", prefix + "values[0][x]: Invalid value: \"" + a64 + "\": must be no more than 63 bytes"},
      {"x in (-a,b,-c)", prefix + "[values[0][x]: Invalid value: \"-a\": " + kValueRule +
                             ", values[1][x]: Invalid value: \"-c\": " + kValueRule + "]"},
      {"x>1,", "found '', expected: identifier after ','"},
      {"x=\xc3\xa4", prefix + "values[0][x]: Invalid value: \"\xc3\xa4\": " + kValueRule},
      {"x='a'", prefix + "values[0][x]: Invalid value: \"'a'\": " + kValueRule},
      {"x=\"a\\\xff\xc2\xa0", prefix + "values[0][x]: Invalid value: \"\\\"a\\\\\\xff\\u00a0\": " + kValueRule},
  };
  for (const Row& row : rows) EXPECT_EQ(Show(ParseLabelSelector(row.text)), row.shown) << row.text;
}

TEST(FieldSelectorTest, ParsesAndRefusesWhatKubernetesDoes) {
  const std::vector<Row> rows = {
      {"", ""},
      {",", ""},
      {"metadata.name=a", "metadata.name=a"},
      {"metadata.name==a", "metadata.name=a"},
      {"metadata.name!=a", "metadata.name!=a"},
      {"metadata.name=a,", "metadata.name=a"},
      {"metadata.namespace=x,metadata.name=b,metadata.name=a",
       "metadata.name=a & metadata.name=b & metadata.namespace=x"},
      {"metadata.name=", "metadata.name="},
      {"metadata.name=a\\,b", "metadata.name=a,b"},
      {"metadata.name=a\\=b", "metadata.name=a=b"},
      {"metadata.name=a\\\\b", "metadata.name=a\\b"},
      {"metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
      {"metadata.name=a,b", "invalid selector: 'metadata.name=a,b'; can't understand 'b'"},
      {"metadata.name in (a)", "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"},
      {"!metadata.name", "invalid selector: '!metadata.name'; can't understand '!metadata.name'"},
      {"metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
      {"metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"},
      {"metadata.name=a\\\xc3\xa4", "invalid field selector: invalid escape sequence: \\\xc3\xa4"},
      {"metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"},
      {"metadata.name = a",
       "\"metadata.name \" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"=a", "\"\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"zzz=1,data.n=1", "\"data.n\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"nonsense=1,metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
  };
  for (const Row& row : rows) EXPECT_EQ(Show(ParseFieldSelector(row.text, Find("configmaps"))), row.shown) << row.text;
}

TEST(FieldSelectorTest, EachResourceKnowsItsOwnFields) {
  struct FieldRow {
    const char* plural;
    const char* group;
    const char* text;
    const char* shown;
  };
  const FieldRow rows[] = {
      {"pods", "", "spec.nodeName=n1,status.phase!=Running", "spec.nodeName=n1 & status.phase!=Running"},
      {"pods", "", "spec.host=n1", "spec.nodeName=n1"},
      {"pods", "", "status.podIPs=", "status.podIPs="},
      {"pods", "", "status.hostIP=1", "field label not supported: status.hostIP"},
      {"nodes", "", "spec.unschedulable=true", "spec.unschedulable=true"},
      {"nodes", "", "metadata.namespace=", "field label not supported: metadata.namespace"},
      {"namespaces", "", "name=north", "field label not supported: name"},
      {"namespaces", "", "metadata.namespace=north", "field label not supported: metadata.namespace"},
      {"persistentvolumes", "", "metadata.namespace=", "metadata.namespace="},
      {"persistentvolumes", "", "name=x",
       "\"name\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"events", "", "source=kubelet", "source.component=kubelet"},
      {"events", "", "message=m", "field label not supported: message"},
      {"jobs", "batch", "status.successful=0", "status.succeeded=0"},
      {"jobs", "batch", "status.active=1", "field label \"status.active\" not supported for Job"},
      {"resourceslices", "resource.k8s.io", "spec.pool=p",
       "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool"},
  };
  for (const FieldRow& row : rows) {
    EXPECT_EQ(Show(ParseFieldSelector(row.text, Find(row.plural, row.group))), row.shown)
        << row.plural << " " << row.text;
  }
}

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

TEST(LabelSyntaxTest, IntegersAreWhatGoTakesThemFor) {
  EXPECT_EQ(ParseInt64("5"), 5);
  EXPECT_EQ(ParseInt64("+5"), 5);
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  for (const char* const text : {"", "+", "-", "+-5", " 5", "5 ", "0x5", "1_000", "9223372036854775808", "5.0"}) {
    EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark::cache
