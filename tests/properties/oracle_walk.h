#pragma once

// One translation by the oracle: looks in the flat lists, walks memory, and puts what became
// cacheable into the lists. Algorithms: SDM "Determination of Physical Address and Access Rights",
// "EPT Translation Mechanism", "Accessed and Dirty Flags for EPT"; APM "Nested Paging". Entries are
// read in the order of the walk, A and D are written at each level as the walk passes it.

#include "tests/properties/oracle.h"

#include <cstdint>
#include <vector>

namespace nestwalk::test {

inline std::uint64_t offset_in(std::uint64_t address, int level) {
    return address & (level_bytes(level) - 1);
}
inline std::uint64_t base_of(std::uint64_t address, int level) {
    return address - offset_in(address, level);
}

class OracleWalk {
public:
    OracleWalk(Oracle& oracle, const Access& access, std::uint64_t va, const Outcome* guide,
               Expected& expected);

    void run();
    /// True if several entries match that the architecture puts in no order.
    bool undecided();

private:
    enum class HostUse : std::uint8_t { kRead, kWrite, kFetch };
    struct HostAnswer {
        std::uint64_t physical{};
        int level{1};
        RawRights rights{};
        bool dirty{true};
    };

    CachedPage* find_page();
    CachedPage* find_used_page();
    bool chosen(const CachedPage& page) const;
    const CachedTable* find_start();
    const CachedHostPage* find_host_page(std::uint64_t gpa, HostUse use) const;
    bool may_start(const CachedHostTable& entry, std::uint64_t gpa) const;
    bool permits_linear(const RawRights& rights) const;
    bool permits_host(const RawRights& rights, HostUse use) const;
    bool permits(const RawRights& rights) const;
    HostUse data_use() const;
    HostUse table_use() const;

    void hit(CachedPage& page, TranslationResult result);
    void set_dirty(CachedPage& page, TranslationResult result);
    void walk();
    bool attempt();
    bool walk_tables(HostAnswer& at, RawRights& rights, EntryBits& leaf, std::uint64_t& gpa);
    bool refused_to_write(std::uint64_t gpa) const;
    bool locate_table(std::uint64_t table, std::uint64_t index, HostAnswer& at);
    bool finish_nested(std::uint64_t gpa, const RawRights& rights, const EntryBits* leaf);
    void fill_nested(const HostAnswer& data, const RawRights& rights, const EntryBits* leaf);
    bool may_be_used(const CachedHostPage& page, std::uint64_t gpa, HostUse use) const;
    bool host_translate(std::uint64_t gpa, HostUse use, HostAnswer& answer);
    bool host_walk(std::uint64_t gpa, HostUse use, HostAnswer& answer);
    void fill(CachedPage page);

    bool stale(const CachedPage& page) const;
    bool tables_reachable() const;
    bool has_larger(const CachedPage& page) const;

    EntryBits read(Dimension dimension, int level, std::uint64_t memory_address,
                   std::uint64_t location);
    std::uint64_t raw_before(std::uint64_t now);
    const EntryRead* next_read() const;
    void set_bits(Dimension dimension, std::uint64_t address, EntryBits& entry, std::uint64_t mask);
    bool page_fault(bool present, bool reserved);
    bool violation(FaultKind kind, std::uint64_t gpa);

    Oracle& oracle_;
    CachedSets& sets_;
    const Access& access_;
    std::uint64_t va_{};
    const Outcome* guide_{};
    Expected& expected_;
    Mode mode_{};
    bool bounded_{};     ///< the machine has capacities: follow what it used
    bool from_cache_{};  ///< the attempt used a cached entry
    bool fresh_{};       ///< the repeated attempt: from the root
    std::vector<MemoryWrite>& writes_;
};

}  // namespace nestwalk::test
