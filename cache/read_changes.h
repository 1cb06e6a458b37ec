// What reading changes in an object: kube-apiserver decodes what lies in the store with today's defaults and conversions, and
// some of these give another object than the one that it stored itself.
//
//   const ReadChange change = FindReadChange("batch/v1", "Job");
//   std::string changed;
//   if (change != nullptr && change(json, &changed)) json = std::move(changed);
//
//   what                                 why a current kube-apiserver's own objects have it
//   CustomResourceDefinition             stored as v1beta1 of its group, always; served as v1
//   StatefulSet.spec.volumeClaimTemplates  kind and apiVersion are no part of the stored message
//   Job.metadata.labels                  empty: the template's, to which labels are added behind the defaults
//   PersistentVolumeClaim, -Volume       no status.phase: Pending; of a claim's two data sources the one that is missing
//   Service                              a balancer's addresses have an ipMode; old ones have one clusterIP and no list
//
// Thread-safety: pure functions.
// Errors:        none: what is not as expected stays as it is.
// Cost:          some microseconds per KB, of these kinds only.
// Source:        Kubernetes' defaults and conversions, and what its registries do to an object behind the store; checked against a
//                kube-apiserver's answers.
#ifndef TIDEMARK_CACHE_READ_CHANGES_H_
#define TIDEMARK_CACHE_READ_CHANGES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::cache {

// `object` is a stored object without kind and apiVersion: {"metadata":{..},"spec":{..}}. When reading changes it, it is appended
// to `json` as it is read, in the same form; false, and nothing appended, when it stays.
using ReadChange = bool (*)(absl::string_view object, std::string* json);

// Of today's version; nullptr when all objects of the kind stay as they are.
ReadChange FindReadChange(absl::string_view api_version, absl::string_view kind);

// The change that has a file of its own: apiextensions.k8s.io/v1beta1 to v1.
bool ReadCustomResourceDefinition(absl::string_view object, std::string* json);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_READ_CHANGES_H_
