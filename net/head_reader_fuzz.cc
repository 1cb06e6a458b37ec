// Any bytes: the verdict and what was understood do not depend on how the bytes were split, and what is accepted keeps
// the promises of head_reader.h. The first byte chooses the splits.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "net/head_reader.h"
#include "net/request_parser.h"
#include "net/request_reader.h"

namespace tidemark::net {
namespace {

// Small, so that the fuzzer reaches them.
ServerLimits FuzzLimits() {
  ServerLimits limits;
  limits.head = {.request_line_bytes_max = 100, .head_bytes_max = 300, .header_count_max = 5};
  limits.body_bytes_max = 64;
  return limits;
}

std::string Describe(const Head& head) {
  std::string text = absl::StrCat(head.method, " ", head.target, " ", head.minor_version, head.keep_alive,
                                  head.expects_continue, head.chunked, " ", head.content_length);
  for (const auto& [name, value] : head.headers) absl::StrAppend(&text, "\n", name, ": ", value);
  return text;
}

void CheckAccepted(const Head& head, const HeadLimits& limits) {
  TM_CHECK(head.headers.size() <= limits.header_count_max);
  TM_CHECK(!head.has_body() || (head.method != "GET" && head.method != "HEAD"));
  TM_CHECK(!(head.chunked && head.content_length > 0));
  for (const char c : head.target) {
    TM_CHECK(absl::ascii_isgraph(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80);
  }
  for (const auto& [name, value] : head.headers) {
    for (const char c : name) TM_CHECK(absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != ':');
    for (const char c : value) TM_CHECK(c != '\r' && c != '\n' && c != '\0');
  }
}

// What a connection would make of the bytes when they come in pieces of `step`: every request, then why it ended.
std::string ReadAll(absl::string_view bytes, size_t step, const ServerLimits& limits) {
  static const RequestParser* const parser = new RequestParser;
  std::string seen;
  RequestReader reader(limits);
  while (true) {
    switch (reader.Next()) {
      case RequestReader::State::kRequest: {
        Head head = reader.TakeHead();
        CheckAccepted(head, limits.head);
        absl::StrAppend(&seen, Describe(head), "\n");
        if (!parser->Parse(std::move(head), "peer").has_value()) return absl::StrCat(seen, "not understood");
        break;
      }
      case RequestReader::State::kRefused:
        TM_CHECK(reader.refusal().status >= 400 && !reader.refusal().reason.empty());
        return absl::StrCat(seen, reader.refusal().status, " ", reader.refusal().reason);
      case RequestReader::State::kWantContinue:
        break;
      case RequestReader::State::kNeedHead:
      case RequestReader::State::kNeedBody:
        if (bytes.empty()) return absl::StrCat(seen, "more");
        reader.Append(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
    }
  }
}

}  // namespace
}  // namespace tidemark::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tidemark::net::ServerLimits limits = tidemark::net::FuzzLimits();
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = tidemark::net::ReadAll(bytes, bytes.size() + 1, limits);
  for (const size_t step : {size_t{1}, size_t{2} + data[0] % 61}) {
    const std::string split = tidemark::net::ReadAll(bytes, step, limits);
    TM_CHECK(split == whole) << "in pieces of " << step << ":\n" << split << "\nat once:\n" << whole;
  }
  return 0;
}
