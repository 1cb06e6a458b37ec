#include "cache/indexed_store.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/check.h"
#include "cache/current_snapshot.h"
#include "cache/indexed_snapshot.h"
#include "cache/key_order.h"
#include "cache/key_table.h"
#include "cache/pair_index.h"
#include "cache/reclaimer.h"

namespace tidemark::cache {

class IndexedStore::Core : public IndexOwner {
 public:
  Core(const config::Resource& resource, const IndexedStoreOptions& options);
  ~Core() override;

  // IndexOwner:
  const std::shared_ptr<const ObjectSchema>& schema() const override { return schema_; }
  const PairHash& pair_hash() const override { return pair_hash_; }
  bool IsCurrent(const Snapshot* snapshot) const override { return current_.Peek() == snapshot; }
  void OnDisposed() override;

  Change Put(absl::string_view key, absl::string_view value, Revision mod_revision);
  Change Delete(absl::string_view key);
  void BeginReplace();
  std::vector<ObjectRef> FinishReplace();
  void ForgetRevisions() {
    forgotten_ = true;
    newest_put_ = Revision();  // a list that was under way is not published any more
  }
  SnapshotRef Publish(Revision revision);
  size_t node_bytes_since_mark() const { return reclaimer_.bytes_since_mark(); }
  void Mark() { reclaimer_.Mark(); }
  bool Reclaim(size_t pieces_max);
  SnapshotRef Take() const { return current_.Take(); }
  Memory memory() const;
  void CheckInvariants() const;
  // The writer is gone; deletes itself as soon as the last snapshot is.
  void Close();

 private:
  Slot NewSlot();
  void Insert(absl::string_view key, const ObjectRef& object, Change* change);
  void Replace(Slot slot, const ObjectRef& object, Change* change);
  void Erase(Slot slot, Change* change);
  void UpdatePairs(Slot slot, const Selectable* old_values, const Selectable* new_values);
  void ForEachNode(absl::FunctionRef<void(Piece*)> visit) const;
  void CountAnew();
  void Note();

  const std::shared_ptr<const ObjectSchema> schema_;
  const KeyedHash hash_;
  const PairHash pair_hash_;
  const uint32_t births_max_;

  // The state being built.
  Reclaimer reclaimer_;
  IndexRoots roots_;  // but for pairs, which pair_index_ has
  PairIndexWriter pair_index_;
  KeyOrder order_;
  KeyTable table_;
  std::vector<Slot> free_slots_;

  ObjectBuilder builder_;
  ObjectReader old_reader_;
  std::vector<Pair> lost_pairs_;  // scratch
  std::vector<Pair> gained_pairs_;

  bool replacing_ = false;
  bool forgotten_ = false;  // revisions seen before the next list mean nothing
  std::vector<bool> seen_;  // by slot: put since BeginReplace
  Revision newest_put_;     // since the last Publish
  Revision published_;

  CurrentSnapshot current_;
  std::atomic<size_t> open_snapshots_{0};  // after Close
  std::atomic<size_t> objects_{0}, pairs_{0}, waiting_{0}, snapshots_{0};
};

IndexedStore::Core::Core(const config::Resource& resource, const IndexedStoreOptions& options)
    : schema_(std::make_shared<const ObjectSchema>(resource, options.key_prefix)),
      hash_(KeyedHash::Random()),
      pair_hash_(hash_, options.pair_hash_mask),
      births_max_(options.births_max),
      pair_index_(schema_, pair_hash_, &reclaimer_),
      table_(hash_),
      builder_(schema_),
      old_reader_(schema_) {
  Publish(Revision());
}

IndexedStore::Core::~Core() {
  roots_.slots.ForEach([](Slot, const Object* object) { ObjectRef::Drop(object); });
  ForEachNode([](Piece* piece) { std::free(piece); });
}

void IndexedStore::Core::ForEachNode(absl::FunctionRef<void(Piece*)> visit) const {
  roots_.slots.ForEachNode(visit);
  SlotTree::ForEachNode(roots_.keys, visit);
  roots_.unreadable.ForEachNode(visit);
  pair_index_.index().ForEachNode(visit);
}

Slot IndexedStore::Core::NewSlot() {
  if (free_slots_.empty()) return roots_.slots_end++;
  // No snapshot is confused by a slot that is used again: each looks it up in its own slots.
  const Slot slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

// Brings the pair index from one object's values to another's; nullptr is an object without any.
void IndexedStore::Core::UpdatePairs(Slot slot, const Selectable* old_values, const Selectable* new_values) {
  lost_pairs_.clear();
  gained_pairs_.clear();
  if (old_values != nullptr) {
    ForEachPair(*old_values, *schema_, [&](const Pair& pair) {
      if (new_values == nullptr || !HasPair(*new_values, *schema_, pair)) lost_pairs_.push_back(pair);
    });
  }
  if (new_values != nullptr) {
    ForEachPair(*new_values, *schema_, [&](const Pair& pair) {
      if (old_values == nullptr || !HasPair(*old_values, *schema_, pair)) gained_pairs_.push_back(pair);
    });
  }
  pair_index_.Update(gained_pairs_, lost_pairs_, slot, roots_.slots, order_.numbers());
}

void IndexedStore::Core::Insert(absl::string_view key, const ObjectRef& object, Change* change) {
  const size_t size = SlotTree::Size(roots_.keys);
  // Lists, and controllers that number what they create, append.
  const bool appends = size == 0 || roots_.slots.Get(SlotTree::Select(roots_.keys, size - 1))->key() < key;
  const size_t rank = appends ? size : SlotTree::LowerBound(roots_.keys, key, roots_.slots);
  const Slot slot = NewSlot();
  order_.Assign(roots_.keys, rank, slot);
  UpdatePairs(slot, nullptr, change->new_values);
  if (object->unreadable()) roots_.unreadable = roots_.unreadable.Insert(slot, order_.numbers(), &reclaimer_);
  roots_.slots = roots_.slots.Set(slot, ObjectRef(object).Release(), &reclaimer_);
  roots_.keys = SlotTree::Insert(roots_.keys, slot, order_.numbers(), &reclaimer_);
  table_.Insert(key, slot);
  if (replacing_) {
    if (seen_.size() <= slot) seen_.resize(slot + 1u);
    seen_[slot] = true;
  }
}

void IndexedStore::Core::Replace(Slot slot, const ObjectRef& object, Change* change) {
  const Object* const old = roots_.slots.Get(slot);
  change->old_object = ObjectRef(old);
  if (!old->unreadable()) change->old_values = &old_reader_.Read(*old);
  const bool both = change->old_values != nullptr && change->new_values != nullptr;
  if (!both || !(*change->old_values == *change->new_values)) {
    UpdatePairs(slot, change->old_values, change->new_values);
  }
  if (old->unreadable() != object->unreadable()) {
    roots_.unreadable = object->unreadable() ? roots_.unreadable.Insert(slot, order_.numbers(), &reclaimer_)
                                             : roots_.unreadable.Erase(slot, order_.numbers(), &reclaimer_);
  }
  roots_.slots = roots_.slots.Set(slot, ObjectRef(object).Release(), &reclaimer_);
  reclaimer_.DropObject(old);
}

Change IndexedStore::Core::Put(absl::string_view key, absl::string_view value, Revision mod_revision) {
  Change change;
  const std::optional<Slot> slot = table_.Find(key, roots_.slots);
  if (slot && replacing_) {
    seen_[*slot] = true;
    const Object* const old = roots_.slots.Get(*slot);
    if (old->mod_revision() == mod_revision && !forgotten_) {
      change.old_object = change.new_object = ObjectRef(old);
      change.unchanged = true;
      return change;
    }
  }
  newest_put_ = std::max(newest_put_, mod_revision);
  change.new_object = builder_.Build(key, value, mod_revision);
  if (!change.new_object->unreadable()) change.new_values = &builder_.values();
  if (slot) {
    Replace(*slot, change.new_object, &change);
  } else {
    Insert(key, change.new_object, &change);
  }
  return change;
}

void IndexedStore::Core::Erase(Slot slot, Change* change) {
  const Object* const old = roots_.slots.Get(slot);
  change->old_object = ObjectRef(old);
  if (old->unreadable()) {
    roots_.unreadable = roots_.unreadable.Erase(slot, order_.numbers(), &reclaimer_);
  } else {
    change->old_values = &old_reader_.Read(*old);
    UpdatePairs(slot, change->old_values, nullptr);
  }
  roots_.keys = SlotTree::Erase(roots_.keys, slot, order_.numbers(), &reclaimer_);
  table_.Erase(old->key(), roots_.slots);
  roots_.slots = roots_.slots.Set(slot, nullptr, &reclaimer_);
  free_slots_.push_back(slot);
  reclaimer_.DropObject(old);
}

Change IndexedStore::Core::Delete(absl::string_view key) {
  Change change;
  const std::optional<Slot> slot = table_.Find(key, roots_.slots);
  if (slot) Erase(*slot, &change);
  return change;
}

void IndexedStore::Core::BeginReplace() {
  replacing_ = true;
  seen_.assign(roots_.slots_end, false);
}

std::vector<ObjectRef> IndexedStore::Core::FinishReplace() {
  TM_CHECK(replacing_) << "FinishReplace without BeginReplace";
  std::vector<Slot> gone;
  roots_.slots.ForEach([&](Slot slot, const Object*) {
    if (!seen_[slot]) gone.push_back(slot);
  });
  std::vector<ObjectRef> deleted;
  for (const Slot slot : gone) {
    Change change;
    Erase(slot, &change);
    deleted.push_back(std::move(change.old_object));
  }
  replacing_ = false;
  seen_.clear();
  if (std::exchange(forgotten_, false)) published_ = Revision();
  return deleted;
}

SnapshotRef IndexedStore::Core::Publish(Revision revision) {
  TM_CHECK(revision >= published_) << "published " << revision << " after " << published_;
  TM_CHECK(revision >= newest_put_) << "published " << revision << " with a put of " << newest_put_;
  published_ = revision;
  newest_put_ = Revision();
  roots_.pairs = pair_index_.index();
  auto snapshot = std::make_unique<IndexedSnapshot>(this, revision, roots_);
  SnapshotRef ref = SnapshotRef::Share(snapshot.get());
  current_.Set(snapshot.get());
  reclaimer_.Publish(std::move(snapshot), revision);
  if (reclaimer_.births() >= births_max_) CountAnew();
  reclaimer_.SweepAfterBatch();
  Note();
  return ref;
}

// Births have 32 bits: after that many batches every node that is alive becomes one of old.
void IndexedStore::Core::CountAnew() {
  ForEachNode([](Piece* piece) { piece->birth = 0; });
  reclaimer_.ResetBirths();
}

bool IndexedStore::Core::Reclaim(size_t pieces_max) {
  const bool more = reclaimer_.Sweep(pieces_max, reclaimer_.versions());
  Note();
  return more;
}

void IndexedStore::Core::Note() {
  objects_.store(table_.size(), std::memory_order_relaxed);
  pairs_.store(pair_index_.pairs(), std::memory_order_relaxed);
  waiting_.store(reclaimer_.waiting_pieces(), std::memory_order_relaxed);
  snapshots_.store(reclaimer_.versions(), std::memory_order_relaxed);
}

IndexedStore::Memory IndexedStore::Core::memory() const {
  return {objects_.load(std::memory_order_relaxed), pairs_.load(std::memory_order_relaxed),
          waiting_.load(std::memory_order_relaxed), snapshots_.load(std::memory_order_relaxed)};
}

void IndexedStore::Core::Close() {
  std::vector<std::unique_ptr<HeldVersion>> versions = reclaimer_.TakeVersions();
  open_snapshots_.store(versions.size());
  for (std::unique_ptr<HeldVersion>& version : versions) {
    // Gives back the store's own reference; what readers hold goes when they let go. The last one of all deletes this.
    SnapshotRef::Adopt(static_cast<const IndexedSnapshot*>(version.release()));
  }
}

void IndexedStore::Core::OnDisposed() {
  if (open_snapshots_.fetch_sub(1) == 1) delete this;
}

void IndexedStore::Core::CheckInvariants() const {
  SlotTree::Check(roots_.keys);
  roots_.unreadable.Check();
  pair_index_.Check();
  const uint64_t* const order = order_.numbers();

  // Keys ascend, the table finds each, and numbers sort as keys do.
  size_t objects = 0;
  std::optional<Slot> previous;
  SlotTreeWalk walk(roots_.keys, 0);
  for (absl::Span<const Slot> run = walk.NextRun(); !run.empty(); run = walk.NextRun()) {
    for (const Slot slot : run) {
      const Object* const object = roots_.slots.Get(slot);
      TM_CHECK(object != nullptr && slot < roots_.slots_end) << "slot " << slot << " is empty";
      TM_CHECK(table_.Find(object->key(), roots_.slots) == slot) << object->key() << " is not found";
      TM_CHECK(!previous || roots_.slots.Get(*previous)->key() < object->key()) << object->key() << " out of order";
      TM_CHECK(!previous || order[*previous] < order[slot]) << "the number of " << object->key() << " does not ascend";
      previous = slot;
      ++objects;
    }
  }
  TM_CHECK(objects == table_.size()) << objects << " keys in the tree, " << table_.size() << " in the table";
  size_t filled = 0;
  roots_.slots.ForEach([&](Slot, const Object*) { ++filled; });
  TM_CHECK(filled == objects && filled + free_slots_.size() == roots_.slots_end)
      << filled << " slots in use and " << free_slots_.size() << " free of " << roots_.slots_end;

  // Every object is in the sets of its pairs, and in no others.
  ObjectReader reader(schema_);
  size_t expected = 0, found = 0, unreadable = 0, sets = 0;
  roots_.slots.ForEach([&](Slot, const Object* object) {
    if (object->unreadable()) {
      ++unreadable;
    } else {
      ForEachPair(reader.Read(*object), *schema_, [&](const Pair&) { ++expected; });
    }
  });
  TM_CHECK(unreadable == roots_.unreadable.Size())
      << unreadable << " unreadable objects, not " << roots_.unreadable.Size();
  ObjectReader finder(schema_);
  roots_.slots.ForEach([&](Slot slot, const Object* object) {
    if (object->unreadable()) return;
    ForEachPair(reader.Read(*object), *schema_, [&](const Pair& pair) {
      const SlotSet set = pair_index_.index().Find(pair, pair_hash_, *schema_, roots_.slots, &finder);
      const size_t place = set.LowerBound(object->key(), roots_.slots);
      SlotSetWalk members(set, place);
      const absl::Span<const Slot> member = members.NextRun();
      TM_CHECK(!member.empty() && member[0] == slot) << object->key() << " is not in the set of " << pair.key;
    });
  });
  pair_index_.index().ForEachSet([&](uint64_t, SlotSet set) {
    set.Check();
    found += set.Size();
    ++sets;
  });
  TM_CHECK(found == expected) << found << " index entries instead of " << expected;
  TM_CHECK(sets == pair_index_.pairs()) << sets << " sets, " << pair_index_.pairs() << " pairs";
}

IndexedStore::IndexedStore(const config::Resource& resource, IndexedStoreOptions options)
    : core_(new Core(resource, options)) {}
IndexedStore::~IndexedStore() { core_->Close(); }

Change IndexedStore::Put(absl::string_view key, absl::string_view value, Revision mod_revision) {
  return core_->Put(key, value, mod_revision);
}
Change IndexedStore::Delete(absl::string_view key) { return core_->Delete(key); }
void IndexedStore::BeginReplace() { core_->BeginReplace(); }
std::vector<ObjectRef> IndexedStore::FinishReplace() { return core_->FinishReplace(); }
void IndexedStore::ForgetRevisions() { core_->ForgetRevisions(); }
SnapshotRef IndexedStore::Publish(Revision revision) { return core_->Publish(revision); }
size_t IndexedStore::node_bytes_since_mark() const { return core_->node_bytes_since_mark(); }
void IndexedStore::Mark() { core_->Mark(); }
bool IndexedStore::Reclaim(size_t pieces_max) { return core_->Reclaim(pieces_max); }
SnapshotRef IndexedStore::Current() const { return core_->Take(); }
const std::shared_ptr<const ObjectSchema>& IndexedStore::schema() const { return core_->schema(); }
IndexedStore::Memory IndexedStore::memory() const { return core_->memory(); }
void IndexedStore::CheckInvariants() const { core_->CheckInvariants(); }

}  // namespace tidemark::cache
