#include "cache/mirror_cache.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::cache {
namespace {

metrics::FreshnessMetrics FreshnessMetricsOf(metrics::Registry* registry) {
  return registry == nullptr ? metrics::FreshnessMetrics() : metrics::FreshnessMetrics(registry);
}

metrics::MirrorMetrics MirrorMetricsOf(metrics::Registry* registry, const config::Resource& resource) {
  return registry == nullptr ? metrics::MirrorMetrics()
                             : metrics::MirrorMetrics(registry, resource.group, resource.plural);
}

Poster PosterOf(const MirrorCache::Options& options, Executor* executor) {
  if (options.post) return options.post;
  return [executor](Executor::Task task) { executor->Post(std::move(task)); };
}

absl::Status WentBack() { return MakeError(ErrorKind::kNotReady, "the store went back in time"); }

// A read that named no revision has nothing that could be gone: after a restore it comes again.
absl::Status WithoutRewind(absl::Status status) { return KindOf(status) == ErrorKind::kRewound ? WentBack() : status; }

View ViewOf(Timeline::State state) { return {std::move(state.snapshot), state.revision, "mirror"}; }

}  // namespace

struct MirrorCache::PendingRead {
  PendingRead(MirrorCache* cache, ResourceMirror* mirror, ReadOptions options, ReadCallback done)
      : cache(cache),
        mirror(mirror->shared_from_this()),
        options(std::move(options)),
        done(std::move(done)),
        start(cache->executor_->clock().Now()),
        deadline(std::min(this->options.deadline, start + cache->options_.read_wait_max)),
        floor(mirror->revision()) {
    MutexLock lock(&cache->reads_mu_);
    ++cache->reads_;
  }
  ~PendingRead() {
    MutexLock lock(&cache->reads_mu_);
    if (--cache->reads_ == 0) cache->reads_done_.SignalAll();
  }

  absl::Duration waited() const { return cache->executor_->clock().Now() - start; }
  void Finish(absl::StatusOr<View> view) { done(std::move(view)); }
  void Finish(absl::StatusOr<Timeline::State> state) {
    if (!state.ok()) return done(state.status());
    View view = ViewOf(*std::move(state));
    view.served_from = absl::StrFormat("mirror after %.1fms", absl::ToDoubleMilliseconds(waited()));
    done(std::move(view));
  }

  MirrorCache* const cache;
  const std::shared_ptr<ResourceMirror> mirror;
  const ReadOptions options;
  ReadCallback done;
  const absl::Time start;
  const absl::Time deadline;
  const Revision floor;  // the mirror's revision when the read came
};

MirrorCache::MirrorCache(Options options, storeclient::StoreClient* client, Executor* executor,
                         metrics::Registry* registry)
    : options_(std::move(options)),
      client_(client),
      executor_(executor),
      registry_(registry),
      reader_(std::make_shared<RevisionReader>(client, executor, FreshnessMetricsOf(registry))),
      store_list_(std::make_shared<StoreList>(client, executor, PosterOf(options_, executor))),
      first_lists_(std::make_shared<FirstLists>(executor)) {
  for (const config::Resource& resource : options_.resources) {
    mirrors_.push_back(MakeMirror(resource));
    const bool is_new = by_name_.emplace(std::pair(resource.group, resource.plural), mirrors_.back().get()).second;
    TM_CHECK(is_new) << resource.GroupResource() << " is given twice";
  }
  compaction_ = std::make_shared<CompactionTracker>(
      client, executor, [this] { return HistoryBounds(); }, [this](Revision revision) { CutBelow(revision); });
}

MirrorCache::~MirrorCache() { Stop(); }

std::shared_ptr<ResourceMirror> MirrorCache::MakeMirror(const config::Resource& resource) const {
  return ResourceMirror::Make(resource, absl::StrCat(options_.etcd_prefix, "/", resource.prefix, "/"), options_.history,
                              client_, executor_, MirrorMetricsOf(registry_, resource), FreshnessMetricsOf(registry_));
}

void MirrorCache::Start() {
  {
    MutexLock lock(&alive_->mu);
    alive_->cache = this;
  }
  for (const auto& mirror : mirrors_) mirror->Start();
  compaction_->Start();
  ScheduleHousekeeping();
}

void MirrorCache::Stop() {
  {
    MutexLock lock(&alive_->mu);
    alive_->cache = nullptr;
  }
  first_lists_->Stop();
  compaction_->Stop();
  reader_->Stop();
  MirrorList all = AllMirrors();
  {
    MutexLock lock(&added_mu_);
    all.insert(all.end(), leaving_.begin(), leaving_.end());
  }
  for (const auto& mirror : all) mirror->Stop();
  store_list_->Stop();
  // What was handed out before is on its way through other threads.
  MutexLock lock(&reads_mu_);
  while (reads_ > 0) reads_done_.Wait(&reads_mu_);
}

std::shared_ptr<Mirror> MirrorCache::Add(config::Resource resource, std::function<void()> on_ready) {
  std::shared_ptr<ResourceMirror> mirror = MakeMirror(resource);
  {
    MutexLock lock(&added_mu_);
    added_.push_back(mirror);
  }
  const ResourceMirror* const name = mirror.get();
  mirror->CallWhenReady([lists = first_lists_, name, on_ready = std::move(on_ready)] {
    lists->Leave(name);
    on_ready();
  });
  first_lists_->Join(name, [mirror] { mirror->Start(); });
  return mirror;
}

void MirrorCache::Remove(const std::shared_ptr<Mirror>& mirror, Revision revision) {
  const auto leaving = std::static_pointer_cast<ResourceMirror>(mirror);
  {
    MutexLock lock(&added_mu_);
    added_.erase(std::remove(added_.begin(), added_.end(), leaving), added_.end());
    leaving_.push_back(leaving);
  }
  first_lists_->Withdraw(leaving.get());
  // With the housekeeping: stopping waits for the page that is being read, and freeing a mirror takes its time.
  std::function<void()> end = [alive = alive_, lists = first_lists_, leaving] {
    leaving->Stop(MakeError(ErrorKind::kGone, "the resource is not served any more"));
    lists->Leave(leaving.get());
    MutexLock lock(&alive->mu);
    if (alive->cache != nullptr) alive->cache->Forget(leaving.get());
  };
  Executor* const housekeeper = Housekeeper();
  if (!leaving->ready()) return housekeeper->Post(std::move(end));
  if (revision.is_none()) return housekeeper->PostAt(housekeeper->clock().Now() + kReplacedMax, std::move(end));
  leaving->gate().Wait(revision, executor_->clock().Now() + kFarewellMax,
                       [housekeeper, end = std::move(end)](const absl::Status&) { housekeeper->Post(end); });
}

void MirrorCache::Forget(const ResourceMirror* mirror) {
  MutexLock lock(&added_mu_);
  const auto is_it = [mirror](const auto& other) { return other.get() == mirror; };
  leaving_.erase(std::remove_if(leaving_.begin(), leaving_.end(), is_it), leaving_.end());
}

MirrorCache::MirrorList MirrorCache::AllMirrors() const {
  MirrorList all = mirrors_;
  MutexLock lock(&added_mu_);
  all.insert(all.end(), added_.begin(), added_.end());
  return all;
}

Mirror* MirrorCache::Find(absl::string_view group, absl::string_view plural) {
  const auto found = by_name_.find({std::string(group), std::string(plural)});
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<Mirror*> MirrorCache::mirrors() {
  std::vector<Mirror*> mirrors;
  mirrors.reserve(mirrors_.size());
  for (const auto& mirror : mirrors_) mirrors.push_back(mirror.get());
  return mirrors;
}

bool MirrorCache::ready() const {
  return std::all_of(mirrors_.begin(), mirrors_.end(), [](const auto& mirror) { return mirror->ready(); });
}

void MirrorCache::Read(Mirror* mirror, ReadOptions options, ReadCallback done) {
  auto* const resource_mirror = static_cast<ResourceMirror*>(mirror);
  absl::StatusOr<Timeline::State> state = resource_mirror->Current();
  if (!state.ok()) return done(state.status());
  const Freshness freshness = options.freshness;
  const Revision revision = options.revision;
  const bool there =
      freshness == Freshness::kAny || (freshness == Freshness::kNotOlderThan && revision <= state->revision);
  if (there) return done(ViewOf(*std::move(state)));
  auto read = std::make_unique<PendingRead>(this, resource_mirror, std::move(options), std::move(done));
  if (freshness == Freshness::kConsistent) return ReadConsistent(std::move(read));
  if (freshness == Freshness::kNotOlderThan) return Wait(std::move(read), revision, &MirrorCache::AfterNotOlderThan);
  if (revision <= state->revision) return AnswerExact(std::move(read));
  Wait(std::move(read), revision, &MirrorCache::AfterExact);
}

void MirrorCache::ReadConsistent(PendingReadPtr read) {
  if (!ConsistentFromMirror()) return AnswerFromStore(std::move(read), Revision());
  const absl::Time deadline = read->deadline;
  reader_->Read(deadline, [this, read = std::move(read)](absl::StatusOr<Revision> revision) mutable {
    if (!revision.ok()) return AfterConsistent(std::move(read), revision.status());
    // A store that is behind what the mirror had seen before it was asked is another store: a restored one.
    if (*revision < read->floor) {
      return AfterConsistent(std::move(read), MakeError(ErrorKind::kRewound, "the store went back in time"));
    }
    Wait(std::move(read), *revision, &MirrorCache::AfterConsistent);
  });
}

void MirrorCache::Wait(PendingReadPtr read, Revision revision, Next next) {
  FreshnessGate& gate = read->mirror->gate();
  const absl::Time deadline = read->deadline;
  const absl::Time start = executor_->clock().Now();
  const bool has_to_wait = read->mirror->revision() < revision;
  gate.Wait(revision, deadline, [this, next, start, has_to_wait, read = std::move(read)](absl::Status status) mutable {
    if (has_to_wait) read->mirror->metrics().read_wait.Observe(executor_->clock().Now() - start);
    (this->*next)(std::move(read), std::move(status));
  });
}

void MirrorCache::AfterNotOlderThan(PendingReadPtr read, absl::Status status) {
  if (!status.ok()) return read->Finish(absl::StatusOr<View>(std::move(status)));
  absl::StatusOr<Timeline::State> state = read->mirror->Current();
  // The store may have gone back since the wait ended.
  if (state.ok() && state->revision < read->options.revision) state = WentBack();
  read->Finish(std::move(state));
}

void MirrorCache::AfterExact(PendingReadPtr read, absl::Status status) {
  if (!status.ok()) return read->Finish(absl::StatusOr<View>(std::move(status)));
  AnswerExact(std::move(read));
}

void MirrorCache::AfterConsistent(PendingReadPtr read, absl::Status status) {
  metrics::MirrorMetrics& metrics = read->mirror->metrics();
  status = WithoutRewind(std::move(status));
  if (IsStale(status) && options_.stale_read_from_store) {
    read->done = [&metrics, done = std::move(read->done)](absl::StatusOr<View> view) mutable {
      (view.ok() ? metrics.consistent_fell_back : metrics.consistent_fallback_failed).Increment();
      done(std::move(view));
    };
    return AnswerFromStore(std::move(read), Revision());
  }
  if (!status.ok()) {
    (IsStale(status) ? metrics.consistent_stale : metrics.consistent_failed).Increment();
    return read->Finish(absl::StatusOr<View>(std::move(status)));
  }
  metrics.consistent_from_cache.Increment();
  read->Finish(read->mirror->Current());
}

void MirrorCache::AnswerExact(PendingReadPtr read) {
  const Revision revision = read->options.revision;
  absl::StatusOr<SnapshotRef> snapshot = read->mirror->At(revision);
  if (snapshot.ok()) return read->Finish(absl::StatusOr<View>(View{*std::move(snapshot), revision, "mirror"}));
  // The history may have begun after the store's: then the store knows. Below its compaction nobody does.
  const bool store_knows = IsCompacted(snapshot.status()) && revision.value() >= compacted_.load();
  if (!store_knows) return read->Finish(absl::StatusOr<View>(snapshot.status()));
  AnswerFromStore(std::move(read), revision);
}

void MirrorCache::AnswerFromStore(PendingReadPtr read, Revision revision) {
  StoreList::Query query{.prefix = read->mirror->key_prefix(), .scope = read->options.scope, .revision = revision};
  const std::shared_ptr<ResourceMirror> mirror = read->mirror->shared_from_this();
  query.resource = std::shared_ptr<const config::Resource>(mirror, &mirror->resource());
  const absl::Time deadline = read->options.deadline;
  store_list_->Read(
      std::move(query), deadline, [revision, read = std::move(read)](absl::StatusOr<StoreList::Listed> listed) {
        if (!listed.ok()) {
          return read->Finish(
              absl::StatusOr<View>(revision.is_none() ? WithoutRewind(listed.status()) : listed.status()));
        }
        read->Finish(absl::StatusOr<View>(View{listed->snapshot, listed->revision, "store"}));
      });
}

bool MirrorCache::ConsistentFromMirror() const {
  return options_.consistent_list != config::ConsistentListFromCache::kOff && client_->ProgressTrusted();
}

CompactionTracker::Bounds MirrorCache::HistoryBounds() const {
  CompactionTracker::Bounds bounds;
  for (const auto& mirror : AllMirrors()) {
    const auto timeline = mirror->timeline();
    if (!timeline.ok()) continue;
    const Revision oldest = (*timeline)->oldest();
    bounds.oldest = bounds.oldest.is_none() ? oldest : std::min(bounds.oldest, oldest);
    bounds.newest = std::max(bounds.newest, (*timeline)->revision());
  }
  // A mirror that lies behind the compaction could not be cut so far; what is known need not be found out again.
  if (!bounds.oldest.is_none()) bounds.oldest = std::max(bounds.oldest, Revision(compacted_.load()));
  return bounds;
}

void MirrorCache::CutBelow(Revision revision) {
  if (revision.is_none()) {
    compacted_.store(0);
    return store_list_->Forget();
  }
  int64_t before = compacted_.load();
  while (before < revision.value() && !compacted_.compare_exchange_weak(before, revision.value())) {
  }
  for (const auto& mirror : AllMirrors()) mirror->CutBelow(revision);
}

void MirrorCache::ScheduleHousekeeping() {
  Executor* const housekeeper = Housekeeper();
  housekeeper->PostAt(housekeeper->clock().Now() + kHousekeepingGap, [alive = alive_] {
    MutexLock lock(&alive->mu);
    if (alive->cache != nullptr) alive->cache->Housekeep();
  });
}

void MirrorCache::Housekeep() {
  for (const auto& mirror : AllMirrors()) mirror->Housekeep();
  store_list_->Housekeep();
  ScheduleHousekeeping();
}

}  // namespace tidemark::cache
