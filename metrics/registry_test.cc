#include "metrics/registry.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "metrics/cache_metrics.h"
#include "metrics/http_metrics.h"
#include "metrics/store_client_metrics.h"
#include "metrics/store_metrics.h"

namespace tidemark::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RegistryTest, TextShowsEverySeriesWithItsLabels) {
  Registry registry;
  registry.AddCounter("tidemark_reads_total", "Reads.", {{"resource", "pods"}}).Increment(3);
  registry.AddGauge("tidemark_revision", "Revision.", {}).Set(1234567890123);
  Histogram wait = registry.AddHistogram("tidemark_wait_seconds", "Waits.", {}, {.5, 1});
  wait.Observe(0.75);
  wait.Observe(absl::Seconds(2));
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("# TYPE tidemark_reads_total counter\ntidemark_reads_total{resource=\"pods\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("tidemark_revision 1234567890123\n"));
  EXPECT_THAT(text, HasSubstr("tidemark_wait_seconds_bucket{le=\"0.5\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("tidemark_wait_seconds_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tidemark_wait_seconds_bucket{le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tidemark_wait_seconds_sum 2.75\n"));
}

TEST(RegistryTest, TheSameNameAndLabelsAreTheSameSeries) {
  Registry registry;
  Counter first = registry.AddCounter("tidemark_reads_total", "Reads.", {{"resource", "pods"}});
  Counter second = registry.AddCounter("tidemark_reads_total", "Reads.", {{"resource", "pods"}});
  first.Increment();
  second.Increment();
  EXPECT_EQ(first.Value(), 2);
}

TEST(RegistryTest, SeriesGoWithTheirSet) {
  Registry registry;
  const std::string before = registry.Text();
  auto first = registry.NewSet();
  registry.AddCounter("tidemark_reads_total", "Reads.", {{"resource", "widgets"}}, first.get()).Increment();
  registry.AddGauge("tidemark_objects", "Objects.", {{"resource", "widgets"}}, first.get()).Set(7);
  registry.AddHistogram("tidemark_wait_seconds", "Waits.", {{"resource", "widgets"}}, {1}, first.get()).Observe(0.5);
  Counter pods = registry.AddCounter("tidemark_reads_total", "Reads.", {{"resource", "pods"}});
  auto second = registry.NewSet();
  Gauge again = registry.AddGauge("tidemark_objects", "Objects.", {{"resource", "widgets"}}, second.get());

  first.reset();
  EXPECT_THAT(registry.Text(), Not(HasSubstr("tidemark_reads_total{resource=\"widgets\"}")));
  EXPECT_THAT(registry.Text(), Not(HasSubstr("tidemark_wait_seconds")));
  EXPECT_THAT(registry.Text(), HasSubstr("tidemark_objects{resource=\"widgets\"} 7\n")) << "another set has it";
  again.Set(8);
  EXPECT_THAT(registry.Text(), HasSubstr("tidemark_objects{resource=\"widgets\"} 8\n"));
  second.reset();
  EXPECT_THAT(registry.Text(), Not(HasSubstr("widgets")));
  pods.Increment();
  EXPECT_THAT(registry.Text(), HasSubstr("tidemark_reads_total{resource=\"pods\"} 1\n"));
}

TEST(RegistryTest, WhatWasAddedToNoSetStays) {
  Registry registry;
  Counter kept = registry.AddCounter("tidemark_reads_total", "Reads.", {});
  auto set = registry.NewSet();
  registry.AddCounter("tidemark_reads_total", "Reads.", {}, set.get());
  set.reset();
  kept.Increment();
  EXPECT_THAT(registry.Text(), HasSubstr("tidemark_reads_total 1\n"));
}

TEST(RegistryTest, ASetMayOutliveTheRegistry) {
  auto registry = std::make_unique<Registry>();
  auto set = registry->NewSet();
  Counter counter = registry->AddCounter("tidemark_reads_total", "Reads.", {}, set.get());
  registry.reset();
  counter.Increment();
  EXPECT_EQ(counter.Value(), 1);
}

TEST(RegistryTest, AMirrorsSeriesGoWithTheLastCopyOfItsMetrics) {
  Registry registry;
  auto metrics = std::make_unique<MirrorMetrics>(&registry, "shop.example.com", "widgets");
  metrics->objects.Set(1);
  ReadMetrics reads = metrics->reads;
  metrics.reset();
  reads.lists_by_range.Increment();
  EXPECT_THAT(registry.Text(), HasSubstr("widgets"));
  reads = {};
  EXPECT_THAT(registry.Text(), Not(HasSubstr("widgets")));
}

TEST(RegistryTest, HandlesWithoutARegistryCountNothing) {
  Counter counter;
  Gauge gauge;
  Histogram histogram;
  counter.Increment();
  gauge.Set(5);
  histogram.Observe(1.0);
  EXPECT_EQ(counter.Value() + gauge.Value() + histogram.Sum(), 0);
}

TEST(RegistryTest, CountsFromSeveralThreadsAddUp) {
  Registry registry;
  Counter counter = registry.AddCounter("tidemark_reads_total", "Reads.", {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([counter]() mutable {
      for (int n = 0; n < 1000; ++n) counter.Increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.Value(), 4000);
}

TEST(RegistryTest, ShowsTheProcessItself) {
  Registry registry;
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total "));
  EXPECT_THAT(text, Not(HasSubstr("process_cpu_seconds_total 0\n")));
  EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes "));
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("process_start_time_seconds 0\n")));
}

TEST(RegistryDeathTest, AWrongNameStopsTheProgram) {
  Registry registry;
  EXPECT_DEATH(registry.AddCounter("no spaces", "Wrong.", {}), "no spaces");
}

TEST(MetricsStructsTest, AllStructsLiveInOneRegistry) {
  Registry registry;
  StoreClientMetrics client(&registry);
  MirrorMetrics pods(&registry, "", "pods");
  MirrorMetrics deployments(&registry, "apps", "deployments");
  FreshnessMetrics freshness(&registry);
  NetMetrics net(&registry);
  HttpMetrics http(&registry);
  StoreMetrics store(&registry);
  pods.consistent_from_cache.Increment();
  deployments.read_wait.Observe(0.004);
  const std::string text = registry.Text();
  EXPECT_THAT(text,
              HasSubstr("apiserver_watch_cache_consistent_read_total{fallback=\"false\",group=\"\",resource=\"pods\","
                        "success=\"true\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("apiserver_watch_cache_read_wait_seconds_bucket{group=\"apps\",resource=\"deployments\","
                              "le=\"0.005\"} 1\n"));
}

TEST(HttpMetricsTest, OneSeriesPerKindOfRequest) {
  Registry registry;
  HttpMetrics http(&registry);
  const RequestLabels labels = {.verb = "LIST", .version = "v1", .resource = "pods", .scope = "cluster"};
  RequestSeries* series = http.requests.Series(labels);
  EXPECT_EQ(series, http.requests.Series(labels));
  EXPECT_NE(series, http.requests.Series({.verb = "GET", .version = "v1", .resource = "pods", .scope = "resource"}));
  series->Code(200).Increment();
  series->Code(599).Increment();
  EXPECT_EQ(series->Code(200).Value(), 1);
  EXPECT_EQ(series->Code(0).Value(), 1);
}

TEST(HttpMetricsTest, SeriesGoWithTheLastTableThatHasThem) {
  Registry registry;
  const RequestLabels labels = {.verb = "LIST", .group = "example.com", .resource = "gears"};
  auto first = std::make_unique<RequestSeriesTable>(&registry);
  auto second = std::make_unique<RequestSeriesTable>(&registry);
  first->Series(labels)->Code(200).Increment();
  second->Series(labels)->Code(200).Increment();
  EXPECT_THAT(registry.Text(), HasSubstr("resource=\"gears\""));
  first.reset();
  EXPECT_EQ(second->Series(labels)->Code(200).Value(), 2);
  second.reset();
  EXPECT_THAT(registry.Text(), Not(HasSubstr("resource=\"gears\"")));
}

}  // namespace
}  // namespace tidemark::metrics
