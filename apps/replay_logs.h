#pragma once

// Several that hear of everything that a replay does.

#include "sim/replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace nestwalk {

class ReplayLogs final : public ReplayLog {
public:
    /// `log` must outlive this.
    void add(ReplayLog& log) { logs_.push_back(&log); }
    /// What a replay is to be given: null if there is none, since one that hears takes time.
    ReplayLog* get() {
        if (logs_.empty()) return nullptr;
        return logs_.size() == 1 ? logs_.front() : this;
    }

    void translation(std::size_t vcpu, const Access& access, VirtAddr va, const Outcome& outcome,
                     std::optional<Cycles> completed) override {
        for (ReplayLog* log : logs_) log->translation(vcpu, access, va, outcome, completed);
    }
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   std::optional<Cycles> completed) override {
        for (ReplayLog* log : logs_) log->operation(vcpu, operation, outcome, completed);
    }
    void restart() override {
        for (ReplayLog* log : logs_) log->restart();
    }
    std::uint64_t takes_together() const override {
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (const ReplayLog* log : logs_) least = std::min(least, log->takes_together());
        return least;
    }
    void accesses(std::size_t vcpu, std::span<const PackedAccess> accesses, const Counters& counted,
                  std::optional<Cycles> completed) override {
        for (ReplayLog* log : logs_) log->accesses(vcpu, accesses, counted, completed);
    }

private:
    std::vector<ReplayLog*> logs_{};
};

}  // namespace nestwalk
