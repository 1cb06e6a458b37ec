#include "cache/resource_mirror.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/status.h"
#include "cache/object_key.h"

namespace tidemark::cache {
namespace {

absl::Status NotReady(absl::string_view why) {
  return MakeError(ErrorKind::kNotReady, absl::StrCat("storage is (re)initializing", why.empty() ? "" : ": ", why));
}

}  // namespace

std::shared_ptr<ResourceMirror> ResourceMirror::Make(config::Resource resource, std::string prefix,
                                                     EventHistory::Options history, storeclient::StoreClient* client,
                                                     Executor* executor, metrics::MirrorMetrics metrics,
                                                     metrics::FreshnessMetrics freshness_metrics) {
  std::shared_ptr<ResourceMirror> mirror(
      new ResourceMirror(std::move(resource), std::move(prefix), history, client, executor, metrics));
  mirror->gate_ = std::make_shared<FreshnessGate>(
      executor,
      [weak = std::weak_ptr<ResourceMirror>(mirror)] {
        if (auto self = weak.lock()) self->RequestProgress();
      },
      freshness_metrics);
  return mirror;
}

ResourceMirror::ResourceMirror(config::Resource resource, std::string prefix, EventHistory::Options history,
                               storeclient::StoreClient* client, Executor* executor, metrics::MirrorMetrics metrics)
    : resource_(std::move(resource)),
      prefix_(std::move(prefix)),
      history_(history),
      client_(client),
      executor_(executor),
      metrics_(metrics),
      store_(resource_, {.key_prefix = prefix_}),
      not_ready_(NotReady("")) {}

void ResourceMirror::Start() {
  // Held, so that Stop ends what was begun or keeps it from beginning; the call neither blocks nor comes back here.
  MutexLock lock(&handle_mu_);
  if (stopped_) return;
  handle_ = client_->Follow({.prefix = prefix_, .name = resource_.GroupResource()}, this);
}

void ResourceMirror::Stop(const absl::Status& reason) {
  std::unique_ptr<storeclient::FollowHandle> handle;
  {
    MutexLock lock(&handle_mu_);
    if (std::exchange(stopped_, true)) return;
    handle = std::move(handle_);
  }
  handle.reset();
  if (std::shared_ptr<Timeline> old = SetTimeline(nullptr, reason)) old->End(reason);
  gate_->Stop(reason);
}

Revision ResourceMirror::revision() const {
  const absl::StatusOr<std::shared_ptr<Timeline>> current = timeline();
  return current.ok() ? (*current)->revision() : Revision();
}

template <typename Ask>
auto ResourceMirror::AskTimeline(Ask ask) const -> decltype(ask(static_cast<Timeline*>(nullptr))) {
  while (true) {
    const absl::StatusOr<std::shared_ptr<Timeline>> asked = timeline();
    if (!asked.ok()) return asked.status();
    auto answer = ask(asked->get());
    if (answer.ok()) return answer;
    const absl::StatusOr<std::shared_ptr<Timeline>> now = timeline();
    if (now.ok() && *now == *asked) return answer;
  }
}

absl::StatusOr<std::unique_ptr<WatchCursor>> ResourceMirror::Watch(WatchQuery query, std::function<void()> waker) {
  return AskTimeline([&](Timeline* timeline) { return timeline->Watch(query, waker); });
}

absl::StatusOr<Timeline::State> ResourceMirror::Current() const {
  return AskTimeline([](Timeline* timeline) { return timeline->Current(); });
}

absl::StatusOr<SnapshotRef> ResourceMirror::At(Revision revision) const {
  return AskTimeline([revision](Timeline* timeline) { return timeline->At(revision); });
}

absl::StatusOr<std::shared_ptr<Timeline>> ResourceMirror::timeline() const {
  MutexLock lock(&mu_);
  if (timeline_ == nullptr) return not_ready_;
  return timeline_;
}

void ResourceMirror::CutBelow(Revision revision) {
  MutexLock lock(&writer_mu_);
  if (const auto current = timeline(); current.ok()) (*current)->CutBelow(revision);
}

bool ResourceMirror::FreeSome() {
  MutexLock lock(&writer_mu_);
  const auto current = timeline();
  const bool more_events = current.ok() && (*current)->FreeDropped(kPiecesFreedAtATime);
  return store_.Reclaim(kPiecesFreedAtATime) || more_events;
}

void ResourceMirror::Retire(std::shared_ptr<Timeline> old, const absl::Status& reason) {
  old->End(reason);
  MutexLock lock(&mu_);
  ended_.push_back(std::move(old));
}

// Needs no writer's lock: whoever found the timeline under it was done before it was replaced.
void ResourceMirror::FreeEnded() {
  std::vector<std::shared_ptr<Timeline>> ended;
  {
    MutexLock lock(&mu_);
    ended.swap(ended_);
  }
  for (const std::shared_ptr<Timeline>& timeline : ended) {
    while (timeline->FreeEnded(kPiecesFreedAtATime)) {
    }
  }
}

void ResourceMirror::Housekeep() {
  FreeEnded();
  for (int i = 0; i < kFreeingsPerHousekeep && FreeSome(); ++i) {
  }
  MutexLock lock(&writer_mu_);
  // Again, for what the last page was in.
  if (std::exchange(trim_, false)) ReturnFreedMemory();
  const IndexedStore::Memory memory = store_.memory();
  metrics_.objects.Set(static_cast<double>(memory.objects));
  metrics_.object_bytes.Set(static_cast<double>(object_bytes_));
  metrics_.snapshots_pinned.Set(static_cast<double>(memory.snapshots) - 1);
  const auto current = timeline();
  if (!current.ok()) return;
  metrics_.revision.Set(static_cast<double>((*current)->revision().value()));
  (*current)->Housekeep();
}

void ResourceMirror::OnListBegin(Revision revision) {
  MutexLock lock(&writer_mu_);
  list_revision_ = revision;
  list_start_ = executor_->clock().Now();
  listed_bytes_ = 0;
  store_.BeginReplace();
}

void ResourceMirror::OnListPage(absl::Span<const storeclient::KeyValueView> page) {
  for (; !page.empty(); page.remove_prefix(std::min(page.size(), kEventsPerPublishMax))) {
    // Between two parts it is as between two pages: nothing is published, and no other call of the observer comes.
    MutexLock lock(&writer_mu_);
    for (const storeclient::KeyValueView& kv : page.subspan(0, kEventsPerPublishMax)) {
      const absl::string_view key = ObjectKey(kv.key);
      if (!key.empty()) Account(store_.Put(key, kv.value, kv.mod_revision));
      listed_bytes_ += kv.value.size();
    }
  }
}

void ResourceMirror::CallWhenReady(std::function<void()> on_ready) {
  MutexLock lock(&writer_mu_);
  on_ready_ = std::move(on_ready);
}

void ResourceMirror::OnListDone() {
  Revision revision;
  std::function<void()> on_ready;
  std::shared_ptr<Timeline> old;
  {
    MutexLock lock(&writer_mu_);
    trim_ = std::exchange(listed_bytes_, 0) >= kTrimAfterBytes;
    if (trim_) ReturnFreedMemory();
    revision = std::exchange(list_revision_, Revision());
    for (const ObjectRef& gone : store_.FinishReplace()) object_bytes_ -= static_cast<int64_t>(gone->memory_bytes());
    auto next = std::make_shared<Timeline>(history_, store_.schema(), &executor_->clock(), metrics_, revision,
                                           store_.Publish(revision));
    old = SetTimeline(std::move(next), absl::OkStatus());
    metrics_.initializations.Increment();
    metrics_.initialization_duration.Observe(executor_->clock().Now() - list_start_);
    metrics_.revision.Set(static_cast<double>(revision.value()));
    on_ready = std::exchange(on_ready_, nullptr);
  }
  if (old != nullptr) {
    if (revision < old->revision()) gate_->Reset(NotReady("the store's list lies behind what was seen of it"));
    Retire(std::move(old), MakeError(ErrorKind::kCompacted, "the mirror had to list the store anew", revision));
  }
  gate_->Reached(revision, false);
  if (on_ready) on_ready();
}

void ResourceMirror::OnEvents(absl::Span<const storeclient::EventView> events) {
  if (events.empty()) return;
  metrics_.events_received.Increment(static_cast<double>(events.size()));
  const Revision last = events.back().kv.mod_revision;
  std::vector<InterestRegistry::Waker> wakers;
  {
    MutexLock lock(&writer_mu_);
    const absl::StatusOr<std::shared_ptr<Timeline>> current = timeline();
    if (!current.ok()) return;
    wakers = ApplyAll(events, current->get());
    (*current)->Advance(last);
  }
  for (const InterestRegistry::Waker& waker : wakers) (*waker)();
  metrics_.revision.Set(static_cast<double>(last.value()));
  gate_->Reached(last, false);
}

std::vector<InterestRegistry::Waker> ResourceMirror::ApplyAll(absl::Span<const storeclient::EventView> events,
                                                              Timeline* timeline) {
  std::vector<InterestRegistry::Waker> wakers;
  RoutedEvents routed;
  const std::shared_ptr<const WatchedKeys> keys = timeline->watched_keys();
  const Revision seen = timeline->newest_event();
  Revision revision = seen;
  for (const storeclient::EventView& event : events) {
    // A store that repeats itself must not take the mirror back.
    if (event.kv.mod_revision <= seen) continue;
    if (event.kv.mod_revision > revision && routed.size() >= kEventsPerPublishMax) {
      Publish(revision, std::exchange(routed, {}), keys, timeline, &wakers);
    }
    revision = event.kv.mod_revision;
    Apply(event, *keys, *timeline, &routed);
  }
  if (!routed.empty()) Publish(revision, std::move(routed), keys, timeline, &wakers);
  return wakers;
}

void ResourceMirror::Publish(Revision revision, RoutedEvents routed, const std::shared_ptr<const WatchedKeys>& keys,
                             Timeline* timeline, std::vector<InterestRegistry::Waker>* wakers) {
  SnapshotRef snapshot = store_.Publish(revision);
  Timeline::Appended appended =
      timeline->Append(std::move(routed), keys, std::move(snapshot), store_.node_bytes_since_mark());
  if (appended.kept) store_.Mark();
  wakers->insert(wakers->end(), std::make_move_iterator(appended.wakers.begin()),
                 std::make_move_iterator(appended.wakers.end()));
}

void ResourceMirror::OnProgress(Revision revision) {
  if (!client_->ProgressTrusted()) return;
  {
    MutexLock lock(&writer_mu_);
    const auto current = timeline();
    if (!current.ok()) return;
    (*current)->Advance(revision);
  }
  gate_->Reached(revision, true);
}

void ResourceMirror::OnInterrupted(const absl::Status& reason) {
  {
    MutexLock lock(&writer_mu_);
    if (!list_revision_.is_none()) metrics_.initialization_errors.Increment();
  }
  {
    MutexLock lock(&mu_);
    if (timeline_ == nullptr && IsNotReady(not_ready_)) not_ready_ = NotReady(reason.message());
  }
  gate_->Interrupted();
}

void ResourceMirror::OnRewound(const absl::Status& reason) {
  Log(LogLevel::kWarning, "the store went back in time; everything is dropped",
      {{"resource", resource_.GroupResource()}, {"reason", reason.message()}});
  const absl::Status not_ready = NotReady("the store was restored from a backup");
  std::shared_ptr<Timeline> old;
  {
    MutexLock lock(&writer_mu_);
    store_.ForgetRevisions();
    old = SetTimeline(nullptr, not_ready);
  }
  if (old != nullptr) Retire(std::move(old), MakeError(ErrorKind::kRewound, reason.message()));
  gate_->Reset(not_ready);
}

void ResourceMirror::Apply(const storeclient::EventView& event, const WatchedKeys& keys, const Timeline& timeline,
                           RoutedEvents* routed) {
  const absl::string_view key = ObjectKey(event.kv.key);
  if (key.empty()) return;
  const bool put = event.type == storeclient::EventView::Type::kPut;
  Change change = put ? store_.Put(key, event.kv.value, event.kv.mod_revision) : store_.Delete(key);
  Account(change);
  if (!change.old_object && !change.new_object) return;  // the deletion of what was not there
  std::vector<PairValues> pairs = PairValuesOf(keys, *store_.schema(), change.old_values, change.new_values);
  routed->push_back({Event::Make(event.kv.mod_revision, std::move(change.new_object), std::move(change.old_object),
                                 timeline.frame_bytes()),
                     std::move(pairs)});
}

absl::string_view ResourceMirror::ObjectKey(absl::string_view key) {
  absl::string_view relative = key;
  if (absl::ConsumePrefix(&relative, prefix_) && IsObjectKey(relative, resource_.namespaced)) return relative;
  metrics_.stray_keys.Increment();
  if (stray_keys_logged_ < kStrayKeysLoggedMax) {
    ++stray_keys_logged_;
    Log(LogLevel::kWarning, "a key is no object's, and is left out; more of this resource are counted, not logged",
        {{"resource", resource_.GroupResource()},
         {"key", absl::CHexEscape(key.substr(0, kStrayKeyShownBytes))},
         {"wanted", absl::StrCat(prefix_, resource_.namespaced ? "NAMESPACE/NAME" : "NAME")}});
  }
  return {};
}

void ResourceMirror::Account(const Change& change) {
  if (change.unchanged) return;
  if (change.old_object) object_bytes_ -= static_cast<int64_t>(change.old_object->memory_bytes());
  if (!change.new_object) return;
  object_bytes_ += static_cast<int64_t>(change.new_object->memory_bytes());
  if (change.new_object->unreadable()) NoteUnreadable(*change.new_object);
}

void ResourceMirror::NoteUnreadable(const Object& object) {
  metrics_.decode_errors.Increment();
  if (std::exchange(unreadable_logged_, true)) return;
  Log(LogLevel::kError, "a stored value cannot be read; more of this resource are counted, not logged",
      {{"resource", resource_.GroupResource()},
       {"key", absl::StrCat(prefix_, object.key())},
       {"reason", object.reason()}});
}

std::shared_ptr<Timeline> ResourceMirror::SetTimeline(std::shared_ptr<Timeline> timeline, const absl::Status& reason) {
  MutexLock lock(&mu_);
  not_ready_ = reason;
  return std::exchange(timeline_, std::move(timeline));
}

void ResourceMirror::RequestProgress() {
  if (!client_->ProgressTrusted()) return;
  // Held, so that the handle outlives the call; the call neither blocks nor comes back here.
  MutexLock lock(&handle_mu_);
  if (handle_ != nullptr) handle_->RequestProgress();
}

}  // namespace tidemark::cache
