#include "base/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tidemark {

void LimitFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kFreeAtHeapEndMax));
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMappedAloneFrom));
#endif
}

void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace tidemark
