#include "http/component_statuses.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "http/encoder.h"
#include "http/pieces.h"

namespace tidemark::http {
namespace {

// It calls itself by its singular name, as no other resource does.
ApiStatus NotFound(const config::Resource& resource, absl::string_view name) {
  ApiStatus status = ObjectNotFound(resource, name);
  status.message = absl::StrCat(resource.singular, " \"", name, "\" not found");
  status.details->kind = resource.singular;
  return status;
}

// As a table, or of metadata alone.
std::string EmptyList(const AnswerForm& form, const config::Resource& resource, const Clock& clock) {
  const std::unique_ptr<Encoder> encoder = MakeEncoder(form, resource, clock);
  std::vector<absl::string_view> slices;
  Pieces pieces;
  pieces.Begin(&slices);
  encoder->AppendHead({.empty = true}, &pieces);
  encoder->AppendTail(/*empty=*/true, &pieces);
  return absl::StrJoin(slices, "");
}

}  // namespace

void AnswerComponentStatuses(const Route& route, const AnswerForm& form, const Clock& clock, Responder* responder) {
  const config::Resource& resource = *route.resource;
  if (!route.name.empty()) return responder->Fail(NotFound(resource, route.name));
  if (form.shape == AnswerForm::Shape::kObject) {
    // No revision: none of the store has anything to do with it.
    const std::string json = absl::StrCat("{\"kind\":\"", resource.ListKind(), "\",\"apiVersion\":\"", resource.version,
                                          "\",\"metadata\":{},\"items\":[]}");
    return responder->Document({.api_version = resource.version, .kind = resource.ListKind(), .json = json}, form);
  }
  std::string list = EmptyList(form, resource, clock);
  if (form.encoding != AnswerForm::Encoding::kProtobuf) list.pop_back();  // Object puts it there again
  responder->Object(form, std::move(list), {});
}

}  // namespace tidemark::http
