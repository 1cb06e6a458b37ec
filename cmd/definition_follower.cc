#include "cmd/definition_follower.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "cache/object.h"
#include "crd/definition.h"
#include "crd/definition_resources.h"

namespace tidemark::cmd {
namespace {

// Definitions and changes looked at a time.
constexpr size_t kDefinitionsAtATime = 64;

// What stands behind one definition.
struct Announced {
  uint64_t fingerprint = 0;
  uint64_t generation = 0;  // of the mirror: what comes of another one does not concern it
  std::shared_ptr<cache::Mirror> mirror;
  std::vector<http::ServedRow> rows;
};

// A mirror whose rows are served until the next publishing.
struct Leaving {
  std::shared_ptr<cache::Mirror> mirror;
  Revision revision;
};

using AnnouncedByName = std::map<std::string, Announced, std::less<>>;

}  // namespace

// Held by its tasks; the lock keeps them from running together with Stop.
class DefinitionFollower::Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Options options) : options_(std::move(options)) {}

  void Start() { PostLook(absl::InfinitePast()); }
  void Stop() {
    MutexLock lock(&mu_);
    stopped_ = true;
    cursor_.reset();
  }
  bool ready() const { return ready_.load(); }

 private:
  // Runs `task` on the executor. Tasks lock for themselves, and do nothing once it is stopped.
  template <typename... Parameters, typename... Args>
  void PostTask(absl::Time when, void (Core::*task)(Parameters...), Args... args) {
    options_.executor->PostAt(when, [weak = weak_from_this(), task, args...] {
      if (const std::shared_ptr<Core> self = weak.lock()) (self.get()->*task)(args...);
    });
  }
  void PostLook(absl::Time when) { PostTask(when, &Core::Look); }

  // Tasks. Takes in what has changed since the last look.
  void Look() ABSL_LOCKS_EXCLUDED(mu_);
  // The mirror of this generation has its first list.
  void TakeReady(const std::string& name, uint64_t generation) ABSL_LOCKS_EXCLUDED(mu_);
  // Publishes what is served, and then removes the mirrors that are not: nobody shall find rows whose mirror says that it is gone.
  void Publish() ABSL_LOCKS_EXCLUDED(mu_);

  absl::Status TakeNews() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status ListAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status TakeChanges() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Take(const cache::Object& object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  static void LogUnread(const cache::Object& object, absl::string_view reason);
  void NoteFailure(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Announce(const std::string& name, crd::Definition definition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropAllBut(const std::set<std::string, std::less<>>& names, Revision revision)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Drop(absl::string_view name, Revision revision) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropLoading(absl::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Once for all that changes until the task runs: of a thousand definitions that go, one catalogue is made. At once when nothing
  // loads any more.
  void PublishSoon() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Wanted(const crd::Definition& definition) const;

  const Options options_;
  std::atomic<bool> ready_{false};

  Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::unique_ptr<cache::WatchCursor> cursor_ ABSL_GUARDED_BY(mu_);  // null: the next look lists
  AnnouncedByName served_ ABSL_GUARDED_BY(mu_);
  AnnouncedByName loading_ ABSL_GUARDED_BY(mu_);  // their mirrors have no first list yet
  std::vector<Leaving> leaving_ ABSL_GUARDED_BY(mu_);
  uint64_t generations_ ABSL_GUARDED_BY(mu_) = 0;
  // The definitions as they were taken in last. A mirror that lists anew keeps the object of what has not changed, and makes
  // another after a restored backup, where the same revision may be another value.
  std::map<std::string, cache::ObjectRef, std::less<>> taken_ ABSL_GUARDED_BY(mu_);
  std::string failure_ ABSL_GUARDED_BY(mu_);                             // of the last look
  bool listed_ ABSL_GUARDED_BY(mu_) = false;                             // once
  absl::Time publishing_ ABSL_GUARDED_BY(mu_) = absl::InfiniteFuture();  // when the next is due: a task is on its way
};

void DefinitionFollower::Core::Look() {
  MutexLock lock(&mu_);
  if (stopped_) return;
  const absl::Status status = TakeNews();
  if (status.ok()) return failure_.clear();
  cursor_.reset();
  if (KindOf(status) == ErrorKind::kStopped) return;
  NoteFailure(status);
  PostLook(options_.executor->clock().Now() + kDefinitionsRetryGap);
}

void DefinitionFollower::Core::NoteFailure(const absl::Status& status) {
  if (failure_ == status.message()) return;
  failure_ = std::string(status.message());
  const bool starting = KindOf(status) == ErrorKind::kNotReady;
  Log(starting ? LogLevel::kInfo : LogLevel::kWarning, "the definitions of custom resources cannot be followed yet",
      {{"reason", failure_}});
}

absl::Status DefinitionFollower::Core::TakeNews() {
  if (cursor_ == nullptr) TM_RETURN_IF_ERROR(ListAll());
  return TakeChanges();
}

absl::Status DefinitionFollower::Core::ListAll() {
  absl::StatusOr<cache::View> view = absl::InternalError("a read of what is there did not answer at once");
  options_.cache->Read(options_.definitions, {.freshness = cache::Freshness::kAny},
                       [&view](absl::StatusOr<cache::View> answer) { view = std::move(answer); });
  TM_RETURN_IF_ERROR(view.status());
  std::set<std::string, std::less<>> names;
  const std::unique_ptr<cache::ListCursor> cursor = view->snapshot->List({.with_unreadable = true});
  for (bool more = true; more;) {
    std::vector<const cache::Object*> objects;
    TM_ASSIGN_OR_RETURN(more, cursor->Next(kDefinitionsAtATime, &objects));
    for (const cache::Object* object : objects) {
      names.emplace(object->key());
      Take(*object);
    }
  }
  DropAllBut(names, view->revision);
  // The waker comes from the mirror's writer: it only posts.
  const auto wake = [weak = weak_from_this()] {
    if (const std::shared_ptr<Core> self = weak.lock()) self->PostLook(absl::InfinitePast());
  };
  TM_ASSIGN_OR_RETURN(cursor_, options_.definitions->Watch({.after = view->revision, .with_unreadable = true}, wake));
  listed_ = true;
  if (loading_.empty()) PublishSoon();
  return absl::OkStatus();
}

void DefinitionFollower::Core::DropAllBut(const std::set<std::string, std::less<>>& names, Revision revision) {
  std::vector<std::string> gone;
  for (const AnnouncedByName* known : {&served_, &loading_}) {
    for (const auto& [name, announced] : *known) {
      if (!names.contains(name)) gone.push_back(name);
    }
  }
  for (const std::string& name : gone) Drop(name, revision);
  std::erase_if(taken_, [&names](const auto& entry) { return !names.contains(entry.first); });
}

absl::Status DefinitionFollower::Core::TakeChanges() {
  for (std::vector<cache::WatchEvent> events;; events.clear()) {
    TM_RETURN_IF_ERROR(cursor_->Next(kDefinitionsAtATime, &events));
    if (events.empty()) return absl::OkStatus();
    for (const cache::WatchEvent& event : events) {
      if (event.type == cache::WatchEvent::Type::kDeleted) {
        taken_.erase(std::string(event.object->key()));
        Drop(event.object->key(), event.revision);
      } else {
        Take(*event.object);
      }
    }
  }
}

void DefinitionFollower::Core::Take(const cache::Object& object) {
  const std::string name(object.key());
  cache::ObjectRef& taken = taken_[name];
  if (taken.get() == &object) return;
  taken = cache::ObjectRef(&object);
  if (object.unreadable()) return LogUnread(object, object.reason());
  absl::StatusOr<crd::Definition> definition = options_.parse(object.Json());
  if (!definition.ok()) return LogUnread(object, definition.status().message());
  if (!Wanted(*definition)) return Drop(name, object.mod_revision());
  Announce(name, *std::move(definition));
}

void DefinitionFollower::Core::LogUnread(const cache::Object& object, absl::string_view reason) {
  Log(LogLevel::kWarning, "a definition of custom resources cannot be read",
      {{"name", object.key()}, {"reason", reason}});
}

bool DefinitionFollower::Core::Wanted(const crd::Definition& definition) const {
  const std::string group_resource = absl::StrCat(definition.names.plural, ".", definition.group);
  const std::string prefix = absl::StrCat(definition.group, "/", definition.names.plural);
  const auto taken = [&](const config::Resource& row) {
    return row.GroupResource() == group_resource || row.prefix == prefix;
  };
  // Under another name the API server does not find it.
  return definition.established && definition.name == group_resource &&
         options_.selection.Takes(definition.names.plural, group_resource) &&
         std::none_of(options_.fixed.begin(), options_.fixed.end(), taken);
}

void DefinitionFollower::Core::Announce(const std::string& name, crd::Definition definition) {
  const auto loading = loading_.find(name);
  const auto served = served_.find(name);
  if (loading != loading_.end() && loading->second.fingerprint == definition.fingerprint) return;
  DropLoading(name);
  if (served != served_.end() && served->second.fingerprint == definition.fingerprint) return;
  Announced announced{.fingerprint = definition.fingerprint, .generation = ++generations_};
  crd::DefinitionResources resources = crd::ResourcesOf(std::move(definition));
  config::Resource& mirrored = resources.mirrored;
  if (options_.encryption) mirrored.encryption = options_.encryption->ProvidersOf(mirrored.group, mirrored.plural);
  announced.mirror = options_.cache->Add(std::move(resources.mirrored),
                                         [weak = weak_from_this(), name, generation = announced.generation] {
                                           const std::shared_ptr<Core> self = weak.lock();
                                           if (self != nullptr)
                                             self->PostTask(absl::InfinitePast(), &Core::TakeReady, name, generation);
                                         });
  for (config::Resource& row : resources.served) {
    announced.rows.push_back(std::make_shared<const http::ServedResource>(http::ServedResource{
        .resource = std::make_shared<const config::Resource>(std::move(row)), .mirror = announced.mirror}));
  }
  loading_.emplace(name, std::move(announced));
}

void DefinitionFollower::Core::TakeReady(const std::string& name, uint64_t generation) {
  MutexLock lock(&mu_);
  const auto loaded = loading_.find(name);
  if (stopped_ || loaded == loading_.end() || loaded->second.generation != generation) return;
  Announced before = std::exchange(served_[name], std::move(loaded->second));
  loading_.erase(loaded);
  if (before.mirror != nullptr) leaving_.push_back({.mirror = std::move(before.mirror)});
  PublishSoon();
}

void DefinitionFollower::Core::Drop(absl::string_view name, Revision revision) {
  DropLoading(name);
  const auto served = served_.find(name);
  if (served == served_.end()) return;
  leaving_.push_back({.mirror = std::move(served->second.mirror), .revision = revision});
  served_.erase(served);
  PublishSoon();
}

void DefinitionFollower::Core::DropLoading(absl::string_view name) {
  const auto loading = loading_.find(name);
  if (loading == loading_.end()) return;
  options_.cache->Remove(loading->second.mirror, Revision());
  loading_.erase(loading);
  if (loading_.empty()) PublishSoon();
}

void DefinitionFollower::Core::PublishSoon() {
  const absl::Time when = loading_.empty() ? absl::InfinitePast() : options_.executor->clock().Now() + kPublishGap;
  if (when >= publishing_) return;
  publishing_ = when;
  PostTask(when, &Core::Publish);
}

void DefinitionFollower::Core::Publish() {
  MutexLock lock(&mu_);
  // An earlier task may have done it, or put it off until more is there.
  if (stopped_ || options_.executor->clock().Now() < publishing_) return;
  publishing_ = absl::InfiniteFuture();
  std::vector<http::ServedRow> rows;
  for (const auto& [name, announced] : served_) rows.insert(rows.end(), announced.rows.begin(), announced.rows.end());
  options_.publish(std::move(rows));
  if (listed_ && loading_.empty()) ready_.store(true);
  for (const Leaving& leaving : std::exchange(leaving_, {})) options_.cache->Remove(leaving.mirror, leaving.revision);
}

DefinitionFollower::DefinitionFollower(Options options) : core_(std::make_shared<Core>(std::move(options))) {}
DefinitionFollower::~DefinitionFollower() { Stop(); }
void DefinitionFollower::Start() { core_->Start(); }
void DefinitionFollower::Stop() { core_->Stop(); }
bool DefinitionFollower::ready() const { return core_->ready(); }

}  // namespace tidemark::cmd
