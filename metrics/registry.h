// Registry holds the program's metrics and prints them in the Prometheus text format; Counter, Gauge and Histogram are
// handles to single series in it. Labels are resolved when a handle is made, never when it counts.
//
//   Registry registry;
//   Counter reads = registry.AddCounter("tidemark_revision_reads_total", "Quorum reads of the store's revision.", {});
//   reads.Increment();
//
// What comes and goes while the program runs adds its series to a set, and they go with it:
//
//   std::shared_ptr<Registry::Set> set = registry.NewSet();
//   Gauge objects = registry.AddGauge("apiserver_resource_objects", "Objects.", {{"resource", "widgets"}}, set.get());
//
// A part takes its struct of handles (cache_metrics.h, http_metrics.h, ...), not the registry.
//
// Thread-safety: thread-safe.
// Ownership:     the registry owns every series and outlives the handles; a handle is a pointer, copied freely, but not used
//                after the set that its series was added to, if any. A set may outlive the registry. A handle that was
//                made without a registry counts nothing, so that a test needs none.
// Errors:        a wrong name or label, or one name with two types, is a programmer's error (CHECK).
// Cost:          Counter and Gauge one atomic add; Histogram a mutex and a binary search; Add a lock and a map.
#ifndef TIDEMARK_METRICS_REGISTRY_H_
#define TIDEMARK_METRICS_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace tidemark::metrics {

class Counter {
 public:
  Counter() = default;
  // REQUIRES: by >= 0.
  void Increment(double by = 1);
  double Value() const;  // 0 without a registry

 private:
  friend class Registry;
  explicit Counter(prometheus::Counter* series) : series_(series) {}
  prometheus::Counter* series_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  void Set(double value);
  void Add(double by);  // may be negative
  double Value() const;

 private:
  friend class Registry;
  explicit Gauge(prometheus::Gauge* series) : series_(series) {}
  prometheus::Gauge* series_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  void Observe(double value);
  void Observe(absl::Duration span) { Observe(absl::ToDoubleSeconds(span)); }
  uint64_t Count() const;
  double Sum() const;

 private:
  friend class Registry;
  explicit Histogram(prometheus::Histogram* series) : series_(series) {}
  prometheus::Histogram* series_ = nullptr;
};

using Labels = std::map<std::string, std::string>;

class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Its destructor removes the series that were added to it, but for those that were added to another set, or to none, as well.
  class Set;
  std::shared_ptr<Set> NewSet();

  // The series of this name and these labels: the same one each time it is asked for.
  Counter AddCounter(absl::string_view name, absl::string_view help, const Labels& labels, Set* set = nullptr);
  Gauge AddGauge(absl::string_view name, absl::string_view help, const Labels& labels, Set* set = nullptr);
  // `bounds` are the upper bounds of the buckets, ascending, without infinity.
  Histogram AddHistogram(absl::string_view name, absl::string_view help, const Labels& labels,
                         const std::vector<double>& bounds, Set* set = nullptr);

  // All of it, in the Prometheus text format 0.0.4, the process's own figures (CPU, memory, files) included.
  std::string Text() const;

 private:
  struct Impl;
  template <typename Family, typename... Args>
  auto* Add(Family& family, const Labels& labels, Set* set, const Args&... args);

  const std::shared_ptr<Impl> impl_;  // shared with the sets
};

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_REGISTRY_H_
