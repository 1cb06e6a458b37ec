#include "http/object_json.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "cache/event.h"
#include "http/resource_version.h"

namespace tidemark::http {
namespace {

// Among the forms of a frame (cache/event.h).
constexpr uint32_t kJsonForm = 0;
// Forms of one version of a resource.
constexpr uint32_t kFormsMax = 16;

constexpr absl::string_view kFrameEnd = "}\n";
constexpr absl::string_view kComma = ",";

std::string ObjectPrefix(const config::Resource& resource) {
  const std::string kind = absl::StrCat("\"kind\":", GoJsonString(resource.kind), ",");
  const std::string api_version = absl::StrCat("\"apiVersion\":", GoJsonString(resource.ApiVersion()), ",");
  // A custom resource has no Go type, and its fields come in the order of their names.
  return resource.custom ? absl::StrCat("{", api_version, kind) : absl::StrCat("{", kind, api_version);
}

absl::string_view TypeName(cache::WatchEvent::Type type) {
  switch (type) {
    case cache::WatchEvent::Type::kAdded:
      return "ADDED";
    case cache::WatchEvent::Type::kModified:
      return "MODIFIED";
    case cache::WatchEvent::Type::kDeleted:
      return "DELETED";
  }
  return "";
}

cache::WatchEventType SlotType(cache::WatchEvent::Type type) {
  switch (type) {
    case cache::WatchEvent::Type::kAdded:
      return cache::WatchEventType::kAdded;
    case cache::WatchEvent::Type::kModified:
      return cache::WatchEventType::kModified;
    case cache::WatchEvent::Type::kDeleted:
      break;
  }
  return cache::WatchEventType::kDeleted;
}

// The object's body with `revision` as its resource version.
std::string BodyAt(const cache::Object& object, Revision revision) {
  const absl::string_view body = object.Body();
  const absl::string_view digits = object.ResourceVersion();
  const size_t before = static_cast<size_t>(digits.data() - body.data());
  return absl::StrCat(body.substr(0, before), PrintResourceVersion(revision), body.substr(before + digits.size()));
}

// A body as this version of a custom resource shows it.
std::string BodyIn(const config::Resource& resource, std::string body) {
  if (resource.form == nullptr || !resource.form->Converts()) return body;
  const absl::StatusOr<std::string> served = resource.form->Serve(absl::StrCat("{", body));
  // What was decoded can be shown in every version that is served at all.
  return served.ok() ? served->substr(1) : body;
}

}  // namespace

ObjectEncoder::ObjectEncoder(const config::Resource& resource)
    : resource_(resource),
      object_prefix_(ObjectPrefix(resource)),
      added_prefix_(absl::StrCat("{\"type\":\"ADDED\",\"object\":", object_prefix_)) {}

void ObjectEncoder::AppendItem(const cache::Object& object, bool last, std::vector<absl::string_view>* slices) const {
  if (!resource_.custom) {
    slices->push_back(last ? object.Json() : object.Item());
    return;
  }
  slices->push_back(object_prefix_);
  slices->push_back(object.Body());
  if (!last) slices->push_back(kComma);
}

std::string ObjectEncoder::Json(const cache::Object& object) const {
  TM_CHECK(!object.unreadable());
  return absl::StrCat(object_prefix_, BodyIn(resource_, std::string(object.Body())));
}

size_t ObjectEncoder::AppendAdded(const cache::Object& object, std::vector<absl::string_view>* slices) const {
  const absl::string_view body = object.Body();
  slices->push_back(added_prefix_);
  slices->push_back(body);
  slices->push_back(kFrameEnd);
  return added_prefix_.size() + body.size() + kFrameEnd.size();
}

absl::string_view ObjectEncoder::SharedFrame(const cache::WatchEvent& event) const {
  TM_CHECK(!event.object->unreadable());
  const auto build = [&] {
    // A deleted object, or one that is no longer selected, is the last one that was, at the revision at which it went.
    const bool deleted = event.type == cache::WatchEvent::Type::kDeleted;
    const std::string body = deleted ? BodyAt(*event.object, event.revision) : std::string(event.object->Body());
    return absl::StrCat("{\"type\":\"", TypeName(event.type), "\",\"object\":", object_prefix_, BodyIn(resource_, body),
                        kFrameEnd);
  };
  // The versions of a custom resource have one mirror, and so share its events.
  const uint32_t form = kJsonForm + kFormsMax * static_cast<uint32_t>(resource_.version_number);
  return event.event->Frame(cache::FrameSlot(form, SlotType(event.type)), build);
}

std::string ObjectEncoder::BookmarkFrame(Revision revision, bool initial_events_end) const {
  const absl::string_view annotations =
      initial_events_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return absl::StrCat("{\"type\":\"BOOKMARK\",\"object\":", object_prefix_, "\"metadata\":{\"resourceVersion\":\"",
                      PrintResourceVersion(revision), "\"", annotations, "}}", kFrameEnd);
}

std::string ErrorFrame(const ApiStatus& status) {
  return absl::StrCat("{\"type\":\"ERROR\",\"object\":", status.ToJson(), kFrameEnd);
}

}  // namespace tidemark::http
