#include "sim/expectations.h"

#include "models/operation_error.h"

namespace nestwalk {
namespace {

const char* word(Expectation::Result result) {
    switch (result) {
        case Expectation::Result::kHit: return "hit";
        case Expectation::Result::kMiss: return "miss";
        case Expectation::Result::kFault: return "fault";
    }
    return "";
}

void compare(const char* name, const std::optional<std::uint64_t>& wanted, std::uint64_t found,
             std::vector<std::string>& failures) {
    if (!wanted || *wanted == found) return;
    failures.push_back(std::string(name) + "=" + std::to_string(*wanted) + " expected, " +
                       std::to_string(found) + " found");
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

}  // namespace

void Expectations::begin() {
    const Counters kept = at_last_expectation_;
    *this = Expectations{};
    at_last_expectation_ = kept;
}

void Expectations::on_translation(const Outcome& outcome) {
    ++translations_;
    const bool hit = outcome.result == TranslationResult::kL1Hit ||
                     outcome.result == TranslationResult::kStlbHit;
    hits_ += hit;
    misses_ += outcome.result == TranslationResult::kMiss;
    guest_refs_ += outcome.reads_of(Dimension::kGuest);
    host_refs_ += outcome.reads_of(Dimension::kHost);
    if (start_level_ == 0) start_level_ = outcome.start_level;
    if (outcome.fault.raised()) fault_ = outcome.fault.kind;
    if (outcome.fault.exits()) exit_reason_ = name_of(outcome.fault.kind);
}

void Expectations::on_operation(const Operation& operation, const Outcome& outcome) {
    if (outcome.fault.raised()) fault_ = outcome.fault.kind;
    if (outcome.exits == 0) return;
    const auto* record = std::get_if<VmExit>(&operation);
    exit_reason_ = record != nullptr ? record->reason : name_of(operation);
}

std::string Expectations::result() const {
    if (fault_ != FaultKind::kNone) return std::string("fault (") + name_of(fault_) + ")";
    if (translations_ == 0) return "neither (no access)";
    if (hits_ == translations_) return "hit";
    if (misses_ == translations_) return "miss";
    return std::to_string(hits_) + " hits and " + std::to_string(misses_) + " misses";
}

bool Expectations::result_is(Expectation::Result wanted) const {
    switch (wanted) {
        case Expectation::Result::kHit: return translations_ > 0 && hits_ == translations_;
        case Expectation::Result::kMiss: return translations_ > 0 && misses_ == translations_;
        case Expectation::Result::kFault: return fault_ != FaultKind::kNone;
    }
    return false;
}

std::vector<std::string> Expectations::judge(const Expectation& expectation,
                                             const Counters& whole) {
    std::vector<std::string> failures;
    if (expectation.result && !result_is(*expectation.result)) {
        failures.push_back(std::string(word(*expectation.result)) + " expected, " + result() +
                           " found");
    }
    if (expectation.exit_reason && *expectation.exit_reason != exit_reason_) {
        failures.push_back("exit=" + *expectation.exit_reason + " expected, " +
                           or_none(exit_reason_) + " found");
    }
    const std::string level = name_of_start(start_level_);
    if (expectation.level && *expectation.level != level) {
        failures.push_back("level=" + *expectation.level + " expected, " + or_none(level) + " found");
    }
    compare("refs", expectation.refs, guest_refs_ + host_refs_, failures);
    compare("guest_refs", expectation.guest_refs, guest_refs_, failures);
    compare("host_refs", expectation.host_refs, host_refs_, failures);
    judge_counters(expectation, whole, failures);
    at_last_expectation_ = whole;
    return failures;
}

void Expectations::judge_counters(const Expectation& expectation, const Counters& whole,
                                  std::vector<std::string>& failures) {
    for (const auto& [name, wanted] : expectation.counters) {
        const std::vector<std::size_t> counters = counters_named(name);
        if (counters.empty()) throw OperationError("expect: there is no statistic '" + name + "'");
        std::uint64_t change = 0;
        for (const std::size_t counter : counters) {
            change += whole[counter] - at_last_expectation_[counter];
        }
        compare(name.c_str(), wanted, change, failures);
    }
}

}  // namespace nestwalk
