// ProtobufEncoder writes objects, or their metadata alone, as Kubernetes protobuf: envelopes, and frames with their length before
// them.
//
// Thread-safety, ownership, errors: http/encoder.h.
// Cost:          AppendItem is one slice for an object that is stored as protobuf. Others are converted, in a list twice: once
//                for their length, which comes first.
// Source:        apimachinery's protobuf serializer and its length-delimited framer.
#ifndef TIDEMARK_HTTP_PROTOBUF_ENCODER_H_
#define TIDEMARK_HTTP_PROTOBUF_ENCODER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "http/encoder.h"

namespace tidemark::http {

class ProtobufEncoder : public Encoder {
 public:
  // REQUIRES: form.has_messages().
  explicit ProtobufEncoder(ShownObject form);

  bool NeedsItemBytes() const override { return true; }
  absl::StatusOr<uint64_t> ItemBytes(const cache::Object& object) const override;
  void AppendHead(const ListHead& head, Pieces* pieces) override;
  absl::Status AppendItem(const cache::Object& object, bool last, Pieces* pieces) override;
  void AppendTail(bool empty, Pieces* pieces) override;
  absl::StatusOr<std::string> Whole(const cache::Object& object) override;
  absl::Status AppendAdded(const cache::Object& object, Pieces* pieces) override;
  absl::Status AppendEvent(const cache::WatchEvent& event, Pieces* pieces) override;
  absl::Status AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) override;
  void AppendError(const ApiStatus& status, Pieces* pieces) override;

 private:
  // Whether a list has its items in field 1 and its metadata in field 2, and not the other way round as all others.
  bool ItemsComeFirst() const { return form_.meta_v1beta1(); }
  std::string ItemHeader(uint64_t message_bytes) const;
  bool IsOneSlice(const cache::Object& object) const { return form_.as_stored() && object.is_protobuf(); }
  absl::StatusOr<std::string> Frame(absl::string_view type, const cache::Object& object, Revision at) const;

  const ShownObject form_;
  std::string list_meta_;  // of a list that ends with it
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_PROTOBUF_ENCODER_H_
