// ScaleJson writes the autoscaling/v1 Scale of an object: how many replicas it wants, and how many there are.
//
//   {"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"},"spec":{"replicas":2},"status":{"replicas":1}}
//
// Thread-safety: pure.
// Source:        kube-apiserver's scale subresources.
#ifndef TIDEMARK_CONFIG_SCALE_JSON_H_
#define TIDEMARK_CONFIG_SCALE_JSON_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

struct Replicas {
  int64_t wanted = 0;
  int64_t actual = 0;
  std::string selector;  // as queries have it: "app=web"; may be empty
};

// `metadata` gives the text of a field of the object's metadata, or an empty one.
std::string ScaleJson(const Replicas& replicas, absl::FunctionRef<std::string(absl::string_view field)> metadata);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_SCALE_JSON_H_
