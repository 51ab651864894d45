#include "sim/expectations.h"
#include "models/operation_error.h"

namespace nestwalk {
namespace {

const char* word(Expectation::Result result) {
    switch (result) {
        case Expectation::Result::kHit:
            return "hit";
        case Expectation::Result::kMiss:
            return "miss";
        case Expectation::Result::kFault:
            return "fault";
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

std::string result_of(const LastOperation& last) {
    if (last.fault != FaultKind::kNone) return std::string("fault (") + name_of(last.fault) + ")";
    if (last.translations == 0) return "neither (no access)";
    if (last.hits() == last.translations) return "hit";
    if (last.misses == last.translations) return "miss";
    return std::to_string(last.hits()) + " hits and " + std::to_string(last.misses) + " misses";
}

bool result_is(Expectation::Result wanted, const LastOperation& last) {
    switch (wanted) {
        case Expectation::Result::kHit:
            return last.translations > 0 && last.hits() == last.translations;
        case Expectation::Result::kMiss:
            return last.translations > 0 && last.misses == last.translations;
        case Expectation::Result::kFault:
            return last.fault != FaultKind::kNone;
    }
    return false;
}

}  // namespace

std::vector<std::string> Expectations::judge(const Expectation& expectation,
                                             const LastOperation& last, const Counters& whole) {
    std::vector<std::string> failures;
    if (expectation.result && !result_is(*expectation.result, last)) {
        failures.push_back(std::string(word(*expectation.result)) + " expected, " +
                           result_of(last) + " found");
    }
    if (expectation.exit_reason && *expectation.exit_reason != last.exit_reason) {
        failures.push_back("exit=" + *expectation.exit_reason + " expected, " +
                           or_none(last.exit_reason) + " found");
    }
    const std::string level = name_of_start(last.start_level);
    if (expectation.level && *expectation.level != level) {
        failures.push_back("level=" + *expectation.level + " expected, " + or_none(level) +
                           " found");
    }
    compare("refs", expectation.refs, last.refs(), failures);
    compare("guest_refs", expectation.guest_refs, last.guest_refs, failures);
    compare("host_refs", expectation.host_refs, last.host_refs, failures);
    judge_counters(expectation, whole, failures);
    at_last_expectation_ = whole;
    return failures;
}

void Expectations::judge_counters(const Expectation& expectation, const Counters& whole,
                                  std::vector<std::string>& failures) const {
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
