#include "http/accept.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "http/fake_exchange.h"

namespace tidemark::http {
namespace {

using V = AnswerVerb;
using E = AnswerForm::Encoding;
using S = AnswerForm::Shape;
using I = AnswerForm::IncludeObject;

const std::string kAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const std::string kTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

net::Request With(const std::string& accept, const std::string& query = "", const std::string& agent = "") {
  FakeExchange::Headers headers;
  if (!accept.empty()) headers.emplace_back("accept", accept);
  if (!agent.empty()) headers.emplace_back("user-agent", agent);
  return FakeExchange("/x?" + query, headers).request();
}

config::Resource Pods(bool custom) {
  config::Resource resource;
  resource.group = custom ? "example.com" : "";
  resource.version = "v1";
  resource.kind = custom ? "Gadget" : "Pod";
  resource.plural = custom ? "gadgets" : "pods";
  resource.custom = custom;
  return resource;
}

const std::string kStreams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
const std::string kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
const std::string kTableBeta = "application/json;as=Table;v=v1beta1;g=meta.k8s.io";
const std::string kPartials = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const std::string kPartial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const std::string kProtobufPartials =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const std::string kProtobufPartial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const std::string kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr bool kBuiltin = false, kCustom = true;

std::string NameOf(E encoding) { return encoding == E::kJson ? "Json" : encoding == E::kYaml ? "Yaml" : "Protobuf"; }

std::string Describe(const AnswerForm& form) {
  std::string text = NameOf(form.encoding);
  if (form.shape != S::kObject) absl::StrAppend(&text, form.shape == S::kTable ? " Table" : " PartialMetadata");
  if (form.meta_v1beta1) text += " v1beta1";
  if (form.include_object != I::kMetadata)
    absl::StrAppend(&text, form.include_object == I::kNone ? " include None" : " include Object");
  if (form.nothing_fits) text += " nothing";
  return text + (form.indent ? " indent" : "");
}

// Which refusal it is, if it is worded and timed as it should be; and how the Status is written.
std::string Describe(const ApiStatus& status, bool late, const net::Request& request, AnswerVerb verb) {
  const std::string value(request.Query("includeObject").value_or(""));
  const std::pair<std::string, std::string> messages[] = {
      {"Route", absl::StrCat("406: Not Acceptable\n\nAvailable representations: ", kTypes,
                             verb == V::kGet ? "" : ", " + kStreams)},
      {"Form", "only the following media types are accepted: " + kTypes},
      {"YamlWatch", "only the following media types are accepted: " + kStreams},
      {"Shape", verb == V::kGet
                    ? "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)"
                    : "you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)"},
      {"Include", absl::StrCat("Unable to convert to Table as requested: includeObject: Invalid value: \"", value,
                               "\": must be 'Metadata', 'Object', 'None', or empty")},
  };
  for (const auto& [name, message] : messages) {
    if (status.message != message) continue;
    EXPECT_EQ(status.code, name == "Include" ? 400 : 406);
    EXPECT_EQ(status.details.has_value(), name == "Route");
    EXPECT_EQ(late, name != "Route" && name != "Form");
    const StatusForm form = NegotiateStatus(request);
    return absl::StrCat(name, " ", NameOf(form.encoding), form.indent ? " indent" : "");
  }
  return status.message;
}

struct Row {
  std::string accept;
  AnswerVerb verb;
  bool custom;
  std::string query;
  std::string agent;
  std::string answer;
};

void CheckRow(const Row& row) {
  const net::Request request = With(row.accept, row.query, row.agent);
  ApiStatusOr<Negotiation> negotiation = Negotiate(request, row.verb, Pods(row.custom));
  const bool late = negotiation.ok() && negotiation->late_refusal.has_value();
  const std::string answer =
      negotiation.ok() && !late
          ? Describe(negotiation->form)
          : Describe(late ? *negotiation->late_refusal : negotiation.status(), late, request, row.verb);
  EXPECT_EQ(answer, row.answer) << row.accept << " ?" << row.query << " " << row.agent << (row.custom ? " custom" : "")
                                << " verb " << static_cast<int>(row.verb);
}

const Row kRecorded[] = {
    {"application/json", V::kList, kBuiltin, "", "", "Json"},
    {kProtobuf, V::kList, kBuiltin, "", "", "Protobuf"},
    {kTable, V::kList, kBuiltin, "", "", "Json Table"},
    {kTableBeta, V::kList, kBuiltin, "", "", "Json Table v1beta1"},
    {kTable + "," + kTableBeta + ",application/json", V::kList, kBuiltin, "", "", "Json Table"},
    {kPartials, V::kList, kBuiltin, "", "", "Json PartialMetadata"},
    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1", V::kList, kBuiltin, "", "",
     "Json PartialMetadata v1beta1"},
    {kProtobufPartials, V::kList, kBuiltin, "", "", "Protobuf PartialMetadata"},
    {kPartial, V::kList, kBuiltin, "", "", "Shape Json indent"},
    {"application/yaml", V::kList, kBuiltin, "", "", "Yaml"},
    {"application/cbor", V::kList, kBuiltin, "", "", "Route Json indent"},
    {"application/json;as==", V::kList, kBuiltin, "", "",
     "Form Json indent"},  // from the sources: a wish, and none that is known
    {"application/json;stream==;sv==", V::kList, kBuiltin, "", "", "Json"},
    {"*/*", V::kList, kBuiltin, "", "", "Json"},
    {"application/json", V::kGet, kBuiltin, "", "", "Json"},
    {kProtobuf, V::kGet, kBuiltin, "", "", "Protobuf"},
    {kTable, V::kGet, kBuiltin, "", "", "Json Table"},
    {kTableBeta, V::kGet, kBuiltin, "", "", "Json Table v1beta1"},
    {kPartial, V::kGet, kBuiltin, "", "", "Json PartialMetadata"},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1", V::kGet, kBuiltin, "", "",
     "Json PartialMetadata v1beta1"},
    {kProtobufPartial, V::kGet, kBuiltin, "", "", "Protobuf PartialMetadata"},
    {kPartials, V::kGet, kBuiltin, "", "", "Shape Json indent"},
    {"application/yaml", V::kGet, kBuiltin, "", "", "Yaml"},
    {"application/cbor", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"*/*", V::kGet, kBuiltin, "", "", "Json"},
    {"application/json", V::kList, kCustom, "", "", "Json"},
    {kTable, V::kList, kCustom, "", "", "Json Table"},
    {kTableBeta, V::kList, kCustom, "", "", "Json Table v1beta1"},
    {kProtobuf, V::kList, kCustom, "", "", "Form Protobuf"},
    {kProtobuf + ",application/json", V::kList, kCustom, "", "", "Json"},
    {kPartials, V::kList, kCustom, "", "", "Json PartialMetadata"},
    {kProtobufPartials, V::kList, kCustom, "", "", "Protobuf PartialMetadata"},
    {"application/yaml", V::kList, kCustom, "", "", "Yaml"},
    {"application/json", V::kGet, kCustom, "", "", "Json"},
    {kTable, V::kGet, kCustom, "", "", "Json Table"},
    {kProtobuf, V::kGet, kCustom, "", "", "Form Protobuf"},
    {kPartial, V::kGet, kCustom, "", "", "Json PartialMetadata"},
    {kProtobufPartial, V::kGet, kCustom, "", "", "Protobuf PartialMetadata"},
    {"application/yaml", V::kGet, kCustom, "", "", "Yaml"},
    {kTable, V::kList, kBuiltin, "includeObject=None", "", "Json Table include None"},
    {kTable, V::kList, kBuiltin, "includeObject=Metadata", "", "Json Table"},
    {kTable, V::kList, kBuiltin, "includeObject=Object", "", "Json Table include Object"},
    {kTable, V::kList, kBuiltin, "includeObject=", "", "Json Table"},
    {kTable, V::kList, kBuiltin, "includeObject=none", "", "Include Json indent"},
    {kTable, V::kList, kBuiltin, "includeObject=Nonsense", "", "Include Json indent"},
    {kTable, V::kGet, kBuiltin, "includeObject=None", "", "Json Table include None"},
    {kTable, V::kGet, kBuiltin, "includeObject=Object", "", "Json Table include Object"},
    {"application/json, application/vnd.kubernetes.protobuf", V::kGet, kBuiltin, "", "", "Json"},
    {kProtobuf + ", application/json", V::kGet, kBuiltin, "", "", "Protobuf"},
    {"application/json;q=0.5, application/vnd.kubernetes.protobuf;q=0.9", V::kGet, kBuiltin, "", "", "Protobuf"},
    {"application/json;q=0.9, application/vnd.kubernetes.protobuf;q=0.5", V::kGet, kBuiltin, "", "", "Json"},
    {"application/vnd.kubernetes.protobuf;q=0, application/json", V::kGet, kBuiltin, "", "", "Json"},
    {"text/html, application/json", V::kGet, kBuiltin, "", "", "Json"},
    {"text/html, */*", V::kGet, kBuiltin, "", "", "Json"},
    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", V::kGet, kBuiltin, "", "", "Json"},
    {"application/*", V::kGet, kBuiltin, "", "", "Route Json"},
    {"text/*", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"text/html", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"text/plain", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"image/png, text/html", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"*", V::kGet, kBuiltin, "", "", "Route Json"},
    {"application/json;charset=utf-8", V::kGet, kBuiltin, "", "", "Json"},
    {"application/json; pretty=1", V::kGet, kBuiltin, "", "", "Json indent"},
    {"APPLICATION/JSON", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {"application/json;stream=watch", V::kGet, kBuiltin, "", "", "Json"},
    {"application/json;profile=nopeer", V::kGet, kBuiltin, "", "", "Json"},
    {"application/json;as=Table", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Table;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Table;v=v1", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Table;v=v2;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Table;v=v1;g=other", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Nonsense;v=v1;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/json;as=Nonsense;v=v1;g=meta.k8s.io, application/json", V::kGet, kBuiltin, "", "", "Json"},
    {"application/json;as=Table;v=v1;g=meta.k8s.io;q=0.1, application/json;q=0.9", V::kGet, kBuiltin, "", "", "Json"},
    {"application/yaml;as=Table;v=v1;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Yaml Table"},
    {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Form Json indent"},
    {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json", V::kGet, kBuiltin, "", "",
     "Json"},
    {"application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Yaml PartialMetadata"},
    {"application/json;v=v1;as=PartialObjectMetadata;g=meta.k8s.io,application/json", V::kGet, kBuiltin, "", "",
     "Json PartialMetadata"},
    {"application/cbor, application/json", V::kGet, kBuiltin, "", "", "Json"},
    {"nonsense", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {";", V::kGet, kBuiltin, "", "", "Route Json indent"},
    {", application/json", V::kGet, kBuiltin, "", "", "Json"},
    {"", V::kGet, kBuiltin, "", "", "Json"},
    {"", V::kGet, kBuiltin, "pretty=1", "", "Json indent"},
    {"", V::kGet, kBuiltin, "pretty=true", "", "Json indent"},
    {"", V::kGet, kBuiltin, "pretty=0", "", "Json"},
    {"", V::kGet, kBuiltin, "pretty=false", "", "Json"},
    {"", V::kGet, kBuiltin, "pretty=", "", "Json"},
    {"", V::kGet, kBuiltin, "pretty=yes", "", "Json"},
    {"", V::kList, kBuiltin, "pretty=true", "", "Json indent"},
    {kTable, V::kList, kBuiltin, "pretty=true", "", "Json Table indent"},
    {kProtobuf, V::kList, kBuiltin, "pretty=true", "", "Protobuf"},
    {"application/yaml", V::kList, kBuiltin, "pretty=true", "", "Yaml"},
    {"", V::kGet, kBuiltin, "", "curl/8.0", "Json indent"},
    {"", V::kGet, kBuiltin, "pretty=false", "curl/8.0", "Json"},
    {"", V::kGet, kBuiltin, "", "Mozilla/5.0 (X11)", "Json indent"},
    {"", V::kGet, kBuiltin, "", "Wget/1.21", "Json indent"},
    {"", V::kList, kBuiltin, "", "", "Json"},
    {"", V::kWatch, kBuiltin, "", "", "Json"},
    {"application/json", V::kWatch, kBuiltin, "", "", "Json"},
    {kTable, V::kWatch, kBuiltin, "", "", "Json Table"},
    {kTableBeta, V::kWatch, kBuiltin, "", "", "Json Table v1beta1"},
    {kTable + "," + kTableBeta + ",application/json", V::kWatch, kBuiltin, "", "", "Json Table"},
    {kPartial, V::kWatch, kBuiltin, "", "", "Json PartialMetadata"},
    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1", V::kWatch, kBuiltin, "", "",
     "Json PartialMetadata v1beta1"},
    {kProtobufPartial, V::kWatch, kBuiltin, "", "", "Protobuf PartialMetadata"},
    {kProtobuf, V::kWatch, kBuiltin, "", "", "Protobuf"},
    {kProtobuf + ",application/json", V::kWatch, kBuiltin, "", "", "Protobuf"},
    {"*/*", V::kWatch, kBuiltin, "", "", "Json"},
    {kTable, V::kWatch, kBuiltin, "includeObject=None", "", "Json Table include None"},
    {"", V::kWatch, kBuiltin, "pretty=true", "", "Json"},
    {"application/json", V::kWatch, kCustom, "", "", "Json"},
    {kTable, V::kWatch, kCustom, "", "", "Json Table"},
    {kPartial, V::kWatch, kCustom, "", "", "Json PartialMetadata"},
    {kProtobuf + ",application/json", V::kWatch, kCustom, "", "", "Json"},
    {"application/yaml", V::kWatch, kBuiltin, "", "", "YamlWatch Yaml"},
    {"application/cbor", V::kWatch, kBuiltin, "", "", "Route Json indent"},
    {kPartials, V::kWatch, kBuiltin, "", "", "Json PartialMetadata nothing"},
    {"text/html", V::kWatch, kBuiltin, "", "", "Route Json indent"},
    {"application/json;as=Nonsense;v=v1;g=meta.k8s.io", V::kWatch, kBuiltin, "", "", "Form Json indent"},
    {"", V::kList, kCustom, "", "", "Json"},
    {"", V::kGet, kCustom, "", "", "Json"},
    {kTable + "," + kTableBeta + ",application/json", V::kList, kCustom, "", "", "Json Table"},
    {kTable, V::kList, kCustom, "includeObject=Object", "", "Json Table include Object"},
    {kProtobufPartial, V::kWatch, kCustom, "", "", "Protobuf PartialMetadata"},
    {"", V::kWatch, kCustom, "", "", "Json"},
    {kProtobuf, V::kWatch, kCustom, "", "", "Form Protobuf"},
    {kTable + "," + kTableBeta + ",application/json", V::kList, kBuiltin, "includeObject=Object", "",
     "Json Table include Object"},
    {kTable + "," + kTableBeta + ",application/json", V::kGet, kBuiltin, "", "", "Json Table"},
    {kProtobuf + ",application/json", V::kGet, kBuiltin, "", "", "Protobuf"},
    {kProtobuf + ",application/json", V::kList, kBuiltin, "", "", "Protobuf"},
    {"application/json, */*", V::kGet, kBuiltin, "", "", "Json"},
    {kProtobufPartials + "," + kPartials, V::kList, kBuiltin, "", "", "Protobuf PartialMetadata"},
    {kProtobufPartial + "," + kPartial, V::kWatch, kBuiltin, "", "", "Protobuf PartialMetadata"},
    {"application/json, */*;q=0.8", V::kList, kBuiltin, "", "", "Json"},
    {"*/*", V::kGet, kBuiltin, "", "curl/7.88.1", "Json indent"},
    {"text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", V::kList, kBuiltin, "",
     "Mozilla/5.0 (X11; Linux x86_64)", "Json indent"},
    {kTable, V::kWatch, kBuiltin, "includeObject=Object", "", "Json Table include Object"},
};

TEST(AcceptTest, WhatARealKubeApiserverAnswered) {
  for (const Row& row : kRecorded) CheckRow(row);
}

TEST(AcceptTest, WhatItsSourceSays) {
  const Row rows[] = {
      {"application/json;stream=other,application/yaml", V::kGet, kBuiltin, "", "", "Yaml"},
      {"application/yaml;stream=watch,application/json", V::kGet, kBuiltin, "", "", "Json"},
      {"application/json;sv=v1", V::kGet, kBuiltin, "", "", "Json"},
      {"application/json;v=v1", V::kGet, kBuiltin, "", "", "Form Json indent"},
      {"application/yaml, */*;q=0.9, application/json;q=0.1", V::kGet, kBuiltin, "", "", "Yaml"},
      {"*/*;q=0.9, application/yaml;q=0.1", V::kGet, kBuiltin, "", "", "Yaml"},
      {"application/json;q=high, application/yaml;q=0.1", V::kGet, kBuiltin, "", "", "Yaml"},
      {"application/json;q=nan, application/yaml", V::kGet, kBuiltin, "", "", "Json"},
      {"application/*", V::kGet, kCustom, "", "", "Json"},
      {"text/html", V::kGet, kCustom, "", "", "Form Json indent"},
      {"*/*;as=Table;v=v1;g=meta.k8s.io", V::kGet, kBuiltin, "", "", "Json Table"},
      {"", V::kGet, kBuiltin, "pretty=yes", "curl/8.0", "Json"},
      {"", V::kGet, kBuiltin, "pretty=", "curl/8.0", "Json indent"},
      {"application/json;pretty=1", V::kGet, kBuiltin, "pretty=0", "", "Json indent"},
  };
  for (const Row& row : rows) CheckRow(row);
}

TEST(AcceptTest, ErrorsAreNegotiatedWithoutShapes) {
  struct StatusRow {
    std::string accept;
    StatusForm form;
  };
  const StatusRow rows[] = {
      {"", {}},
      {"application/vnd.kubernetes.protobuf", {.encoding = E::kProtobuf}},
      {"application/yaml", {.encoding = E::kYaml}},
      {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", {.indent = true}},
      {"application/json;as=Table;v=v1;g=meta.k8s.io", {.indent = true}},
      {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", {}},
      {"text/html", {.indent = true}},
      {"application/*", {}},
  };
  for (const StatusRow& row : rows) EXPECT_EQ(NegotiateStatus(With(row.accept)), row.form) << row.accept;
  EXPECT_TRUE(NegotiateStatus(With("", "pretty=true")).indent);
  EXPECT_FALSE(NegotiateStatus(With("application/yaml", "pretty=true")).indent);
}

TEST(AcceptTest, GoTypesOfGroups) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "*core."},
      {"apps", "*apps."},
      {"events.k8s.io", "*core."},
      {"rbac.authorization.k8s.io", "*rbac."},
      {"internal.apiserver.k8s.io", "*apiserverinternal."},
  };
  for (const auto& [group, type] : rows) {
    config::Resource resource = Pods(false);
    resource.group = group;
    const net::Request request = With("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    ApiStatusOr<Negotiation> negotiation = Negotiate(request, V::kList, resource);
    ASSERT_TRUE(negotiation.ok() && negotiation->late_refusal.has_value());
    EXPECT_NE(negotiation->late_refusal->message.find("(" + type + "PodList)"), std::string::npos) << group;
  }
}

// "" stands for the 406.
std::string DocumentType(const std::string& accept, bool may_aggregate = true, bool routed = true) {
  ApiStatusOr<DocumentForm> form = NegotiateDocument(With(accept), may_aggregate, routed);
  return form.ok() ? form->ContentType() : "";
}

TEST(AcceptTest, Discovery) {
  const std::string& protobuf = kProtobuf;
  const std::string parameters = kAggregated.substr(kAggregated.find(';'));
  const std::string old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
  EXPECT_EQ(DocumentType(""), "application/json");
  EXPECT_EQ(DocumentType("*/*"), "application/json");
  EXPECT_EQ(DocumentType(kAggregated + "," + old + ",application/json"), kAggregated);
  EXPECT_EQ(DocumentType(kAggregated + ";profile=nopeer,application/json"), kAggregated);
  EXPECT_EQ(DocumentType(protobuf + parameters), protobuf + parameters);
  EXPECT_EQ(DocumentType("application/yaml" + parameters), "application/yaml" + parameters);
  EXPECT_EQ(DocumentType(protobuf), protobuf);
  EXPECT_EQ(DocumentType("application/yaml"), "application/yaml");
  EXPECT_EQ(DocumentType(old), "");
  EXPECT_EQ(DocumentType("application/json;as=Table;v=v1;g=meta.k8s.io"), "");
  EXPECT_EQ(DocumentType("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json"),
            "application/json");
  EXPECT_EQ(DocumentType(kAggregated + "," + old + ",application/json", false), "application/json");
  // Wherever it stands.
  EXPECT_EQ(DocumentType("application/json," + kAggregated + ";q=0.1"), kAggregated);
}

TEST(AcceptTest, WhatStandsBehindNoRouteHasWordsOfItsOwn) {
  const std::string form = "only the following media types are accepted: " + kTypes;
  EXPECT_EQ(NegotiateDocument(With("text/html"), true, false).status().message, form);
  EXPECT_EQ(NegotiateDocument(With("text/html"), true, true).status().message,
            "406: Not Acceptable\n\nAvailable representations: " + kTypes);
  EXPECT_EQ(DocumentType("application/*", false, false), "application/json");
}

TEST(AcceptTest, VersionIsJsonToWhoNamesIt) {
  for (const std::string accept : {"", "*/*", "application/json;as=Table", "text/html,application/json;q=0"}) {
    EXPECT_FALSE(RefuseUnlessJsonIsNamed(With(accept)).has_value()) << accept;
  }
  for (const std::string accept : {"application/yaml", "application/*", "*", "text/html"}) {
    ASSERT_TRUE(RefuseUnlessJsonIsNamed(With(accept)).has_value()) << accept;
    EXPECT_EQ(RefuseUnlessJsonIsNamed(With(accept))->message,
              "406: Not Acceptable\n\nAvailable representations: application/json");
  }
}

TEST(AcceptTest, OfManyClausesTheFirstCount) {
  std::string accept;
  for (int i = 0; i < 500; ++i) absl::StrAppend(&accept, "a/b;q=0.", i % 10, ",*/x;q=0.5,");
  EXPECT_EQ(NegotiateStatus(With("application/yaml;q=0.2," + accept)).encoding, E::kYaml);
  EXPECT_EQ(NegotiateStatus(With(accept + "application/yaml")), (StatusForm{.indent = true}));
}

}  // namespace
}  // namespace tidemark::http
