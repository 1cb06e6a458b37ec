// ObjectForm is how the objects of a custom resource become what one of its versions serves: they are pruned and given
// their defaults when they come from the store, and brought from the version they were stored in to the one asked for.
//
//   decoded = form.Decode(value)                 once, when the value comes in; what selectors look at
//   if (form.Converts()) json = form.Serve(json) each time an object is sent in this version
//
// Thread-safety: immutable but for what Decode notes; every call may come from any thread.
// Ownership:     shared by the resource's rows (config/resource.h).
// Errors:        Decode, Serve, Scale: what the API server of the store would say of such an object.
// Cost:          Decode and Serve some 20 us per KB; what needs no Serve is sent as it lies there.
// Source:        how kube-apiserver 1.36.3 reads custom objects.
#ifndef TIDEMARK_CONFIG_OBJECT_FORM_H_
#define TIDEMARK_CONFIG_OBJECT_FORM_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

class ObjectForm {
 public:
  virtual ~ObjectForm() = default;

  // A stored value, in whichever version it was stored: JSON with sorted members, kind and apiVersion among them.
  virtual absl::StatusOr<std::string> Decode(absl::string_view value) const = 0;

  // Why nothing can be served in this version: its objects would have to be converted by a webhook.
  virtual absl::Status Servable() const = 0;
  // Whether some objects look different in this version. Once true, it stays so.
  virtual bool Converts() const = 0;
  // `json` is a decoded object, with or without kind and apiVersion, which are left out.
  virtual absl::StatusOr<std::string> Serve(absl::string_view json) const = 0;

  // The object's autoscaling/v1 Scale. Internal when the object does not say how many replicas it wants.
  virtual absl::StatusOr<std::string> Scale(absl::string_view json) const = 0;
};

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_OBJECT_FORM_H_
