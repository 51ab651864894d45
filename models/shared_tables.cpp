#include "models/shared_tables.h"
#include "models/entry.h"

namespace nestwalk {
namespace {

constexpr std::uint64_t kFirstOfKernel = kEntriesPerTable / 2;

/// The accessed flag is of the entry that a walk went through, so a copy keeps its own.
void copy_entry(TableMemory& memory, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t raw = memory.read(from);
    if (((memory.read(to) ^ raw) & ~entry_bit::kAccessed) != 0) memory.write(to, raw);
}

}  // namespace

void share_kernel_half(Software& os, const Space& space) {
    const std::uint64_t model = os.spaces.front().root;
    for (std::uint64_t index = kFirstOfKernel; index < kEntriesPerTable; ++index) {
        const std::uint64_t offset = index * kBytesPerEntry;
        copy_entry(os.memory, model + offset, space.root + offset);
    }
}

void share_top_level(Software& os, const Space& space, VirtAddr va) {
    const std::uint64_t index = table_index(va.value(), os.levels);
    const std::uint64_t offset = index * kBytesPerEntry;
    if (index < kFirstOfKernel) {
        if (space.user_root == 0) return;
        return copy_entry(os.memory, space.root + offset, space.user_root + offset);
    }
    for (const Space& other : os.spaces) {
        if (other.root == space.root) continue;
        copy_entry(os.memory, space.root + offset, other.root + offset);
    }
}

}  // namespace nestwalk
