#include "apps/traced_walk.h"
#include "apps/walk_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace nestwalk {
namespace {

class Keeper final : public OutcomeObserver {
public:
    void on_translation(const Access&, VirtAddr, const Outcome& outcome) override {
        outcome_ = outcome;
    }
    void on_operation(const Operation&, const Outcome&) override {}
    const Outcome& outcome() const { return outcome_; }

private:
    Outcome outcome_{};
};

DecodedEntry decoded(const Regime& regime, const EntryRead& read) {
    if (read.dimension == Dimension::kGuest) {
        return decode_entry(read.raw, regime.linear.format, read.level, regime.flags);
    }
    ControlFlags host_flags;  // hypervisors keep EFER.NXE set
    host_flags.set(ControlFlag::kNxe);
    return decode_entry(read.raw, regime.host.format, read.level, host_flags);
}

std::vector<std::string> arrays_holding(const Mmu& mmu, MappingClass mapping_class, int level) {
    std::vector<std::string> names;
    for (const TranslationArray& array : mmu.arrays()) {
        if (array.holds(mapping_class, level)) names.push_back(array.name());
    }
    return names;
}

std::vector<std::string> nested_tlbs(const Mmu& mmu) {
    std::vector<std::string> names;
    for (int level = 1; level <= 3; ++level) {
        for (std::string& name : arrays_holding(mmu, MappingClass::kNestedTranslation, level)) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    return names;
}

std::optional<Mapping> cached_translation(const Mmu& mmu, const TracedWalk& walk) {
    const Regime& regime = walk.regime;
    const int level = walk.outcome.page_level;
    if (level == 0) return std::nullopt;
    MappingKey key = regime.linear_key(MappingRole::kTranslation);
    key.level = static_cast<std::uint8_t>(level);
    key.span = walk.outcome.page_span;
    key.page = walk.access.va.value() >> key.shift();
    const MappingQuery query{key};
    std::optional<Mapping> found;
    for (const TranslationArray& array : mmu.arrays()) {
        array.for_each([&](const Mapping& mapping) {
            if (query.matches(mapping)) found = mapping;
        });
    }
    if (found) return found;
    if (const auto fresh = Mmu::walk_uncached(regime, walk.access.va)) found = fresh->result();
    return found;
}

/// Follows the reads in order and says for each what it is good for.
class Teller {
public:
    Teller(TracedWalk& walk, const Mmu& mmu) : walk_(walk), regime_(walk.regime), mmu_(mmu) {}

    void tell() {
        for (const EntryRead& read : walk_.outcome.reads) add(read);
        if (regime_.nested) finish_nested();
        for (const CachedFill& fill : walk_.outcome.fills) {
            const CachedStep cached{mmu_.arrays()[fill.array].name(), fill.mapping};
            if (fill.after_reads == 0) {
                walk_.cached_first.push_back(cached);
            } else {
                walk_.steps[fill.after_reads - 1].cached.push_back(cached);
            }
        }
    }

private:
    void add(const EntryRead& read) {
        const std::size_t at = walk_.steps.size();
        const bool guest = read.dimension == Dimension::kGuest;
        walk_.steps.push_back(
            {.read = read, .entry = decoded(regime_, read), .guest_physical = read.guest_location});
        WalkStep& step = walk_.steps.back();
        if (!guest) return;
        step.index = table_index(walk_.access.va.value(), read.level);
        const bool again = last_guest_ && walk_.steps[*last_guest_].read.level <= read.level;
        if (regime_.nested) {
            const bool from_cached = at == 0 && walk_.outcome.start_level != kFromRoot &&
                                     regime_.combined_target == CombinedTarget::kHostPhysical;
            const std::string note = close_host_run(at, read.guest_location, read.level);
            if (!from_cached) walk_.steps[run_begin_].note = note;
        }
        if (again) {
            WalkStep& first = walk_.steps[regime_.nested ? run_begin_ : at];
            first.note =
                "again from the root, without paging-structure caches, before a fault is "
                "reported" +
                (first.note.empty() ? "" : "; " + first.note);
        }
        last_guest_ = at;
        run_begin_ = at + 1;
    }

    /// The host's entries read since the last guest's entry were all read for `gpa`.
    std::string close_host_run(std::size_t end, std::uint64_t gpa, int locates) {
        for (std::size_t at = run_begin_; at < end; ++at) {
            WalkStep& step = walk_.steps[at];
            step.guest_physical = gpa;
            step.locates = locates;
            step.index = table_index(gpa, step.read.level);
        }
        if (run_begin_ == end) {
            return fmt::format("no host entry is read: {} has guest-physical page {}",
                               nested_tlb_words(nested_tlbs(mmu_)), hex(align_down(gpa, 4096)));
        }
        const int first = walk_.steps[run_begin_].read.level;
        if (first == regime_.host.levels) return {};
        const auto arrays = arrays_holding(mmu_, MappingClass::kNestedPagingStructure, first + 1);
        return fmt::format("the {} of guest-physical {} region {} is in {}",
                           entry_name(regime_, Dimension::kHost, first + 1), region_size(first + 1),
                           hex(align_down(gpa, level_bytes(first + 1))), joined(arrays));
    }

    /// What came after the last guest's entry: the host's entries for the data, or for a table that
    /// the host refuses.
    void finish_nested() {
        const Outcome& outcome = walk_.outcome;
        const Fault& fault = outcome.fault;
        if (outcome.start_level == 0) return;  // a hit, or an address that is not translated
        if (fault.raised() && !fault.exits()) return;
        std::uint64_t gpa = walk_.access.va.value();
        int level = walk_.outcome.start_level == kFromRoot ? regime_.linear.levels
                                                           : walk_.outcome.start_level - 1;
        if (last_guest_) {
            const WalkStep& step = walk_.steps[*last_guest_];
            gpa = step.entry.target + (gpa & (level_bytes(step.read.level) - 1));
            level = step.read.level - 1;
            // The host refused to have A or D written into an entry that had been read.
            if (fault.exits() && fault.gpa.value() == step.guest_physical) return;
        }
        if (fault.exits()) gpa = fault.gpa.value();
        const bool data = !fault.on_guest_table;
        const std::size_t end = walk_.steps.size();
        const std::string note = close_host_run(end, gpa, data ? 0 : level);
        (run_begin_ == end ? walk_.last_note : walk_.steps[run_begin_].note) = note;
    }

    TracedWalk& walk_;
    const Regime& regime_;
    const Mmu& mmu_;
    std::size_t run_begin_{};  ///< first step behind the last guest's entry
    std::optional<std::size_t> last_guest_{};
};

}  // namespace

TracedWalk trace_walk(System& system, const Access& access) {
    TracedWalk walk{.access = access, .regime = system.regime()};
    const SystemState& state = system.state();
    const Vcpu& vcpu = state.vcpus[state.current_cpu];
    const Software& running = state.software[vcpu.running];
    walk.in_guest = vcpu.running != 0;
    walk.software = running.name;
    walk.space = running.spaces[vcpu.registers[vcpu.running].space].name;

    Keeper keeper;
    system.execute(access, keeper);
    walk.outcome = keeper.outcome();
    Teller(walk, system.mmu()).tell();
    walk.translation = cached_translation(system.mmu(), walk);
    if (walk.outcome.start_level != 0 && walk.outcome.start_level != kFromRoot) {
        walk.start_arrays =
            arrays_holding(system.mmu(), MappingClass::kPagingStructure, walk.outcome.start_level);
    }
    return walk;
}

std::string entry_name(const Regime& regime, Dimension dimension, int level) {
    static constexpr std::array<const char*, kMaxLevels + 1> kNames{"",      "PTE",   "PDE",
                                                                    "PDPTE", "PML4E", "PML5E"};
    const std::string name = kNames[static_cast<std::size_t>(level)];
    if (dimension == Dimension::kGuest) return regime.nested ? "g" + name : name;
    return regime.vendor == Vendor::kAmd ? "n" + name : "EPT " + name;
}

}  // namespace nestwalk
