#include "http/read_handler.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/object_reader.h"
#include "cache/unreadable.h"
#include "http/continue_token.h"
#include "http/encoder.h"
#include "http/list_body.h"
#include "http/resource_version.h"
#include "http/scale.h"
#include "http/server_document.h"
#include "http/shown_object.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kServedHeader = "X-Tidemark-Served";
constexpr absl::string_view kNameField = "metadata.name";
constexpr absl::string_view kNamespaceField = "metadata.namespace";

// The one value that a field must have, or empty.
absl::string_view OnlyValue(const cache::Selector& selector, absl::string_view field) {
  for (const cache::Requirement& requirement : selector.requirements) {
    const bool exact = requirement.source == cache::Requirement::Source::kField && requirement.key == field &&
                       requirement.op == cache::Requirement::Op::kIn && requirement.values.size() == 1;
    if (exact) return requirement.values[0];
  }
  return {};
}

ApiStatusOr<ListPlan> PlanContinue(const ListOptions& options, const ContinueToken& token, int64_t limit) {
  if (!options.resource_version.empty() && options.resource_version != "0") {
    return BadRequest("specifying resource version is not allowed when using continue");
  }
  ListPlan plan{.read = ReadKind::kConsistent, .start_key = token.start_key, .limit = limit};
  if (options.resource_version == "0") plan.limit = 0;
  if (token.revision > 0) {
    plan.read = ReadKind::kContinue;
    plan.version = static_cast<uint64_t>(token.revision);
  }
  return plan;
}

// Which reads of one object are asked for: GET has no match, limit or token.
ApiStatusOr<ListPlan> PlanGet(absl::string_view resource_version) {
  const absl::StatusOr<uint64_t> version = ParseResourceVersion(resource_version);
  if (!version.ok()) return PlainError(version.status().message());
  ListPlan plan{.read = ReadKind::kConsistent, .version = *version};
  if (!resource_version.empty()) plan.read = *version == 0 ? ReadKind::kAny : ReadKind::kNotOlderThan;
  return plan;
}

// A Scale in a Table, or its metadata: as those of any kind that is stored.
absl::StatusOr<std::string> ShapeScale(const AnswerForm& form, const config::Resource& resource,
                                       const cache::Object& object, absl::string_view scale, const Clock& clock) {
  const config::Resource row{.group = "autoscaling",
                             .version = "v1",
                             .kind = "Scale",
                             .plural = "scales",
                             .object_columns = resource.scale_columns};
  cache::ObjectBuilder builder(std::make_shared<const cache::ObjectSchema>(row));
  const cache::ObjectRef shown = builder.Build(object.key(), scale, object.mod_revision());
  if (shown->unreadable()) return absl::InternalError(shown->reason());
  return MakeEncoder(form, row, clock)->Whole(*shown);
}

// REQUIRES: the object can be read.
void AnswerScale(const AnswerForm& form, const config::Resource& resource, const cache::Object& object,
                 const Clock& clock, Responder* responder) {
  std::string scratch;
  const absl::string_view json = ShownObject::Whole(resource).Json(object, object.mod_revision(), &scratch);
  const absl::StatusOr<std::string> scale =
      resource.form == nullptr ? absl::StatusOr<std::string>(ScaleOf(json)) : resource.form->Scale(json);
  if (!scale.ok()) {
    const absl::string_view why = scale.status().message();
    return responder->Fail(absl::IsInternal(scale.status()) ? InternalFailure(why) : PlainError(why));
  }
  if (form.shape == AnswerForm::Shape::kObject) {
    return responder->Document({.api_version = "autoscaling/v1", .kind = "Scale", .json = *scale}, form);
  }
  absl::StatusOr<std::string> shaped = ShapeScale(form, resource, object, *scale, clock);
  if (!shaped.ok()) return responder->Fail(InternalFailure(shaped.status().message()));
  responder->Object(form, *std::move(shaped), {});
}

// A name that cannot be one is refused before anything is read.
std::optional<ApiStatus> RefuseName(absl::string_view name) {
  std::string why;
  if (name == "." || name == "..") why = absl::StrCat("may not be '", name, "'");
  if (absl::StrContains(name, "%")) why = "may not contain '%'";
  if (why.empty()) return std::nullopt;
  return BadRequest(absl::StrCat("Name parameter invalid: \"", name, "\": ", why));
}

ReadContext ContextOf(const ListPlan& plan, const config::Resource& resource, absl::string_view verb) {
  ReadContext context{.read = plan.read, .verb = verb, .version = plan.version, .resource = &resource};
  if (plan.read == ReadKind::kContinue) {
    context.fresh_token = EncodeContinueToken({.revision = -1, .start_key = plan.start_key}, /*leading_slash=*/false);
  }
  return context;
}

cache::ReadOptions OptionsOf(const ListPlan& plan, absl::Time deadline, cache::Scope scope) {
  return {.freshness = FreshnessOf(plan.read),
          .revision = RevisionOfVersion(plan.version),
          .deadline = deadline,
          .scope = std::move(scope)};
}

}  // namespace

ApiStatusOr<ListPlan> PlanList(const ListOptions& options, bool single) {
  const int64_t limit = single || options.limit < 0 ? 0 : options.limit;
  if (!options.continue_token.empty()) {
    const absl::StatusOr<ContinueToken> token = DecodeContinueToken(options.continue_token);
    if (!token.ok()) return BadRequest(absl::StrCat("invalid continue token: ", token.status().message()));
    return PlanContinue(options, *token, limit);
  }
  ListPlan plan{.read = ReadKind::kConsistent, .limit = limit};
  if (options.resource_version.empty()) return plan;
  const absl::StatusOr<uint64_t> version = ParseResourceVersion(options.resource_version);
  if (!version.ok()) return BadRequest(absl::StrCat("invalid resource version: ", version.status().message()));
  plan.version = *version;
  if (options.resource_version == "0") plan.limit = 0;  // kept so for clients of old
  const bool exact = options.resource_version_match == "Exact" || (options.resource_version_match.empty() && limit > 0);
  if (plan.version == 0) {
    plan.read = ReadKind::kAny;
  } else {
    plan.read = exact ? ReadKind::kExact : ReadKind::kNotOlderThan;
  }
  return plan;
}

cache::Freshness FreshnessOf(ReadKind read) {
  switch (read) {
    case ReadKind::kAny:
      return cache::Freshness::kAny;
    case ReadKind::kNotOlderThan:
      return cache::Freshness::kNotOlderThan;
    case ReadKind::kExact:
    case ReadKind::kContinue:
      return cache::Freshness::kExact;
    default:
      return cache::Freshness::kConsistent;
  }
}

ApiStatusOr<cache::Scope> ScopeOf(const Route& route, const cache::Selector& selector) {
  cache::Scope scope{.namespace_name = route.namespace_name, .name = route.name};
  const absl::string_view name = OnlyValue(selector, kNameField);
  if (!route.name.empty()) {
    if (!name.empty() && name != route.name)
      return BadRequest("fieldSelector metadata.name doesn't match requested name");
    return scope;
  }
  const bool namespaced = route.resource->namespaced;
  if (namespaced && scope.namespace_name.empty())
    scope.namespace_name = std::string(OnlyValue(selector, kNamespaceField));
  if (!namespaced || !scope.namespace_name.empty()) scope.name = std::string(name);
  return scope;
}

void ReadHandler::List(const Route& route, const Negotiation& asked, cache::Mirror* mirror,
                       std::shared_ptr<Responder> responder) {
  const config::Resource& resource = *route.resource;
  ApiStatusOr<ListOptions> options = DecodeListOptions(responder->request(), resource, /*watch=*/false);
  if (!options.ok()) return responder->Fail(options.status());
  ApiStatusOr<cache::Scope> scope = ScopeOf(route, options->selector);
  if (!scope.ok()) return responder->Fail(scope.status());
  const bool single = !scope->name.empty() && scope->namespace_name == route.namespace_name;
  ApiStatusOr<ListPlan> plan = PlanList(*options, single);
  if (!plan.ok()) return responder->Fail(plan.status());

  ListRequest request{.key_prefix = mirror->key_prefix(),
                      .query = {.scope = *scope, .selector = std::move(options->selector), .limit = plan->limit},
                      .listed_namespace = route.namespace_name,
                      .metrics = mirror->read_metrics()};
  if (!plan->start_key.empty()) request.query.start_key = absl::StrCat(request.KeyPrefix(), plan->start_key);
  const ReadContext context = ContextOf(*plan, resource, "list");
  const absl::Time deadline = ReadDeadline(responder->request(), clock_);
  FreshRead(
      cache_, post_, mirror, OptionsOf(*plan, deadline, *std::move(scope)),
      [responder, asked, context, request = std::move(request), this](absl::StatusOr<cache::View> view) mutable {
        if (!view.ok()) return responder->Fail(FromReadError(view.status(), context));
        if (asked.late_refusal) return responder->Fail(*asked.late_refusal);
        absl::StatusOr<ListBody> body =
            MakeListBody(*std::move(view), std::move(request), MakeEncoder(asked.form, *context.resource, clock_));
        if (!body.ok()) return responder->Fail(FromReadError(body.status(), context));
        Responder::Headers headers = {{std::string(kServedHeader), body->served}};
        if (asked.form.encoding == AnswerForm::Encoding::kYaml) {
          return yaml_lists_->Answer(asked.form, std::move(body->source), std::move(headers), std::move(responder));
        }
        responder->Stream(asked.form, std::move(body->source), body->length, std::move(headers));
      });
}

void ReadHandler::Get(const Route& route, const Negotiation& asked, cache::Mirror* mirror,
                      std::shared_ptr<Responder> responder) {
  if (const auto refusal = RefuseName(route.name)) return responder->Fail(*refusal);
  ApiStatusOr<ListPlan> plan = PlanGet(responder->request().Query("resourceVersion").value_or(""));
  if (!plan.ok()) return responder->Fail(plan.status());
  const config::Resource& resource = *route.resource;
  const ReadContext context = ContextOf(*plan, resource, "get");
  std::string key = resource.namespaced ? absl::StrCat(route.namespace_name, "/", route.name) : route.name;
  const absl::Time deadline = ReadDeadline(responder->request(), clock_);
  FreshRead(
      cache_, post_, mirror, OptionsOf(*plan, deadline, {.namespace_name = route.namespace_name, .name = route.name}),
      [responder, asked, context, mirror, key = std::move(key), name = route.name, subresource = route.subresource,
       this](absl::StatusOr<cache::View> view) {
        if (!view.ok()) return responder->Fail(FromReadError(view.status(), context));
        const cache::Object* object = view->snapshot->Get(key);
        if (object == nullptr) return responder->Fail(ObjectNotFound(*context.resource, name));
        if (object->unreadable()) {
          return responder->Fail(FromReadError(cache::UnreadableError(mirror->key_prefix(), *object), context));
        }
        if (asked.late_refusal) return responder->Fail(*asked.late_refusal);
        if (subresource == "scale") return AnswerScale(asked.form, *context.resource, *object, clock_, responder.get());
        absl::StatusOr<std::string> whole = MakeEncoder(asked.form, *context.resource, clock_)->Whole(*object);
        if (!whole.ok()) {
          const absl::Status error = cache::UnreadableError(mirror->key_prefix(), *object, whole.status().message());
          return responder->Fail(FromReadError(error, context));
        }
        responder->Object(asked.form, *std::move(whole),
                          {{std::string(kServedHeader), absl::StrCat("key; ", view->served_from)}});
      });
}

}  // namespace tidemark::http
