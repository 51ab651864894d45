#include "sim/walk_rehearsal.h"
#include "models/entry_in_memory.h"

namespace nestwalk {

bool WalkRehearsal::run(const Regime& regime, VirtAddr va, const Mapping* start) {
    reads_.clear();
    fills_.clear();
    Walk walk(regime, {.va = va, .purpose = WalkPurpose::kRehearsal}, start);
    for (;;) {
        switch (walk.step()) {
            case Walk::Step::kTranslateGuestPhysical:
                walk.walk_host(nullptr);
                break;
            case Walk::Step::kReadEntry:
                reads_.push_back(walk.entry());
                walk.take(EntryInMemory(walk.entry(), regime).read());
                break;
            case Walk::Step::kCache:
                fills_.push_back(walk.fill());
                walk.cached();
                break;
            case Walk::Step::kDone:
                result_ = walk.result();
                all_accessed_ = walk.all_accessed();
                return true;
            case Walk::Step::kFault:
                return false;
        }
    }
}

}  // namespace nestwalk
