#pragma once

// One page walk in flight, as a pure state machine: it says what it needs next, is given it, and
// ends in a translation or a fault. It reads no memory, looks into no cache, knows no time and
// never allocates, so the functional model, the timing engines and the tests drive the same walk.
//
// Native and shadow walks read one radix tree (SDM "4-Level Paging and 5-Level Paging"). A nested
// walk translates every guest-physical address on its way through the host's tables: the page of
// each guest paging structure, then the page of the data (SDM "EPT Translation Mechanism", APM
// "Nested Paging").

#include "models/address.h"
#include "models/entry.h"
#include "models/fault.h"
#include "models/mapping.h"
#include "models/outcome.h"
#include "models/regime.h"

#include <array>
#include <cstdint>
#include <optional>

namespace nestwalk {

enum class WalkPurpose : std::uint8_t {
    kAccess,
    kProbe,      ///< what do the tables say? Rights are not judged, A and D not set
    kRehearsal,  ///< the same, and what would an access cache?
};

struct WalkRequest {
    VirtAddr va{};
    AccessKind kind{};
    Privilege privilege{};
    WalkPurpose purpose{};
};

/// Where an entry is. `guest_location` is 0 unless it is a guest's entry under nested paging.
struct EntryAddress {
    Dimension dimension{};
    std::uint8_t level{};
    PhysAddr location{};
    std::uint64_t guest_location{};
};

class Walk {
public:
    enum class Step : std::uint8_t {
        kTranslateGuestPhysical,  ///< give it a cached nested translation, or send it into the
                                  ///< host's tables
        kReadEntry,               ///< give it the entry at entry()
        kCache,                   ///< fill() may be cached now
        kDone,
        kFault,
    };

    /// `start` is the paging-structure entry to start from, or null for the root.
    /// `regime` must outlive the walk; either it pages, or it is nested.
    Walk(const Regime& regime, const WalkRequest& request, const Mapping* start);

    Step step() const { return step_; }

    GuestPhysAddr guest_physical() const { return GuestPhysAddr(gpa_); }
    /// False if the translation lacks a D bit that this use must set: the host's tables must be
    /// walked.
    bool can_use(const Mapping& nested) const;
    void use(const Mapping& nested);
    /// `start` is a guest-physical paging-structure entry, or null for the root.
    void walk_host(const Mapping* start);

    EntryAddress entry() const;
    /// Returns the entry as the walk leaves it in memory: `raw`, or `raw` with A or D set.
    std::uint64_t take(std::uint64_t raw);

    const Mapping& fill() const { return fills_[0]; }
    void cached();

    /// At kDone: the translation, of the size that both dimensions allow.
    const Mapping& result() const { return result_; }
    /// At kDone: the host-physical address of the data.
    std::uint64_t physical() const { return physical_; }
    /// At kDone: every entry read had A set already, or the host keeps no A.
    bool all_accessed() const { return all_accessed_; }
    const Fault& fault() const { return fault_; }

private:
    static MappingKey key_at(MappingKey key, std::uint64_t address, int level);
    MappingKey linear_key(int level, MappingRole role) const;
    MappingKey nested_key(int level, MappingRole role) const;
    void reach_table();
    void translate(std::uint64_t gpa);
    void arrive(std::uint64_t host_address, const Mapping& nested);
    void finish(std::uint64_t host_address, const Mapping* nested);
    std::uint64_t take_linear(std::uint64_t raw);
    std::uint64_t take_linear_leaf(std::uint64_t raw, const DecodedEntry& entry);
    std::uint64_t take_host(std::uint64_t raw);
    void descend(const DecodedEntry& entry);
    bool host_writes() const;
    bool host_permits(const Rights& rights) const;
    /// True if the guest entry's A or D may be written; otherwise the walk has faulted.
    bool may_update_entry();
    void queue(const Mapping& mapping);
    void go(Step step);
    void page_fault(bool present, bool reserved);
    void host_fault(FaultKind kind, std::uint64_t gpa);

    const Regime& regime_;
    WalkRequest request_;
    Step step_{};
    Step after_fills_{};

    // Linear dimension: the entry to be read next, and what the entries read so far allow.
    int level_{};
    std::uint64_t table_{};
    std::uint64_t table_host_{};
    bool table_writable_{true};
    Rights rights_{};
    std::optional<Mapping> awaiting_host_{};  ///< combined entry whose structure is being located

    // The leaf, once found.
    bool at_data_{};
    std::uint8_t whole_level_{};
    bool global_{};
    bool dirty_{};

    // Host dimension: the guest-physical address being translated.
    bool in_host_{};
    std::uint64_t gpa_{};
    int host_level_{};
    std::uint64_t host_table_{};
    Rights host_rights_{};

    std::array<Mapping, 2> fills_{};
    std::size_t fill_count_{};
    Mapping result_{};
    std::uint64_t physical_{};
    bool all_accessed_{true};
    Fault fault_{};
};

}  // namespace nestwalk
