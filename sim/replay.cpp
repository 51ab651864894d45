#include "sim/replay.h"
#include "models/hex.h"
#include "models/operation_error.h"
#include "sim/counting.h"
#include "traces/source_location.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwalk {
namespace {

/// A loop this short is executed sooner than compared.
constexpr std::uint64_t kShortestCollapsed = 4;
constexpr std::uint64_t kEventsBetweenPolls = 1024;
constexpr std::size_t kMostFailures = 10'000;
/// So that one record cannot carry simulated time beyond its last number.
constexpr std::uint64_t kMostCompute = 1'000'000'000;

bool has_expectation(const TraceItem& item) {
    if (const auto* record = std::get_if<Record>(&item)) {
        return std::holds_alternative<Expectation>(record->what);
    }
    const std::vector<TraceItem>& body = std::get<RepeatBlock>(item).body;
    return std::any_of(body.begin(), body.end(), has_expectation);
}

/// In words that help a user whose trace faults by mistake.
std::string describe_fault(const Access& access, VirtAddr va, const Fault& fault) {
    const bool user = access.privilege == Privilege::kUser;
    std::string text = std::string(name_of(access.kind)) + " " + to_hex(va.value()) +
                       (user ? " by user code: " : " by kernel code: ") + name_of(fault.kind);
    if (fault.kind != FaultKind::kPageFault) return text;
    if (!fault.present) return text + ", no page is mapped there";
    if (fault.reserved) return text + ", an entry has a reserved bit set";
    return text + ", the page's rights refuse it" +
           (user ? " (a user access needs a page mapped with 'user')" : "");
}

}  // namespace

/// The end of an iteration, as it was then.
struct Replay::Boundary {
    std::uint64_t iteration{};
    std::uint64_t digest{};
    SystemState state{};
    std::size_t phase{};
    std::vector<Counters> counters{};
    std::optional<CoreTiming> core{};
};

Replay::Replay(System& system, const ReplayOptions& options) : system_(system), options_(options) {
    const std::size_t vcpus = system.state().vcpus.size();
    if (options.clock == nullptr && options.timing != nullptr && options.timing->enabled) {
        cores_.assign(vcpus, CoreTiming(*options.timing));
    }
    if (vcpus > 1 && (options.clock != nullptr || !cores_.empty())) {
        times_.resize(vcpus);
        whole_times_.resize(vcpus);
    }
    cascades_.resize(vcpus);
    obstacle_ = bulk_obstacle();
}

void Replay::run(TraceSource& source) {
    begin(source.name());
    for (;;) {
        const AccessRun run = source.next_accesses();
        if (!run.empty()) {
            run_accesses(run);
        } else if (const TraceItem* next = source.next()) {
            item(*next);
        } else {
            break;
        }
    }
    finish();
}

/// What was read before a stop is executed nevertheless; it is not much.
void Replay::finish() {
    const std::atomic<bool>* const stop = std::exchange(options_.stop, nullptr);
    settle_accesses();
    options_.stop = stop;
    settle_times();
    add_times();
}

void Replay::restart() {
    statistics_.restart();
    std::fill(whole_times_.begin(), whole_times_.end(), Counters{});
    expectations_ = {};
    first_fault_.clear();
    collapsed_iterations_ = 0;
    bulk_report_ = {};
    // They know which pages the footprint had.
    for (std::unique_ptr<Cascade>& cascade : cascades_) cascade.reset();
    if (options_.log != nullptr) options_.log->restart();
}

void Replay::settle_times() {
    if (options_.clock != nullptr) options_.clock->settle();
    for (CoreTiming& core : cores_) core.enter_phase();
}

/// To the phase in which they were spent.
void Replay::add_times() {
    for (std::size_t vcpu = 0; vcpu < times_.size(); ++vcpu) {
        statistics_.current() += times_[vcpu];
        whole_times_[vcpu] += times_[vcpu];
        times_[vcpu] = {};
    }
}

void Replay::item(const TraceItem& item) {
    if (const auto* block = std::get_if<RepeatBlock>(&item)) {
        repeat(*block);
    } else {
        record(std::get<Record>(item));
    }
}

void Replay::record(const Record& record) {
    poll();
    const auto* const executed = std::get_if<Operation>(&record.what);
    const auto* const access = executed == nullptr ? nullptr : std::get_if<Access>(executed);
    if (access != nullptr && queue(record, *access)) return;
    if (access == nullptr) run_ = 0;
    settle_accesses();
    try {
        if (executed != nullptr) {
            operation(record, *executed);
        } else if (const auto* phase = std::get_if<PhaseMark>(&record.what)) {
            enter_phase(phase->name);
        } else if (const auto* explanation = std::get_if<Explanation>(&record.what)) {
            if (repetitions_ == 0) narrative_.explain(*explanation);
        } else if (options_.checking == Checking::kOn) {
            judge(record, std::get<Expectation>(record.what));
        }
    } catch (const OperationError& error) {
        throw InputError({source_name_, record.line, record.column}, error.what());
    }
}

void Replay::enter_phase(const std::string& name) {
    settle_times();
    add_times();
    statistics_.enter_phase(name);
}

void Replay::operation(const Record& record, const Operation& operation) {
    if (const auto* compute = std::get_if<Compute>(&operation)) {
        if (compute->core_cycles > kMostCompute) {
            throw OperationError("compute: at most 1000000000 core cycles in one record");
        }
    }
    line_ = record.line;
    const bool told = narrative_.waits();
    watching_ = told || options_.checking == Checking::kOn;
    if (watching_) {
        last_.begin(told ? LastOperation::Detail::kReads : LastOperation::Detail::kNumbers);
    }
    if (const auto* access = std::get_if<Access>(&operation)) {
        bulk_report_.add(access->count, reason_for(*access));
    }
    system_.execute(operation, *this);
    if (told) narrative_.tell(record.line, operation, last_, system_.regime());
}

void Replay::judge(const Record& record, const Expectation& expectation) {
    ++checked_;
    add_times();
    const SourceLocation where{source_name_, record.line, record.column};
    for (const std::string& failure :
         expectations_.judge(expectation, last_, statistics_.whole())) {
        if (failures_.size() == kMostFailures) {
            throw OperationError("more than 10000 expectations do not hold");
        }
        failures_.push_back(where.to_string() + ": " + record.text + ": " + failure);
    }
}

// --- Loops --------------------------------------------------------------------------------------

/// Only what repeats exactly is multiplied out: a log wants every iteration, an expectation is
/// judged in each, random replacement never comes back to where it was, and several vCPUs may.
bool Replay::collapsible(const RepeatBlock& block) {
    if (options_.loop_collapse == LoopCollapse::kOff || options_.log != nullptr) return false;
    if (options_.clock != nullptr) return false;
    if (block.count < kShortestCollapsed || system_.state().vcpus.size() > 1) return false;
    if (system_.replaces_at_random()) return false;
    return options_.checking == Checking::kOff ||
           std::none_of(block.body.begin(), block.body.end(), has_expectation);
}

void Replay::iterate(const RepeatBlock& block) {
    poll();
    for (const TraceItem& each : block.body) item(each);
}

void Replay::multiply(const Boundary& since, std::uint64_t rounds, const RepeatBlock& block) {
    try {
        statistics_.repeat_since(since.counters, rounds);
    } catch (const OperationError& error) {
        throw InputError({source_name_, block.line, 0}, std::string("repeat: ") + error.what());
    }
}

/// Nothing that can happen from now on, nor when, differs from what happened after `earlier`.
bool Replay::returned_to(const Boundary& earlier) {
    if (earlier.phase != statistics_.current_phase() || !(earlier.state == system_.state())) {
        return false;
    }
    if (cores_.empty()) return true;
    const Vcpu& now = system_.state().vcpus.front();
    const Vcpu& then = earlier.state.vcpus.front();
    const CoreTiming& core = cores_.front();
    const std::uint64_t sequence = now.mmu.sequence();
    const std::uint64_t old_sequence = then.mmu.sequence();
    if (!core.same_future(*earlier.core, sequence, old_sequence)) return false;
    const FillWindow pending = core.pending(sequence);
    const FillWindow old_pending = earlier.core->pending(old_sequence);
    return now.mmu.same_fills(then.mmu, pending, old_pending) &&
           now.caches.same_fills(then.caches, pending, old_pending);
}

/// Brent's way of finding a cycle: one earlier boundary is kept, replaced at iterations that
/// double.
void Replay::repeat(const RepeatBlock& block) {
    const bool may_collapse = collapsible(block);
    std::optional<Boundary> kept;
    std::uint64_t keep_at = 1;
    bool collapsed = false;
    for (std::uint64_t done = 0; done < block.count;) {
        iterate(block);
        if (++done == 1) ++repetitions_;
        if (!may_collapse || collapsed) continue;
        settle_accesses();
        const std::uint64_t digest = system_.state().digest();
        if (kept && kept->digest == digest && returned_to(*kept)) {
            const std::uint64_t period = done - kept->iteration;
            const std::uint64_t rounds = (block.count - done) / period;
            multiply(*kept, rounds, block);
            collapsed_iterations_ += rounds * period;
            done += rounds * period;
            collapsed = true;  // fewer iterations than a period are left
        } else if (done == keep_at) {
            kept = Boundary{done, digest, system_.state(), statistics_.current_phase(),
                            statistics_.snapshot()};
            if (!cores_.empty()) kept->core = cores_.front();
            keep_at *= 2;
        }
    }
    if (block.count > 0) --repetitions_;
}

std::optional<Cycles> Replay::completed() {
    if (options_.clock != nullptr) return options_.clock->completed(system_.current_vcpu());
    if (cores_.empty()) return std::nullopt;
    return cores_[system_.current_vcpu()].completed();
}

// --- Outcomes -----------------------------------------------------------------------------------

void Replay::poll() const {
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
        throw Interrupted{};
    }
}

void Replay::on_translation(const Access& access, VirtAddr va, const Outcome& outcome) {
    count_translation(outcome, statistics_.current());
    if (access.kind != AccessKind::kFetch && !outcome.second_page) {
        // The whole access, since what crosses a 4-KiB page may be one translation of a larger
        // one.
        statistics_.footprint().touch(va, access.bytes);
    }
    if (obstacle_ == OneAtATime::kNone) note_dirty(va, outcome);
    if (watching_) last_.on_translation(outcome);
    if (outcome.fault.raised() && !outcome.answered && first_fault_.empty()) {
        first_fault_ = SourceLocation{source_name_, line_, 0}.to_string() + ": " +
                       describe_fault(access, va, outcome.fault);
    }
    const std::size_t vcpu = system_.current_vcpu();
    if (!cores_.empty()) {
        cores_[vcpu].translation(access, outcome, times_of(vcpu));
    } else if (options_.clock != nullptr) {
        options_.clock->translation(vcpu, access, outcome, times_of(vcpu));
    }
    if (options_.log != nullptr) {
        options_.log->translation(system_.current_vcpu(), access, va, outcome, completed());
    }
    if (++events_ % kEventsBetweenPolls == 0) poll();
}

void Replay::on_operation(const Operation& operation, const Outcome& outcome) {
    count_operation(operation, outcome, statistics_.current());
    if (watching_) last_.on_operation(operation, outcome);
    const Place place = system_.runs_guest() ? Place::kGuest : Place::kBare;
    const std::size_t vcpu = system_.current_vcpu();
    if (!cores_.empty()) {
        cores_[vcpu].operation(operation, outcome, place, times_of(vcpu));
    } else if (options_.clock != nullptr) {
        options_.clock->operation(vcpu, operation, outcome, place, times_of(vcpu));
    }
    if (options_.log != nullptr) {
        options_.log->operation(system_.current_vcpu(), operation, outcome, completed());
    }
}

}  // namespace nestwalk
