#include "http/encoder.h"

#include <utility>

#include "http/json_encoder.h"
#include "http/protobuf_encoder.h"
#include "http/table_encoder.h"

namespace tidemark::http {

std::unique_ptr<Encoder> MakeEncoder(const AnswerForm& form, const config::Resource& resource, const Clock& clock) {
  if (form.shape == AnswerForm::Shape::kTable) return std::make_unique<TableEncoder>(form, resource, clock);
  ShownObject object = form.shape == AnswerForm::Shape::kPartialMetadata
                           ? ShownObject::Metadata(resource, form.meta_v1beta1)
                           : ShownObject::Whole(resource);
  if (form.encoding == AnswerForm::Encoding::kProtobuf) return std::make_unique<ProtobufEncoder>(std::move(object));
  return std::make_unique<JsonEncoder>(std::move(object));
}

std::string* EncoderScratch() {
  thread_local std::string scratch;
  return &scratch;
}

absl::string_view EventTypeName(cache::WatchEvent::Type type) {
  switch (type) {
    case cache::WatchEvent::Type::kAdded:
      return "ADDED";
    case cache::WatchEvent::Type::kModified:
      return "MODIFIED";
    case cache::WatchEvent::Type::kDeleted:
      return "DELETED";
  }
  return "";
}

Revision ShownRevision(const cache::WatchEvent& event) {
  return event.type == cache::WatchEvent::Type::kDeleted ? event.revision : event.object->mod_revision();
}

}  // namespace tidemark::http
