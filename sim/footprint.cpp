#include "sim/footprint.h"

namespace nestwalk {

void Footprint::remember(std::uint64_t page) {
    auto& pages = regions_[page / kEntriesPerTable];
    const auto bit = static_cast<std::size_t>(page % kEntriesPerTable);
    if (pages.test(bit)) return;
    pages.set(bit);
    ++pages_4k_;
}

}  // namespace nestwalk
