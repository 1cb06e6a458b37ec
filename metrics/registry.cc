#include "metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "metrics/names.h"
#include "metrics/process_stats.h"

namespace tidemark::metrics {

struct Registry::Impl {
  prometheus::Registry registry;
  Mutex mu;
  // Renewed whenever the text is asked for.
  Counter cpu_seconds ABSL_GUARDED_BY(mu);
  Gauge resident_bytes ABSL_GUARDED_BY(mu);
  Gauge open_files ABSL_GUARDED_BY(mu);

  Mutex series_mu ABSL_ACQUIRED_AFTER(mu);
  std::unordered_map<const void*, int> uses ABSL_GUARDED_BY(series_mu);  // by series: how often it was added
};

class Registry::Set {
 public:
  explicit Set(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() {
    MutexLock lock(&impl_->series_mu);
    for (const auto& [series, remove] : added_) {
      const auto uses = impl_->uses.find(series);
      if (--uses->second > 0) continue;
      impl_->uses.erase(uses);
      remove();
    }
  }

 private:
  friend class Registry;
  const std::shared_ptr<Impl> impl_;
  std::vector<std::pair<const void*, std::function<void()>>> added_ ABSL_GUARDED_BY(impl_->series_mu);
};

namespace {

// The library throws on a wrong name, label or type; each of them is written in our own source.
template <typename Make>
auto OrCheck(absl::string_view name, Make make) {
  try {
    return make();
  } catch (const std::exception& error) {
    TM_CHECK(false) << "metric " << name << ": " << error.what();
    std::terminate();
  }
}

}  // namespace

void Counter::Increment(double by) {
  TM_DCHECK(by >= 0);
  if (series_ != nullptr) series_->Increment(by);
}
double Counter::Value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Gauge::Set(double value) {
  if (series_ != nullptr) series_->Set(value);
}
void Gauge::Add(double by) {
  if (series_ != nullptr) series_->Increment(by);
}
double Gauge::Value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Histogram::Observe(double value) {
  if (series_ != nullptr) series_->Observe(value);
}
uint64_t Histogram::Count() const { return series_ == nullptr ? 0 : series_->Collect().histogram.sample_count; }
double Histogram::Sum() const { return series_ == nullptr ? 0 : series_->Collect().histogram.sample_sum; }

Registry::Registry() : impl_(std::make_shared<Impl>()) {
  const ProcessStats stats = ReadProcessStats();
  MutexLock lock(&impl_->mu);
  impl_->cpu_seconds =
      AddCounter(names::kProcessCpuSeconds, "User and system CPU time of this process, in seconds.", {});
  impl_->resident_bytes = AddGauge(names::kProcessResidentBytes, "Resident memory of this process.", {});
  impl_->open_files = AddGauge(names::kProcessOpenFiles, "Open file descriptors of this process.", {});
  AddGauge(names::kProcessStartTime, "Start of this process, in seconds since 1970.", {}).Set(stats.start_time_seconds);
}

Registry::~Registry() = default;

std::shared_ptr<Registry::Set> Registry::NewSet() { return std::make_shared<Set>(impl_); }

template <typename Family, typename... Args>
auto* Registry::Add(Family& family, const Labels& labels, Set* set, const Args&... args) {
  // Held, so that a set that ends meanwhile does not remove what is found here.
  MutexLock lock(&impl_->series_mu);
  auto* const series = &family.Add(labels, args...);
  ++impl_->uses[series];
  if (set == nullptr) return series;
  set->impl_->series_mu.AssertHeld();  // the same one
  set->added_.emplace_back(series, [&family, series] { family.Remove(series); });
  return series;
}

Counter Registry::AddCounter(absl::string_view name, absl::string_view help, const Labels& labels, Set* set) {
  return OrCheck(name, [&] {
    auto& family = prometheus::BuildCounter().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    return Counter(Add(family, labels, set));
  });
}

Gauge Registry::AddGauge(absl::string_view name, absl::string_view help, const Labels& labels, Set* set) {
  return OrCheck(name, [&] {
    auto& family = prometheus::BuildGauge().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    return Gauge(Add(family, labels, set));
  });
}

Histogram Registry::AddHistogram(absl::string_view name, absl::string_view help, const Labels& labels,
                                 const std::vector<double>& bounds, Set* set) {
  return OrCheck(name, [&] {
    auto& family =
        prometheus::BuildHistogram().Name(std::string(name)).Help(std::string(help)).Register(impl_->registry);
    return Histogram(Add(family, labels, set, bounds));
  });
}

std::string Registry::Text() const {
  {
    MutexLock lock(&impl_->mu);
    const ProcessStats stats = ReadProcessStats();
    impl_->cpu_seconds.Increment(std::max(0.0, stats.cpu_seconds - impl_->cpu_seconds.Value()));
    impl_->resident_bytes.Set(stats.resident_bytes);
    impl_->open_files.Set(stats.open_files);
  }
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace tidemark::metrics
