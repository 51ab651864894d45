#include "apps/page_census.h"

#include <algorithm>
#include <bit>

namespace nestwalk {
namespace {

constexpr std::uint64_t kPage = page_bytes(PageSize::k4K);
constexpr std::uint64_t kPages = UINT64_MAX / kPage + 1;

}  // namespace

/// Null if there is no room for one more.
PageCensus::Region* PageCensus::region(std::uint64_t number) {
    const auto found = regions_.find(number);
    if (found != regions_.end()) return &found->second;
    if (regions_.size() == kMostRegions) {
        full_ = true;
        return nullptr;
    }
    return &regions_[number];
}

void PageCensus::remember(std::uint64_t page) {
    Region* const pages = region(page / kEntriesPerTable);
    const auto bit = static_cast<std::size_t>(page % kEntriesPerTable);
    if (pages == nullptr || pages->test(bit)) return;
    pages->set(bit);
    ++pages_4k_;
}

/// Both included.
void PageCensus::touch_pages(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t page = first; page <= last && !full_;) {
        Region* const pages = region(page / kEntriesPerTable);
        if (pages == nullptr) return;
        const std::uint64_t end = std::min(last, page | (kEntriesPerTable - 1));
        const std::size_t before = pages->count();
        for (; page <= end; ++page) pages->set(static_cast<std::size_t>(page % kEntriesPerTable));
        pages_4k_ += pages->count() - before;
    }
}

void PageCensus::touch(VirtAddr va, std::uint64_t bytes, std::uint64_t count,
                       std::uint64_t stride) {
    if (stride == 0) return touch(va, bytes);
    // Addresses wrap around at 2^64, so they come again after 2^64 / 2^(zeros at the stride's end).
    const int zeros = std::countr_zero(stride);
    if (zeros != 0) count = std::min(count, std::uint64_t{1} << (64 - zeros));
    if (stride > UINT64_MAX / 2) {  // backwards: from the last to the first
        va = va + (count - 1) * stride;
        stride = 0 - stride;
    }
    if (stride <= kPage) return touch_range(va.value(), count - 1, stride, bytes);
    for (std::uint64_t i = 0; i < count && !full_; ++i) touch(va + i * stride, bytes);
}

/// Steps that leave out no page.
void PageCensus::touch_range(std::uint64_t va, std::uint64_t steps, std::uint64_t stride,
                             std::uint64_t bytes) {
    if (steps > (UINT64_MAX - bytes) / stride) return touch_pages(0, kPages - 1);
    const std::uint64_t last = va + (steps * stride + (bytes - 1));
    if (last >= va) return touch_pages(va / kPage, last / kPage);
    touch_pages(va / kPage, kPages - 1);
    touch_pages(0, last / kPage);
}

}  // namespace nestwalk
