#include "traces/stream_sorter.h"
#include "traces/source_location.h"

#include <utility>

namespace nestwalk {
namespace {

bool declares(const Operation& operation) {
    return std::holds_alternative<DeclareSpace>(operation) ||
           std::holds_alternative<DeclareVm>(operation) ||
           std::holds_alternative<DeclareEptp>(operation);
}

template <typename... Records>
bool is_one_of(const Operation& operation) {
    return (std::holds_alternative<Records>(operation) || ...);
}

bool writes_tables(const Operation& operation) {
    return is_one_of<Map, Unmap, Protect, Collapse, Split, SetEntry, HostMap, HostUnmap, HostSplit,
                     HostCollapse, HostProtect, HostSetEntry>(operation);
}

}  // namespace

StreamSorter::StreamSorter(std::uint32_t vcpus, std::optional<std::uint32_t> current, At at,
                           const std::string& source)
    : vcpus_(vcpus), current_(current), setting_up_(at == At::kStartOfTrace), source_(source) {}

void StreamSorter::add(const TraceItem& item) {
    if (const auto* record = std::get_if<Record>(&item)) return add_record(*record);
    close();
    setting_up_ = false;
    const auto& repeat = std::get<RepeatBlock>(item);
    if (repeat.count == 0) return;
    auto block = std::make_shared<const StreamBlock>(repeat, vcpus_, source_);
    const std::optional<std::uint32_t> after = block->ends_on();
    if (block->records() > 0) placed_.push_back({current_, std::move(block)});
    if (after) current_ = after;
}

void StreamSorter::add_record(const Record& record) {
    if (const auto* operation = std::get_if<Operation>(&record.what)) {
        if (const auto* select_cpu = std::get_if<SelectCpu>(operation)) {
            return select(record, select_cpu->cpu);
        }
    } else if (std::holds_alternative<Expectation>(record.what)) {
        open_.push_back(record);
        if (!has_operation_) close();
        return;
    }
    if (has_operation_) close();
    open_.push_back(record);
    if (std::holds_alternative<Explanation>(record.what)) return;
    has_operation_ = true;
    barrier_ = is_barrier(record);
}

void StreamSorter::select(const Record& record, std::uint32_t cpu) {
    if (cpu >= vcpus_) {
        throw InputError(
            {source_, record.line, record.column},
            "cpu " + std::to_string(cpu) + ": system.vcpus is " + std::to_string(vcpus_));
    }
    if (has_operation_) close();
    current_ = cpu;
}

bool StreamSorter::is_barrier(const Record& record) {
    if (std::holds_alternative<PhaseMark>(record.what)) return true;
    const auto& operation = std::get<Operation>(record.what);
    if (declares(operation)) return true;
    setting_up_ = setting_up_ && writes_tables(operation);
    return setting_up_;
}

void StreamSorter::close() {
    if (std::exchange(barrier_, false)) {
        placed_.push_back({current_, std::make_shared<const Barrier>(Barrier{std::move(open_)})});
    } else {
        for (std::size_t at = 0; at < open_.size(); ++at) {
            placed_.push_back(
                {current_, StreamRecord{std::move(open_[at]), at + 1 < open_.size()}});
        }
    }
    open_.clear();
    has_operation_ = false;
}

}  // namespace nestwalk
