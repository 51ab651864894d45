#include "apps/trace_census.h"

#include <algorithm>
#include <variant>

namespace nestwalk {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

void widen(std::optional<TraceCensus::Range>& range, std::uint64_t first, std::uint64_t last) {
    if (!range) range = TraceCensus::Range{first, last};
    range->first = std::min(range->first, first);
    range->last = std::max(range->last, last);
}

/// Where addresses wrap around, the range is all of them.
void widen_by_all(std::optional<TraceCensus::Range>& range, const Access& access) {
    const bool backwards = access.stride > UINT64_MAX / 2;
    const std::uint64_t step = backwards ? 0 - access.stride : access.stride;
    const std::uint64_t way =
        saturating_sum(saturating_product(access.count - 1, step), access.bytes - 1);
    const std::uint64_t va = access.va.value();
    if (way > (backwards ? va : UINT64_MAX - va)) return widen(range, 0, UINT64_MAX);
    if (!backwards) return widen(range, va, va + way);
    widen(range, va - (access.count - 1) * step, va + (access.bytes - 1));
}

const char* word_of(const Record& record) {
    if (std::holds_alternative<PhaseMark>(record.what)) return "phase";
    if (std::holds_alternative<Explanation>(record.what)) return "explain";
    return "expect";
}

}  // namespace

void TraceCensus::Names::add(const std::string& name) {
    if (known_.size() == kMostNames && !known_.contains(name)) {
        ++count;  // perhaps not for the first time: the number is the most that there are
        return;
    }
    if (!known_.insert(name).second) return;
    first.push_back(name);
    ++count;
}

std::map<std::string, std::uint64_t> TraceCensus::by_word() const {
    std::map<std::string, std::uint64_t> words = others_;
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kFetch})
        if (const std::uint64_t count = accesses_[static_cast<std::size_t>(kind)]; count != 0)
            words[name_of(kind)] = count;
    if (blocks_ != 0) words["repeat"] = blocks_;
    return words;
}

std::uint64_t TraceCensus::data_references() const {
    std::uint64_t sum = 0;
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore})
        sum = saturating_sum(sum, saturating_sum(references(kind).user, references(kind).kernel));
    return sum;
}

void TraceCensus::add(const TraceItem& item) {
    ++items_;
    add(item, 1);
}

void TraceCensus::add(const AccessRun& run) {
    items_ += run.accesses.size();
    records_ += run.accesses.size();
    for (const PackedAccess access : run.accesses) {
        ++accesses_[static_cast<std::size_t>(access.kind())];
        add(access.access(), 1);
    }
    for (const std::uint64_t t : run.captured_ns) add_time(t);
}

void TraceCensus::add(const TraceItem& item, std::uint64_t times) {
    ++records_;
    if (const auto* block = std::get_if<RepeatBlock>(&item)) {
        ++blocks_;
        deepest_ = std::max(deepest_, ++depth_);
        add_time(block->captured_ns);
        for (const TraceItem& inner : block->body)
            add(inner, saturating_product(times, block->count));
        --depth_;
        return;
    }
    const auto& record = std::get<Record>(item);
    add_time(record.captured_ns);
    if (const auto* operation = std::get_if<Operation>(&record.what)) return add(*operation, times);
    ++others_[word_of(record)];
    if (const auto* phase = std::get_if<PhaseMark>(&record.what)) phases_.add(phase->name);
}

void TraceCensus::add(const Operation& operation, std::uint64_t times) {
    if (const auto* access = std::get_if<Access>(&operation)) {
        ++accesses_[static_cast<std::size_t>(access->kind)];
        return add(*access, times);
    }
    ++others_[name_of(operation)];
    if (const auto* select = std::get_if<SelectCpu>(&operation)) {
        cpu_ = select->cpu;
        cpu_noted_ = false;
    } else {
        note_cpu();
        add_space(operation);
    }
}

void TraceCensus::add(const Access& access, std::uint64_t times) {
    note_cpu();
    if (times == 0) return;  // in a block that is repeated no times
    References& references = references_[static_cast<std::size_t>(access.kind)];
    std::uint64_t& count =
        access.privilege == Privilege::kUser ? references.user : references.kernel;
    count = saturating_sum(count, saturating_product(access.count, times));
    const bool code = access.kind == AccessKind::kFetch;
    PageCensus& pages = code ? code_pages_ : data_pages_;
    std::optional<Range>& range = code ? code_range_ : data_range_;
    if (access.count == 1) {
        widen(range, access.va.value(), access.va.value() + (access.bytes - 1));
        pages.touch(access.va, access.bytes);
    } else {
        widen_by_all(range, access);
        pages.touch(access.va, access.bytes, access.count, access.stride);
    }
}

void TraceCensus::note_cpu() {
    if (cpu_noted_) return;
    cpu_noted_ = true;
    cpus_.insert(cpu_);
}

void TraceCensus::add_time(const std::optional<std::uint64_t>& captured_ns) {
    if (captured_ns) widen(captured_ns_, *captured_ns, *captured_ns);
}

void TraceCensus::add_space(const Operation& operation) {
    if (const auto* declared = std::get_if<DeclareSpace>(&operation)) spaces_.add(declared->name);
    std::visit(
        [this](const auto& any) {
            if constexpr (requires { any.space.has_value(); }) {
                if (any.space) spaces_.add(*any.space);
            } else if constexpr (requires { any.space; }) {
                spaces_.add(any.space);
            }
        },
        operation);
}

}  // namespace nestwalk
