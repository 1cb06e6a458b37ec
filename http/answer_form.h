// AnswerForm is the form of an answer that a request asked for.
//
// Thread-safety: a value.
#ifndef TIDEMARK_HTTP_ANSWER_FORM_H_
#define TIDEMARK_HTTP_ANSWER_FORM_H_

namespace tidemark::http {

struct AnswerForm {
  enum class Encoding { kJson, kProtobuf, kYaml };
  enum class Shape { kObject, kTable, kPartialMetadata };
  // What a table's rows hold beside their cells.
  enum class IncludeObject { kMetadata, kNone, kObject };

  Encoding encoding = Encoding::kJson;
  Shape shape = Shape::kObject;
  bool meta_v1beta1 = false;  // of the last two shapes
  IncludeObject include_object = IncludeObject::kMetadata;
  bool indent = false;
  // A watch that was asked for as PartialObjectMetadataList, which no event can be: it begins, and ends with its first event.
  bool nothing_fits = false;

  friend bool operator==(const AnswerForm&, const AnswerForm&) = default;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ANSWER_FORM_H_
