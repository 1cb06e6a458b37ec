#include "http/yaml_lists.h"

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
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
constexpr absl::string_view kTooManyYaml = "too many long lists wait to be written as YAML";

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

// One of kWaitingMax, until it goes.
class YamlLists::Place {
 public:
  explicit Place(YamlLists* lists) : lists_(lists) { lists_->metrics_->yaml_lists_waiting.Add(1); }
  ~Place() {
    lists_->metrics_->yaml_lists_waiting.Add(-1);
    MutexLock lock(&lists_->mu_);
    --lists_->waiting_;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  YamlLists* const lists_;
};

std::unique_ptr<YamlLists::Place> YamlLists::TakePlace() {
  MutexLock lock(&mu_);
  if (waiting_ == kWaitingMax) return nullptr;
  ++waiting_;
  return std::make_unique<Place>(this);
}

void YamlLists::Answer(const AnswerForm& form, std::unique_ptr<net::BodySource> source, Responder::Headers headers,
                       std::shared_ptr<Responder> responder) {
  auto list = std::make_unique<YamlList>(YamlList{
      .responder = std::move(responder), .form = form, .headers = std::move(headers), .source = std::move(source)});
  list->Pull();
  if (list->pulled()) return list->Write();
  std::unique_ptr<Place> place = TakePlace();
  if (place == nullptr) {
    metrics_->yaml_lists_refused.Increment();
    return list->responder->Fail(FromReadError(MakeError(ErrorKind::kOverloaded, kTooManyYaml), {}));
  }
  executor_->Post([list = std::move(list), place = std::move(place)]() mutable {
    place.reset();
    while (!list->pulled()) {
      if (list->responder->ClientGone()) return;
      list->Pull();
    }
    list->Write();
  });
}

}  // namespace tidemark::http
