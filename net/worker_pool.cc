#include "net/worker_pool.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/executor.h"

namespace tidemark::net {
namespace {

// About what a connection takes. Among thousands the next one has left the caches since its last turn (e2e/prove_fanout: 2 %).
constexpr size_t kPrefetchedBytes = 832;
constexpr size_t kCacheLineBytes = 64;

void Prefetch(const void* address) {
  const char* const bytes = static_cast<const char*>(address);
  for (size_t at = 0; at < kPrefetchedBytes; at += kCacheLineBytes) __builtin_prefetch(bytes + at);
}

class TaskTurn : public WorkerPool::Turn {
 public:
  explicit TaskTurn(WorkerPool::Task task) : task_(std::move(task)) {}
  void Run(SendBatch* batch) override {
    batch->Flush();
    std::exchange(task_, nullptr)();
  }

 private:
  WorkerPool::Task task_;
};

}  // namespace

WorkerPool::WorkerPool(const std::string& name, int threads) {
  TM_CHECK(threads > 0);
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, worker = absl::StrCat(name, i)] { Work(worker); });
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Push(std::shared_ptr<Turn> turn) {
  Turn* const raw = turn.get();
  TM_DCHECK(raw->self_ == nullptr);
  raw->self_ = std::move(turn);
  raw->next_ = pushed_.load(std::memory_order_relaxed);
  while (!pushed_.compare_exchange_weak(raw->next_, raw, std::memory_order_seq_cst, std::memory_order_relaxed)) {
  }
  // A worker says that it sleeps before it looks at the stack for the last time (Next), so one
  // of the two sees the other.
  if (sleepers_.load(std::memory_order_seq_cst) == 0 && !stopped_.load(std::memory_order_seq_cst)) return;
  if (stopped_.load(std::memory_order_seq_cst)) return DropQueued();
  MutexLock lock(&mu_);
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  // Counted awake from here on: the next push signals another one.
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  pushed_or_stopped_.Signal();
}

void WorkerPool::Post(Task task) { Push(std::make_shared<TaskTurn>(std::move(task))); }

void WorkerPool::Stop() {
  {
    MutexLock lock(&mu_);
    stopped_.store(true, std::memory_order_seq_cst);
    pushed_or_stopped_.SignalAll();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  DropQueued();
}

// Without the lock while a turn is destroyed: it may own what pushes again.
void WorkerPool::DropQueued() {
  while (true) {
    std::shared_ptr<Turn> dropped;
    MutexLock lock(&mu_);
    TakePushedLocked();
    dropped = PopLocked();
    if (dropped == nullptr) return;
  }
}

void WorkerPool::Work(const std::string& name) {
  SetThreadName(name);
  SendBatch batch;
  size_t turns = 0;  // since something waits in the batch
  while (true) {
    const std::shared_ptr<Turn> turn = Next(/*wait=*/batch.empty());
    if (turn != nullptr) turn->Run(&batch);
    if (turn == nullptr && batch.empty()) return;
    turns = batch.empty() ? 0 : turns + 1;
    if (turn != nullptr && turns < SendBatch::kSendsMax) continue;
    batch.Flush();
    turns = 0;
  }
}

std::shared_ptr<WorkerPool::Turn> WorkerPool::Next(bool wait) {
  MutexLock lock(&mu_);
  while (!stopped_.load(std::memory_order_relaxed)) {
    if (queue_head_ == nullptr) TakePushedLocked();
    if (std::shared_ptr<Turn> turn = PopLocked()) return turn;
    if (!wait) return nullptr;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (pushed_.load(std::memory_order_seq_cst) == nullptr) {
      pushed_or_stopped_.Wait(&mu_);  // whoever signals has counted us awake
    } else {
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }
  return nullptr;
}

void WorkerPool::TakePushedLocked() {
  Turn* newest = pushed_.exchange(nullptr, std::memory_order_seq_cst);
  Turn* const tail = newest;
  Turn* oldest = nullptr;
  while (newest != nullptr) {
    Turn* const next = newest->next_;
    newest->next_ = oldest;
    oldest = newest;
    newest = next;
  }
  if (oldest == nullptr) return;
  if (queue_tail_ == nullptr) {
    queue_head_ = oldest;
  } else {
    queue_tail_->next_ = oldest;
  }
  queue_tail_ = tail;
}

std::shared_ptr<WorkerPool::Turn> WorkerPool::PopLocked() {
  if (queue_head_ == nullptr) return nullptr;
  Turn* const turn = queue_head_;
  queue_head_ = turn->next_;
  if (queue_head_ == nullptr) queue_tail_ = nullptr;
  Prefetch(queue_head_);
  turn->next_ = nullptr;
  return std::move(turn->self_);
}

}  // namespace tidemark::net
