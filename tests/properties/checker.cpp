#include "tests/properties/checker.h"
#include "models/operation_error.h"
#include "tests/properties/edit_check.h"
#include "tests/properties/generator.h"
#include "tests/properties/os_generator.h"
#include "traces/text_writer.h"

#include <cstdio>
#include <exception>
#include <sstream>

namespace nestwalk::test {

namespace {

class Silent final : public OutcomeObserver {
public:
    void on_translation(const Access&, VirtAddr, const Outcome&) override {}
    void on_operation(const Operation&, const Outcome&) override {}
};

const SystemState& after_prelude(System& system, const Setting& setting) {
    Silent silent;
    for (const Operation& operation : prelude(setting)) system.execute(operation, silent);
    return system.state();
}

std::string text_of(const EntryRead& read) {
    char line[160];
    std::snprintf(line, sizeof line, "%s level %d at 0x%llx (guest 0x%llx) raw 0x%llx%s%s",
                  read.dimension == Dimension::kHost ? "host" : "guest", int{read.level},
                  static_cast<unsigned long long>(read.location.value()),
                  static_cast<unsigned long long>(read.guest_location),
                  static_cast<unsigned long long>(read.raw), read.set_accessed ? " +A" : "",
                  read.set_dirty ? " +D" : "");
    return line;
}

const std::string kStale = "what an operating system has flushed was used";

bool same_read(const EntryRead& a, const EntryRead& b) {
    return a.dimension == b.dimension && a.level == b.level && a.set_accessed == b.set_accessed &&
           a.set_dirty == b.set_dirty && a.location == b.location &&
           a.guest_location == b.guest_location && a.raw == b.raw;
}

}  // namespace

std::vector<Operation> operations_of(std::uint64_t number, const Setting& setting) {
    if (setting.has_os()) return os_operations_of(number, setting);
    return {operation_of(number, setting)};
}

Checker::Checker(const Setting& setting)
    : setting_(setting),
      system_(setting.machine, setting.system),
      oracle_(setting, after_prelude(system_, setting)) {}

/// The oracle follows what the policy makes of a record, an operation at a time, and predicts an
/// access once the way into the kernel or out of it is done.
bool Checker::step_under_os(const Operation& operation) {
    const auto* access = std::get_if<Access>(&operation);
    oracle_.select(system_.current_vcpu());
    skipped_ = !oracle_.sensible(operation);
    if (skipped_) return true;
    translated_ = 0;
    predicted_ = 0;
    try {
        if (access != nullptr) {
            system_.begin_access(*access, *this);
            oracle_.select(system_.current_vcpu());
            predict(*access);
        }
        system_.execute(operation, *this);
    } catch (const OperationError&) {
        skipped_ = true;
        return difference_.empty();
    }
    if (access != nullptr && difference_.empty()) {
        expect_equal("translations", predicted_, translated_);
        check_writes();
    }
    return difference_.empty();
}

bool Checker::may_change(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) {
        const auto* flush = std::get_if<FlushRange>(&operation);
        if (flush == nullptr) continue;
        const Vcpu& vcpu = system_.state().vcpus[system_.current_vcpu()];
        const bool in_os = system_.state().software[vcpu.running].runs_os;
        const bool kernel_thread = vcpu.registers[vcpu.running].os.kernel_thread;
        if (!in_os || (kernel_thread && !flush->range.kernel)) return false;
    }
    return true;
}

bool Checker::step(const Operation& operation) {
    if (setting_.has_os()) return step_under_os(operation);
    skipped_ = !oracle_.sensible(operation);
    if (skipped_) return true;
    translated_ = 0;
    predicted_ = 0;
    const auto* access = std::get_if<Access>(&operation);
    const EditCheck edit(oracle_, operation);
    if (access != nullptr)
        predict(*access);
    else
        fault_ = oracle_.apply(operation);
    try {
        system_.execute(operation, *this);
    } catch (const std::exception& error) {
        differ(std::string("the model refuses: ") + error.what());
    }
    if (access != nullptr && difference_.empty()) {
        expect_equal("translations", predicted_, translated_);
        check_writes();
    }
    const std::string complaint = edit.complaint(operation);
    if (!complaint.empty()) differ(complaint);
    return difference_.empty();
}

/// An access that leaves the page it starts in is two translations, the second only if the first
/// works.
void Checker::predict(const Access& access) {
    oracle_.forget_writes();
    const std::uint64_t last = access.va.value() + access.bytes - 1;
    predicted_ = 1;
    follow_ = setting_.strictness == Strictness::kAllowed || oracle_.shadowed() ||
              oracle_.undecided(access, access.va.value()) || oracle_.undecided(access, last);
    if (follow_) return;
    expected_[0] = {};
    oracle_.translate(access, access.va.value(), nullptr, expected_[0]);
    if (expected_[0].fault != FaultKind::kNone ||
        same_page(access.va.value(), last, expected_[0].page_level)) {
        return;
    }
    expected_[1] = {};
    oracle_.translate(access, last & ~std::uint64_t{0xfff}, nullptr, expected_[1]);
    predicted_ = 2;
}

void Checker::on_translation(const Access& access, VirtAddr va, const Outcome& outcome) {
    if (translated_ == expected_.size() || !difference_.empty()) return;
    Expected& expected = expected_[translated_];
    if (follow_) {
        expected = {};
        oracle_.translate(access, va.value(), &outcome, expected);
        const std::uint64_t last = access.va.value() + access.bytes - 1;
        const bool same = same_page(access.va.value(), last, expected.page_level);
        if (translated_ == 0 && !outcome.fault.raised() && !same) predicted_ = 2;
    }
    ++translated_;
    stale_hits_ += outcome.stale && (outcome.result == TranslationResult::kL1Hit ||
                                     outcome.result == TranslationResult::kStlbHit);
    compare(expected, outcome);
}

void Checker::on_operation(const Operation& operation, const Outcome& outcome) {
    if (setting_.has_os()) {
        oracle_.select(system_.current_vcpu());
        fault_ = oracle_.apply(operation);
    }
    expect_equal("fault of the operation", static_cast<int>(fault_),
                 static_cast<int>(outcome.fault.kind));
}

void Checker::differ(const std::string& what) {
    if (difference_.empty() && translated_ == 2)
        difference_ = "second page: ";
    else if (!difference_.empty())
        difference_ += "; ";
    difference_ += what;
}

template <typename Value>
void Checker::expect_equal(const char* what, Value expected, Value found) {
    if (expected == found) return;
    std::ostringstream text;
    text << what << ": expected " << std::hex << std::showbase << expected << ", found " << found;
    differ(text.str());
}

void Checker::compare(const Expected& expected, const Outcome& outcome) {
    if (!expected.complaint.empty()) differ(expected.complaint);
    expect_equal("result", static_cast<int>(expected.result), static_cast<int>(outcome.result));
    expect_equal("fault", static_cast<int>(expected.fault), static_cast<int>(outcome.fault.kind));
    if (expected.fault == FaultKind::kNone) {
        expect_equal("physical", expected.physical, outcome.physical);
        expect_equal("page level", expected.page_level, int{outcome.page_level});
        expect_equal("whole level", expected.whole_level, int{outcome.whole_level});
    } else if (expected.fault == FaultKind::kPageFault) {
        expect_equal("fault present", expected.fault_present, outcome.fault.present);
        expect_equal("fault reserved", expected.fault_reserved, outcome.fault.reserved);
    } else {
        expect_equal("fault gpa", expected.fault_gpa, outcome.fault.gpa.value());
    }
    expect_equal("filled by", expected.filled_by, outcome.filled_by.sequence());
    expect_equal("start level", expected.start_level, int{outcome.start_level});
    expect_equal("rights rewalk", expected.rights_rewalk, outcome.rights_rewalk);
    expect_equal("fault rewalk", expected.fault_rewalk, outcome.fault_rewalk);
    expect_equal("dirty assist", expected.dirty_assist, outcome.dirty_assist);
    if (setting_.strictness == Strictness::kExact) {
        expect_equal("stale", expected.stale, outcome.stale);
        expect_equal("ambiguous", expected.ambiguous, outcome.ambiguous);
    }
    compare_reads(expected, outcome);
}

void Checker::compare_reads(const Expected& expected, const Outcome& outcome) {
    const std::size_t most = std::max(expected.reads.size(), outcome.reads.size());
    for (std::size_t i = 0; i < most; ++i) {
        const bool both = i < expected.reads.size() && i < outcome.reads.size();
        if (both && same_read(expected.reads[i], outcome.reads[i])) continue;
        differ("read " + std::to_string(i + 1) + ": expected " +
               (i < expected.reads.size() ? text_of(expected.reads[i]) : "none") + ", found " +
               (i < outcome.reads.size() ? text_of(outcome.reads[i]) : "none"));
        return;
    }
}

/// A and D stand in memory as the oracle said.
void Checker::check_writes() {
    if (follow_) return;
    for (const MemoryWrite& write : oracle_.last_writes()) {
        expect_equal("entry in memory", write.raw, write.memory->read(write.address));
    }
}

// --- Programs -----------------------------------------------------------------------------------

std::optional<Difference> run_program(const Setting& setting,
                                      const std::vector<std::uint64_t>& program) {
    Checker checker(setting);
    for (std::size_t i = 0; i < program.size(); ++i) {
        const std::vector<Operation> operations = operations_of(program[i], setting);
        if (!checker.may_change(operations)) continue;
        for (const Operation& operation : operations) {
            if (!checker.step(operation)) return Difference{i, checker.difference()};
        }
        if (setting.has_os() && checker.stale_hits() > 0) return Difference{i, kStale};
    }
    return std::nullopt;
}

std::vector<std::uint64_t> shrink(const Setting& setting, std::vector<std::uint64_t> program) {
    if (const auto difference = run_program(setting, program))
        program.resize(difference->position + 1);
    for (std::size_t part = program.size() / 2; part > 0;) {
        bool shorter = false;
        for (std::size_t at = 0; at < program.size();) {
            std::vector<std::uint64_t> less(program.begin(),
                                            program.begin() + static_cast<long>(at));
            if (at + part < program.size()) {
                less.insert(less.end(), program.begin() + static_cast<long>(at + part),
                            program.end());
            }
            const auto difference = run_program(setting, less);
            if (difference) {
                less.resize(difference->position + 1);
                program = std::move(less);
                shorter = true;
            } else {
                at += part;
            }
        }
        if (part == 1 && !shorter) break;
        part = part == 1 ? 1 : part / 2;
    }
    return program;
}

std::string describe(const Setting& setting, const std::vector<std::uint64_t>& program) {
    std::ostringstream text;
    text << kTextHeader << "# setting: " << setting.name << '\n';
    for (const Operation& operation : prelude(setting)) text << to_text(operation) << '\n';
    text << "# the program\n";
    Checker checker(setting);
    for (const std::uint64_t number : program) {
        const std::vector<Operation> operations = operations_of(number, setting);
        if (!checker.may_change(operations)) continue;
        for (const Operation& operation : operations) {
            const bool same = checker.step(operation);
            if (checker.skipped()) continue;
            text << to_text(operation) << '\n';
            const bool stale = setting.has_os() && checker.stale_hits() > 0;
            if (same && !stale) continue;
            text << "# differs: " << (same ? kStale : checker.difference()) << '\n';
            return text.str();
        }
    }
    return text.str();
}

}  // namespace nestwalk::test
