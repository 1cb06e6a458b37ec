// IndexedSnapshot is one published version of an IndexedStore: the roots of its persistent parts.
//
// Thread-safety: as cache/snapshot.h.
// Ownership:     the store frees it once nobody holds it; after the store is gone, the last
//                snapshot frees what is left.
// Cost:          96 bytes, one per published batch.
#ifndef TIDEMARK_CACHE_INDEXED_SNAPSHOT_H_
#define TIDEMARK_CACHE_INDEXED_SNAPSHOT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/revision.h"
#include "cache/pair_index.h"
#include "cache/range_snapshot.h"
#include "cache/reclaimer.h"
#include "cache/slot_set.h"
#include "cache/slot_tree.h"
#include "cache/slot_vector.h"

namespace tidemark::cache {

// The persistent parts of one state.
struct IndexRoots {
  SlotVector slots;
  SlotNode* keys = nullptr;  // every object, in key order
  PairIndex pairs;
  SlotSet unreadable;
  Slot slots_end = 0;  // above every slot in use
};

// What does not change from version to version. Outlives the snapshots.
class IndexOwner {
 public:
  virtual ~IndexOwner() = default;
  virtual const std::shared_ptr<const ObjectSchema>& schema() const = 0;
  virtual const PairHash& pair_hash() const = 0;
  virtual bool IsCurrent(const Snapshot* snapshot) const = 0;
  // A snapshot has been deleted after the store was closed. May delete the owner.
  virtual void OnDisposed() = 0;
};

class IndexedSnapshot : public RangeSnapshot, public HeldVersion {
 public:
  IndexedSnapshot(IndexOwner* owner, Revision revision, const IndexRoots& roots);
  ~IndexedSnapshot() override = default;

  Revision revision() const override { return revision_; }
  size_t size() const override { return SlotTree::Size(roots_.keys); }
  const Object* Get(absl::string_view key) const override;
  const ObjectSchema& schema() const override { return *owner_->schema(); }
  size_t CountRange(const KeyRange& range) const override;
  const Object* FindUnreadable(const KeyRange& range) const override;
  std::unique_ptr<ObjectSource> Open(const KeyRange& range, std::vector<Requirement> requirements,
                                     std::string* plan) const override;
  bool IsHeld() const override;

  // The first unreadable object of the range for which `counts` is true.
  const Object* FindUnreadable(const KeyRange& range, absl::FunctionRef<bool(const Object&)> counts) const;
  const IndexRoots& roots() const { return roots_; }
  const std::shared_ptr<const ObjectSchema>& shared_schema() const { return owner_->schema(); }
  const PairHash& pair_hash() const { return owner_->pair_hash(); }

 private:
  void Dispose() const override;

  IndexOwner* const owner_;
  const Revision revision_;
  const IndexRoots roots_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_INDEXED_SNAPSHOT_H_
