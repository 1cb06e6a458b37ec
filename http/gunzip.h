// Gunzip is for tests: what a gzip stream, or the beginning of one, holds.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_HTTP_GUNZIP_H_
#define TIDEMARK_HTTP_GUNZIP_H_

#include <zlib.h>

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

inline std::string Gunzip(absl::string_view bytes) {
  constexpr size_t kStep = size_t{64} << 10;
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) return "no inflater";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    const size_t before = out.size();
    out.resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(&out[before]);
    stream.avail_out = static_cast<uInt>(kStep);
    result = inflate(&stream, Z_SYNC_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  // Z_BUF_ERROR: the input ended before the stream did.
  return result == Z_STREAM_END || result == Z_BUF_ERROR ? out : "no gzip";
}

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_GUNZIP_H_
