#include "apps/trace_merge.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <utility>
#include <variant>

namespace nestwalk {
namespace {

const std::optional<std::uint64_t>& captured_ns(const TraceItem& item) {
    if (const auto* block = std::get_if<RepeatBlock>(&item)) return block->captured_ns;
    return std::get<Record>(item).captured_ns;
}

SourceLocation place_of(const TraceSource& source, const TraceItem& item) {
    if (const auto* block = std::get_if<RepeatBlock>(&item)) return {source.name(), block->line, 0};
    const auto& record = std::get<Record>(item);
    return {source.name(), record.line, record.column};
}

const Operation* operation_of(const Record& record) { return std::get_if<Operation>(&record.what); }

bool names_space(const Operation& operation) {
    if (std::holds_alternative<DeclareSpace>(operation)) return true;
    return std::visit(
        [](const auto& any) {
            if constexpr (requires { any.space.has_value(); }) {
                return any.space.has_value();
            } else {
                return requires { any.space; };
            }
        },
        operation);
}

/// The vCPU that the last `cpu` record of the item selects.
std::optional<std::uint32_t> selected_cpu(const TraceItem& item) {
    if (const auto* record = std::get_if<Record>(&item)) {
        const Operation* const operation = operation_of(*record);
        const auto* select = operation != nullptr ? std::get_if<SelectCpu>(operation) : nullptr;
        return select != nullptr ? std::optional(select->cpu) : std::nullopt;
    }
    const auto& block = std::get<RepeatBlock>(item);
    if (block.count == 0) return std::nullopt;
    for (auto inner = block.body.rbegin(); inner != block.body.rend(); ++inner)
        if (const auto cpu = selected_cpu(*inner)) return cpu;
    return std::nullopt;
}

TraceItem record_of(Operation operation, std::uint64_t t) {
    return Record{.what = std::move(operation), .captured_ns = t};
}

}  // namespace

TraceMerge::TraceMerge(std::vector<std::unique_ptr<TraceSource>> inputs, MergedCpus cpus,
                       MergedSpaces spaces)
    : sources_(std::move(inputs)), cpus_(cpus), spaces_(spaces) {
    for (const std::unique_ptr<TraceSource>& source : sources_) {
        Input input{.source = source.get()};
        if (cpus == MergedCpus::kPerInput) input.cpu = static_cast<std::uint32_t>(inputs_.size());
        inputs_.push_back(input);
    }
}

void TraceMerge::write(TraceWriter& writer, const std::function<void()>& check) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) advance(i);
    for (;;) {
        check();
        const std::size_t number = earliest();
        Input& input = inputs_[number];
        if (input.item == nullptr) return;
        const std::optional<std::uint32_t> cpu = selected_cpu(*input.item);
        if (!cpu || std::holds_alternative<RepeatBlock>(*input.item)) {
            switch_to(number, writer);
            writer.write(*input.item);
            if (cpu) cpu_ = *cpu;
        }
        if (cpu) input.cpu = *cpu;  // a `cpu` record itself is written once it is needed
        advance(number);
    }
}

/// The input whose next record is the earliest; one without a record if all are at their end.
std::size_t TraceMerge::earliest() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
        if (inputs_[i].item == nullptr) continue;
        if (inputs_[best].item == nullptr || inputs_[i].t < inputs_[best].t) best = i;
    }
    return best;
}

void TraceMerge::advance(std::size_t number) {
    Input& input = inputs_[number];
    input.item = input.source->next();
    if (input.item == nullptr) return;
    const std::optional<std::uint64_t>& t = captured_ns(*input.item);
    if (!t)
        throw InputError(place_of(*input.source, *input.item),
                         "no time of capture; expected t=NS on every record of a trace that is "
                         "merged");
    if (*t < input.t)
        throw InputError(place_of(*input.source, *input.item),
                         "time goes back: t=" + std::to_string(*t) + " after t=" +
                             std::to_string(input.t) + "; expected records in order of time");
    input.t = *t;
    check_item(input);
}

void TraceMerge::check_item(const Input& input) const {
    const auto check_all = [&](const auto& self, const TraceItem& item) -> void {
        if (const auto* record = std::get_if<Record>(&item)) return check_record(input, *record);
        for (const TraceItem& inner : std::get<RepeatBlock>(item).body) self(self, inner);
    };
    check_all(check_all, *input.item);
}

/// What each input has of its own, none may choose for itself.
void TraceMerge::check_record(const Input& input, const Record& record) const {
    const Operation* const operation = operation_of(record);
    if (operation == nullptr) return;
    const SourceLocation where{input.source->name(), record.line, record.column};
    if (cpus_ == MergedCpus::kPerInput && std::holds_alternative<SelectCpu>(*operation))
        throw InputError(where, fault("a vCPU that the trace chooses", name_of(*operation),
                                      "none with --cpu-per-input"));
    if (spaces_ == MergedSpaces::kPerInput && names_space(*operation))
        throw InputError(where, fault("an address space that the trace names", name_of(*operation),
                                      "none with --space-per-input"));
}

/// What is written next is the input's.
void TraceMerge::switch_to(std::size_t number, TraceWriter& writer) {
    Input& input = inputs_[number];
    if (cpu_ != input.cpu) {
        cpu_ = input.cpu;
        writer.write(record_of(SelectCpu{cpu_}, input.t));
    }
    if (spaces_ == MergedSpaces::kAsWritten) return;
    const std::string space = "input" + std::to_string(number);
    if (!std::exchange(input.space_declared, true))
        writer.write(record_of(DeclareSpace{.name = space}, input.t));
    if (loaded_.size() <= cpu_) loaded_.resize(cpu_ + 1);
    if (loaded_[cpu_] == number) return;
    loaded_[cpu_] = number;
    writer.write(record_of(MovCr3{.space = space}, input.t));
}

}  // namespace nestwalk
