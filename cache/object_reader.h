// ObjectReader reads what selectors may ask of an object: its labels and its declared fields,
// in one pass over the JSON.
//
//   ObjectReader reader(schema);
//   const Selectable& values = reader.Read(*object);
//   if (Matches(*object, values, *schema, selector.requirements)) ...
//
// ObjectBuilder turns a stored value into an Object (see cache/object.h for its form), and reads it in the same pass.
//
// Thread-safety: thread-compatible; each thread has its own.
// Ownership:     what Read and Build return is valid until the next call on the same reader or builder.
// Errors:        Build gives an unreadable object for what is neither a JSON object nor a known message; the whole value is
//                checked there, once.
// Cost:          0.4 us for 1 KB, more for Build; 2 us for one in protobuf whose fields are read as they are.
#ifndef TIDEMARK_CACHE_OBJECT_READER_H_
#define TIDEMARK_CACHE_OBJECT_READER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "cache/object.h"
#include "cache/object_schema.h"

namespace tidemark::cache {

// What selectors may ask of one object. Texts are unescaped.
struct Selectable {
  std::vector<std::pair<absl::string_view, absl::string_view>> labels;  // ascending by key, each key once
  std::vector<absl::string_view> fields;  // by the schema's number; "true", "7", or "" for what is missing or null

  // nullptr when the object has no such label.
  const absl::string_view* FindLabel(absl::string_view key) const;
  friend bool operator==(const Selectable&, const Selectable&) = default;
};

class ObjectReader {
 public:
  explicit ObjectReader(std::shared_ptr<const ObjectSchema> schema);
  ObjectReader(ObjectReader&&) noexcept;
  ~ObjectReader();
  // REQUIRES: !object.unreadable().
  const Selectable& Read(const Object& object);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

class ObjectBuilder {
 public:
  explicit ObjectBuilder(std::shared_ptr<const ObjectSchema> schema);
  ~ObjectBuilder();
  ObjectRef Build(absl::string_view key, absl::string_view value, Revision mod_revision);
  // Of the last object built. REQUIRES: it is not unreadable.
  const Selectable& values() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_OBJECT_READER_H_
