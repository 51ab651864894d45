#include "models/outcome.h"

#include <utility>

namespace nestwalk {

void Outcome::clear() {
    std::vector<EntryRead> kept_reads = std::move(reads);
    std::vector<CachedFill> kept_fills = std::move(fills);
    kept_reads.clear();
    kept_fills.clear();
    *this = Outcome{};
    reads = std::move(kept_reads);
    fills = std::move(kept_fills);
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
