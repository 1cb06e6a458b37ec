#include "http/accept.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_quote.h"
#include "http/accept_header.h"

namespace tidemark::http {
namespace {

using Encoding = AnswerForm::Encoding;

constexpr absl::string_view kTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr absl::string_view kStreamTypes =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
constexpr absl::string_view kAggregatedParameters = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct ServedType {
  Encoding encoding;
  absl::string_view subtype;
};
constexpr absl::string_view kServedNames[] = {"application/json", "application/yaml",
                                              "application/vnd.kubernetes.protobuf"};
// In the order in which a wildcard takes them.
constexpr ServedType kServedTypes[] = {
    {Encoding::kJson, "json"}, {Encoding::kYaml, "yaml"}, {Encoding::kProtobuf, "vnd.kubernetes.protobuf"}};

// What a clause wants the object turned into; nothing but `as` alone is a wish as well, if none that is granted.
struct Target {
  absl::string_view as, group, version;
  bool is_none = false;

  explicit Target(const AcceptClause& clause)
      : as(clause.Parameter("as")),
        group(clause.Parameter("g")),
        version(clause.Parameter("v")),
        is_none(!clause.Has("as") && !clause.Has("g") && !clause.Has("v")) {}
  bool IsAggregatedDiscovery() const {
    return as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && version == "v2";
  }
  bool IsMeta() const { return group == "meta.k8s.io" && (version == "v1" || version == "v1beta1"); }
};

// What an endpoint has to say of a clause that names a type which it serves.
struct EndpointRules {
  enum class Targets { kNone, kAggregatedDiscovery, kShapes } targets = Targets::kNone;
  bool plain_protobuf = true;
  absl::string_view server_version;  // that `sv` may name

  bool Allows(Encoding encoding, const Target& target) const {
    if (targets == Targets::kAggregatedDiscovery) return target.IsAggregatedDiscovery();
    if (target.is_none) return encoding != Encoding::kProtobuf || plain_protobuf;
    if (targets == Targets::kNone || !target.IsMeta()) return false;
    if (target.as == "Table") return encoding != Encoding::kProtobuf;
    return target.as == "PartialObjectMetadata" || target.as == "PartialObjectMetadataList";
  }
};

struct Choice {
  Encoding encoding = Encoding::kJson;
  const AcceptClause* clause = nullptr;  // nullptr: no header, and so no wishes

  bool AsksForIndent() const { return clause != nullptr && clause->Parameter("pretty") == "1"; }
};

bool Accepts(const AcceptClause& clause, Encoding encoding, const EndpointRules& rules) {
  const absl::string_view stream = clause.Parameter("stream");
  if (!stream.empty() && (stream != "watch" || encoding == Encoding::kYaml)) return false;
  const absl::string_view version = clause.Parameter("sv");
  if (!version.empty() && version != rules.server_version) return false;
  return rules.Allows(encoding, Target(clause));
}

std::optional<Choice> Choose(const AcceptHeader& accept, const EndpointRules& rules) {
  if (accept.empty()) return Choice();
  for (const AcceptClause& clause : accept.clauses()) {
    for (const ServedType& type : kServedTypes) {
      if (clause.Matches("application", type.subtype) && Accepts(clause, type.encoding, rules)) {
        return Choice{.encoding = type.encoding, .clause = &clause};
      }
    }
  }
  return std::nullopt;
}

bool IsIndented(const Choice& choice, const net::Request& request) {
  return choice.encoding == Encoding::kJson && (choice.AsksForIndent() || PrefersIndent(request));
}

// The package of Kubernetes' source that holds a kind's internal type; it shows in an error.
std::string GoTypeOf(const config::Resource& resource, bool list) {
  const absl::string_view suffix = list ? "List" : "";
  if (resource.custom) return absl::StrCat("*unstructured.Unstructured", suffix);
  const absl::string_view group = resource.group;
  absl::string_view package = group.substr(0, group.find('.'));
  if (package.empty() || package == "events") package = "core";
  if (package == "internal") package = "apiserverinternal";
  return absl::StrCat("*", package, ".", resource.kind, suffix);
}

ApiStatus WrongShape(absl::string_view asked, absl::string_view is, const config::Resource& resource, bool list) {
  return {.code = 406,
          .reason = "NotAcceptable",
          .message = absl::StrCat("you requested ", asked, ", but the requested object is ", is, " (",
                                  GoTypeOf(resource, list), ")")};
}

std::optional<ApiStatus> ReadIncludeObject(const net::Request& request, AnswerForm* form) {
  const absl::string_view text = request.Query("includeObject").value_or("");
  if (text == "None") {
    form->include_object = AnswerForm::IncludeObject::kNone;
  } else if (text == "Object") {
    form->include_object = AnswerForm::IncludeObject::kObject;
  } else if (!text.empty() && text != "Metadata") {
    return BadRequest(absl::StrCat("Unable to convert to Table as requested: includeObject: Invalid value: ",
                                   GoQuote(text), ": must be 'Metadata', 'Object', 'None', or empty"));
  }
  return std::nullopt;
}

std::optional<ApiStatus> ReadShape(const net::Request& request, const Target& target, AnswerVerb verb,
                                   const config::Resource& resource, AnswerForm* form) {
  if (target.is_none) return std::nullopt;
  form->meta_v1beta1 = target.version == "v1beta1";
  if (target.as == "Table") {
    form->shape = AnswerForm::Shape::kTable;
    return ReadIncludeObject(request, form);
  }
  form->shape = AnswerForm::Shape::kPartialMetadata;
  const bool as_list = target.as == "PartialObjectMetadataList";
  if (verb == AnswerVerb::kWatch) form->nothing_fits = as_list;
  if (verb == AnswerVerb::kList && !as_list) return WrongShape("PartialObjectMetadata", "a list", resource, true);
  if (verb == AnswerVerb::kGet && as_list)
    return WrongShape("PartialObjectMetadataList", "not a list", resource, false);
  return std::nullopt;
}

}  // namespace

ApiStatusOr<Negotiation> Negotiate(const net::Request& request, AnswerVerb verb, const config::Resource& resource) {
  const AcceptHeader accept(request.Header("accept"));
  // Custom resources stand behind no route.
  if (!resource.custom && !accept.Names(kServedNames)) {
    return NotAcceptable(verb == AnswerVerb::kGet ? std::string(kTypes) : absl::StrCat(kTypes, ", ", kStreamTypes),
                         false);
  }
  const std::optional<Choice> choice = Choose(
      accept, {.targets = EndpointRules::Targets::kShapes, .plain_protobuf = !resource.custom, .server_version = "v1"});
  if (!choice.has_value()) return NotAcceptable(kTypes, true);
  Negotiation negotiation{.form = {.encoding = choice->encoding}};
  AnswerForm& form = negotiation.form;
  form.indent = verb != AnswerVerb::kWatch && IsIndented(*choice, request);
  if (choice->clause != nullptr) {
    negotiation.late_refusal = ReadShape(request, Target(*choice->clause), verb, resource, &form);
  }
  if (!negotiation.late_refusal.has_value() && verb == AnswerVerb::kWatch && form.encoding == Encoding::kYaml) {
    negotiation.late_refusal = NotAcceptable(kStreamTypes, true);
  }
  return negotiation;
}

absl::string_view ContentTypeOf(Encoding encoding, bool watch) {
  switch (encoding) {
    case Encoding::kJson:
      return "application/json";
    case Encoding::kYaml:
      TM_CHECK(!watch) << "a watch in YAML";
      return "application/yaml";
    case Encoding::kProtobuf:
      break;
  }
  return watch ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/vnd.kubernetes.protobuf";
}

std::string DocumentForm::ContentType() const {
  return absl::StrCat(ContentTypeOf(encoding), aggregated ? kAggregatedParameters : "");
}

ApiStatusOr<DocumentForm> NegotiateDocument(const net::Request& request, bool may_aggregate, bool routed) {
  const AcceptHeader accept(request.Header("accept"));
  if (routed && !accept.Names(kServedNames)) return NotAcceptable(kTypes, false);
  std::optional<Choice> choice;
  // Asked for anywhere in the header, the aggregated form comes before what is preferred to it.
  if (may_aggregate && !accept.empty())
    choice = Choose(accept, {.targets = EndpointRules::Targets::kAggregatedDiscovery});
  const bool aggregated = choice.has_value();
  if (!aggregated) choice = Choose(accept, {});
  if (!choice.has_value()) return NotAcceptable(kTypes, true);
  return DocumentForm{.encoding = choice->encoding, .aggregated = aggregated, .indent = IsIndented(*choice, request)};
}

StatusForm NegotiateStatus(const net::Request& request) {
  const AcceptHeader accept(request.Header("accept"));
  const std::optional<Choice> choice = Choose(accept, {});
  if (!choice.has_value()) return {.indent = true};
  return {.encoding = choice->encoding, .indent = IsIndented(*choice, request)};
}

bool PrefersIndent(const net::Request& request) {
  constexpr absl::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  const absl::string_view pretty = request.Query("pretty").value_or("");
  if (!pretty.empty()) return std::find(std::begin(kTrue), std::end(kTrue), pretty) != std::end(kTrue);
  const absl::string_view agent = request.Header("user-agent");
  return absl::StartsWith(agent, "curl") || absl::StartsWith(agent, "Wget") || absl::StartsWith(agent, "Mozilla/5.0");
}

std::optional<ApiStatus> RefuseUnlessJsonIsNamed(const net::Request& request) {
  if (AcceptHeader(request.Header("accept")).Names({"application/json"})) return std::nullopt;
  return NotAcceptable("application/json", false);
}

}  // namespace tidemark::http
