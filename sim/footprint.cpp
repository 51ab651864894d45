#include "sim/footprint.h"
#include "models/operation_error.h"

namespace nestwalk {

void Footprint::remember(std::uint64_t page) {
    auto& pages = regions_[page / kEntriesPerTable];
    if (regions_.size() > kMostRegions) {
        throw OperationError("the trace touches more than 2 Mi regions of 2 MiB");
    }
    const auto bit = static_cast<std::size_t>(page % kEntriesPerTable);
    if (pages.test(bit)) return;
    pages.set(bit);
    ++pages_4k_;
}

}  // namespace nestwalk
