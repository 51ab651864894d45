#include "tests/fuzz/limited_source.h"

#include <algorithm>
#include <variant>

namespace nestwalk::fuzz {
namespace {

/// A record that edits page tables may rewrite a whole table.
constexpr std::uint64_t kWorkOfEdit = 20;

bool edits_tables(const Operation& operation) {
    return std::holds_alternative<Map>(operation) || std::holds_alternative<Split>(operation) ||
           std::holds_alternative<Collapse>(operation) ||
           std::holds_alternative<HostMap>(operation) ||
           std::holds_alternative<HostSplit>(operation) ||
           std::holds_alternative<HostCollapse>(operation);
}

// Cuts the counts in `item` down and returns the work that is left in it.
std::uint64_t shorten(TraceItem& item) {
    if (auto* record = std::get_if<Record>(&item)) {
        auto* operation = std::get_if<Operation>(&record->what);
        if (operation == nullptr) return 1;
        if (edits_tables(*operation)) return kWorkOfEdit;
        auto* access = std::get_if<Access>(operation);
        if (access == nullptr) return 1;
        access->count = std::min(access->count, LimitedSource::kMostAccesses);
        return access->count;
    }
    auto& block = std::get<RepeatBlock>(item);
    std::uint64_t body = 1;
    for (TraceItem& each : block.body) body += shorten(each);
    const std::uint64_t affordable = std::max<std::uint64_t>(1, LimitedSource::kMostWork / body);
    block.count = std::min({block.count, LimitedSource::kMostIterations, affordable});
    return body * std::max<std::uint64_t>(1, block.count);
}

}  // namespace

const TraceItem* LimitedSource::next() {
    const TraceItem* item = source_.next();
    if (item == nullptr) return nullptr;
    item_ = *item;
    const std::uint64_t work = shorten(item_);
    if (work > work_left_) return nullptr;
    work_left_ -= work;
    return &item_;
}

}  // namespace nestwalk::fuzz
