#include "cache/revision_reader.h"

#include <utility>

#include "base/status.h"

namespace tidemark::cache {

void RevisionReader::Read(absl::Time deadline, Callback done) {
  metrics_.waiting_reads.Add(1);
  Work work;
  {
    MutexLock lock(&mu_);
    if (stopped_) {
      work.ready.push_back({std::move(done), MakeError(ErrorKind::kStopped, "the cache stops")});
    } else {
      const RevisionCoalescer::ReaderId reader = next_reader_++;
      callbacks_.emplace(reader, std::move(done));
      work = Take(core_.AddReader(reader, deadline, executor_->clock().Now()));
    }
  }
  Do(std::move(work));
}

void RevisionReader::Stop() {
  Work work;
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    work = Take(core_.Stop(MakeError(ErrorKind::kStopped, "the cache stops")));
  }
  Do(std::move(work));
}

RevisionReader::Work RevisionReader::Take(RevisionCoalescer::Actions actions) {
  Work work;
  work.start = actions.start.value_or(0);
  work.ready.reserve(actions.answers.size());
  for (RevisionCoalescer::Answer& answer : actions.answers) {
    auto callback = callbacks_.find(answer.reader);
    work.ready.push_back({std::move(callback->second), std::move(answer.revision)});
    callbacks_.erase(callback);
  }
  work.wake = core_.NextWake();
  work.arm = scheduler_.Arm(work.wake);
  return work;
}

void RevisionReader::Do(Work work) {
  if (work.arm) {
    executor_->PostAt(work.wake, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Tick();
    });
  }
  if (work.start != 0) Start(work.start);
  if (work.ready.empty()) return;
  metrics_.waiting_reads.Add(-static_cast<double>(work.ready.size()));
  for (Ready& ready : work.ready) {
    if (ready.revision.ok()) metrics_.consistent_readers.Increment();
    ready.done(std::move(ready.revision));
  }
}

void RevisionReader::Start(RevisionCoalescer::ReadId read) {
  metrics_.revision_reads.Increment();
  const absl::Time start = executor_->clock().Now();
  client_->ReadRevision(start + kRevisionReadTimeout,
                        [weak = weak_from_this(), read, start](absl::StatusOr<Revision> revision) {
                          auto self = weak.lock();
                          if (self == nullptr) return;
                          const absl::Time now = self->executor_->clock().Now();
                          self->metrics_.revision_read_duration.Observe(now - start);
                          if (!revision.ok()) self->metrics_.revision_read_errors.Increment();
                          Work work;
                          {
                            MutexLock lock(&self->mu_);
                            work = self->Take(self->core_.OnAnswer(read, revision, now));
                          }
                          self->Do(std::move(work));
                        });
}

void RevisionReader::Tick() {
  Work work;
  {
    MutexLock lock(&mu_);
    const absl::Time now = executor_->clock().Now();
    scheduler_.Fired(now);
    work = Take(core_.OnTick(now));
  }
  Do(std::move(work));
}

}  // namespace tidemark::cache
