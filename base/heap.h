// What was freed stays with the process, for what is allocated next. After a burst, the pages of a first list for
// instance, there is nothing to come that needs as much.
//
// Thread-safety: thread-safe; LimitFreedMemory belongs before the first thread.
// Cost:          ReturnFreedMemory some 10 ms for 100 MB that are given back; other threads' allocations may wait meanwhile.
// Source:        mallopt(3) and glibc's malloc_trim, which leaves the end of every heap but the first as it is.
#ifndef TIDEMARK_BASE_HEAP_H_
#define TIDEMARK_BASE_HEAP_H_

#include <cstddef>

namespace tidemark {

// What each heap of the process may keep free at its end. Left to itself glibc lets it grow to 64 MB, in a heap for each thread:
// 50 MB of 500 with 300,000 pods, 20 of 260 with 150,000. At 1 MB the answers of 500 pods cost a tenth more CPU, at 4 MB nothing
// that can be measured (e2e/prove_beside, and pages of 500 on both).
inline constexpr size_t kFreeAtHeapEndMax = size_t{4} << 20;
// A block from here on is mapped alone, and its pages are new each time; glibc's own largest.
inline constexpr size_t kMappedAloneFrom = size_t{32} << 20;

// Sets both limits for the process.
void LimitFreedMemory();
// Gives freed memory back to the operating system, where the allocator can.
void ReturnFreedMemory();

}  // namespace tidemark

#endif  // TIDEMARK_BASE_HEAP_H_
