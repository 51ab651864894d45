#include "models/outcome.h"

namespace nestwalk {

void Outcome::clear() {
    lines.clear();
    // An L1 hit without a walk, which nearly every translation is, says no more than this; to reset
    // the rest as well would take longer than the hit.
    if (result == TranslationResult::kL1Hit && start_level == 0) {
        second_page = again = stale = stale_rights = ambiguous = false;
        result = TranslationResult::kNone;
        access = {};
        page_level = page_span = whole_level = 0;
        physical = sequence = 0;
        filled_by = {};
        return;
    }
    static_cast<OutcomeFacts&>(*this) = {};
    reads.clear();
    lookups.clear();
    fills.clear();
}

std::uint64_t Outcome::reads_of(Dimension dimension) const {
    std::uint64_t count = 0;
    for (const EntryRead& read : reads) count += read.dimension == dimension;
    return count;
}

const char* name_of_start(std::uint8_t start_level) {
    switch (start_level) {
        case 2:
            return "pde";
        case 3:
            return "pdpte";
        case 4:
            return "pml4e";
        case 5:
            return "pml5e";
        case kFromRoot:
            return "root";
        default:
            return "";
    }
}

const char* name_of(TranslationResult result) {
    switch (result) {
        case TranslationResult::kNone:
            return "";
        case TranslationResult::kL1Hit:
            return "l1-hit";
        case TranslationResult::kStlbHit:
            return "stlb-hit";
        case TranslationResult::kMiss:
            return "miss";
        case TranslationResult::kFault:
            return "fault";
    }
    return "";
}

}  // namespace nestwalk
