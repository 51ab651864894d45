#pragma once

// Random machines, systems and traces of many accesses with other records in between, for tests
// that compare what is translated in bulk with what is translated one access at a time.

#include "models/system.h"
#include "tests/properties/generator.h"
#include "tests/properties/setting.h"
#include "tests/sim/random_trial.h"
#include "traces/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk::test {

MachineParameters random_machine(Dice& dice);
SystemParameters random_system(Dice& dice);

/// Records, of which neighbouring accesses that can be packed are handed out in bulk if `bulk` says
/// so.
class RunSource final : public TraceSource {
public:
    enum class Form : std::uint8_t { kRecords, kRuns };

    /// Runs have at most `most` accesses.
    RunSource(const std::vector<Operation>& program, Form form, std::size_t most);
    const TraceItem* next() override;
    AccessRun next_accesses() override;
    const std::string& name() const override { return name_; }

private:
    std::vector<TraceItem> items_{};
    Form form_;
    std::size_t most_;
    std::size_t at_{};
    std::vector<PackedAccess> run_{};
    std::string name_{"runs"};
};

struct CascadeTrial {
    Setting setting{};
    TimingParameters timing{};
    std::vector<Operation> program{};
};

/// `accesses` in runs of up to hundreds, with records between them that make sense.
CascadeTrial random_cascade_trial(std::uint64_t seed, std::size_t accesses);

}  // namespace nestwalk::test
