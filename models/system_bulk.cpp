// What an engine asks that translates in bulk.

#include "models/system.h"

namespace nestwalk {

System::Processor System::processor() {
    return {vcpu().mmu, vcpu().caches, state_.shared_cache, regime_, first_touch_};
}

bool System::goes_straight(Privilege privilege) {
    if (!under_os()) return true;
    if (registers().os.kernel_thread) return false;
    const bool user = privilege == Privilege::kUser;
    return !os_.parameters().pti || (registers().tables == Tables::kUser) == user;
}

}  // namespace nestwalk
