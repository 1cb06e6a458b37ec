#include "store/mvcc/store_meta.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/check.h"

namespace tidemark::mvcc {
namespace {

void AppendBigEndian(uint64_t value, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

uint64_t LoadBigEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

}  // namespace

kv::Bytes EncodePosition(const Position& position) {
  std::string bytes;
  bytes.reserve(24);
  AppendBigEndian(position.index, &bytes);
  AppendBigEndian(position.term, &bytes);
  AppendBigEndian(static_cast<uint64_t>(position.revision.value()), &bytes);
  return kv::MakeBytes(std::move(bytes));
}

Position DecodePosition(const kv::Bytes& bytes) {
  if (bytes == nullptr) return {};
  TM_CHECK(bytes->size() == 24) << kPositionKey << ": " << absl::CHexEscape(*bytes);
  const absl::string_view view = *bytes;
  return {.index = LoadBigEndian(view.substr(0, 8)),
          .term = LoadBigEndian(view.substr(8, 8)),
          .revision = Revision(static_cast<int64_t>(LoadBigEndian(view.substr(16))))};
}

kv::Bytes EncodeRevision(Revision revision) {
  std::string bytes;
  AppendBigEndian(static_cast<uint64_t>(revision.value()), &bytes);
  return kv::MakeBytes(std::move(bytes));
}

Revision DecodeRevision(const kv::Bytes& bytes) {
  if (bytes == nullptr) return Revision();
  TM_CHECK(bytes->size() == 8) << "compaction revision: " << absl::CHexEscape(*bytes);
  return Revision(static_cast<int64_t>(LoadBigEndian(*bytes)));
}

}  // namespace tidemark::mvcc
