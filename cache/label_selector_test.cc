#include <string>

#include "cache/selector.h"
#include "cache/test_selectors.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

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

const std::string kRequirement = "unable to parse requirement: ";
const std::string k64(64, 'a');

// Answers of kube-apiserver 1.36.3.
const Row kLabelRows[] = {
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
    {"weight>-5,weight<6", kRequirement + "values[0][weight]: Invalid value: \"-5\": " + kValueRule},
    {"weight>=5", kRequirement + "found '=', expected: identifier"},
    {"weight>heavy",
     kRequirement + "values[0]: Invalid value: \"heavy\": for 'Gt', 'Lt' operators, the value must be an integer"},
    {"weight>1.5",
     kRequirement + "values[0]: Invalid value: \"1.5\": for 'Gt', 'Lt' operators, the value must be an integer"},
    {"weight>99999999999999999999", kRequirement + "values[0]: Invalid value: \"99999999999999999999\": for 'Gt', 'Lt' "
                                                   "operators, the value must be an integer"},
    {"x>", kRequirement + "values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer"},
    {"weight gt 5", kRequirement + "found 'gt', expected: in, notin, =, ==, !=, gt, lt"},
    {"x=a||y=b", kRequirement + "values[0][x]: Invalid value: \"a||y\": " + kValueRule},
    {"x==a==b", "found '==', expected: ',' or 'end of string'"},
    {"x=a=b", "found '=', expected: ',' or 'end of string'"},
    {"!x=a", "found '=', expected: ',' or 'end of string'"},
    {",x", "found ',', expected: !, identifier, or 'end of string'"},
    {"x,", "found '', expected: identifier after ','"},
    {"x,,y", "found ',', expected: identifier after ','"},
    {",", "found ',', expected: !, identifier, or 'end of string'"},
    {"x in (a", kRequirement + "found '', expected: ',' or ')'"},
    {"x in a", kRequirement + "found 'a' expected: '('"},
    {"x in", kRequirement + "found '' expected: '('"},
    {"x in (", kRequirement + "found '', expected: ',', ')' or identifier"},
    {"x in (a b)", kRequirement + "found 'b', expected: ',' or ')'"},
    {"x in ((a))", kRequirement + "found '(', expected: ',', ')' or identifier"},
    {"x in (a,(b))", kRequirement + "found '(', expected: ',', or identifier"},
    {"x in (a,", kRequirement + "found '', expected: ',', or identifier"},
    {"x in (,,)", kRequirement + "found ')', expected: ',', or identifier"},
    {"x notin", kRequirement + "found '' expected: '('"},
    {"=a", "found '=', expected: !, identifier, or 'end of string'"},
    {"!", kRequirement + "found '', expected: identifier"},
    {"!!x", kRequirement + "found '!', expected: identifier"},
    {"x y", kRequirement + "found 'y', expected: in, notin, =, ==, !=, gt, lt"},
    {"x=a b", "found 'b', expected: ',' or 'end of string'"},
    {"x=(a)", kRequirement + "found '(', expected: identifier"},
    {"x=-a", kRequirement + "values[0][x]: Invalid value: \"-a\": " + kValueRule},
    {"-x=a", kRequirement + "<nil>: Invalid value: \"-x\": name part " + kNameRule},
    {"x=a/b", kRequirement + "values[0][x]: Invalid value: \"a/b\": " + kValueRule},
    {"a/b/c=d", kRequirement + "<nil>: Invalid value: \"a/b/c\": a valid label key " + kNameRule +
                    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
    {"/b=d", kRequirement + "<nil>: Invalid value: \"/b\": prefix part must be non-empty"},
    {"a/=d", kRequirement + "<nil>: Invalid value: \"a/\": name part must be non-empty; name part " + kNameRule},
    {"A.B/c=d",
     kRequirement +
         "<nil>: Invalid value: \"A.B/c\": prefix part a lowercase RFC 1123 subdomain must consist of lower case "
         "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
         "'example.com', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
    {"x=" + k64, kRequirement + "values[0][x]: Invalid value: \"" + k64 + "\": must be no more than 63 bytes"},
    {k64 + "=x", kRequirement + "<nil>: Invalid value: \"" + k64 + "\": name part must be no more than 63 bytes"},
    {"x in (" + k64 + ",b)",
     kRequirement + "values[0][x]: Invalid value: \"" + k64 + "\": must be no more than 63 bytes"},
    {"x in (-a,b,-c)", kRequirement + "[values[0][x]: Invalid value: \"-a\": " + kValueRule +
                           ", values[1][x]: Invalid value: \"-c\": " + kValueRule + "]"},
    {"x>1,", "found '', expected: identifier after ','"},
    {"x=\xc3\xa4", kRequirement + "values[0][x]: Invalid value: \"\xc3\xa4\": " + kValueRule},
    {"x='a'", kRequirement + "values[0][x]: Invalid value: \"'a'\": " + kValueRule},
    {"x=\"a\\\xff\xc2\xa0", kRequirement + "values[0][x]: Invalid value: \"\\\"a\\\\\\xff\\u00a0\": " + kValueRule},
};

TEST(LabelSelectorTest, ParsesAndRefusesWhatKubernetesDoes) {
  for (const Row& row : kLabelRows) EXPECT_EQ(Show(ParseLabelSelector(row.text)), row.shown) << row.text;
}

}  // namespace
}  // namespace tidemark::cache
