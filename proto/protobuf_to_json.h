// ProtobufToJson writes a Kubernetes message as the JSON that kube-apiserver makes of it, byte for byte: order of the fields,
// zero values, times, quantities, escapes. One pass over the bytes of each message notes what fields it has, a second one over the
// notes writes them; fields that are not there cost nothing, and no object tree is made.
//
//   ProtobufToJson writer;                                 // reused from object to object
//   std::string json = R"({"kind":"Pod","apiVersion":"v1")";
//   TM_RETURN_IF_ERROR(writer.AppendFields(*FindKind("v1", "Pod"), raw, &json));
//   json += "}";
//
// Thread-safety: thread-compatible; each thread has its own.
// Errors:        InvalidArgument for bytes that are no such message; what was appended until then is to be thrown away. Fields
//                that the tables do not know are left out, as an older kube-apiserver leaves them out.
// Cost:          about 1.5 us for a pod of 1 KB, 0.5 to check it; no allocation once its buffers have grown.
// Source:        Kubernetes' generated.pb.go and Go's encoding/json; checked against Kubernetes' own round-trip data.
#ifndef TIDEMARK_PROTO_PROTOBUF_TO_JSON_H_
#define TIDEMARK_PROTO_PROTOBUF_TO_JSON_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/json_buffer.h"
#include "proto/kubernetes_schema.h"
#include "proto/raw_json.h"

namespace tidemark::proto {

class ProtobufToJson {
 public:
  // Messages in messages: a guard of the stack.
  static constexpr int kDepthMax = 500;
  // Of messages that are not there, and so not checked, but written because structs are written also when they are zero.
  static constexpr int kZeroDepthMax = 16;
  // Of messages that came in pieces, which nobody writes: they are copied once for each level that they lie in.
  static constexpr size_t kMergedBytesMax = size_t{16} << 20;

  // Appends the fields of `message`, each as `"name":value`, with commas between them and one before the first unless `json`
  // ends in `{`.
  absl::Status AppendFields(const MessageType& type, absl::string_view message, std::string* json);
  // Whether AppendFields will do, at a third of its cost (MessageCheck). Messages that lie nearly too deep for it are refused, too.
  absl::Status Check(const MessageType& type, absl::string_view message);

 private:
  // One occurrence of a field that the tables know; default: of one that is absent.
  struct Occurrence {
    const char* begin = nullptr;  // of the content; nullptr for a number
    uint64_t number = 0;          // or the content's size
    uint32_t place = 0;           // among the message's fields

    absl::string_view bytes() const { return {begin, begin == nullptr ? 0 : static_cast<size_t>(number)}; }
  };
  // Those of one field, in occurrences_; the last one counts, unless they are elements.
  struct Run {
    size_t begin;
    size_t end;
  };
  struct MapEntry {
    absl::string_view key;
    Occurrence value;
  };

  // These are false when error_ says why.
  bool Write(const MessageType& type, absl::string_view message, char before);
  bool Scan(const MessageType& type, absl::string_view message);
  static void SortByPlace(absl::Span<Occurrence> some);
  bool ScanField(const FieldRow& field, const class FieldReader& reader, uint32_t place);
  bool Fields(const MessageType& type, absl::string_view message, int depth);
  bool Absent(const FieldRow& field, int depth);
  bool Field(const FieldRow& field, Run run, int depth);
  bool Value(const FieldRow& field, const Occurrence& occurrence, int depth);
  bool Elements(const FieldRow& field, Run run, int depth);
  bool Map(const FieldRow& field, Run run, int depth);
  bool ScanMapEntry(const FieldRow& field, absl::string_view bytes, MapEntry* entry);
  bool Message(const MessageType& type, absl::string_view message, int depth);
  bool Either(const MessageType& type, absl::string_view message, int depth);
  bool List(const MessageType& type, absl::string_view message, int depth);
  bool Only(const FieldRow& field, Run run, Occurrence* one);
  bool Join(Run run, Occurrence* joined);
  template <typename Append>
  bool Special(Append append);
  bool Fail(absl::string_view what);
  void Number(const FieldRow& field, uint64_t number);

  JsonBuffer out_;
  int depth_max_ = kDepthMax;
  absl::Status error_;
  std::vector<Occurrence> occurrences_;  // in the messages around the one at hand, and its own, in the order of JSON
  std::vector<MapEntry> entries_;        // the same for maps
  RawJson raw_;
  std::string special_;             // what is written through text: times, quantities
  std::deque<std::string> merged_;  // messages that came in more than one piece
  size_t merged_bytes_ = 0;
};

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_PROTOBUF_TO_JSON_H_
