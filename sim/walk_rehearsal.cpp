#include "sim/walk_rehearsal.h"
#include "models/walk_to_end.h"

namespace nestwalk {

bool WalkRehearsal::run(const Regime& regime, VirtAddr va, const Mapping* start) {
    reads_.clear();
    fills_.clear();
    Walk walk(regime, {.va = va, .purpose = WalkPurpose::kRehearsal}, start);
    const auto on_read = [&](const EntryAddress& entry) { reads_.push_back(entry); };
    const auto on_fill = [&](const Mapping& fill) { fills_.push_back(fill); };
    if (!walk_to_end(walk, regime, on_read, on_fill)) return false;
    result_ = walk.result();
    all_accessed_ = walk.all_accessed();
    return true;
}

}  // namespace nestwalk
