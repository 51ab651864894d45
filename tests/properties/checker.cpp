#include "tests/properties/checker.h"
#include "tests/properties/edit_check.h"
#include "tests/properties/generator.h"
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

bool same_read(const EntryRead& a, const EntryRead& b) {
    return a.dimension == b.dimension && a.level == b.level && a.set_accessed == b.set_accessed &&
           a.set_dirty == b.set_dirty && a.location == b.location &&
           a.guest_location == b.guest_location && a.raw == b.raw;
}

}  // namespace

Checker::Checker(const Setting& setting)
    : setting_(setting),
      system_(setting.machine, setting.system),
      oracle_(setting, after_prelude(system_, setting)) {}

bool Checker::step(const Operation& operation) {
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
    compare(expected, outcome);
}

void Checker::on_operation(const Operation&, const Outcome& outcome) {
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
        if (!checker.step(operation_of(program[i], setting)))
            return Difference{i, checker.difference()};
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
        const Operation operation = operation_of(number, setting);
        const bool same = checker.step(operation);
        if (checker.skipped()) continue;
        text << to_text(operation) << '\n';
        if (same) continue;
        text << "# differs: " << checker.difference() << '\n';
        break;
    }
    return text.str();
}

}  // namespace nestwalk::test
