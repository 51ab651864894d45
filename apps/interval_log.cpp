#include "apps/interval_log.h"
#include "apps/number_format.h"
#include "sim/counting.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <algorithm>

#include <fmt/format.h>

namespace nestwalk {
namespace {

/// A log of shorter intervals hears of each access.
constexpr std::uint64_t kShortest = 256;

}  // namespace

void WorkingSets::add(std::uint64_t pages) {
    least = intervals == 0 ? pages : std::min(least, pages);
    most = std::max(most, pages);
    sum += pages;
    ++intervals;
}

const std::vector<std::string>& IntervalLog::usual_columns() {
    static const std::vector<std::string> names{"l1.misses", "stlb.hits",         "stlb.misses",
                                                "walks",     "flushes.performed", "faults"};
    return names;
}

IntervalLog::IntervalLog(const std::string& path, std::uint64_t references,
                         const std::vector<std::string>& columns)
    : file_(path, "the table of intervals"), references_(references) {
    if (references == 0) throw InputError({"--interval"}, "0 references; expected 1 or more");
    std::string header = "interval,first_reference,references,pages_4K";
    for (const std::string& name : columns) {
        const std::vector<std::size_t> counters = counters_named(name);
        if (counters.empty() || std::any_of(counters.begin(), counters.end(), counter::needs_clock))
            throw InputError(
                {"--interval-columns"},
                fault("nothing that is counted without a clock", name,
                      "the name of a statistic or of a group of them, as stlb.misses"));
        columns_.push_back(counters);
        header += "," + name;
    }
    file_.write(header + ",cycles\n");
}

/// The row of an interval is written once the next one begins, so that operations belong to the
/// reference before them.
void IntervalLog::translation(std::size_t, const Access& access, VirtAddr va,
                              const Outcome& outcome, std::optional<Cycles> completed) {
    if (!outcome.second_page && !outcome.again) {
        if (done_ == references_) write_row();
        ++done_;
    }
    count_translation(outcome, counted_);
    if (access.kind != AccessKind::kFetch && !outcome.second_page)
        footprint_.touch(va, access.bytes);
    go_on_to(completed);
}

void IntervalLog::operation(std::size_t, const Operation& operation, const Outcome& outcome,
                            std::optional<Cycles> completed) {
    count_operation(operation, outcome, counted_);
    go_on_to(completed);
}

/// The rest of an interval, so that no row needs a part of what was counted. Short ones are not
/// worth it.
std::uint64_t IntervalLog::takes_together() const {
    if (references_ < kShortest) return 0;
    return done_ == references_ ? references_ : references_ - done_;
}

void IntervalLog::accesses(std::size_t, std::span<const PackedAccess> accesses,
                           const Counters& counted, std::optional<Cycles> completed) {
    if (done_ == references_) write_row();
    done_ += accesses.size();
    counted_ += counted;
    for (const PackedAccess access : accesses) {
        if (access.kind() != AccessKind::kFetch) footprint_.touch(access.va(), access.bytes());
    }
    go_on_to(completed);
}

/// Of several vCPUs the one that is farthest says how late it is.
void IntervalLog::go_on_to(std::optional<Cycles> completed) {
    if (completed && (!completed_ || *completed_ < *completed)) completed_ = completed;
}

void IntervalLog::begin_interval() {
    counted_ = {};
    footprint_ = {};
    done_ = 0;
    began_ = completed_;
}

void IntervalLog::restart() {
    number_ = 0;
    first_ = 1;
    working_sets_ = {};
    begin_interval();
}

void IntervalLog::write_row() {
    std::string row = fmt::format("{},{},{},{}", ++number_, first_, done_, footprint_.pages_4k());
    for (const std::vector<std::size_t>& counters : columns_) {
        std::uint64_t sum = 0;
        for (const std::size_t counter : counters) sum += counted_[counter];
        row += fmt::format(",{}", sum);
    }
    row += ',';
    if (completed_) {
        const Cycles length = *completed_ - began_.value_or(Cycles{});
        row += with_thousandths(static_cast<std::uint64_t>(length.milli));
    }
    file_.write(row + "\n");
    if (done_ == references_) working_sets_.add(footprint_.pages_4k());
    first_ += done_;
    begin_interval();
}

void IntervalLog::finish() {
    if (counted_ != Counters{}) write_row();
    file_.finish();
}

std::string IntervalLog::keep() {
    if (counted_ != Counters{}) write_row();
    return file_.keep();
}

}  // namespace nestwalk
