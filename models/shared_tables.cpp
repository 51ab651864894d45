#include "models/shared_tables.h"
#include "models/entry.h"

namespace nestwalk {
namespace {

constexpr std::uint64_t kFirstOfKernel = kEntriesPerTable / 2;

/// The accessed flag is of the entry that a walk went through, so a copy keeps its own.
/// True if it was written.
bool copy_entry(TableMemory& memory, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t raw = memory.read(from);
    if (((memory.read(to) ^ raw) & ~entry_bit::kAccessed) == 0) return false;
    memory.write(to, raw);
    return true;
}

}  // namespace

void share_kernel_half(Software& os, const Space& space) {
    const std::uint64_t model = os.spaces.front().root;
    for (std::uint64_t index = kFirstOfKernel; index < kEntriesPerTable; ++index) {
        const std::uint64_t offset = index * kBytesPerEntry;
        copy_entry(os.memory, model + offset, space.root + offset);
    }
}

std::vector<std::uint64_t> share_top_level(Software& os, const Space& space, VirtAddr va) {
    const std::uint64_t index = table_index(va.value(), os.levels);
    const std::uint64_t offset = index * kBytesPerEntry;
    std::vector<std::uint64_t> written;
    const auto copy_to = [&](std::uint64_t root) {
        if (root == 0 || root == space.root) return;
        if (copy_entry(os.memory, space.root + offset, root + offset)) {
            written.push_back(root + offset);
        }
    };
    if (index < kFirstOfKernel) {
        copy_to(space.user_root);
    } else {
        for (const Space& other : os.spaces) copy_to(other.root);
    }
    return written;
}

}  // namespace nestwalk
