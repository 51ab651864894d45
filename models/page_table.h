#pragma once

// A page table as its software sees it: an operating system or a hypervisor installs, changes and
// removes leaves. Mapping writes the table and walking reads it; nothing here knows of any cache,
// so a change that needs a flush and does not get one leaves stale translations behind, as on
// hardware.

#include "models/entry.h"
#include "models/frame_allocator.h"
#include "models/operation.h"
#include "models/page_size.h"
#include "models/table_memory.h"

#include <cstdint>
#include <vector>

namespace nestwalk {

/// Where a table is and how its entries are read. A plain value: the entries are in a TableMemory.
struct PageTableRoot {
    std::uint64_t root{};
    int levels{4};
    EntryFormat format{};

    bool operator==(const PageTableRoot&) const = default;
};

/// The rights and attributes of a leaf that software installs.
struct LeafFlags {
    bool readable{true};  ///< of an EPT entry; an ordinary entry is readable if present
    bool writable{true};
    bool user{true};
    bool no_execute{};
    bool global{};
};

/// An entry in memory: where it is, which level its table has, what it holds.
struct EntrySlot {
    std::uint64_t location{};
    int level{};
    std::uint64_t raw{};
};

/// The A and D bits of entries that software installs. An operating system that maps on a fault
/// sets them.
enum class InitialBits : std::uint8_t { kAccessedAndDirty, kClear };

/// Edits one page table. Holds references; made for one edit and dropped.
/// Errors: OperationError where the operation makes no sense on the table as it stands.
class PageTable {
public:
    PageTable(PageTableRoot root, TableMemory& memory, FrameAllocator& frames,
              InitialBits initial_bits)
        : root_(root), memory_(memory), frames_(frames), initial_bits_(initial_bits) {}

    /// Takes a cleared table for a new root.
    static std::uint64_t new_root(TableMemory& memory, FrameAllocator& frames);

    /// The entry where the translation of `address` ends: a leaf, or the first absent entry.
    EntrySlot find(std::uint64_t address) const;
    /// True if a leaf, of whatever rights, maps the page of `address`.
    bool maps(std::uint64_t address) const;
    /// True if software has neither mapped nor unmapped the page of `address`.
    bool untouched(std::uint64_t address) const;
    /// The largest page that can be mapped at `address` without replacing anything.
    PageSize largest_free(std::uint64_t address) const;

    /// Installs a leaf; whatever mapped the page before is replaced. A large page that covers more
    /// than the new one is split first.
    void map(std::uint64_t address, PageSize size, std::uint64_t frame, LeafFlags flags);
    /// The same with the next free frame of that size.
    void map_free_frame(std::uint64_t address, PageSize size, LeafFlags flags);
    void unmap(std::uint64_t address);
    /// Clears the entry of `level` on the path of `address`, as if it had never been written, and
    /// gives back what is below; false if there was none.
    bool erase(std::uint64_t address, int level);
    /// Rights and G of the leaf that maps `address`.
    LeafFlags flags_of(std::uint64_t address) const;
    /// Sets the rights of the leaf and leaves G, A, D and the frame alone.
    void protect(std::uint64_t address, LeafFlags flags);
    /// Replaces the small pages of a region by one page of the next size, in a new frame.
    void collapse(std::uint64_t address);
    /// Replaces a large page by 512 pages of the next smaller size, in the same frame.
    void split(std::uint64_t address);
    /// Edits the entry of `edit.level` on the path of `address`, as it stands.
    void edit(std::uint64_t address, const EntryEdit& edit);

    /// Appends the location of every entry that is written from now on in a table that was there
    /// before; `written` must outlive the edits.
    void note_writes(std::vector<std::uint64_t>& written) { written_ = &written; }

private:
    void write(std::uint64_t location, std::uint64_t raw);
    std::uint64_t entry_location(std::uint64_t table, std::uint64_t address, int level) const {
        return table + kBytesPerEntry * table_index(address, level);
    }
    bool is_table(std::uint64_t raw, int level) const;
    bool is_leaf(std::uint64_t raw, int level) const;
    std::uint64_t leaf_bits(LeafFlags flags, int level) const;
    std::uint64_t table_bits(std::uint64_t table) const;
    std::uint64_t take_table();
    /// Walks down to the table of `level`, making tables and splitting large pages on the way.
    EntrySlot reach(std::uint64_t address, int level);
    EntrySlot existing_leaf(std::uint64_t address, const char* operation) const;
    void split_leaf(const EntrySlot& leaf);
    void release(std::uint64_t raw, int level);

    PageTableRoot root_;
    TableMemory& memory_;
    FrameAllocator& frames_;
    InitialBits initial_bits_;
    std::vector<std::uint64_t>* written_{};
};

}  // namespace nestwalk
