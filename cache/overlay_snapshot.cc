#include "cache/overlay_snapshot.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/indexed_snapshot.h"
#include "cache/object_key.h"
#include "cache/object_reader.h"
#include "cache/range_snapshot.h"
#include "cache/selector_match.h"

namespace tidemark::cache {
namespace {

// Objects met at one call of the base, so that merging costs no virtual call per object.
constexpr size_t kBaseChunk = 256;

absl::string_view KeyOf(const std::pair<std::string, ObjectRef>& entry) { return entry.first; }
absl::string_view KeyOf(const ObjectRef& entry) { return entry->key(); }

// The entries of a sorted vector whose keys lie in the range.
template <typename Entry>
absl::Span<const Entry> Cut(const std::vector<Entry>& sorted, const KeyRange& range) {
  const auto below = [](const Entry& entry, absl::string_view key) { return KeyOf(entry) < key; };
  const auto begin = std::lower_bound(sorted.begin(), sorted.end(), range.begin, below);
  const auto end = range.end.empty() ? sorted.end() : std::lower_bound(begin, sorted.end(), range.end, below);
  return end > begin ? absl::MakeConstSpan(&*begin, static_cast<size_t>(end - begin)) : absl::Span<const Entry>();
}

// Whether the object meets the requirements; reads it when they ask for more than its key.
class Filter {
 public:
  Filter(std::shared_ptr<const ObjectSchema> schema, std::vector<Requirement> requirements)
      : schema_(schema), requirements_(std::move(requirements)), reader_(std::move(schema)) {}
  bool Passes(const Object& object) { return Matches(object, requirements_, *schema_, &reader_); }

 private:
  const std::shared_ptr<const ObjectSchema> schema_;
  const std::vector<Requirement> requirements_;
  ObjectReader reader_;
};

// Objects of a sorted list that lie in a range and pass.
class ListSource : public ObjectSource {
 public:
  ListSource(absl::Span<const ObjectRef> objects, Filter filter)
      : size_(objects.size()), left_(objects), filter_(std::move(filter)) {}

  void Next(size_t objects_max, std::vector<const Object*>* objects) override {
    for (; objects_max > 0 && !left_.empty(); left_.remove_prefix(1)) {
      if (!filter_.Passes(*left_.front())) continue;
      objects->push_back(left_.front().get());
      --objects_max;
    }
  }
  ListWork work() const override { return {.evaluated = size_ - left_.size()}; }

 private:
  const size_t size_;
  absl::Span<const ObjectRef> left_;
  Filter filter_;
};

class ObjectListSnapshot : public RangeSnapshot {
 public:
  ObjectListSnapshot(std::shared_ptr<const ObjectSchema> schema, Revision revision, std::vector<ObjectRef> objects)
      : schema_(std::move(schema)), revision_(revision), objects_(std::move(objects)) {}

  Revision revision() const override { return revision_; }
  size_t size() const override { return objects_.size(); }
  const ObjectSchema& schema() const override { return *schema_; }

  const Object* Get(absl::string_view key) const override {
    const auto found = Cut(objects_, KeyRange::OfKey(key));
    return found.empty() ? nullptr : found[0].get();
  }

  size_t CountRange(const KeyRange& range) const override { return Cut(objects_, range).size(); }

  const Object* FindUnreadable(const KeyRange& range) const override {
    for (const ObjectRef& object : Cut(objects_, range)) {
      if (object->unreadable()) return object.get();
    }
    return nullptr;
  }

  std::unique_ptr<ObjectSource> Open(const KeyRange& range, std::vector<Requirement> requirements,
                                     std::string* plan) const override {
    *plan = "store";
    return std::make_unique<ListSource>(Cut(objects_, range), Filter(schema_, std::move(requirements)));
  }

 private:
  ~ObjectListSnapshot() override = default;
  void Dispose() const override { delete this; }

  const std::shared_ptr<const ObjectSchema> schema_;
  const Revision revision_;
  const std::vector<ObjectRef> objects_;
};

// Walks a base and the overrides of a range together, in key order.
class OverlaySource : public ObjectSource {
 public:
  OverlaySource(std::unique_ptr<ObjectSource> base, absl::Span<const Overrides::value_type> overrides, Filter filter)
      : base_(std::move(base)), size_(overrides.size()), overrides_(overrides), filter_(std::move(filter)) {}

  void Next(size_t objects_max, std::vector<const Object*>* objects) override {
    while (objects_max > 0) {
      const Object* const base = PeekBase();
      if (base == nullptr && overrides_.empty()) return;
      const Object* next = base;
      if (!overrides_.empty() && (base == nullptr || overrides_.front().first <= base->key())) {
        // An override takes the place of the base's object, or stands before it.
        if (base != nullptr && base->key() == overrides_.front().first) ++chunk_next_;
        next = overrides_.front().second.get();
        overrides_.remove_prefix(1);
        if (next == nullptr || !filter_.Passes(*next)) continue;
      } else {
        ++chunk_next_;
      }
      objects->push_back(next);
      --objects_max;
    }
  }
  ListWork work() const override {
    ListWork work = base_->work();
    work.evaluated += size_ - overrides_.size();
    return work;
  }

 private:
  const Object* PeekBase() {
    if (chunk_next_ == chunk_.size()) {
      chunk_.clear();
      chunk_next_ = 0;
      base_->Next(kBaseChunk, &chunk_);
    }
    return chunk_.empty() ? nullptr : chunk_[chunk_next_];
  }

  const std::unique_ptr<ObjectSource> base_;
  const size_t size_;  // of all overrides
  absl::Span<const Overrides::value_type> overrides_;
  Filter filter_;
  std::vector<const Object*> chunk_;
  size_t chunk_next_ = 0;
};

class OverlaySnapshot : public RangeSnapshot {
 public:
  OverlaySnapshot(SnapshotRef base, Revision revision, Overrides overrides)
      : base_ref_(std::move(base)),
        base_(*dynamic_cast<const IndexedSnapshot*>(base_ref_.get())),
        revision_(revision),
        overrides_(std::move(overrides)) {}

  Revision revision() const override { return revision_; }
  size_t size() const override { return CountRange({}); }
  const ObjectSchema& schema() const override { return base_.schema(); }

  const Object* Get(absl::string_view key) const override {
    const auto found = Cut(overrides_, KeyRange::OfKey(key));
    return found.empty() ? base_.Get(key) : found[0].second.get();
  }

  size_t CountRange(const KeyRange& range) const override {
    size_t count = base_.CountRange(range);
    for (const auto& [key, object] : Cut(overrides_, range)) {
      if (base_.Get(key) != nullptr) --count;
      if (object) ++count;
    }
    return count;
  }

  const Object* FindUnreadable(const KeyRange& range) const override {
    for (const auto& [key, object] : Cut(overrides_, range)) {
      if (object && object->unreadable()) return object.get();
    }
    return base_.FindUnreadable(
        range, [this](const Object& object) { return Cut(overrides_, KeyRange::OfKey(object.key())).empty(); });
  }

  std::unique_ptr<ObjectSource> Open(const KeyRange& range, std::vector<Requirement> requirements,
                                     std::string* plan) const override {
    const absl::Span<const Overrides::value_type> overrides = Cut(overrides_, range);
    std::unique_ptr<ObjectSource> base = base_.Open(range, requirements, plan);
    absl::StrAppend(plan, ", ", overrides.size(), " keys of another revision");
    return std::make_unique<OverlaySource>(std::move(base), overrides,
                                           Filter(base_.shared_schema(), std::move(requirements)));
  }

 private:
  ~OverlaySnapshot() override = default;
  void Dispose() const override { delete this; }

  const SnapshotRef base_ref_;
  const IndexedSnapshot& base_;
  const Revision revision_;
  const Overrides overrides_;
};

}  // namespace

SnapshotRef MakeOverlaySnapshot(SnapshotRef base, Revision revision, Overrides overrides) {
  TM_CHECK(dynamic_cast<const IndexedSnapshot*>(base.get()) != nullptr) << "only a published snapshot can be a base";
  const auto out_of_order = [](const auto& a, const auto& b) { return a.first >= b.first; };
  TM_CHECK(std::adjacent_find(overrides.begin(), overrides.end(), out_of_order) == overrides.end())
      << "overrides do not ascend";
  return SnapshotRef::Adopt(new OverlaySnapshot(std::move(base), revision, std::move(overrides)));
}

absl::StatusOr<SnapshotRef> MakeSnapshotFromValues(const config::Resource& resource, Revision revision,
                                                   absl::string_view prefix,
                                                   absl::Span<const storeclient::KeyValue> kvs) {
  auto schema = std::make_shared<const ObjectSchema>(resource, std::string(prefix));
  ObjectBuilder builder(schema);
  std::vector<ObjectRef> objects;
  objects.reserve(kvs.size());
  for (const storeclient::KeyValue& kv : kvs) {
    absl::string_view key = kv.key;
    // A mirror has no object of such a key either.
    if (!absl::ConsumePrefix(&key, prefix) || !IsObjectKey(key, resource.namespaced)) continue;
    if (!objects.empty() && objects.back()->key() >= key) {
      return MakeError(ErrorKind::kCorrupt, absl::StrCat("the keys of the store's list do not ascend: \"", kv.key,
                                                         "\" comes after \"", prefix, objects.back()->key(), "\""));
    }
    objects.push_back(builder.Build(key, kv.value, kv.mod_revision));
  }
  return SnapshotRef::Adopt(new ObjectListSnapshot(std::move(schema), revision, std::move(objects)));
}

}  // namespace tidemark::cache
