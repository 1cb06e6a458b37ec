// JsonPath is the path of a printer column, in the dialect of kubectl and kube-apiserver.
//
//   path = { ".name" | ".*" | "['name']" | "[" index [":" end [":" step]] "]" | "[*]" | ".." | "[a,b]"
//          | "[?(" path ")]" | "[?(" path op literal ")]" }        op = == != < <= > >=
//   .status.conditions[?(@.type=="Ready")].status  ->  "True"
//
// Thread-safety: immutable.
// Ownership:     what First returns points into the object or into the path.
// Errors:        Parse: InvalidArgument for what the dialect does not know.
// Cost:          a lookup per step and value found, of which there are kFoundMax at most; ".." visits the whole object. All of a
//                search looks at kLooksMax values at most.
// Source:        client-go's util/jsonpath. Members of an object come in the order of their names, where Go's is random.
#ifndef TIDEMARK_CRD_JSON_PATH_H_
#define TIDEMARK_CRD_JSON_PATH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

// Values found by one step: a union gives a value as often as it names it, and the next one multiplies that.
inline constexpr size_t kFoundMax = 10'000;
// Values that a search looks at, over all its steps: an object of etcd's 1.5 MiB has 800'000. Without it, 10'000 times the same
// long array would be walked.
inline constexpr size_t kLooksMax = 2'000'000;

class JsonPath {
 public:
  static absl::StatusOr<JsonPath> Parse(absl::string_view text);

  // The first of what the path finds; nullptr when it finds nothing, or cannot be applied, or finds or looks at too many.
  const Json* First(const Json& object) const;

 private:
  friend class JsonPathParser;
  using Found = std::vector<const Json*>;

  struct Slice {
    int64_t begin = 0;  // of 32 bits as read, like the others: no sum of two overflows
    bool begin_known = false;
    int64_t end = 0;
    bool end_known = false;
    bool end_derived = false;  // "[3]": one element
    int64_t step = 1;
  };
  struct Step {
    enum class Type { kField, kWildcard, kRecursive, kSlice, kUnion, kFilter, kLiteral, kWord };
    Type type = Type::kField;
    std::string name;             // kField
    Slice slice;                  // kSlice
    Json literal;                 // kLiteral; kWord: unquoted, which may stand there and can never be applied
    std::string op;               // kFilter: empty asks whether the left side finds anything
    std::vector<JsonPath> paths;  // kUnion: each of them; kFilter: left and right side
  };

  // Counts the values that are looked at; once it has run out, the search has failed.
  class Looks {
   public:
    bool Take(size_t count) {
      left_ = count < left_ ? left_ - count : 0;
      return left_ > 0;
    }
    bool ran_out() const { return left_ == 0; }

   private:
    size_t left_ = kLooksMax + 1;
  };

  enum class Taken {
    kAll,
    kEnough,  // the values behind this one are not looked at
    kNone,    // the step cannot be applied, or the looks have run out
    kSome,    // the same, but it leaves what it has found so far
  };

  // False: the path cannot be applied; what the last step left is in *found, and a filter may ask whether that is anything.
  bool Walk(Found* found, Looks* looks) const;
  static Taken TakeStep(const Step& step, const Found& found, Looks* looks, Found* next);
  static Taken TakeUnion(const Step& step, const Found& found, Looks* looks, Found* next);
  static Taken Take(const Step& step, const Json& value, Looks* looks, Found* next);
  static Taken TakeSlice(const Slice& slice, const Json& array, Looks* looks, Found* next);
  static Taken TakeFiltered(const Step& step, const Json& array, Looks* looks, Found* next);
  static Taken TakeChildren(const Json& value, Looks* looks, Found* next);
  static Taken TakeRecursive(const Json& value, Looks* looks, Found* next);

  std::vector<Step> steps_;
};

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_JSON_PATH_H_
