#include "cache/range_snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cache/planted_fault.h"
#include "cache/unreadable.h"

namespace tidemark::cache {
namespace {

constexpr absl::string_view kAfterKey("\0", 1);

KeyRange NamespaceRange(absl::string_view name) {
  return {absl::StrCat(name, "/"), absl::StrCat(name, "0")};  // '0' is the character after '/'
}

void Intersect(const KeyRange& other, KeyRange* range) {
  range->begin = std::max(range->begin, other.begin);
  if (range->end.empty() || (!other.end.empty() && other.end < range->end)) range->end = other.end;
}

// The one value that a key must have in this part, or nullptr.
const std::string* OnlyValue(const Requirement& requirement, absl::string_view field) {
  const bool one = requirement.source == Requirement::Source::kField && requirement.key == field &&
                   requirement.op == Requirement::Op::kIn && requirement.values.size() == 1;
  return one && !requirement.values[0].empty() ? &requirement.values[0] : nullptr;
}

class PageCursor : public ListCursor {
 public:
  PageCursor(const RangeSnapshot& snapshot, const ListQuery& query) : snapshot_(snapshot), limit_(query.limit) {
    std::vector<Requirement> rest;
    range_ = RangeOf(query, snapshot.schema().namespaced(), &rest);
    selects_ = !query.selector.empty() || !rest.empty();
    if (!query.with_unreadable || selects_) unreadable_ = snapshot.FindUnreadable(range_);
    if (unreadable_ == nullptr) source_ = snapshot.Open(range_, std::move(rest), &plan_);
  }

  absl::StatusOr<bool> Next(size_t max_objects, std::vector<const Object*>* objects) override {
    if (unreadable_ != nullptr) return UnreadableError(snapshot_.schema().key_prefix(), *unreadable_);
    if (done_) return false;
    size_t wanted = max_objects;
    if (limit_ > 0) wanted = std::min(wanted, static_cast<size_t>(limit_) - returned_);
    const size_t before = objects->size();
    source_->Next(wanted, objects);
    const size_t got = objects->size() - before;
    returned_ += got;
    const bool page_full = limit_ > 0 && returned_ == static_cast<size_t>(limit_);
    if (page_full) SetContinue(objects->back()->key());
    done_ = got < wanted || page_full;
    return !done_;
  }

  const std::string& continue_key() const override { return continue_key_; }
  std::optional<int64_t> remaining() const override { return remaining_; }
  const std::string& plan() const override { return plan_; }
  ListWork work() const override { return source_ == nullptr ? ListWork() : source_->work(); }

 private:
  // A page ends where it was cut only if any key follows, whether it is selected or not.
  void SetContinue(absl::string_view last_key) {
    const KeyRange behind = {absl::StrCat(last_key, kAfterKey), range_.end};
    const size_t count = snapshot_.CountRange(behind);
    if (count == 0) return;
    continue_key_ = HasFault("page-off-by-one") ? std::string(last_key) : behind.begin;
    if (!selects_) remaining_ = static_cast<int64_t>(count);
  }

  const RangeSnapshot& snapshot_;
  const int64_t limit_;
  bool selects_ = false;
  KeyRange range_;
  const Object* unreadable_ = nullptr;
  std::unique_ptr<ObjectSource> source_;
  std::string plan_;
  size_t returned_ = 0;
  bool done_ = false;
  std::string continue_key_;
  std::optional<int64_t> remaining_;
};

}  // namespace

KeyRange KeyRange::OfKey(absl::string_view key) { return {std::string(key), absl::StrCat(key, kAfterKey)}; }

KeyRange RangeOf(const ListQuery& query, bool namespaced, std::vector<Requirement>* rest) {
  KeyRange range;
  absl::string_view namespace_name = query.scope.namespace_name;
  absl::string_view name = query.scope.name;
  for (const Requirement& requirement : query.selector.requirements) {
    const std::string* const in_namespace = OnlyValue(requirement, "metadata.namespace");
    const std::string* const of_name = OnlyValue(requirement, "metadata.name");
    if (in_namespace != nullptr && namespaced && (namespace_name.empty() || namespace_name == *in_namespace)) {
      namespace_name = *in_namespace;
    } else if (of_name != nullptr && (name.empty() || name == *of_name)) {
      name = *of_name;
    } else {
      rest->push_back(requirement);
    }
  }
  if (!namespace_name.empty()) range = NamespaceRange(namespace_name);
  if (!name.empty()) {
    if (!namespace_name.empty()) {
      range = KeyRange::OfKey(absl::StrCat(namespace_name, "/", name));
    } else if (!namespaced) {
      range = KeyRange::OfKey(name);
    } else {
      // One name in whichever namespace.
      rest->push_back({Requirement::Source::kField, "metadata.name", Requirement::Op::kIn, {std::string(name)}});
    }
  }
  Intersect({query.start_key, ""}, &range);
  return range;
}

std::unique_ptr<ListCursor> RangeSnapshot::List(ListQuery query) const {
  return std::make_unique<PageCursor>(*this, query);
}

}  // namespace tidemark::cache
