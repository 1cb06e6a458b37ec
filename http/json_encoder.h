// JsonEncoder writes objects, or their metadata alone, as JSON.
//
// Thread-safety, ownership, errors: http/encoder.h.
// Cost:          AppendItem is one slice for a built-in object that is stored as JSON, three for a custom one, and a copy
//                for what is stored as protobuf; AppendEvent builds a frame once per event for all watches.
#ifndef TIDEMARK_HTTP_JSON_ENCODER_H_
#define TIDEMARK_HTTP_JSON_ENCODER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "http/encoder.h"

namespace tidemark::http {

class JsonEncoder : public Encoder {
 public:
  explicit JsonEncoder(ShownObject form);

  void AppendHead(const ListHead& head, Pieces* pieces) override;
  absl::Status AppendItem(const cache::Object& object, bool last, Pieces* pieces) override;
  void AppendTail(bool empty, Pieces* pieces) override;
  absl::StatusOr<std::string> Whole(const cache::Object& object) override;
  absl::Status AppendAdded(const cache::Object& object, Pieces* pieces) override;
  absl::Status AppendEvent(const cache::WatchEvent& event, Pieces* pieces) override;
  absl::Status AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) override;
  void AppendError(const ApiStatus& status, Pieces* pieces) override;

 private:
  // The object behind its opening brace, kind and apiVersion: a slice of its own where it has one.
  void AppendBody(const cache::Object& object, Pieces* pieces);
  std::string Frame(absl::string_view type, const cache::Object& object, Revision at) const;

  const ShownObject form_;
  const std::string prefix_;        // {"kind":"Pod","apiVersion":"v1",
  const std::string added_prefix_;  // {"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",
  std::string untyped_tail_;        // of a list, whose metadata comes last
};

// `"resourceVersion":"7","continue":"..","remainingItemCount":2`
std::string ListMetaJson(const ListHead& head);
std::string ErrorFrameJson(const ApiStatus& status);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_JSON_ENCODER_H_
