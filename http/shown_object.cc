#include "http/shown_object.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "base/json_edit.h"
#include "base/json_slices.h"
#include "base/status.h"
#include "http/resource_version.h"
#include "proto/field_reader.h"
#include "proto/json_to_protobuf.h"
#include "proto/protobuf_to_json.h"
#include "proto/revision_splice.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kMetadataKind = "PartialObjectMetadata";
constexpr absl::string_view kMetaV1 = "meta.k8s.io/v1";
constexpr absl::string_view kMetaV1Beta1 = "meta.k8s.io/v1beta1";

// Each thread's own, with the buffers that have grown: encoders come and go with the answers.
proto::ProtobufToJson& ToJson() {
  thread_local proto::ProtobufToJson writer;
  return writer;
}

proto::JsonToProtobuf& ToProtobuf() {
  thread_local proto::JsonToProtobuf writer;
  return writer;
}

const proto::MessageType& MetadataOnlyType() {
  static const proto::MessageType* const type = proto::FindKind(kMetaV1, kMetadataKind);
  TM_CHECK(type != nullptr) << "no " << kMetadataKind;
  return *type;
}

constexpr absl::string_view kDaemonSets = "daemonsets.apps";

// Metadata is taken from objects of no version, in which this annotation of a daemon set is a field.
constexpr absl::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

// `{"metadata":{..}}` without the annotation.
std::string WithoutTemplateGeneration(absl::string_view object) {
  const absl::string_view metadata = FindJson(object, "metadata");
  const absl::string_view annotations = FindJson(metadata, "annotations");
  if (annotations.empty()) return std::string(object);
  std::string rest = WithJsonField(annotations, kTemplateGeneration, "");
  if (rest == "{}") rest.clear();
  return WithJsonField(object, "metadata", WithJsonField(metadata, "annotations", rest));
}

const proto::MessageType* TypeOf(const config::Resource& resource, const std::string& api_version) {
  return resource.custom ? nullptr : proto::FindKind(api_version, resource.kind);
}

void ReplaceWithJson(const proto::MessageType& type, absl::string_view message, std::string* out) {
  out->assign(1, '{');
  const absl::Status status = ToJson().AppendFields(type, message, out);
  TM_CHECK(status.ok()) << status;  // it was converted when it came in
  out->push_back('}');
}

// The object's message at another revision than its own.
std::string MessageAt(const cache::Object& object, Revision at) {
  const std::optional<proto::RevisionSplice> splice = proto::FindRevision(object.Message());
  TM_CHECK(splice.has_value()) << object.key();
  std::string message;
  proto::AppendWithRevision(object.Message(), *splice, PrintResourceVersion(at), &message);
  return message;
}

// A part of the object's JSON at another revision than its own.
std::string JsonAt(const cache::Object& object, absl::string_view part, Revision at) {
  const absl::string_view digits = object.ResourceVersion();
  const size_t before = static_cast<size_t>(digits.data() - part.data());
  return absl::StrCat(part.substr(0, before), PrintResourceVersion(at), part.substr(before + digits.size()));
}

// `{"metadata":{..}}` of an object that is stored as JSON.
std::string MetadataText(const cache::Object& object, Revision at) {
  const bool own = at == object.mod_revision();
  return absl::StrCat("{", own ? std::string(object.Metadata()) : JsonAt(object, object.Metadata(), at), "}");
}

// The first field with its tag: metadata.
absl::string_view FirstField(absl::string_view message) {
  proto::FieldReader reader(message);
  reader.Next();
  return {message.data(), static_cast<size_t>(reader.end() - message.data())};
}

}  // namespace

ShownObject::ShownObject(const config::Resource& resource, bool whole, std::string kind, std::string api_version)
    : resource_(&resource),
      whole_(whole),
      kind_(std::move(kind)),
      api_version_(std::move(api_version)),
      conversion_(FindVersionConversion(resource.StoredApiVersion(), resource.kind, resource.ApiVersion())),
      stored_type_(TypeOf(resource, resource.StoredApiVersion())),
      type_(whole ? TypeOf(resource, resource.ApiVersion()) : &MetadataOnlyType()) {}

ShownObject ShownObject::Whole(const config::Resource& resource) {
  return {resource, true, resource.kind, resource.ApiVersion()};
}

ShownObject ShownObject::Metadata(const config::Resource& resource, bool v1beta1) {
  return {resource, false, std::string(kMetadataKind), std::string(v1beta1 ? kMetaV1Beta1 : kMetaV1)};
}

bool ShownObject::meta_v1beta1() const { return api_version_ == kMetaV1Beta1; }

std::string ShownObject::JsonPrefix() const {
  const std::string kind = absl::StrCat("\"kind\":", GoJsonString(kind_), ",");
  const std::string api_version = absl::StrCat("\"apiVersion\":", GoJsonString(api_version_), ",");
  // What has no Go type has its fields in the order of their names.
  return untyped() ? absl::StrCat("{", api_version, kind) : absl::StrCat("{", kind, api_version);
}

absl::string_view ShownObject::Json(const cache::Object& object, Revision at, std::string* scratch) const {
  if (!whole_) return MetadataJson(object, at, scratch);
  if (as_stored()) return StoredJson(object, at, scratch);
  std::string stored_scratch;
  const absl::string_view stored = StoredJson(object, at, &stored_scratch);
  scratch->clear();
  if (resource_->form != nullptr) {
    const absl::StatusOr<std::string> served = resource_->form->Serve(stored);
    // What was decoded can be shown in every version that is served at all.
    *scratch = served.ok() ? *served : std::string(stored);
    return *scratch;
  }
  conversion_(stored, scratch);
  return *scratch;
}

absl::string_view ShownObject::StoredJson(const cache::Object& object, Revision at, std::string* scratch) const {
  const bool own = at == object.mod_revision();
  if (!object.is_protobuf()) {
    if (own) return object.Json();
    *scratch = JsonAt(object, object.Json(), at);
    return *scratch;
  }
  const std::string other = own ? std::string() : MessageAt(object, at);
  ReplaceWithJson(*stored_type_, own ? object.Message() : other, scratch);
  return *scratch;
}

bool ShownObject::HidesAnnotation() const { return !whole_ && resource_->GroupResource() == kDaemonSets; }

absl::string_view ShownObject::MetadataJson(const cache::Object& object, Revision at, std::string* scratch) const {
  StoredMetadataJson(object, at, scratch);
  if (HidesAnnotation()) *scratch = WithoutTemplateGeneration(*scratch);
  return *scratch;
}

absl::string_view ShownObject::StoredMetadataJson(const cache::Object& object, Revision at,
                                                  std::string* scratch) const {
  const bool own = at == object.mod_revision();
  if (object.is_protobuf()) {
    const std::string other = own ? std::string() : MessageAt(object, at);
    ReplaceWithJson(MetadataOnlyType(), FirstField(own ? object.Message() : absl::string_view(other)), scratch);
    return *scratch;
  }
  *scratch = MetadataText(object, at);
  if (!resource_->custom) return *scratch;
  // Here it has a Go type, and its fields that type's order.
  std::string message;
  if (ToProtobuf().Append(MetadataOnlyType(), *scratch, &message).ok()) {
    ReplaceWithJson(MetadataOnlyType(), message, scratch);
  }
  return *scratch;
}

absl::StatusOr<absl::string_view> ShownObject::Message(const cache::Object& object, Revision at,
                                                       std::string* scratch) const {
  TM_DCHECK(has_messages());
  if (object.is_protobuf() && (as_stored() || !whole_) && !HidesAnnotation()) {
    const bool own = at == object.mod_revision();
    if (!own) *scratch = MessageAt(object, at);
    const absl::string_view message = own ? object.Message() : absl::string_view(*scratch);
    return whole_ ? message : FirstField(message);
  }
  // In a message the order of the fields does not matter.
  const bool untyped_metadata = !whole_ && resource_->custom;
  std::string json_scratch = untyped_metadata ? MetadataText(object, at) : "";
  const absl::string_view json = untyped_metadata ? json_scratch : Json(object, at, &json_scratch);
  scratch->clear();
  TM_RETURN_IF_ERROR(ToProtobuf().Append(*type_, json, scratch));
  return absl::string_view(*scratch);
}

cache::ObjectRef ShownObject::Bookmark(Revision revision, bool initial_events_end) const {
  const absl::string_view metadata = initial_events_end
                                         ? R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}})"
                                         : R"({"metadata":{}})";
  if (stored_type_ != nullptr) {
    std::string message;
    const absl::Status status = ToProtobuf().Append(*stored_type_, metadata, &message);
    const std::optional<proto::RevisionSplice> splice = proto::FindRevision(message);
    TM_CHECK(status.ok() && splice.has_value()) << resource_->kind;
    return cache::MakeProtobufObject("", revision, message, *splice);
  }
  constexpr absl::string_view kHead = "{\"metadata\":{";
  return cache::MakeObject("", revision, kHead, metadata.substr(kHead.size()), metadata.size() - 1);
}

}  // namespace tidemark::http
