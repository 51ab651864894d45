#pragma once

// A system with a hypervisor whose records come back as what became of them: an operation that
// exits is several.

#include "models/hypervisor_policy.h"
#include "tests/models/test_system.h"

#include <string>

namespace nestwalk::test {

inline MachineParameters machine_of(Vendor vendor) {
    return vendor == Vendor::kAmd ? exact_amd_machine() : exact_machine();
}

/// What happened, one word or two each: "vmexit invlpg", "invvpid 0", "vmentry 3".
inline std::string word_of(const Operation& operation, const Outcome& outcome) {
    std::string word = name_of(operation);
    if (const auto* exit = std::get_if<VmExit>(&operation)) word += " " + exit->reason;
    if (const auto* invvpid = std::get_if<Invvpid>(&operation)) {
        word += " " + std::to_string(static_cast<int>(invvpid->type));
    }
    if (const auto* invept = std::get_if<Invept>(&operation)) {
        word += " " + std::to_string(static_cast<int>(invept->type));
    }
    if (const auto* entry = std::get_if<VmEntry>(&operation);
        entry != nullptr && entry->tlb_control != TlbControl::kNothing) {
        word += " " + std::to_string(static_cast<int>(entry->tlb_control));
    }
    if (outcome.fault.raised()) word += std::string(" ") + name_of(outcome.fault.kind);
    return word;
}

class Recorder final : public OutcomeObserver {
public:
    Recorder(const MachineParameters& machine, const SystemParameters& parameters)
        : system_(machine, parameters) {}

    /// What the record became, with ", " between.
    std::string apply(const Operation& operation) {
        said_.clear();
        exits_ = 0;
        system_.execute(operation, *this);
        return said_;
    }
    std::string load(std::uint64_t va) {
        return apply(Access{.kind = AccessKind::kLoad, .va = VirtAddr(va)});
    }
    std::string store(std::uint64_t va) {
        return apply(Access{.kind = AccessKind::kStore, .va = VirtAddr(va)});
    }
    /// VM exits of the last record.
    std::uint32_t exits() const { return exits_; }
    System& system() { return system_; }
    std::uint16_t context() const { return system_.regime().context; }
    /// The translation made last.
    const Outcome& last() const { return last_; }
    /// The guest's root table, and its entry of `level` on the path of `va`.
    std::uint64_t guest_root() {
        const Software& guest = system_.state().software[1];
        return guest.spaces[system_.state().vcpus[0].registers[1].space].root;
    }
    std::uint64_t guest_entry(std::uint64_t va, int level) {
        const Software& guest = system_.state().software[1];
        std::uint64_t table = guest_root();
        for (int at = guest.levels;; --at) {
            const std::uint64_t raw =
                guest.memory.read(table + kBytesPerEntry * table_index(va, at));
            if (at == level) return raw;
            table = raw & 0x000f'ffff'ffff'f000;
        }
    }

    void on_translation(const Access&, VirtAddr, const Outcome& outcome) override {
        last_ = outcome;
        say(phrase(outcome) + (outcome.answered ? " answered" : ""));
        exits_ += outcome.exits;
    }
    void on_operation(const Operation& operation, const Outcome& outcome) override {
        say(word_of(operation, outcome));
        exits_ += outcome.exits;
    }

private:
    void say(const std::string& what) { said_ += (said_.empty() ? "" : ", ") + what; }

    System system_;
    std::string said_{};
    std::uint32_t exits_{};
    Outcome last_{};
};

/// The write that gives the flag its other value.
inline Operation toggled(const System& system, ControlFlag flag) {
    const bool is_set = system.regime().flags.test(flag);
    const ControlWrite write =
        is_set ? ControlWrite{.clear = flags({flag})} : ControlWrite{.set = flags({flag})};
    if (flag == ControlFlag::kPg || flag == ControlFlag::kWp) return MovCr0{write};
    if (flag == ControlFlag::kNxe) return WrmsrEfer{write};
    return MovCr4{write};
}

/// KVM without EPT on the exact machine.
inline Recorder kvm_shadow(ShadowInvlpg invlpg = ShadowInvlpg::kIndividual,
                           const SystemParameters& base = {}) {
    SystemParameters parameters = base;
    parameters.paging = Paging::kShadow;
    parameters.hypervisor = {.kind = Hypervisor::kKvmShadow, .shadow_invlpg = invlpg};
    return Recorder(exact_machine(), parameters);
}

}  // namespace nestwalk::test
