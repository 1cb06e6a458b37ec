#include "http/yaml_lists.h"

#include <string>
#include <utility>
#include <vector>

#include "http/status.h"

namespace tidemark::http {
namespace {

// Of the JSON that YAML is made from. People read YAML; programs have better forms.
constexpr size_t kYamlSourceBytesMax = size_t{64} << 20;
// What comes in one pull is written at once: it takes a worker some 20 ms.
constexpr size_t kYamlPullBytes = size_t{1} << 20;
constexpr absl::string_view kListTooLong =
    "the list is longer than 64 MiB, which is the most that is written as YAML: ask for pages, or for JSON";
constexpr absl::string_view kListCutOff = "the list cannot be read to its end";

// A list while it is pulled. The source, which points into what the responder holds, goes first.
struct YamlList {
  const std::shared_ptr<Responder> responder;
  const AnswerForm form;
  Responder::Headers headers;
  std::unique_ptr<net::BodySource> source;
  std::string json;
  net::BodySource::State state = net::BodySource::State::kMore;

  bool too_long() const { return json.size() > kYamlSourceBytesMax; }
  bool pulled() const { return state != net::BodySource::State::kMore || too_long(); }

  void Pull() {
    std::vector<absl::string_view> slices;
    state = source->Pull(kYamlPullBytes, &slices);
    for (const absl::string_view slice : slices) json.append(slice.data(), slice.size());
  }

  void Write() {
    source.reset();  // the snapshot is not needed any more
    if (too_long()) return responder->Fail(PlainError(kListTooLong));
    if (state != net::BodySource::State::kEnd) return responder->Fail(PlainError(kListCutOff));
    responder->Object(form, std::move(json), std::move(headers));
  }
};

}  // namespace

void YamlLists::Answer(const AnswerForm& form, std::unique_ptr<net::BodySource> source, Responder::Headers headers,
                       std::shared_ptr<Responder> responder) {
  auto list = std::make_unique<YamlList>(YamlList{
      .responder = std::move(responder), .form = form, .headers = std::move(headers), .source = std::move(source)});
  list->Pull();
  if (list->pulled()) return list->Write();
  const std::shared_ptr<Responder> asked_by = list->responder;
  const bool waits = lane_->Post([list = std::move(list)] {
    while (!list->pulled()) {
      if (list->responder->ClientGone()) return;
      list->Pull();
    }
    list->Write();
  });
  if (!waits) asked_by->Fail(SlowLane::Refusal());
}

}  // namespace tidemark::http
