// Resource describes one kind of object: where it lies in the store, what it is called in the API, and which fields
// select it. BuiltinResources is the table of what Kubernetes itself stores, OtherVersions of what it serves besides.
//
// Thread-safety: immutable.
// Source:        kube-apiserver 1.36.3's own discovery and storage layout.
#ifndef TIDEMARK_CONFIG_RESOURCE_H_
#define TIDEMARK_CONFIG_RESOURCE_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/encryption_config.h"
#include "config/object_columns.h"
#include "config/object_form.h"
#include "config/table_column.h"

namespace tidemark::config {

// What a client may name in a field selector beside metadata.name and metadata.namespace, which every resource has and
// which are answered from the key.
struct SelectableField {
  std::string name;  // as clients write it: "spec.nodeName"
  // Where it lies in the object: usually the same; an alias ("spec.host") names another's path. Empty: always compares
  // as "".
  std::string path;
  // false: unique per object (a uid, a name), so that an index would cost more than it saves, or
  // an alias of another field.
  bool indexed = true;
  // The value of an object that has nothing at the path: "false" or "0" where zero values are left out.
  std::string absent;
  // Where to look when the path gives an empty value: an event's source.
  std::string else_path;
};

// How kube-apiserver words the refusal of a field that it does not know.
enum class UnknownFieldError {
  kNotKnown,      // "f" is not a known field selector: only "metadata.name", "metadata.namespace"
  kNotSupported,  // field label not supported: f
  kForKind,       // field label "f" not supported for Job
  kForGroupKind,  // field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: f
};

struct Subresource {
  std::string name;  // "status"
  std::string kind;
  std::vector<std::string> verbs;
};

struct Resource {
  std::string group;    // empty: core
  std::string version;  // the one that is served
  // The group and version that the store has, where it is another one: v1 of the events of events.k8s.io/v1. An empty
  // version: as served.
  std::string stored_group;
  std::string stored_version;
  std::string kind;
  std::string list_kind;  // empty: the kind, with "List" behind it
  std::string plural;     // "pods"
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  // What a reader may ask for. None: it can only be created, as reviews are.
  std::vector<std::string> verbs = {"get", "list", "watch"};
  std::string prefix;  // under --etcd-prefix, without slashes at its ends: "pods", "services/specs"
  // How its values may be encrypted in the store. nullptr: nothing is known of that, and no key.
  std::shared_ptr<const EncryptionProviders> encryption = nullptr;
  std::vector<SelectableField> fields;
  UnknownFieldError unknown_field_error = UnknownFieldError::kNotKnown;
  std::vector<Subresource> subresources;
  // Of a custom resource: its openAPIV3Schema, as JSON. Null: nothing is said of its form, or the built-in tables say it.
  std::shared_ptr<const std::string> schema = nullptr;
  std::vector<TableColumn> columns;  // as --resource-definitions has them
  // Items of a list of custom resources carry kind and apiVersion; those of built-in ones do not.
  bool custom = false;
  // How stored objects become what this version serves; null: they are served as they are stored.
  std::shared_ptr<const ObjectForm> form;
  // What its Table shows; null: what that of its kind does.
  std::shared_ptr<const ObjectColumns> object_columns;
  // The same of the Scales of its objects.
  std::shared_ptr<const ObjectColumns> scale_columns;
  // Among the versions of one custom resource, which share their mirror and so its events: frames differ by this number.
  int version_number = 0;
  // What clients of a deprecated version are told with every answer.
  std::string warning;

  std::string ListKind() const { return list_kind.empty() ? kind + "List" : list_kind; }
  // "v1", "apps/v1".
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  std::string StoredApiVersion() const {
    if (stored_version.empty()) return ApiVersion();
    return stored_group.empty() ? stored_version : stored_group + "/" + stored_version;
  }
  // Of the row whose mirror has the objects; the plural is the same.
  const std::string& MirrorGroup() const { return stored_version.empty() ? group : stored_group; }
  bool Has(absl::string_view verb) const { return std::find(verbs.begin(), verbs.end(), verb) != verbs.end(); }
  // Whatever is stored can be watched, and nothing else.
  bool stored() const { return Has("watch"); }
  // "pods", "deployments.apps": how logs, errors and --resources name it.
  std::string GroupResource() const { return group.empty() ? plural : plural + "." + group; }
};

// One row per group and resource, sorted by group, then plural.
const std::vector<Resource>& BuiltinResources();

// What a Kubernetes API server serves and stores nowhere: reviews and bindings, which are questions and orders, and the health of
// components. No mirror has objects of these.
const std::vector<Resource>& UnstoredResources();

// What is served beside the rows of `mirrored` from the same mirrors: a row for each other version of a built-in resource that
// is among them. MirrorGroup() and the plural name the row whose mirror has the objects, and fields have their paths in these.
std::vector<Resource> OtherVersions(const std::vector<Resource>& mirrored);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_RESOURCE_H_
