#pragma once

// What the oracle believes cached: six flat lists, one for each kind of mapping that the
// architecture knows, without sets, ways or levels of hierarchy. An entry is here because a walk
// made it cacheable and no operation since had to remove it.

#include "models/page_size.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nestwalk::test {

/// Rights of both dimensions as the entries gave them.
struct RawRights {
    bool writable{true};
    bool user{true};
    bool no_execute{};
    bool host_read{true};
    bool host_write{true};
    bool host_execute{true};

    bool operator==(const RawRights&) const = default;
};

/// Tags of LIN and COM mappings. `context` is a VPID or an ASID; `host_table` counts from 1, and is
/// 0 where the host table does not tag: linear mappings, and everything on AMD.
struct LinearTags {
    bool combined{};
    std::uint16_t context{};
    std::uint16_t pcid{};
    std::uint16_t host_table{};

    bool same_space(const LinearTags& other) const {
        return combined == other.combined && context == other.context &&
               host_table == other.host_table;
    }
    bool operator==(const LinearTags&) const = default;
};

inline bool same_page(std::uint64_t a, std::uint64_t b, int level) {
    return ((a ^ b) >> level_shift(level)) == 0;
}

/// LIN-T or COM-T.
struct CachedPage {
    LinearTags tags{};
    std::uint64_t va{};        ///< first address of the piece
    std::uint64_t physical{};  ///< where it goes, host-physical
    int level{1};              ///< size of the piece
    int whole_level{1};        ///< size of the page that software sees
    RawRights rights{};
    bool global{};
    bool dirty{};
    bool host_dirty{};
    bool in_dtlb{};
    bool in_itlb{};
    bool in_stlb{};
    std::uint64_t filled_by{};  ///< number of the translation that filled it

    bool covers(std::uint64_t address) const { return same_page(va, address, level); }
    bool whole_covers(std::uint64_t address) const { return same_page(va, address, whole_level); }
    /// Equal but for where it is cached.
    bool same_mapping(const CachedPage& other) const {
        return tags == other.tags && va == other.va && physical == other.physical &&
               level == other.level && whole_level == other.whole_level && rights == other.rights &&
               global == other.global && dirty == other.dirty && host_dirty == other.host_dirty;
    }
    bool usable(const LinearTags& now) const {
        return tags.same_space(now) && (global || tags.pcid == now.pcid);
    }
};

/// LIN-P or COM-P.
struct CachedTable {
    LinearTags tags{};
    std::uint64_t va{};          ///< any address below it, low bits cleared
    int level{2};                ///< of the entry: the table it references is one level lower
    std::uint64_t table{};       ///< physical natively, guest-physical in a guest
    std::uint64_t host_table{};  ///< COM-P on Intel: host-physical address of the table
    RawRights rights{};          ///< the host part: of the page that holds the table

    bool leads_to(std::uint64_t address) const { return same_page(va, address, level); }
};

/// GPA-T. `tag` is the host table's number on Intel, the ASID on AMD.
struct CachedHostPage {
    std::uint16_t tag{};
    std::uint64_t gpa{};
    std::uint64_t physical{};
    int level{1};
    RawRights rights{};
    bool dirty{};

    bool covers(std::uint64_t address) const { return same_page(gpa, address, level); }
};

/// GPA-P.
struct CachedHostTable {
    std::uint16_t tag{};
    std::uint64_t gpa{};
    int level{2};
    std::uint64_t table{};
    RawRights rights{};

    bool leads_to(std::uint64_t address) const { return same_page(gpa, address, level); }
};

template <typename Entry, typename Condition>
void remove_where(std::vector<Entry>& entries, Condition condition) {
    for (std::size_t i = 0; i < entries.size();) {
        if (condition(entries[i])) {
            if (i + 1 != entries.size()) entries[i] = std::move(entries.back());
            entries.pop_back();
        } else {
            ++i;
        }
    }
}

struct CachedSets {
    std::vector<CachedPage> pages{};
    std::vector<CachedTable> tables{};
    std::vector<CachedHostPage> host_pages{};
    std::vector<CachedHostTable> host_tables{};

    void clear() {
        pages.clear();
        tables.clear();
        host_pages.clear();
        host_tables.clear();
    }
};

}  // namespace nestwalk::test
