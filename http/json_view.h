// JsonView looks at a value of a parsed JSON document; JsonDocument holds the document.
//
//   JsonDocument document;                       // reused from object to object
//   document.Parse(object_json);
//   document.root().Field("spec").Field("nodeName").Text();
//
// A view never fails: what is absent, or of another type than asked, reads as Go's zero value, and null as absent.
//
// Thread-safety: JsonDocument is thread-compatible; views of it may be read by many threads.
// Ownership:     views and their texts live until the document parses again or ends.
// Errors:        what is no JSON parses as absent; of an object with numbers beyond 64 bits only metadata is there.
// Cost:          Parse some 1 us per KB and one copy, no allocation once the buffers have grown; Field is linear in the
//                fields before it.
#ifndef TIDEMARK_HTTP_JSON_VIEW_H_
#define TIDEMARK_HTTP_JSON_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace tidemark::http {

class JsonView {
 public:
  struct Member;
  using Elements = absl::InlinedVector<JsonView, 8>;
  using Members = absl::InlinedVector<Member, 8>;

  JsonView() = default;  // absent

  // Neither absent nor null: what makes a pointer in Go.
  bool present() const { return present_; }
  // Of an object; absent when it has none of that name.
  JsonView Field(absl::string_view name) const;
  // The same along a path: At("spec", "template", "spec").
  template <typename... Names>
  JsonView At(absl::string_view name, Names... names) const {
    if constexpr (sizeof...(names) == 0) {
      return Field(name);
    } else {
      return Field(name).At(names...);
    }
  }

  // Of a text; empty for anything else.
  absl::string_view Text() const;
  // Of a whole number.
  int64_t Number() const;
  bool Bool() const;
  // A text as it is, a whole number in digits.
  std::string Scalar() const;
  // Of an array or object.
  size_t size() const;
  Elements elements() const;
  Members members() const;

 private:
  friend class JsonDocument;

  // The parser's own reference, kept as bytes so that its header stays behind one door.
  struct alignas(void*) Reference {
    unsigned char bytes[2 * sizeof(void*)] = {};
  };
  template <typename Element>
  static JsonView Of(const Element& element);
  template <typename Element>
  Element Get() const;

  Reference reference_;
  bool present_ = false;
};

struct JsonView::Member {
  absl::string_view name;
  JsonView value;
};

class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  void Parse(absl::string_view json);
  JsonView root() const { return root_; }

 private:
  bool ParseAll(absl::string_view json);
  class Impl;
  std::unique_ptr<Impl> impl_;
  JsonView root_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_JSON_VIEW_H_
