#pragma once

// A system with an operating system, and what its policy makes of a record: the operations as a
// trace writes them, with the vCPU before those that another one executes.

#include "models/system.h"
#include "tests/models/machines.h"
#include "traces/text_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk::test {

inline constexpr std::uint64_t kKernelVa = 0xffff'8880'0000'0000;

/// Linux on one vCPU with PCIDs.
inline SystemParameters linux_system(std::uint32_t vcpus = 1) {
    return {.pcid = true, .vcpus = vcpus, .os = {.kind = OsKind::kLinux}};
}

class OsSystem final : public OutcomeObserver {
public:
    explicit OsSystem(const SystemParameters& parameters,
                      const MachineParameters& machine = exact_machine())
        : system_(machine, parameters) {}

    /// What became of a record, itself included: "flush-range 0x1000 pages=1", "invlpg 0x1000".
    using Texts = std::vector<std::string>;
    const Texts& run(const Operation& operation) {
        texts_.clear();
        outcomes_.clear();
        system_.execute(operation, *this);
        return texts_;
    }
    const Texts& flush(std::uint64_t va, std::uint64_t pages, PageSize stride = PageSize::k4K) {
        return run(FlushRange{{.va = VirtAddr(va), .pages = pages, .stride = stride}});
    }
    const Texts& flush_kernel(std::uint64_t va, std::uint64_t pages) {
        return run(FlushRange{{.va = VirtAddr(va), .pages = pages, .kernel = true}});
    }
    const Texts& shoot_down(std::uint64_t va, std::uint64_t pages) {
        return run(Shootdown{{.va = VirtAddr(va), .pages = pages}});
    }
    const Texts& switch_to(const std::string& space) { return run(SwitchSpace{space}); }
    const Texts& idle() { return run(SwitchSpace{}); }
    void cpu(std::uint32_t number) { run(SelectCpu{number}); }
    void declare(const std::vector<std::string>& spaces) {
        for (const std::string& space : spaces) run(DeclareSpace{.name = space});
    }
    const Texts& load(std::uint64_t va, Privilege privilege = Privilege::kUser) {
        return run(Access{.privilege = privilege, .va = VirtAddr(va)});
    }
    /// Of the last record's last translation or operation.
    const Outcome& last() const { return outcomes_.back(); }
    bool hits(std::uint64_t va, Privilege privilege = Privilege::kUser) {
        load(va, privilege);
        return last().result == TranslationResult::kL1Hit;
    }
    System& system() { return system_; }
    const Texts& texts() const { return texts_; }

    void on_translation(const Access& access, VirtAddr, const Outcome& outcome) override {
        note(access, outcome);
    }
    void on_operation(const Operation& operation, const Outcome& outcome) override {
        note(operation, outcome);
    }

private:
    void note(const Operation& operation, const Outcome& outcome) {
        const std::size_t cpu = system_.current_vcpu();
        texts_.push_back((cpu == 0 ? "" : "cpu " + std::to_string(cpu) + ": ") +
                         to_text(operation));
        outcomes_.push_back(outcome);
    }

    System system_;
    Texts texts_{};
    std::vector<Outcome> outcomes_{};
};

}  // namespace nestwalk::test
