#include "http/gzip_source.h"

#include <zlib.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "http/begun_source.h"

namespace tidemark::http {
namespace {

constexpr int kLevel = 1;
constexpr int kGzipWindowBits = MAX_WBITS + 16;  // zlib's way to ask for gzip's head and end
constexpr int kMemoryLevel = 8;
constexpr size_t kOutputGrowth = size_t{16} << 10;
// What zlib takes at this window and memory level (zconf.h), which is held until the end.
constexpr size_t kDeflaterBytes = (size_t{1} << (MAX_WBITS + 2)) + (size_t{1} << (kMemoryLevel + 9));

}  // namespace

struct GzipSource::Deflater {
  Deflater() {
    const int result = deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY);
    TM_CHECK(result == Z_OK) << "deflateInit2: " << result;
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void Append(absl::string_view plain, int flush, std::string* out) {
    // zlib takes 32 bits of length, and does not write to the input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    do {
      const size_t before = out->size();
      out->resize(before + kOutputGrowth);
      stream.next_out = reinterpret_cast<Bytef*>(&(*out)[before]);
      stream.avail_out = static_cast<uInt>(kOutputGrowth);
      const int result = deflate(&stream, flush);
      TM_CHECK(result != Z_STREAM_ERROR) << "deflate";
      out->resize(out->size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }

  z_stream stream = {};
};

bool AcceptsGzip(const net::Request& request) {
  for (const absl::string_view element : absl::StrSplit(request.Header("accept-encoding"), ',')) {
    if (absl::StripAsciiWhitespace(element) == "gzip") return true;
  }
  return false;
}

void AddGzipHeaders(std::vector<std::pair<std::string, std::string>>* headers) {
  headers->emplace_back("Content-Encoding", "gzip");
  headers->emplace_back("Vary", "Accept-Encoding");
}

SizedBody CompressIfLarge(const net::Request& request, SizedBody body) {
  if (!AcceptsGzip(request) || (body.length.has_value() && *body.length <= kGzipBytesMin)) return body;
  if (!body.length.has_value()) {
    using State = net::BodySource::State;
    std::string begin;
    State state = State::kMore;
    while (state == State::kMore && begin.size() <= kGzipBytesMin) {
      std::vector<absl::string_view> slices;
      state = body.source->Pull(kGzipBytesMin + 1 - begin.size(), &slices);
      for (const absl::string_view slice : slices) begin.append(slice.data(), slice.size());
    }
    const bool large = begin.size() > kGzipBytesMin;
    if (state == State::kEnd) body.length = begin.size();
    body.source = std::make_unique<BegunSource>(std::move(begin), state, std::move(body.source));
    if (!large) return body;
  }
  return {.source = std::make_unique<GzipSource>(std::move(body.source)), .length = std::nullopt, .gzip = true};
}

std::string GzippedIfLarge(std::string body) {
  std::string gzipped;
  if (body.size() <= kGzipBytesMin) return gzipped;
  GzipSource source(std::make_unique<BegunSource>(std::move(body)));
  net::BodySource::State state = net::BodySource::State::kMore;
  while (state == net::BodySource::State::kMore) {
    std::vector<absl::string_view> slices;
    state = source.Pull(kGzipInputBytesMax, &slices);
    for (const absl::string_view slice : slices) gzipped.append(slice.data(), slice.size());
  }
  return gzipped;
}

bool CompressIfLarge(const net::Request& request, std::string* body) {
  if (body->size() <= kGzipBytesMin || !AcceptsGzip(request)) return false;
  *body = GzippedIfLarge(std::move(*body));
  return true;
}

GzipSource::GzipSource(std::unique_ptr<net::BodySource> source)
    : source_(std::move(source)), deflater_(std::make_unique<Deflater>()) {}

GzipSource::~GzipSource() = default;

net::BodySource::State GzipSource::Pull(size_t max_bytes, std::vector<absl::string_view>* slices) {
  out_.clear();
  if (out_.capacity() / 2 > std::max(max_bytes, kOutputGrowth)) out_.shrink_to_fit();  // pieces have become smaller
  State state = State::kMore;
  size_t input_bytes = 0;
  while (state == State::kMore && out_.empty()) {
    plain_.clear();
    state = source_->Pull(std::min(max_bytes, kGzipInputBytesMax), &plain_);
    for (const absl::string_view piece : plain_) {
      input_bytes += piece.size();
      deflater_->Append(piece, Z_NO_FLUSH, &out_);
    }
    if (state == State::kEnd) {
      deflater_->Append("", Z_FINISH, &out_);
    } else if (out_.empty() && input_bytes > kGzipInputBytesMax) {
      deflater_->Append("", Z_SYNC_FLUSH, &out_);
    }
  }
  if (!out_.empty()) slices->push_back(out_);
  return state;
}

size_t GzipSource::held_bytes() const { return kDeflaterBytes + out_.capacity() + source_->held_bytes(); }

}  // namespace tidemark::http
