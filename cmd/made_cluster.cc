#include "cmd/made_cluster.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/check.h"

namespace tidemark::cmd {
namespace {

constexpr absl::string_view kServices[] = {"web", "api", "cart", "search", "billing", "worker", "cache", "ingest"};
constexpr absl::string_view kTiers[] = {"frontend", "backend", "backend", "data"};
constexpr absl::string_view kTeams[] = {"atlas", "borealis", "cirrus", "delta", "ember"};
constexpr int kServiceCount = 8;
constexpr int kTeamCount = 5;
constexpr int kZones = 3;
// Pods of one deployment; fewer than the suffix alphabet has letters, so that the last letter tells them apart.
constexpr int64_t kReplicas = 20;
constexpr int64_t kPodsOfANamespace = 500;
constexpr int64_t kNamespacesMax = 200;
// 2026-01-01T00:00:00Z; objects are made a second apart, so that equal flags make equal bytes.
constexpr int64_t kEpochSeconds = 1767225600;

// splitmix64: a number that looks random, from two that do not.
uint64_t Mix(uint64_t seed, uint64_t number) {
  uint64_t z = seed * 0x9e3779b97f4a7c15 + number * 0xbf58476d1ce4e5b9 + 0x94d049bb133111eb;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string Uid(uint64_t seed, uint64_t number) {
  const uint64_t high = Mix(seed, number), low = Mix(seed + 1, number);
  return absl::StrFormat("%08x-%04x-4%03x-8%03x-%012x", high >> 32, (high >> 16) & 0xffff, high & 0xfff, low >> 52,
                         low & 0xffffffffffff);
}

std::string Stamp(int64_t seconds) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(kEpochSeconds + seconds), absl::UTCTimeZone());
}

// The suffixes that Kubernetes gives: no vowels, nothing that looks like another character.
std::string Suffix(uint64_t number, int length) {
  static constexpr absl::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < length; ++i, number /= kAlphabet.size()) text.push_back(kAlphabet[number % kAlphabet.size()]);
  return text;
}

std::string Zone(int64_t node) { return absl::StrCat("zone-", 1 + node % kZones); }
std::string NodeName(int64_t node) { return absl::StrFormat("node-%05d", node); }

// 94 pods of 100 run, as in a settled cluster.
absl::string_view Phase(uint64_t number) {
  const uint64_t share = number % 100;
  return share < 94 ? "Running" : share < 96 ? "Pending" : share < 99 ? "Succeeded" : "Failed";
}

// One deployment: what its pods have in common.
struct Deployment {
  std::string name;
  std::string name_space;
  std::string template_hash;
  absl::string_view service;
  absl::string_view tier;
  absl::string_view team;
  uint64_t number;
};

Deployment DeploymentOf(uint64_t seed, int64_t pod, int64_t namespaces) {
  const auto number = static_cast<uint64_t>(pod / kReplicas);
  Deployment deployment;
  deployment.number = number;
  deployment.service = kServices[number % kServiceCount];
  deployment.tier = kTiers[number % 4];
  deployment.team = kTeams[number / kServiceCount % kTeamCount];
  deployment.name = absl::StrCat(deployment.service, "-", number);
  deployment.name_space = absl::StrCat("team-", deployment.team, "-", number % static_cast<uint64_t>(namespaces));
  deployment.template_hash = Suffix(Mix(seed, number), 10);
  return deployment;
}

// Text that compresses about as well as real annotations do.
std::string Padding(size_t bytes, uint64_t seed) {
  static constexpr absl::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789-./= ";
  std::string text;
  text.reserve(bytes);
  for (uint64_t i = 0; text.size() < bytes; ++i) {
    uint64_t number = Mix(seed, i);
    for (int k = 0; k < 8 && text.size() < bytes; ++k, number >>= 8)
      text.push_back(kAlphabet[(number & 0xff) % kAlphabet.size()]);
  }
  return text;
}

std::string PodMetadata(const Deployment& app, absl::string_view name, absl::string_view uid, absl::string_view created,
                        absl::string_view zone, absl::string_view annotations) {
  return absl::StrCat(R"({"name":")", name, R"(","generateName":")", app.name, "-", app.template_hash,
                      R"(-","namespace":")", app.name_space, R"(","uid":")", uid, R"(","creationTimestamp":")", created,
                      R"(","labels":{"app.kubernetes.io/name":")", app.name, R"(","app.kubernetes.io/part-of":")",
                      app.service, R"(","pod-template-hash":")", app.template_hash, R"(","team":")", app.team,
                      R"(","tier":")", app.tier, R"(","topology.kubernetes.io/zone":")", zone, R"("})", annotations,
                      R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")", app.name, "-",
                      app.template_hash, R"(","uid":")", Uid(77, app.number),
                      R"(","controller":true,"blockOwnerDeletion":true}]})");
}

std::string PodSpec(const Deployment& app, absl::string_view node) {
  return absl::StrCat(
      R"({"containers":[{"name":")", app.service, R"(","image":"registry.example.com/)", app.service,
      R"(:v1.0","resources":{"requests":{"cpu":"100m","memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log",)",
      R"("terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",)",
      R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default",)",
      R"("serviceAccount":"default",)", node.empty() ? "" : absl::StrCat(R"("nodeName":")", node, "\","),
      R"("securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true})");
}

std::string PodStatus(absl::string_view phase, absl::string_view ip, absl::string_view started) {
  if (ip.empty()) return absl::StrCat(R"({"phase":")", phase, "\"}");
  return absl::StrCat(R"({"phase":")", phase, R"(","conditions":[{"type":"Ready","status":")",
                      phase == "Running" ? "True" : "False", R"(","lastProbeTime":null,"lastTransitionTime":")",
                      started, R"("}],"podIP":")", ip, R"(","podIPs":[{"ip":")", ip, R"("}],"startTime":")", started,
                      "\"}");
}

}  // namespace

int64_t MadeCluster::namespaces() const {
  if (options_.pods == 0) return 0;
  return std::clamp<int64_t>(options_.pods / kPodsOfANamespace, 1, kNamespacesMax);
}

int64_t MadeCluster::size() const {
  // A deployment's namespace is its team's with a number: each team has each number.
  return namespaces() * kTeamCount + options_.nodes + options_.pods;
}

StoredObject MadeCluster::Object(int64_t i) const {
  TM_CHECK(i >= 0 && i < size()) << i;
  const int64_t first_node = namespaces() * kTeamCount;
  const int64_t first_pod = first_node + options_.nodes;
  if (i < first_node) return Namespace(i);
  return i < first_pod ? Node(i - first_node) : Pod(i - first_pod);
}

StoredObject MadeCluster::Namespace(int64_t i) const {
  const std::string name = absl::StrCat("team-", kTeams[i % kTeamCount], "-", i / kTeamCount);
  const auto seed = static_cast<uint64_t>(options_.seed);
  return {absl::StrCat(options_.etcd_prefix, "/namespaces/", name),
          absl::StrCat(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":")", name, R"(","uid":")",
                       Uid(seed + 2, static_cast<uint64_t>(i)), R"(","creationTimestamp":")", Stamp(0),
                       R"(","labels":{"kubernetes.io/metadata.name":")", name,
                       R"("}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})", "\n")};
}

StoredObject MadeCluster::Node(int64_t i) const {
  const std::string name = NodeName(i);
  const auto seed = static_cast<uint64_t>(options_.seed);
  const std::string address = absl::StrCat("10.", i >> 16 & 63, ".", i >> 8 & 255, ".", i & 255);
  return {
      absl::StrCat(options_.etcd_prefix, "/minions/", name),
      absl::StrCat(
          R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")", name, R"(","uid":")",
          Uid(seed + 4, static_cast<uint64_t>(i)), R"(","creationTimestamp":")", Stamp(i),
          R"(","labels":{"kubernetes.io/arch":"amd64","kubernetes.io/hostname":")", name,
          R"(","kubernetes.io/os":"linux","node.kubernetes.io/instance-type":")",
          i % 4 == 0 ? "m8.4xlarge" : "m8.2xlarge", R"(","topology.kubernetes.io/region":"region-1",)",
          R"("topology.kubernetes.io/zone":")", Zone(i), R"("}},"spec":{"podCIDR":"10.)", 64 + (i >> 8 & 127), ".",
          i & 255, R"(.0/24"},"status":{"capacity":{"cpu":"16","memory":"64Gi","pods":"110"},)",
          R"("allocatable":{"cpu":"15800m","memory":"60Gi","pods":"110"},)",
          R"("conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":")", Stamp(i + 60),
          R"(","lastTransitionTime":")", Stamp(i + 60),
          R"(","reason":"KubeletReady","message":"kubelet is posting ready status"}],"addresses":[{"type":"InternalIP",)",
          R"("address":")", address, R"("},{"type":"Hostname","address":")", name,
          R"("}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},"nodeInfo":{"machineID":"","systemUUID":"",)",
          R"("bootID":"","kernelVersion":"6.1.0","osImage":"Debian GNU/Linux 12","containerRuntimeVersion":"containerd://2.0",)",
          R"("kubeletVersion":"v1.36.3","kubeProxyVersion":"","operatingSystem":"linux","architecture":"amd64"}}})",
          "\n")};
}

StoredObject MadeCluster::Pod(int64_t i) const {
  const auto seed = static_cast<uint64_t>(options_.seed);
  const auto number = static_cast<uint64_t>(i);
  const Deployment app = DeploymentOf(seed, i, namespaces());
  const uint64_t random = Mix(seed, number + (uint64_t{1} << 40));
  const std::string name =
      absl::StrCat(app.name, "-", app.template_hash, "-", Suffix(random, 4), Suffix(number % kReplicas, 1));
  const int64_t node = options_.nodes == 0 ? 0 : i % options_.nodes;
  const bool scheduled = options_.nodes > 0;
  const std::string ip = scheduled ? absl::StrCat("10.", 128 + (i >> 16 & 127), ".", i >> 8 & 255, ".", i & 255) : "";
  const std::string status = PodStatus(scheduled ? Phase(random) : "Pending", ip, Stamp(i + 5));
  const std::string spec = PodSpec(app, scheduled ? NodeName(node) : "");
  const auto value = [&](absl::string_view annotations) {
    return absl::StrCat(R"({"kind":"Pod","apiVersion":"v1","metadata":)",
                        PodMetadata(app, name, Uid(seed + 6, number), Stamp(i), Zone(node), annotations), R"(,"spec":)",
                        spec, R"(,"status":)", status, "}\n");
  };
  StoredObject object{absl::StrCat(options_.etcd_prefix, "/pods/", app.name_space, "/", name), value("")};
  constexpr absl::string_view kAnnotation = R"(,"annotations":{"example.com/notes":")";
  const size_t bare = object.value.size() + kAnnotation.size() + 2;
  if (bare < static_cast<size_t>(options_.size_bytes)) {
    object.value =
        value(absl::StrCat(kAnnotation, Padding(static_cast<size_t>(options_.size_bytes) - bare, random), "\"}"));
  }
  return object;
}

}  // namespace tidemark::cmd
