// RangeSnapshot is what all snapshots share: a List is a range of keys, the requirements that the range does not
// answer, and pages cut from the objects that are left.
//
//   /api/v1/namespaces/default/pods?labelSelector=app=web&continue=default/web-3\0
//   range [default/web-3\0, default0)     '0' follows '/': the end of the namespace
//   rest  app=web
//
// Thread-safety: as cache/snapshot.h.
#ifndef TIDEMARK_CACHE_RANGE_SNAPSHOT_H_
#define TIDEMARK_CACHE_RANGE_SNAPSHOT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cache/object.h"
#include "cache/object_schema.h"
#include "cache/selector.h"
#include "cache/snapshot.h"

namespace tidemark::cache {

struct KeyRange {
  std::string begin;
  std::string end;  // the first key behind; empty: none is

  static KeyRange OfKey(absl::string_view key);
  bool Contains(absl::string_view key) const { return key >= begin && (end.empty() || key < end); }
  // Whether one key at most lies in it.
  bool IsOneKey() const {
    return end.size() == begin.size() + 1 && end.back() == '\0' && end.compare(0, begin.size(), begin) == 0;
  }
};

// The range that holds the answer; `rest` gets the requirements that it does not answer by itself.
KeyRange RangeOf(const ListQuery& query, bool namespaced, std::vector<Requirement>* rest);

// Hands out objects in key order.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  // Appends up to `objects_max`; fewer only at the end. May hand out unreadable objects of the range.
  virtual void Next(size_t objects_max, std::vector<const Object*>* objects) = 0;
  virtual ListWork work() const = 0;
};

class RangeSnapshot : public Snapshot {
 public:
  std::unique_ptr<ListCursor> List(ListQuery query) const final;

  virtual const ObjectSchema& schema() const = 0;
  virtual size_t CountRange(const KeyRange& range) const = 0;
  // An object of the range that cannot be read, or nullptr.
  virtual const Object* FindUnreadable(const KeyRange& range) const = 0;
  // The readable objects of the range that meet the requirements; says in `plan` how they are found.
  virtual std::unique_ptr<ObjectSource> Open(const KeyRange& range, std::vector<Requirement> requirements,
                                             std::string* plan) const = 0;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_RANGE_SNAPSHOT_H_
