#include "apps/memory_reuse.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nestwalk {

void reuse_freed_memory() {
#ifdef __GLIBC__
    constexpr int kLargestBlock = 32 << 20;  // the most that glibc takes
    constexpr int kMostKept = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kLargestBlock);
    mallopt(M_TRIM_THRESHOLD, kMostKept);
#endif
}

}  // namespace nestwalk
