// What was freed stays with the process, for what is allocated next. After a burst, the pages of a first list for
// instance, there is nothing to come that needs as much.
//
// Thread-safety: thread-safe.
// Cost:          some 10 ms for 100 MB that are given back; other threads' allocations may wait meanwhile.
#ifndef TIDEMARK_BASE_HEAP_H_
#define TIDEMARK_BASE_HEAP_H_

namespace tidemark {

// Gives freed memory back to the operating system, where the allocator can.
void ReturnFreedMemory();

}  // namespace tidemark

#endif  // TIDEMARK_BASE_HEAP_H_
