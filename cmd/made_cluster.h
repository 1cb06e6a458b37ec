// MadeCluster makes the pods, nodes and namespaces of a cluster that looks like a real one: deployments of several
// sizes, their pods spread over nodes and namespaces, the labels and the defaulted fields that stored objects have. An
// object depends on the seed and on its number alone.
//
// Thread-safety: immutable.
// Units:         size_bytes is the size of a pod's value to aim at, reached by an annotation; smaller
//                than a bare pod: no effect.
#ifndef TIDEMARK_CMD_MADE_CLUSTER_H_
#define TIDEMARK_CMD_MADE_CLUSTER_H_

#include <cstdint>
#include <string>

#include "cmd/stored_object.h"

namespace tidemark::cmd {

struct MadeClusterOptions {
  std::string etcd_prefix;  // "/registry"
  int64_t pods = 0;
  int64_t nodes = 0;  // 0: pods are not scheduled
  int64_t size_bytes = 0;
  int64_t seed = 1;
};

class MadeCluster {
 public:
  explicit MadeCluster(MadeClusterOptions options) : options_(std::move(options)) {}

  // Namespaces, then nodes, then pods.
  int64_t size() const;
  // REQUIRES: 0 <= i < size().
  StoredObject Object(int64_t i) const;

 private:
  int64_t namespaces() const;
  StoredObject Namespace(int64_t i) const;
  StoredObject Node(int64_t i) const;
  StoredObject Pod(int64_t i) const;

  const MadeClusterOptions options_;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_MADE_CLUSTER_H_
