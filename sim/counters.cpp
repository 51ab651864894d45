#include "sim/counters.h"
#include "models/operation_error.h"

#include <algorithm>
#include <string_view>

namespace nestwalk {
namespace {

constexpr std::array<const char*, kAccessKinds> kKindNames{"load", "store", "fetch"};
constexpr std::array<const char*, kSizeColumns> kSizeNames{"4K", "2M", "1G", "none"};
constexpr std::array<const char*, kStarts> kStartNames{"pde", "pdpte", "pml4e", "pml5e", "root"};
constexpr std::array<const char*, 2> kDimensionNames{"guest", "host"};
constexpr std::array<const char*, kLookupGroups> kLookupNames{"paging_structures", "nested_tlb",
                                                              "guest_physical_structures"};
constexpr std::array<const char*, kLineSources> kLineNames{"l1", "l2", "l3", "memory"};
constexpr std::array<const char*, kCycleCauses> kCauseNames{
    "base",        "stall.walk",  "stall.stlb",  "stall.data",  "stall.fetch",
    "stall.flush", "stall.exit",  "stall.fence", "stall.fault", "stall.lock",
    "stall.ipi",   "stall.steal", "stall.idle"};
constexpr std::array<const char*, 3> kScopeNames{"page", "context", "all"};
constexpr std::array<const char*, 5> kDroppedNames{"translations", "global_translations",
                                                   "paging_structures", "nested_translations",
                                                   "nested_paging_structures"};

class Namer {
public:
    explicit Namer(std::vector<CounterInfo>& infos) : infos_(infos) {}

    template <std::size_t Count>
    void row(std::size_t base, const std::string& group,
             const std::array<const char*, Count>& names, const char* unit,
             const char* description) {
        for (std::size_t at = 0; at < Count; ++at) {
            infos_[base + at] = {group + "." + names[at], unit, description};
        }
    }

    void by_kind_and_size(std::size_t base, const std::string& group, const char* description) {
        for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
            row(base + kind * kSizeColumns, group + "." + kKindNames[kind], kSizeNames,
                "translations", description);
        }
    }

    void levels(std::size_t base, const std::string& group, const char* description) {
        for (std::size_t level = 1; level <= kMaxLevels; ++level) {
            infos_[base + level - 1] = {group + ".level" + std::to_string(level), "reads",
                                        description};
        }
    }

    void one(std::size_t index, const std::string& name, const char* unit,
             const char* description) {
        infos_[index] = {name, unit, description};
    }

private:
    std::vector<CounterInfo>& infos_;
};

void name_translations(Namer& name) {
    using namespace counter;
    name.row(kReferences, "references", kKindNames, "accesses", "memory references of the trace");
    name.row(kTranslations, "translations", kKindNames, "translations",
             "translations asked for; a reference that crosses a page is two");
    name.by_kind_and_size(kL1Hits, "l1.hits", "found in the L1 TLB, by size of the entry");
    name.by_kind_and_size(kL1Misses, "l1.misses", "not found in the L1 TLB, by size then used");
    name.by_kind_and_size(kStlbHits, "stlb.hits", "found in the STLB, by size of the entry");
    name.by_kind_and_size(kStlbMisses, "stlb.misses", "not found in the STLB, by size then used");
    name.row(kWalks, "walks", kKindNames, "walks", "page walks, dirty assists left out");
    name.row(kWalkStarts, "walk_starts", kStartNames, "walks",
             "paging-structure entry that the walk started from");
    name.levels(kGuestReads, "reads.guest",
                "paging-structure entries read, guest dimension (or native)");
    name.levels(kHostReads, "reads.host", "paging-structure entries read, host dimension");
    name.row(kAccessedWrites, "accessed_writes", kDimensionNames, "writes",
             "entries whose A bit a walk set");
    name.row(kDirtyWrites, "dirty_writes", kDimensionNames, "writes",
             "entries whose D bit a walk set");
    name.row(kLookups, "lookups", kLookupNames, "look-ups",
             "of the caches of upper levels on the way of a walk");
    name.row(kWalkLines, "lines.walk", kLineNames, "lines",
             "lines that walks read, by the cache that had them");
    name.row(kDataLines, "lines.data", kLineNames, "lines",
             "lines of traced data and code, where it occupies the caches");
}

void name_flushes(Namer& name) {
    using namespace counter;
    name.row(kFlushesAsked, "flushes.asked", kScopeNames, "flushes",
             "flushes that records asked for, by scope");
    name.row(kFlushesPerformed, "flushes.performed", kScopeNames, "flushes",
             "flushes carried out, those of VM transitions and of fracturing included");
    name.row(kDropped, "dropped", kDroppedNames, "entries",
             "entries that flushes and faults dropped");
    name.one(kFracturedFills, "fractured_fills", "fills",
             "translations cached smaller than the guest's page");
    name.one(kFractureFlushes, "frac_full_flushes", "flushes",
             "whole TLB flushes because a fractured translation was present");
}

void name_events(Namer& name) {
    using namespace counter;
    name.one(kCoalescedFills, "coalesced_fills", "fills",
             "translations cached as one entry for four 4-KiB pages");
    name.one(kSmashFlushes, "smash_full_flushes", "flushes",
             "whole TLB flushes because a 2-MiB piece of a 1-GiB page was present");
    name.one(kStaleHits, "stale_hits", "hits", "hits on an entry that a fresh walk would not give");
    name.one(kStaleRightsHits, "stale_rights_hits", "hits",
             "those of them whose rights differ from a fresh walk's");
    name.one(kStaleWalks, "stale_walks", "walks",
             "walks through cached entries that a fresh walk would not have gone");
    name.one(kAmbiguousHits, "ambiguous_hits", "hits",
             "hits where entries of more than one size match");
    name.one(kRightsRewalks, "rights_rewalks", "walks",
             "hits whose rights refused the access, dropped and walked again");
    name.one(kFaultRewalks, "fault_rewalks", "walks",
             "faults met through a cached paging-structure entry, walked again from the root");
    name.one(kDirtyAssists, "dirty_assists", "walks", "stores that hit an entry without D");
    for (std::size_t kind = 1; kind < kFaultKinds; ++kind) {
        std::string fault = name_of(static_cast<FaultKind>(kind));
        std::replace(fault.begin(), fault.end(), '-', '_');
        name.one(kFaults + kind - 1, "faults." + fault, "faults",
                 "translations and operations whose fault nothing answered");
    }
    name.one(kExits, "vm_exits", "exits", "VM exits");
    for (std::size_t reason = 0; reason < kExitReasons; ++reason) {
        std::string word = name_of(static_cast<ExitReason>(reason));
        std::replace(word.begin(), word.end(), '-', '_');
        name.one(kExitsByReason + reason, "exits." + word, "exits", "VM exits, by reason");
    }
    name.one(kIpis, "ipis", "interrupts", "interrupts sent to other vCPUs by shootdowns");
    name.one(kInterrupts, "interrupts", "interrupts", "interrupts of shootdowns taken");
}

template <std::size_t Index = 0>
void name_operations(Namer& name) {
    if constexpr (Index < std::variant_size_v<Operation>) {
        using Type = std::variant_alternative_t<Index, Operation>;
        if constexpr (!std::is_same_v<Type, Access>) {
            std::string word = name_of(Operation(Type{}));
            if constexpr (std::is_same_v<Type, Fence>) word = "fence";
            std::replace(word.begin(), word.end(), '-', '_');
            name.one(counter::kOperations + Index, "operations." + word, "operations",
                     "operations executed: records, and what policies make of them");
        }
        name_operations<Index + 1>(name);
    }
}

void name_times(Namer& name) {
    using namespace counter;
    name.one(kCycles, "cycles.total", "core cycles", "from the first instruction to the last");
    name.row(kCyclesByCause, "cycles", kCauseNames, "core cycles",
             "the part of the total in which an instruction held up retirement by this");
    name.one(kWalkPending, "walk.cycles.pending", "core cycles",
             "in which page walkers are busy, each counted");
    name.one(kWalkActive, "walk.cycles.active", "core cycles", "in which any page walker is busy");
    name.row(kWalkLatency, "walk.latency", kKindNames, "core cycles",
             "from asking for a walker to the end of the walk, summed");
    name.one(kTscBetweenReads, "tsc.between_reads", "TSC ticks",
             "from one time-stamp read to the next of the same phase");
    name.one(kLocksHeld, "locks.held", "core cycles", "from taking a lock to giving it back");
    name.one(kLocksBlocked, "locks.blocked", "core cycles", "from asking for a lock to taking it");
    name.one(kLocksAcquired, "locks.acquired", "locks", "locks taken");
    name.one(kLocksContended, "locks.contended", "locks", "those that another vCPU held before");
    name.one(kSteals, "steals", "steals", "times that a vCPU was not run when it could have been");
    name.row(kTimedWalks, "walk.timed", kKindNames, "walks",
             "walks with a latency; dirty assists count");
    for (std::size_t at = 0; at < kWalkBuckets; ++at) {
        const bool last = kWalkBucketBounds[at] == 0;
        const std::string bound = std::to_string(kWalkBucketBounds[last ? at - 1 : at]);
        name.one(kWalkHistogram + at,
                 std::string("walk.histogram.") + (last ? "from_" : "below_") + bound, "walks",
                 "walks by their latency in core cycles");
    }
    name.one(kHitsOnPending, "hit_on_pending", "hits",
             "hits on a translation whose walk was still under way");
}

std::vector<CounterInfo> make_infos() {
    std::vector<CounterInfo> infos(counter::kCount);
    Namer name(infos);
    name_translations(name);
    name_flushes(name);
    name_events(name);
    name_operations(name);
    name_times(name);
    return infos;
}

/// `wanted` is `name`, or a run of its first components.
bool means(std::string_view name, std::string_view wanted) {
    if (name == wanted) return true;
    if (name.size() <= wanted.size()) return false;
    return name.substr(0, wanted.size()) == wanted && name[wanted.size()] == '.';
}

std::uint64_t times(std::uint64_t value, std::uint64_t rounds, std::uint64_t add) {
    std::uint64_t product = 0;
    std::uint64_t sum = 0;
    if (__builtin_mul_overflow(value, rounds, &product) ||
        __builtin_add_overflow(product, add, &sum)) {
        throw OperationError("a statistic grows beyond 64 bits");
    }
    return sum;
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
    for (std::size_t at = 0; at < values_.size(); ++at) values_[at] += other.values_[at];
    return *this;
}

Counters& Counters::operator-=(const Counters& other) {
    for (std::size_t at = 0; at < values_.size(); ++at) values_[at] -= other.values_[at];
    return *this;
}

void Counters::repeat_since(const Counters& earlier, std::uint64_t rounds) {
    for (std::size_t at = 0; at < values_.size(); ++at) {
        values_[at] = times(values_[at] - earlier.values_[at], rounds, values_[at]);
    }
}

const std::vector<CounterInfo>& counter_infos() {
    static const std::vector<CounterInfo> infos = make_infos();
    return infos;
}

std::vector<std::size_t> counters_named(const std::string& name) {
    const std::vector<CounterInfo>& infos = counter_infos();
    std::vector<std::size_t> found;
    for (const std::string& wanted : {name, name + "s"}) {
        for (std::size_t at = 0; at < infos.size(); ++at) {
            if (!infos[at].name.empty() && means(infos[at].name, wanted)) found.push_back(at);
        }
        if (!found.empty()) return found;
    }
    return found;
}

}  // namespace nestwalk
