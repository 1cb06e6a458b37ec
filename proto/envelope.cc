#include "proto/envelope.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/field_reader.h"
#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

constexpr absl::string_view kMagic("k8s\0", 4);

// Field numbers of runtime.Unknown and of the runtime.TypeMeta in it.
constexpr uint32_t kTypeMeta = 1, kObject = 2;
constexpr uint32_t kApiVersion = 1, kKind = 2;

bool ReadTypeMeta(absl::string_view bytes, Envelope* envelope) {
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(kApiVersion, WireType::kBytes)) envelope->api_version = reader.bytes();
    if (reader.Is(kKind, WireType::kBytes)) envelope->kind = reader.bytes();
  }
  return reader.ok();
}

}  // namespace

bool IsEnvelope(absl::string_view value) { return absl::StartsWith(value, kMagic); }

absl::StatusOr<Envelope> ReadEnvelope(absl::string_view value) {
  if (!IsEnvelope(value)) return absl::InvalidArgumentError("no Kubernetes protobuf");
  Envelope envelope;
  FieldReader reader(value.substr(kMagic.size()));
  while (reader.Next()) {
    if (reader.Is(kTypeMeta, WireType::kBytes) && !ReadTypeMeta(reader.bytes(), &envelope)) {
      return absl::InvalidArgumentError("protobuf: no kind");
    }
    if (reader.Is(kObject, WireType::kBytes)) envelope.object = reader.bytes();
  }
  if (!reader.ok()) return absl::InvalidArgumentError("protobuf: no envelope");
  return envelope;
}

std::string EnvelopeHead(absl::string_view api_version, absl::string_view kind, uint64_t object_bytes) {
  std::string type_meta;
  AppendBytesField(kApiVersion, api_version, &type_meta);
  AppendBytesField(kKind, kind, &type_meta);
  std::string head(kMagic);
  AppendBytesField(kTypeMeta, type_meta, &head);
  AppendTag(kObject, WireType::kBytes, &head);
  AppendVarint(object_bytes, &head);
  return head;
}

// Content encoding and content type, which are written although they are empty.
constexpr absl::string_view kEnvelopeTail("\x1a\0\"\0", 4);

std::string WriteEnvelope(const Envelope& envelope) {
  return absl::StrCat(EnvelopeHead(envelope.api_version, envelope.kind, envelope.object.size()), envelope.object,
                      kEnvelopeTail);
}

}  // namespace tidemark::proto
