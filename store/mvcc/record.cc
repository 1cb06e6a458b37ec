#include "store/mvcc/record.h"

#include "absl/strings/escaping.h"
#include "base/check.h"
#include "store/mvcc/wire.h"

namespace tidemark::mvcc {
namespace {

// Field numbers of mvccpb.KeyValue.
constexpr int kKey = 1;
constexpr int kCreateRevision = 2;
constexpr int kModRevision = 3;
constexpr int kVersion = 4;
constexpr int kValue = 5;
constexpr int kLease = 6;

void StoreBigEndian(int64_t value, char* to) {
  for (int i = 7; i >= 0; --i) {
    to[i] = static_cast<char>(value & 0xff);
    value >>= 8;
  }
}

int64_t LoadBigEndian(const char* from) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | static_cast<uint8_t>(from[i]);
  return static_cast<int64_t>(value);
}

bool TakeBytes(absl::string_view* in, absl::string_view* bytes) {
  uint64_t size = 0;
  if (!TakeVarint(in, &size) || size > in->size()) return false;
  *bytes = in->substr(0, size);
  in->remove_prefix(size);
  return true;
}

bool TakeInt(absl::string_view* in, int64_t* value) {
  uint64_t bits = 0;
  if (!TakeVarint(in, &bits)) return false;
  *value = static_cast<int64_t>(bits);
  return true;
}

bool TakeField(absl::string_view* in, KeyValueRecord* record) {
  const auto tag = static_cast<uint8_t>(in->front());
  in->remove_prefix(1);
  switch (tag) {
    case WireTag(kKey, WireType::kBytes):
      return TakeBytes(in, &record->key);
    case WireTag(kCreateRevision, WireType::kVarint):
      return TakeInt(in, &record->create_revision);
    case WireTag(kModRevision, WireType::kVarint):
      return TakeInt(in, &record->mod_revision);
    case WireTag(kVersion, WireType::kVarint):
      return TakeInt(in, &record->version);
    case WireTag(kValue, WireType::kBytes):
      return TakeBytes(in, &record->value);
    case WireTag(kLease, WireType::kVarint):
      return TakeInt(in, &record->lease);
    default:
      return false;
  }
}

}  // namespace

RevisionKey::RevisionKey(ChangeId change, bool tombstone) : size_(tombstone ? 18 : 17) {
  StoreBigEndian(change.main, bytes_.data());
  bytes_[8] = '_';
  StoreBigEndian(change.sub, bytes_.data() + 9);
  bytes_[17] = 't';
}

DecodedRevisionKey DecodeRevisionKey(absl::string_view key) {
  const bool tombstone = key.size() == 18 && key[17] == 't';
  TM_CHECK((key.size() == 17 || tombstone) && key[8] == '_') << "revision table: " << absl::CHexEscape(key);
  return {.change = {LoadBigEndian(key.data()), LoadBigEndian(key.data() + 9)}, .tombstone = tombstone};
}

std::string EncodeRecord(const KeyValueRecord& record) {
  // Four integers of at most 10 bytes each, six tags, two lengths.
  constexpr size_t kOverheadBytesMax = 4 * 10 + 6 + 2 * 10;
  std::string out;
  out.reserve(record.key.size() + record.value.size() + kOverheadBytesMax);
  if (!record.key.empty()) AppendBytesField(kKey, record.key, &out);
  AppendIntField(kCreateRevision, record.create_revision, &out);
  AppendIntField(kModRevision, record.mod_revision, &out);
  AppendIntField(kVersion, record.version, &out);
  if (!record.value.empty()) AppendBytesField(kValue, record.value, &out);
  AppendIntField(kLease, record.lease, &out);
  return out;
}

KeyValueRecord DecodeRecord(absl::string_view bytes) {
  KeyValueRecord record;
  absl::string_view rest = bytes;
  while (!rest.empty()) {
    TM_CHECK(TakeField(&rest, &record)) << "record: " << absl::CHexEscape(bytes.substr(0, 256));
  }
  return record;
}

absl::string_view KeyOfRecord(absl::string_view bytes) {
  absl::string_view rest = bytes;
  KeyValueRecord record;
  TM_CHECK(!rest.empty() && TakeField(&rest, &record) && !record.key.empty())
      << "record: " << absl::CHexEscape(bytes.substr(0, 256));
  return record.key;
}

}  // namespace tidemark::mvcc
