#pragma once

// A system that tests drive with one short call a record. What an access did comes back as a
// phrase, so that a test reads as its claim: load(a) == "miss, 4 reads". The whole outcome is in
// last().

#include "models/operation.h"
#include "models/operation_error.h"
#include "models/outcome.h"
#include "models/system.h"
#include "tests/models/machines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk::test {

inline constexpr std::uint64_t k4K = std::uint64_t{1} << 12;
inline constexpr std::uint64_t k2M = std::uint64_t{1} << 21;
inline constexpr std::uint64_t k1G = std::uint64_t{1} << 30;
inline constexpr std::uint64_t k512G = std::uint64_t{1} << 39;
inline constexpr std::uint64_t k256T = std::uint64_t{1} << 48;

/// "hit", "STLB hit", "miss, 4 reads", "page-fault", then whatever else is worth a word.
inline std::string phrase(const Outcome& outcome) {
    std::string text;
    switch (outcome.result) {
        case TranslationResult::kNone:
            text = "no translation";
            break;
        case TranslationResult::kL1Hit:
            text = "hit";
            break;
        case TranslationResult::kStlbHit:
            text = "STLB hit";
            break;
        case TranslationResult::kMiss:
            text = "miss";
            break;
        case TranslationResult::kFault:
            return name_of(outcome.fault.kind);
    }
    const std::size_t reads = outcome.reads.size();
    if (reads > 0) text += ", " + std::to_string(reads) + (reads == 1 ? " read" : " reads");
    if (outcome.stale) text += outcome.stale_rights ? ", stale rights" : ", stale";
    if (outcome.ambiguous) text += ", ambiguous";
    if (outcome.dirty_assist) text += ", dirty assist";
    if (outcome.rights_rewalk) text += ", rights rewalk";
    return text;
}

/// A set of control bits: flags({ControlFlag::kPge}).
inline ControlFlags flags(const std::vector<ControlFlag>& set) {
    ControlFlags bits;
    for (const ControlFlag flag : set) bits.set(flag);
    return bits;
}

class TestSystem final : public OutcomeObserver {
public:
    explicit TestSystem(const MachineParameters& machine, const SystemParameters& parameters = {})
        : system_(machine, parameters) {}

    const Outcome& last() const { return outcomes_.back(); }
    /// All outcomes of the last record: one a translation.
    const std::vector<Outcome>& outcomes() const { return outcomes_; }

    const Outcome& apply(const Operation& operation) {
        outcomes_.clear();
        system_.execute(operation, *this);
        return outcomes_.back();
    }
    std::string access(AccessKind kind, std::uint64_t va, Privilege privilege) {
        return phrase(apply(Access{.kind = kind, .privilege = privilege, .va = VirtAddr(va)}));
    }
    std::string load(std::uint64_t va, Privilege privilege = Privilege::kUser) {
        return access(AccessKind::kLoad, va, privilege);
    }
    std::string store(std::uint64_t va, Privilege privilege = Privilege::kUser) {
        return access(AccessKind::kStore, va, privilege);
    }
    std::string fetch(std::uint64_t va, Privilege privilege = Privilege::kUser) {
        return access(AccessKind::kFetch, va, privilege);
    }

    void invlpg(std::uint64_t va) { apply(Invlpg{VirtAddr(va)}); }
    void invpcid(InvpcidType type, std::uint16_t pcid = 0, std::uint64_t va = 0) {
        apply(Invpcid{type, Pcid(pcid), VirtAddr(va)});
    }
    void evict(std::uint64_t va) { apply(Evict{VirtAddr(va)}); }
    /// MOV CR3 of the current space: a flush.
    void reload_cr3() { apply(MovCr3{}); }
    void flush_and_load(const std::string& space) { apply(MovCr3{space, false}); }
    /// MOV CR3 with bit 63 set.
    void keep_and_load(const std::string& space) { apply(MovCr3{space, true}); }
    void set_cr4(ControlFlag flag) { apply(MovCr4{{.set = flags({flag})}}); }
    void clear_cr4(ControlFlag flag) { apply(MovCr4{{.clear = flags({flag})}}); }
    void vm_entry() { apply(VmEntry{}); }
    void vm_exit() { apply(VmExit{}); }

    void map(std::uint64_t va, PageSize size = PageSize::k4K) {
        apply(Map{.va = VirtAddr(va), .size = size, .user = true});
    }
    void map_to(std::uint64_t va, std::uint64_t frame, PageSize size = PageSize::k4K) {
        apply(Map{.va = VirtAddr(va), .size = size, .to = frame, .user = true});
    }
    void map_global(std::uint64_t va, PageSize size = PageSize::k4K) {
        apply(Map{.va = VirtAddr(va), .size = size, .global = true, .user = true});
    }
    void unmap(std::uint64_t va) { apply(Unmap{VirtAddr(va), std::nullopt}); }
    void edit(std::uint64_t va, const EntryEdit& edit) {
        apply(SetEntry{.va = VirtAddr(va), .edit = edit});
    }

    /// The entry of `level` on the path of `va` in the current space, as it stands in memory.
    std::uint64_t entry(std::uint64_t va, int level) {
        const PageTableRoot& tables = system_.regime().linear;
        std::uint64_t table = tables.root;
        for (int at = tables.levels;; --at) {
            const std::uint64_t index = (va >> (12 + 9 * (at - 1))) & 511;
            const std::uint64_t raw = system_.regime().linear_memory->read(table + 8 * index);
            if (at == level) return raw;
            table = raw & 0x000f'ffff'ffff'f000;
        }
    }

    std::uint64_t digest() { return system_.state().digest(); }
    SystemState& state() { return system_.state(); }
    System& system() { return system_; }
    /// The array of that name of the current vCPU.
    const TranslationArray& array(const std::string& name) const {
        for (const TranslationArray& one : system_.mmu().arrays()) {
            if (one.name() == name) return one;
        }
        throw OperationError("no array " + name);
    }

    void on_translation(const Access&, VirtAddr, const Outcome& outcome) override {
        outcomes_.push_back(outcome);
    }
    void on_operation(const Operation&, const Outcome& outcome) override {
        outcomes_.push_back(outcome);
    }

private:
    System system_;
    std::vector<Outcome> outcomes_{};
};

/// Nested paging with everything else as it starts.
inline SystemParameters nested_system(PageSize guest = PageSize::k4K,
                                      PageSize host = PageSize::k4K) {
    return {.paging = Paging::kNested, .guest = {.page_size = guest}, .host = {.page_size = host}};
}

/// PCIDs on, and spaces p1 and p2 declared with PCIDs 1 and 2, p1 loaded.
inline void use_two_pcids(TestSystem& system) {
    system.apply(DeclareSpace{"p1", Pcid(1)});
    system.apply(DeclareSpace{"p2", Pcid(2)});
    system.set_cr4(ControlFlag::kPcide);
    system.keep_and_load("p1");
}

}  // namespace nestwalk::test
