#include "http/responder.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "http/accept.h"
#include "http/begun_source.h"
#include "http/gzip_source.h"
#include "http/indent.h"
#include "http/server_document.h"

namespace tidemark::http {
namespace {

// Counts what a list's body comes to.
class CountedSource : public net::BodySource {
 public:
  CountedSource(std::unique_ptr<net::BodySource> source, metrics::RequestSeries* series,
                std::shared_ptr<const void> held)
      : held_(std::move(held)), source_(std::move(source)), series_(series) {}
  ~CountedSource() override { series_->response_sizes.Observe(static_cast<double>(bytes_)); }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    const size_t before = slices->size();
    const State state = source_->Pull(max_bytes, slices);
    for (size_t i = before; i < slices->size(); ++i) bytes_ += (*slices)[i].size();
    return state;
  }
  size_t held_bytes() const override { return source_->held_bytes(); }
  void Drain() override { source_->Drain(); }

 private:
  const std::shared_ptr<const void> held_;  // outlives source_
  const std::unique_ptr<net::BodySource> source_;
  metrics::RequestSeries* const series_;
  uint64_t bytes_ = 0;
};

// Gives bytes that somebody else keeps.
class BorrowedSource : public net::BodySource {
 public:
  explicit BorrowedSource(absl::string_view left) : left_(left) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    const absl::string_view piece = left_.substr(0, max_bytes);
    slices->push_back(piece);
    left_.remove_prefix(piece.size());
    return left_.empty() ? State::kEnd : State::kMore;
  }

 private:
  absl::string_view left_;
};

// Counts an open watch for as long as its stream lives.
class LongRunningSource : public net::BodySource {
 public:
  LongRunningSource(std::unique_ptr<net::BodySource> source, metrics::RequestSeries* series,
                    std::shared_ptr<const void> held)
      : held_(std::move(held)), source_(std::move(source)), series_(series) {
    series_->longrunning.Add(1);
  }
  ~LongRunningSource() override { series_->longrunning.Add(-1); }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    return source_->Pull(max_bytes, slices);
  }
  void Release() override { source_->Release(); }
  size_t held_bytes() const override { return source_->held_bytes(); }
  void Drain() override { source_->Drain(); }

 private:
  const std::shared_ptr<const void> held_;  // outlives source_
  const std::unique_ptr<net::BodySource> source_;
  metrics::RequestSeries* const series_;
};

// A longer object is indented as it is sent.
constexpr size_t kIndentedAtOnceMax = size_t{64} << 10;

}  // namespace

Responder::Responder(std::shared_ptr<net::Exchange> exchange, metrics::HttpMetrics* metrics,
                     metrics::RequestSeries* series, const Clock& clock)
    : exchange_(std::move(exchange)), metrics_(metrics), series_(series), clock_(clock), start_(clock.Now()) {
  metrics_->inflight_reads.Add(1);
}

Responder::~Responder() { metrics_->inflight_reads.Add(-1); }

void Responder::Count(int status) {
  series_->Code(status).Increment();
  series_->duration.Observe(clock_.Now() - start_);
}

net::ResponseHead Responder::Head(int status, absl::string_view content_type, Headers headers) const {
  if (!warning_.empty()) headers.emplace_back("Warning", warning_);
  return {.status = status, .content_type = std::string(content_type), .headers = std::move(headers)};
}

void Responder::Whole(std::string body, absl::string_view content_type, Headers headers) {
  if (CompressIfLarge(request(), &body)) AddGzipHeaders(&headers);
  Count(200);
  series_->response_sizes.Observe(static_cast<double>(body.size()));
  exchange_->Reply(Head(200, content_type, std::move(headers)), std::move(body));
}

void Responder::Text(int status, std::string text, absl::string_view content_type) {
  Count(status);
  exchange_->Reply(Head(status, content_type), std::move(text));
}

void Responder::Borrowed(absl::string_view body, absl::string_view content_type, Headers headers) {
  TM_CHECK(held_ != nullptr);
  Count(200);
  exchange_->Reply(Head(200, content_type, std::move(headers)),
                   std::make_unique<CountedSource>(std::make_unique<BorrowedSource>(body), series_, held_),
                   body.size());
}

void Responder::NotModified(Headers headers) {
  Count(304);
  exchange_->Reply(Head(304, "", std::move(headers)), std::string());
}

void Responder::Empty(int status, Headers headers) {
  Count(status);
  exchange_->Reply(Head(status, "", std::move(headers)), std::string());
}

void Responder::Fail(const ApiStatus& status) {
  Headers headers;
  if (status.retry_after_seconds() > 0) headers.emplace_back("Retry-After", absl::StrCat(status.retry_after_seconds()));
  StatusBody body = EncodeStatus(status, request());
  Count(status.code);
  exchange_->Reply(Head(status.code, body.content_type, std::move(headers)), std::move(body.body));
}

void Responder::Document(const ServerDocument& document, const AnswerForm& form) {
  absl::StatusOr<std::string> body = EncodeDocument(document, form.encoding, form.indent);
  if (!body.ok()) return Fail(PlainError(body.status().message()));
  Whole(*std::move(body), ContentTypeOf(form.encoding), {});
}

void Responder::Object(const AnswerForm& form, std::string body, Headers headers) {
  if (form.encoding == AnswerForm::Encoding::kJson && form.indent && body.size() > kIndentedAtOnceMax)
    return Stream(form, std::make_unique<BegunSource>(std::move(body)), std::nullopt, std::move(headers));
  if (form.encoding != AnswerForm::Encoding::kProtobuf) {
    absl::StatusOr<std::string> text = EncodeDocument({.json = body}, form.encoding, form.indent);
    if (!text.ok()) return Fail(PlainError(text.status().message()));
    body = *std::move(text);
  }
  Whole(std::move(body), ContentTypeOf(form.encoding), std::move(headers));
}

void Responder::Stream(const AnswerForm& form, std::unique_ptr<net::BodySource> source, std::optional<uint64_t> length,
                       Headers headers) {
  TM_CHECK(form.encoding != AnswerForm::Encoding::kYaml) << "YAML is made whole";
  if (form.indent && form.encoding == AnswerForm::Encoding::kJson) {
    source = std::make_unique<IndentedSource>(std::move(source));
    length = std::nullopt;
  }
  SizedBody body = CompressIfLarge(request(), {.source = std::move(source), .length = length});
  if (body.gzip) AddGzipHeaders(&headers);
  Count(200);
  exchange_->Reply(Head(200, ContentTypeOf(form.encoding), std::move(headers)),
                   std::make_unique<CountedSource>(std::move(body.source), series_, held_), body.length);
}

void Responder::WatchStream(const AnswerForm& form, std::unique_ptr<net::BodySource> source) {
  Count(200);
  exchange_->Reply(Head(200, ContentTypeOf(form.encoding, /*watch=*/true)),
                   std::make_unique<LongRunningSource>(std::move(source), series_, held_));
}

}  // namespace tidemark::http
