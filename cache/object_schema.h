// ObjectSchema is what selectors may ask of one resource's objects, compiled: the distinct paths of its declared
// fields, numbered, and a trie over them for reading an object in one pass.
//
// Thread-safety: immutable.
// Invariants:    two field names with one path (an alias) share one number.
#ifndef TIDEMARK_CACHE_OBJECT_SCHEMA_H_
#define TIDEMARK_CACHE_OBJECT_SCHEMA_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "cache/value_decryptor.h"
#include "config/resource.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::cache {

class ObjectSchema {
 public:
  static constexpr int kNone = -1;

  struct Field {
    std::string path;
    bool indexed = false;
    std::string absent;      // the value where the object has none
    int else_field = kNone;  // the field that is taken when this one is empty
  };
  // One step of a path. Node 0 is the object itself.
  struct Node {
    int field = kNone;                                  // the field that ends here
    std::vector<std::pair<std::string, int>> children;  // name and number of node
  };

  explicit ObjectSchema(const config::Resource& resource, std::string key_prefix = "");

  // What the resource's keys begin with in the store, "/registry/pods/": for errors, which name whole keys.
  const std::string& key_prefix() const { return key_prefix_; }
  bool namespaced() const { return namespaced_; }
  bool custom() const { return custom_; }
  // Of the objects as they are stored; they may be served in other versions.
  const std::string& api_version() const { return api_version_; }
  const std::string& kind() const { return kind_; }
  // How its objects look in protobuf; nullptr when that is not known.
  const proto::MessageType* message_type() const { return message_type_; }
  // Opens stored values.
  const ValueDecryptor& decryptor() const { return decryptor_; }
  // nullptr when objects are served as they are stored.
  const config::ObjectForm* form() const { return form_.get(); }
  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // kNone when no field has this path.
  int FindField(absl::string_view path) const;
  // kNone when no path goes on with `name`.
  int FindChild(int node, absl::string_view name) const;

 private:
  int AddField(const std::string& path);

  const std::string key_prefix_;
  const bool namespaced_;
  const bool custom_;
  const std::string api_version_;
  const std::string kind_;
  const proto::MessageType* const message_type_;
  const ValueDecryptor decryptor_;
  const std::shared_ptr<const config::ObjectForm> form_;
  std::vector<Field> fields_;
  std::vector<Node> nodes_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_OBJECT_SCHEMA_H_
