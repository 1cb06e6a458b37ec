// Manifests as people write them, turned into what a store keeps: YAML or JSON, several documents, lists of
// objects. Fields are not defaulted as an API server would; metadata gets what every stored object has
// (namespace, uid, creationTimestamp).
//
// Thread-safety: pure.
// Errors:        kInvalidArgument that names the document and what it lacks. Nothing throws.
// Source:        kube-apiserver's key layout and its JSON storage form (kind, apiVersion and metadata first).
#ifndef TIDEMARK_CMD_MANIFEST_H_
#define TIDEMARK_CMD_MANIFEST_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cmd/stored_object.h"
#include "config/resource.h"

namespace tidemark::cmd {

struct ManifestContext {
  std::string etcd_prefix;                  // "/registry"
  std::vector<config::Resource> resources;  // every kind that may be named
  absl::Time now;                           // creationTimestamp where it is missing
  std::function<std::string()> make_uid;    // uid where it is missing
};

absl::StatusOr<std::vector<StoredObject>> ReadManifests(absl::string_view text, const ManifestContext& context);

// A random UUID, as API servers give out.
std::string RandomUid();

// The key of an object. `name_space` counts only where the resource has namespaces.
std::string ObjectKey(absl::string_view etcd_prefix, const config::Resource& resource, absl::string_view name_space,
                      absl::string_view name);

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_MANIFEST_H_
