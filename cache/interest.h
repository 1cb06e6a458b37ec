// Interest is the one thing about a watch that decides which events it has to look at: an object's key, the value of a label or
// field, a namespace, or nothing in particular. It may let through more than the watch's selector, never less.
//
// Thread-safety: values; the functions are pure.
#ifndef TIDEMARK_CACHE_INTEREST_H_
#define TIDEMARK_CACHE_INTEREST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cache/object_reader.h"
#include "cache/object_schema.h"
#include "cache/selector.h"

namespace tidemark::cache {

// The name of a label, or the path of a field.
struct PairKey {
  Requirement::Source source = Requirement::Source::kLabel;
  std::string key;

  friend bool operator==(const PairKey&, const PairKey&) = default;
};
using WatchedKeys = std::vector<PairKey>;

struct Interest {
  enum class Kind : uint8_t { kAll, kNamespace, kName, kPair };
  Kind kind = Kind::kAll;
  std::string text;  // kName: the object's key, "default/web-1"; kNamespace: "default"; kPair: see PairText
  PairKey pair;      // kPair
};

// The text of a pair's interest: its value, in one namespace or, if that is empty, in all.
std::string PairText(absl::string_view namespace_name, absl::string_view value);

// The narrowest interest of a watch: a name, else the first pair it requires, else its namespace, else all.
Interest ChooseInterest(const Scope& scope, const Selector& selector, const ObjectSchema& schema);

// What is left of a pair's interest when its pair is not looked at: its namespace, else all.
Interest WithoutPair(const Interest& interest);

// The values that an event's objects have for one key; one that both have is given once.
struct PairValues {
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// For each key; what is null has none of them. Empty when there are no keys.
std::vector<PairValues> PairValuesOf(const WatchedKeys& keys, const ObjectSchema& schema, const Selectable* before,
                                     const Selectable* after);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_INTEREST_H_
