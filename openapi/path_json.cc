#include "openapi/path_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "config/kubernetes_release.h"
#include "openapi/definitions.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

Json ParametersJson(absl::Span<const Parameter> parameters, const Dialect& dialect) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) {
    Json json = {{"name", std::string(parameter.name)}, {"in", parameter.in_path ? "path" : "query"}};
    if (parameter.in_path) json["required"] = true;
    dialect.add_type(parameter, &json);
    list.push_back(std::move(json));
  }
  return list;
}

Json AnswersJson(const Operation& operation, const Dialect& dialect) {
  Json answers = Json::object();
  for (const Answer& answer : operation.answers) {
    Json json = {{"description", std::string(answer.description)}};
    if (answer.has_body) dialect.add_body(operation, &json);
    answers[absl::StrCat(answer.code)] = std::move(json);
  }
  return answers;
}

Json OperationJson(const Operation& operation, const Dialect& dialect) {
  Json json = {{"tags", Json::array({operation.tag})},
               {"operationId", operation.id},
               {"responses", AnswersJson(operation, dialect)},
               {"x-kubernetes-action", std::string(operation.action)},
               {kKindsOf, {{"group", operation.group}, {"version", operation.version}, {"kind", operation.kind}}}};
  if (!operation.parameters.empty()) json["parameters"] = ParametersJson(operation.parameters, dialect);
  dialect.add_request(operation, &json);
  return json;
}

}  // namespace

Json KubernetesInfo() {
  return {{"title", "Kubernetes"}, {"version", absl::StrCat(config::kKubernetesMajor, ".", config::kKubernetesMinor)}};
}

Json PathsJson(absl::Span<const PathItem> paths, const Dialect& dialect) {
  Json all = Json::object();
  for (const PathItem& item : paths) {
    Json json = {{"parameters", ParametersJson(item.parameters, dialect)}};
    for (const Operation& operation : item.operations)
      json[std::string(operation.method)] = OperationJson(operation, dialect);
    all[item.path] = std::move(json);
  }
  return all;
}

}  // namespace tidemark::openapi
