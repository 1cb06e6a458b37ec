// JsonBuffer is where JSON is put together: bytes behind a cursor, with room made before each value rather than for each byte.
//
//   JsonBuffer json;
//   json.Begin('{');                // what stands before the first byte: no comma behind a bracket
//   json.PutKey(field);             // "name":
//   json.PutText("a \"text\"");     // "a \"text\""
//   out->append(json.text().data(), json.text().size());
//
// Thread-safety: thread-compatible.
// Ownership:     text() is a view of its memory, until the next call of another function.
// Cost:          a comparison for the room and a copy; no allocation once it has grown. Room that is never written to costs no
//                memory.
#ifndef TIDEMARK_PROTO_JSON_BUFFER_H_
#define TIDEMARK_PROTO_JSON_BUFFER_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/go_json_string.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::proto {

class JsonBuffer {
 public:
  // Beyond this the memory is given back, rather than kept for the next object.
  static constexpr size_t kKeptBytesMax = size_t{1} << 20;

  // Empties it; `before` is the byte that will stand before it.
  void Begin(char before) {
    if (static_cast<size_t>(end_ - begin_.get()) > kKeptBytesMax) *this = JsonBuffer();
    at_ = begin_.get();
    MakeRoom(1);
    *at_++ = before;
  }
  absl::string_view text() const { return {begin_.get() + 1, static_cast<size_t>(at_ - begin_.get()) - 1}; }

  void Put(char c) {
    MakeRoom(1);
    *at_++ = c;
  }
  void Put(absl::string_view text) {
    MakeRoom(text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // A comma unless an object or an array has just begun.
  void PutComma() {
    if (!IsAtBegin()) Put(',');
  }
  // With its comma, if need be.
  void PutKey(const FieldRow& field) {
    absl::string_view key = field.key();
    key.remove_prefix(IsAtBegin() ? 1 : 0);
    MakeRoom(std::max(key.size(), FieldRow::kKeyPiece));
    std::memcpy(at_, key.data(), FieldRow::kKeyPiece);
    if (key.size() > FieldRow::kKeyPiece) std::memcpy(at_, key.data(), key.size());
    at_ += key.size();
  }
  // In quotes, escaped.
  void PutText(absl::string_view text) {
    MakeRoom(GoJsonStringMax(text.size()));
    at_ = WriteGoJsonString(text, at_);
  }
  void PutNumber(int64_t number) {
    constexpr size_t kDigitsMax = 20;
    MakeRoom(kDigitsMax);
    at_ = std::to_chars(at_, end_, number).ptr;
  }

 private:
  bool IsAtBegin() const { return at_[-1] == '{' || at_[-1] == '['; }

  void MakeRoom(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes) Grow(bytes);
  }
  void Grow(size_t bytes) {
    constexpr size_t kFirstBytes = 4096;
    const size_t used = static_cast<size_t>(at_ - begin_.get());
    const size_t size = std::max(kFirstBytes, 2 * (used + bytes));
    std::unique_ptr<char[]> grown(new char[size]);  // not zeroed
    if (used > 0) std::memcpy(grown.get(), begin_.get(), used);
    begin_ = std::move(grown);
    at_ = begin_.get() + used;
    end_ = begin_.get() + size;
  }

  std::unique_ptr<char[]> begin_;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_JSON_BUFFER_H_
