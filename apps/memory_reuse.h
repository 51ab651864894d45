#pragma once

namespace nestwalk {

/// Freed memory stays with the process from now on. Each run of an experiment builds a machine, of
/// which the caches alone may be ten megabytes, and frees it: where many are run, getting that
/// memory from the kernel anew costs several times what the runs do.
void reuse_freed_memory();

}  // namespace nestwalk
