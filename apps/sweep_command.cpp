#include "apps/commands.h"
#include "apps/exit_status.h"
#include "apps/interrupt.h"
#include "apps/memory_reuse.h"
#include "apps/number_format.h"
#include "apps/output.h"
#include "apps/process_pool.h"
#include "apps/sweep_merge.h"
#include "apps/sweep_plan.h"
#include "apps/sweep_progress.h"
#include "apps/sweep_report.h"
#include "apps/sweep_store.h"

#include <csignal>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::size_t kMostErrorsShown = 10;

void check_options(const SweepOptions& options) {
    if (options.show.empty() && options.merge.empty() && options.files.size() != 1)
        throw InputError({"sweep"}, options.files.empty()
                                        ? "expected an experiment file, --show FILE or --merge OUT"
                                        : "expected one experiment file");
    if (!options.show.empty() && !options.files.empty())
        throw InputError({"--show"}, "expected one results file and no experiment");
    if (!options.merge.empty() && options.files.empty())
        throw InputError({"--merge"}, "expected results files to join");
    if (options.resume && options.output.empty())
        throw InputError({"--resume"}, "expected --output with the file to go on with");
    if (options.format == ReportFormat::kText) return;
    if (!options.columns.empty())
        throw InputError({"--columns"}, "chooses columns of the text table; json and csv have all");
    if (options.phase)
        throw InputError({"--phase"}, "chooses a phase for the text table; json and csv have all");
}

void print(const SweepStore& store, const SweepOptions& options) {
    report_sweep(store, options.format, {options.columns, options.phase}, write_stdout);
}

/// A sweep under way: what is to run, and where it goes.
class SweepRun {
public:
    SweepRun(const SweepOptions& options, const SweepPlan& plan, SweepStore& store)
        : options_(options), plan_(plan), store_(store) {
        const std::vector<bool> finished = store.finished();
        for (std::size_t point = 1; point <= plan.points(); ++point) {
            if (!store.shard().has(point)) continue;
            ++total_;
            if (!finished[point]) to_run_.push_back(point);
        }
    }

    PoolEnd run() {
        const std::size_t begun = total_ - to_run_.size();
        stored_ = begun;
        SweepProgress progress(begun, total_);
        const PoolWork work{
            [this] { store_.leave_to_parent(); },
            [this](std::size_t point) { return packed(run_point(plan_, point, options_.engine)); },
            [this, &progress](const std::vector<PieceEnd>& ends) {
                collect(ends);
                progress.show(stored_, failed_);
            },
            &interrupted()};
        return work_in_processes(to_run_, options_.processes, work);
    }

    std::size_t stored() const { return stored_; }
    std::size_t total() const { return total_; }

private:
    void collect(const std::vector<PieceEnd>& ends) {
        if (ends.empty()) return;
        plan_.check_traces();
        std::vector<PointResult> results;
        for (const PieceEnd& end : ends) {
            if (end.kind == PieceEnd::Kind::kAnswered) {
                results.push_back(unpacked(end.text));
            } else {
                results.push_back({end.piece,
                                   PointStatus::kCrashed,
                                   "",
                                   "the process that ran it " + end.text,
                                   {}});
            }
            if (results.back().status != PointStatus::kDone) ++failed_;
        }
        try {
            store_.put(results);
        } catch (const InputError& error) {
            if (interrupted()) return;  // while it waited for a reader
            throw InputError({error.what()},
                             "what was stored before is kept, and --resume goes on from there");
        }
        stored_ += results.size();
    }

    const SweepOptions& options_;
    const SweepPlan& plan_;
    SweepStore& store_;
    std::vector<std::size_t> to_run_{};
    std::size_t total_{};
    std::size_t stored_{};
    std::size_t failed_{};
};

/// Names the points that are not done, and returns how many there are.
std::size_t report_failures(const SweepStore& store) {
    const std::size_t failed = store.not_done();
    std::size_t shown = 0;
    for (const PointResult& result : store.first_not_done(kMostErrorsShown)) {
        fmt::print(stderr, "{}: {}: {}\n", store.description().name(result.point),
                   name_of(result.status), result.error);
        ++shown;
    }
    if (shown < failed)
        fmt::print(stderr, "and {} more that are not done\n", with_thousands(failed - shown));
    return failed;
}

int say_interrupted(const SweepOptions& options, const SweepRun& run) {
    if (options.output.empty())
        fmt::print(stderr, "nestwalk: interrupted; no results were written\n");
    else
        fmt::print(stderr,
                   "nestwalk: interrupted; {} of {} points are in {}, and --resume goes on "
                   "from there\n",
                   with_thousands(run.stored()), with_thousands(run.total()), options.output);
    return kExitInterrupted;
}

int run_sweep(const SweepOptions& options) {
    check_columns(statistic_infos(), options.columns);
    const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
    const SweepPlan plan(options.files.front(), parse_overrides(options.set));
    const ImpossiblePoints impossible = plan.check(interrupted());
    if (impossible.count > 0)
        fmt::print(stderr, "note: {} of {} points cannot be; the first: {}\n",
                   with_thousands(impossible.count), with_thousands(plan.points()),
                   impossible.first);

    // A file that may grow no further is an error of the write, like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    reuse_freed_memory();
    SweepStore store(options.output.empty() ? ":memory:" : options.output,
                     plan.describe(options.engine), shard,
                     options.resume ? SweepStore::Opening::kResume : SweepStore::Opening::kNew);
    SweepRun run(options, plan, store);
    if (run.run() == PoolEnd::kStopped) return say_interrupted(options, run);
    print(store, options);
    return report_failures(store) == 0 ? kExitDone : kExitBadInput;
}

int merge(const SweepOptions& options) {
    const MergedSweep merged = merge_sweeps(options.merge, options.files);
    fmt::print(stderr, "{}: {} of {} points\n", options.merge,
               with_thousands(merged.points - merged.missing.size()),
               with_thousands(merged.points));
    if (!merged.missing.empty())
        fmt::print(stderr,
                   "missing: {}; nestwalk sweep EXPERIMENT --resume --output {} runs them\n",
                   ranges_words(merged.missing), options.merge);
    return kExitDone;
}

}  // namespace

int sweep_command(const SweepOptions& options) {
    check_options(options);
    if (!options.merge.empty()) return merge(options);
    if (options.show.empty()) return run_sweep(options);
    const SweepStore store(options.show);
    print(store, options);
    report_failures(store);
    return kExitDone;
}

}  // namespace nestwalk
