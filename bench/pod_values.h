// Pods for benchmarks, as kube-apiserver stores them in JSON: 13 indexed pairs each, about 1,000 bytes.
//
//   4 pairs shared by nearly all, 4 of medium cardinality (3, 50, 300, 1,000), 5 of high (6,000, 6,000, 5,000, 30,000
//   and one that nothing shares): harder than a real cluster. Each label key is indexed as well.
//
// Pod `i` belongs to deployment i / 50; names of a deployment share a prefix, so that ascending `i` is
// deployment by deployment.
#ifndef TIDEMARK_BENCH_POD_VALUES_H_
#define TIDEMARK_BENCH_POD_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "config/resource.h"

namespace tidemark::bench {

inline const config::Resource& Pods() {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.plural == "pods" && resource.group.empty()) return resource;
  }
  TM_CHECK(false) << "no pods among the built-in resources";
  return config::BuiltinResources().front();
}

inline uint64_t Mix(uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

inline std::string PodKey(uint64_t i) {
  const uint64_t deployment = i / 50;
  return absl::StrFormat("team-%02d/app-%05d-%08x-%05x", deployment % 40, deployment, Mix(deployment) & 0xffffffff, i);
}

// `version` changes what no selector sees; `relabel` changes one label.
inline std::string PodValue(uint64_t i, uint64_t version, int relabel = 0, size_t bytes = 1000) {
  const uint64_t deployment = i / 50;
  const std::string key = PodKey(i);
  const size_t slash = key.find('/');
  std::string value = absl::StrFormat(
      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%08x-0000-"
      "4000-8000-%012x\","
      "\"creationTimestamp\":\"2026-01-02T03:04:05Z\",\"labels\":{\"app\":\"app-%05d\",\"batch\":\"b%05d\",\"hash\":\"%"
      "08x\","
      "\"rack\":\"r%03d\",\"team\":\"t%02d\",\"tier\":\"tier-%d\"}},"
      "\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"registry.example/"
      "app-%05d:v1\",\"env\":[{\"name\":\"PAD\",\"value\":\"",
      key.substr(slash + 1), key.substr(0, slash), Mix(i) & 0xffffffff, i, deployment, i % 30000,
      Mix(deployment) & 0xffffffff, Mix(i) % 300, deployment % 50, relabel == 0 ? deployment % 3 : relabel, deployment);
  std::string tail = absl::StrFormat(
      "\"}]}],\"restartPolicy\":\"Always\",\"serviceAccountName\":\"sa-%03d\",\"nodeName\":\"node-%04d\","
      "\"schedulerName\":"
      "\"default-scheduler\"},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":"
      "\"True\",\"message\":\"%016x\"}],"
      "\"hostIP\":\"10.0.0.1\",\"podIP\":\"10.%d.%d.%d\"}}\n",
      deployment % 1000, Mix(i * 7) % 5000, Mix(version), i >> 16 & 255, i >> 8 & 255, i & 255);
  const size_t pad = bytes > value.size() + tail.size() ? bytes - value.size() - tail.size() : 0;
  value.append(pad, static_cast<char>('a' + i % 26));
  return value + tail;
}

}  // namespace tidemark::bench

#endif  // TIDEMARK_BENCH_POD_VALUES_H_
