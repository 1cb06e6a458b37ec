// ObjectEncoder writes the objects of one resource as JSON: items of a list, single objects, and the frames of a watch.
// What an object's own bytes say is never parsed nor copied where a slice will do.
//
// Thread-safety: immutable.
// Ownership:     slices point into the encoder and into the objects; both outlive them.
// Errors:        none: what cannot be read is an error before it comes here (cache/unreadable.h).
// Cost:          AppendItem one slice for a built-in resource; SharedFrame builds a frame once per event.
#ifndef TIDEMARK_HTTP_OBJECT_JSON_H_
#define TIDEMARK_HTTP_OBJECT_JSON_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "cache/cache.h"
#include "cache/object.h"
#include "config/resource.h"
#include "http/status.h"

namespace tidemark::http {

class ObjectEncoder {
 public:
  // `resource` outlives the encoder.
  explicit ObjectEncoder(const config::Resource& resource);
  const config::Resource& resource() const { return resource_; }

  // One item of a list, with the comma behind it unless it is the last. REQUIRES: !object.unreadable().
  void AppendItem(const cache::Object& object, bool last, std::vector<absl::string_view>* slices) const;
  // REQUIRES: !object.unreadable().
  std::string Json(const cache::Object& object) const;

  // The frame of an object that is there when a watch begins; returns its bytes. REQUIRES: !object.unreadable().
  size_t AppendAdded(const cache::Object& object, std::vector<absl::string_view>* slices) const;
  // The event's own frame, which lives as long as the event. REQUIRES: !event.object->unreadable().
  absl::string_view SharedFrame(const cache::WatchEvent& event) const;
  std::string BookmarkFrame(Revision revision, bool initial_events_end) const;

 private:
  const config::Resource& resource_;
  const std::string object_prefix_;  // {"kind":"Pod","apiVersion":"v1",
  const std::string added_prefix_;   // {"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",
};

std::string ErrorFrame(const ApiStatus& status);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_OBJECT_JSON_H_
