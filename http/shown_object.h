// ShownObject says what an object looks like in an answer before it is encoded: whole, or its metadata alone, under which kind and
// version, at which revision; as JSON and as protobuf, whichever of the two it is stored as.
//
// Thread-safety: immutable.
// Ownership:     what Json and Message return points into the object, or into *scratch.
// Errors:        InvalidArgument for JSON that is no message of its kind: only what somebody else than an API server wrote.
// Cost:          nothing for an object in the form that is asked for; 2.4 us per KB from protobuf to JSON, 4 us back.
#ifndef TIDEMARK_HTTP_SHOWN_OBJECT_H_
#define TIDEMARK_HTTP_SHOWN_OBJECT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "cache/object.h"
#include "config/resource.h"
#include "http/version_conversion.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::http {

class ShownObject {
 public:
  // `resource` outlives it.
  static ShownObject Whole(const config::Resource& resource);
  // PartialObjectMetadata of meta.k8s.io/v1, or of its v1beta1.
  static ShownObject Metadata(const config::Resource& resource, bool v1beta1);

  const config::Resource& resource() const { return *resource_; }
  const std::string& kind() const { return kind_; }
  const std::string& api_version() const { return api_version_; }
  std::string list_kind() const { return whole_ ? resource_->ListKind() : kind_ + "List"; }
  bool whole() const { return whole_; }
  // Metadata of v1beta1.
  bool meta_v1beta1() const;
  // A custom object as it is: no Go type orders its fields.
  bool untyped() const { return whole_ && resource_->custom; }
  // Whether an object is shown as it is stored, but for what stands around it: whole, and in no other version.
  bool as_stored() const { return whole_ && conversion_ == nullptr && !IsConvertedByForm(); }
  // Whether there is protobuf of it at all.
  bool has_messages() const { return type_ != nullptr; }
  // Whether items of a list carry kind and apiVersion.
  bool items_have_kind() const { return !whole_ || resource_->custom; }

  // {"kind":"Pod","apiVersion":"v1",
  std::string JsonPrefix() const;

  // {"metadata":{..},"spec":{..}}: without kind and apiVersion. `at` is the object's own revision, or that of its end.
  // REQUIRES (for all that takes an object): !object.unreadable().
  absl::string_view Json(const cache::Object& object, Revision at, std::string* scratch) const;
  // REQUIRES: has_messages().
  absl::StatusOr<absl::string_view> Message(const cache::Object& object, Revision at, std::string* scratch) const;

  // The whole object as JSON in the version that is stored: what its table is made from.
  absl::string_view StoredJson(const cache::Object& object, Revision at, std::string* scratch) const;

  // Nothing but a revision, as bookmarks have it.
  cache::ObjectRef Bookmark(Revision revision, bool initial_events_end) const;

 private:
  bool IsConvertedByForm() const { return resource_->form != nullptr && resource_->form->Converts(); }
  ShownObject(const config::Resource& resource, bool whole, std::string kind, std::string api_version);
  bool HidesAnnotation() const;
  absl::string_view StoredMetadataJson(const cache::Object& object, Revision at, std::string* scratch) const;
  absl::string_view MetadataJson(const cache::Object& object, Revision at, std::string* scratch) const;

  const config::Resource* resource_;
  bool whole_;
  std::string kind_;
  std::string api_version_;
  VersionConversion conversion_;           // from what is stored; nullptr: both are written alike
  const proto::MessageType* stored_type_;  // of what the store holds
  const proto::MessageType* type_;         // of what is shown
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_SHOWN_OBJECT_H_
