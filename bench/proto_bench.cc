// Kubernetes messages to JSON and back: `./dev bench BM_Protobuf`.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "bench/pod_values.h"
#include "proto/json_to_protobuf.h"
#include "proto/protobuf_to_json.h"

namespace tidemark::bench {
namespace {

constexpr uint64_t kPods = 1000;

void BM_ProtobufToJson(benchmark::State& state) {
  const proto::MessageType& type = *proto::FindKind("v1", "Pod");
  proto::JsonToProtobuf to_protobuf;
  std::vector<std::string> pods(kPods);
  for (uint64_t i = 0; i < kPods; ++i) TM_CHECK(to_protobuf.Append(type, PodValue(i, 0), &pods[i]).ok());
  proto::ProtobufToJson to_json;
  std::string json;
  int64_t bytes = 0;
  size_t next = 0;
  for (auto _ : state) {
    json.clear();
    json.push_back('{');
    TM_CHECK(to_json.AppendFields(type, pods[next++ % kPods], &json).ok());
    bytes += static_cast<int64_t>(json.size());
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(static_cast<int64_t>(next));
}
BENCHMARK(BM_ProtobufToJson);

void BM_ProtobufCheck(benchmark::State& state) {
  const proto::MessageType& type = *proto::FindKind("v1", "Pod");
  proto::JsonToProtobuf to_protobuf;
  std::vector<std::string> pods(kPods);
  for (uint64_t i = 0; i < kPods; ++i) TM_CHECK(to_protobuf.Append(type, PodValue(i, 0), &pods[i]).ok());
  proto::ProtobufToJson to_json;
  size_t next = 0;
  for (auto _ : state) TM_CHECK(to_json.Check(type, pods[next++ % kPods]).ok());
  state.SetItemsProcessed(static_cast<int64_t>(next));
}
BENCHMARK(BM_ProtobufCheck);

void BM_ProtobufFromJson(benchmark::State& state) {
  const proto::MessageType& type = *proto::FindKind("v1", "Pod");
  std::vector<std::string> pods(kPods);
  for (uint64_t i = 0; i < kPods; ++i) pods[i] = PodValue(i, 0);
  proto::JsonToProtobuf to_protobuf;
  std::string message;
  size_t next = 0;
  for (auto _ : state) {
    message.clear();
    TM_CHECK(to_protobuf.Append(type, pods[next++ % kPods], &message).ok());
  }
  state.SetItemsProcessed(static_cast<int64_t>(next));
}
BENCHMARK(BM_ProtobufFromJson);

}  // namespace
}  // namespace tidemark::bench
