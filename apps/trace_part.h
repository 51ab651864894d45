#pragma once

// A trace of which only a part is handed out, or one part after another: what is skipped, what
// warms up and what is counted. Counts top-level items; a `repeat` block is one.

#include "apps/run_progress.h"
#include "traces/record.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nestwalk {

class TracePart final : public TraceSource {
public:
    /// All must outlive it. `stop` is set from outside to end the passing over of records;
    /// `progress` hears of all that is read. Both may be null.
    TracePart(TraceSource& whole, const std::atomic<bool>* stop, RunProgress* progress = nullptr)
        : whole_(whole), stop_(stop), progress_(progress) {}

    /// Before anything is handed out: passes over that many items, or as many as there are. Throws
    /// InputError, Interrupted.
    void pass_over(std::uint64_t count);
    /// A part begins: that many items at most, until another one begins.
    void begin(std::uint64_t limit);
    /// Items of this part so far.
    std::uint64_t given() const { return given_; }

    const TraceItem* next() override;
    AccessRun next_accesses() override;
    std::vector<std::pair<std::string, std::string>> properties() const override {
        return whole_.properties();
    }
    std::optional<CutShort> cut_short() const override { return whole_.cut_short(); }
    const std::string& name() const override { return whole_.name(); }
    const ImportReport* import_report() const override { return whole_.import_report(); }

private:
    const TraceItem* access_at_hand();
    void take(std::size_t count);
    void tell(std::uint64_t count) {
        if (progress_ != nullptr) progress_->add(count);
    }

    TraceSource& whole_;
    const std::atomic<bool>* stop_;
    RunProgress* progress_;
    AccessRun at_hand_{};  ///< handed out by `whole_`, not yet by this
    TraceItem item_{};     ///< one of them
    std::uint64_t left_{UINT64_MAX};
    std::uint64_t given_{};
};

}  // namespace nestwalk
