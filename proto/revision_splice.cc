#include "proto/revision_splice.h"

#include <cstdint>

#include "proto/field_reader.h"
#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

constexpr uint32_t kMetadataField = 1;
constexpr uint32_t kRevisionField = 6;

size_t VarintBytes(uint64_t value) {
  size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

size_t RevisionBytes(absl::string_view digits) { return 1 + VarintBytes(digits.size()) + digits.size(); }

// Of metadata's content with the revision in it.
size_t MetadataBytes(const RevisionSplice& splice, absl::string_view digits) {
  return splice.metadata_end - splice.metadata_begin - (splice.end - splice.begin) + RevisionBytes(digits);
}

}  // namespace

std::optional<RevisionSplice> FindRevision(absl::string_view message) {
  FieldReader outer(message);
  if (!outer.Next() || !outer.Is(kMetadataField, WireType::kBytes)) return std::nullopt;
  const absl::string_view metadata = outer.bytes();
  while (outer.Next()) {
    if (outer.tag() == kMetadataField) return std::nullopt;
  }
  if (!outer.ok()) return std::nullopt;

  RevisionSplice splice;
  splice.metadata_begin = static_cast<size_t>(metadata.data() - message.data());
  splice.metadata_end = splice.metadata_begin + metadata.size();
  splice.begin = splice.end = splice.metadata_begin;
  uint32_t last = 0;
  FieldReader fields(metadata);
  while (fields.Next()) {
    if (fields.tag() < last || (fields.tag() == kRevisionField && last == kRevisionField)) return std::nullopt;
    last = fields.tag();
    const size_t end = static_cast<size_t>(fields.end() - message.data());
    if (last < kRevisionField) splice.begin = splice.end = end;
    if (last == kRevisionField) splice.end = end;
  }
  if (!fields.ok()) return std::nullopt;
  return splice;
}

size_t SizeWithRevision(absl::string_view message, const RevisionSplice& splice, absl::string_view digits) {
  const size_t metadata = MetadataBytes(splice, digits);
  return 1 + VarintBytes(metadata) + metadata + message.size() - splice.metadata_end;
}

void AppendWithRevision(absl::string_view message, const RevisionSplice& splice, absl::string_view digits,
                        std::string* out) {
  AppendTag(kMetadataField, WireType::kBytes, out);
  AppendVarint(MetadataBytes(splice, digits), out);
  const absl::string_view before = message.substr(splice.metadata_begin, splice.begin - splice.metadata_begin);
  out->append(before.data(), before.size());
  AppendBytesField(kRevisionField, digits, out);
  const absl::string_view behind = message.substr(splice.end);
  out->append(behind.data(), behind.size());
}

}  // namespace tidemark::proto
