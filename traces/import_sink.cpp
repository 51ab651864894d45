#include "traces/import_sink.h"
#include "traces/source_location.h"

#include <utility>
#include <variant>

namespace nestwalk {
namespace {

constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;

std::string space_name(std::uint64_t process) { return "p" + std::to_string(process); }

}  // namespace

ImportSink::ImportSink(const ImportOptions& options, std::string format, std::string file)
    : options_(options), file_(std::move(file)) {
    report_.format = std::move(format);
    item_.emplace<Record>().what = Operation(Access{});
}

std::size_t ImportSink::skips(std::string what, std::string why) {
    report_.skipped.push_back({std::move(what), std::move(why), 0});
    return report_.skipped.size() - 1;
}

void ImportSink::enter_process(std::uint64_t id) {
    process_ = id;
    moved_ = true;
    if (processes_.insert(id).second) ++report_.processes;
}

void ImportSink::enter_thread(std::uint64_t id) {
    thread_ = id;
    moved_ = true;
    if (threads_.emplace(id, static_cast<std::uint32_t>(threads_.size())).second) ++report_.threads;
    if (options_.cpus_from == CpusFrom::kThread && threads_.size() > kLastCpu + 1)
        throw InputError({file_, line_, column_},
                         "more than 8192 threads: they cannot be vCPUs each; expected --cpus-from "
                         "cpu or none (workload.import.cpus_from)");
}

void ImportSink::enter_cpu(std::uint64_t id) {
    cpu_ = id;
    moved_ = true;
    if (cpus_.insert(id).second) ++report_.cpus;
}

std::uint32_t ImportSink::vcpu() const {
    if (options_.cpus_from == CpusFrom::kThread && thread_) return threads_.at(*thread_);
    if (options_.cpus_from == CpusFrom::kCpu && cpu_) return static_cast<std::uint32_t>(*cpu_);
    return vcpu_;
}

// Selects the vCPU and loads the address space that the next record belongs to.
void ImportSink::settle() {
    moved_ = false;
    const std::uint32_t wanted = vcpu();
    if (wanted != vcpu_) push(SelectCpu{wanted});
    vcpu_ = wanted;
    if (vcpus_.insert(wanted).second) report_.vcpus = vcpus_.size();
    if (options_.spaces_from != SpacesFrom::kProcess || !process_) return;
    if (spaces_.insert(*process_).second) {
        report_.spaces = spaces_.size();
        push(DeclareSpace{space_name(*process_), {}});
    }
    const auto [loaded, is_new] = loaded_.emplace(vcpu_, *process_);
    if (!is_new && loaded->second == *process_) return;
    loaded->second = *process_;
    if (options_.space_switch == SpaceSwitch::kByOs)
        push(SwitchSpace{space_name(*process_)});
    else
        push(MovCr3{.space = space_name(*process_)});
}

void ImportSink::access(AccessKind kind, std::uint64_t va, std::uint64_t bytes) {
    add_access({.kind = kind,
                .privilege = va >= kUpperHalf ? Privilege::kKernel : Privilege::kUser,
                .va = VirtAddr(va),
                .bytes = bytes == 0 ? 1 : bytes});
}

void ImportSink::kernel_access(AccessKind kind, std::uint64_t va, std::uint64_t bytes) {
    add_access({.kind = kind,
                .privilege = Privilege::kKernel,
                .va = VirtAddr(va),
                .bytes = bytes == 0 ? 1 : bytes});
}

void ImportSink::add_access(const Access& access) {
    switch (access.kind) {
        case AccessKind::kLoad:
            ++report_.loads;
            break;
        case AccessKind::kStore:
            ++report_.stores;
            break;
        case AccessKind::kFetch:
            if (options_.fetches == Fetches::kDropped) {
                ++report_.dropped_fetches;
                return;
            }
            ++report_.fetches;
            break;
    }
    if (moved_) settle();
    push(access);
}

void ImportSink::count(const Operation& operation) {
    const std::string name = name_of(operation);
    auto made = report_.made.begin();
    while (made != report_.made.end() && made->record != name) ++made;
    if (made == report_.made.end()) made = report_.made.insert(made, {name, 0});
    ++made->count;
}

void ImportSink::operation(Operation operation) {
    if (moved_) settle();
    count(operation);
    push(std::move(operation));
}

void ImportSink::hold() {
    if (moved_) settle();
    held_ = queue_.size();
    push(Compute{});
}

void ImportSink::fill(std::optional<Operation> operation) {
    const auto place = queue_.begin() + static_cast<std::ptrdiff_t>(*held_);
    held_.reset();
    if (operation) {
        count(*operation);
        place->operation = std::move(*operation);
    } else {
        queue_.erase(place);
    }
}

void ImportSink::finish() {
    if (options_.spaces_from == SpacesFrom::kProcess && processes_.empty())
        note("the trace names no process: all share one address space");
    if (options_.cpus_from == CpusFrom::kThread && threads_.empty())
        note("the trace names no thread: all run on one vCPU");
    if (options_.cpus_from == CpusFrom::kCpu && cpus_.empty())
        note("the trace names no CPU: all run on one vCPU");
}

const TraceItem* ImportSink::next() {
    if (taken_ == queue_.size()) {
        queue_.clear();
        taken_ = 0;
        return nullptr;
    }
    if (held_ && taken_ == *held_) return nullptr;
    Waiting& waiting = queue_[taken_++];
    Record& record = std::get<Record>(item_);
    record.what = std::move(waiting.operation);
    record.line = waiting.line;
    record.column = column_;
    record.captured_ns = waiting.captured_ns;
    return &item_;
}

}  // namespace nestwalk
