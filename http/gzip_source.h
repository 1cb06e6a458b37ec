// Compressed answers, when the client takes gzip and the body is worth it. A source is compressed as it is pulled, in constant
// memory; what waits for more, as a watch does, never is, since a compressor holds back what comes.
//
//   SizedBody body = CompressIfLarge(request, {.source = std::move(list), .length = std::nullopt});
//   if (body.gzip) AddGzipHeaders(&head.headers);
//   exchange->Reply(std::move(head), std::move(body.source), body.length);
//
// Thread-safety: pure functions; a GzipSource is thread-compatible.
// Errors:        none of its own: what the source says (kAbort) passes through.
// Cost:          some 5 ns per byte at this level, 270 KB while it runs; a body of unknown length is held until it has
//                kGzipBytesMin.
// Source:        kube-apiserver 1.36.3: level and limit; an element of Accept-Encoding is `gzip` and nothing else.
#ifndef TIDEMARK_HTTP_GZIP_SOURCE_H_
#define TIDEMARK_HTTP_GZIP_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "net/exchange.h"

namespace tidemark::http {

// Larger bodies are compressed: below, the time costs more than the bytes.
inline constexpr size_t kGzipBytesMin = size_t{128} << 10;
// Of the input, without a byte of output: then what there is goes out.
inline constexpr size_t kGzipInputBytesMax = size_t{1} << 20;

bool AcceptsGzip(const net::Request& request);

struct SizedBody {
  std::unique_ptr<net::BodySource> source;
  std::optional<uint64_t> length;
  bool gzip = false;
};
// The body as it is, or compressed and of unknown length. Pulls the beginning of one whose length is unknown, and knows the
// length of one that ends there.
SizedBody CompressIfLarge(const net::Request& request, SizedBody body);
// The same for a whole body; true when it was compressed.
bool CompressIfLarge(const net::Request& request, std::string* body);

// What CompressIfLarge makes of it; empty when it is not large.
std::string GzippedIfLarge(std::string body);

// Content-Encoding, and that it varies with what the client takes.
void AddGzipHeaders(std::vector<std::pair<std::string, std::string>>* headers);

class GzipSource : public net::BodySource {
 public:
  explicit GzipSource(std::unique_ptr<net::BodySource> source);
  ~GzipSource() override;
  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override;
  size_t held_bytes() const override;
  void Drain() override { source_->Drain(); }

 private:
  struct Deflater;

  const std::unique_ptr<net::BodySource> source_;
  const std::unique_ptr<Deflater> deflater_;
  std::vector<absl::string_view> plain_;
  std::string out_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_GZIP_SOURCE_H_
