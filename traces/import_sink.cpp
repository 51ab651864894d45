#include "traces/import_sink.h"

#include <utility>
#include <variant>

namespace nestwalk {
namespace {

constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;

std::string space_name(std::uint64_t process) { return "p" + std::to_string(process); }

}  // namespace

ImportSink::ImportSink(const ImportOptions& options, std::string format) : options_(options) {
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
}

void ImportSink::enter_cpu(std::uint64_t id) {
    cpu_ = id;
    moved_ = true;
    if (cpus_.insert(id).second) ++report_.cpus;
}

// A CPU keeps its number; threads are numbered as they come.
std::uint32_t ImportSink::vcpu_of(std::uint64_t cpu) { return static_cast<std::uint32_t>(cpu); }

// Selects the vCPU and loads the address space that the next record belongs to.
void ImportSink::settle() {
    moved_ = false;
    std::uint32_t wanted = vcpu_;
    if (options_.cpus_from == CpusFrom::kThread && thread_) wanted = threads_.at(*thread_);
    if (options_.cpus_from == CpusFrom::kCpu && cpu_) wanted = vcpu_of(*cpu_);
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
    push(MovCr3{.space = space_name(*process_)});
}

bool ImportSink::access(AccessKind kind, std::uint64_t va, std::uint64_t bytes) {
    switch (kind) {
        case AccessKind::kLoad:
            ++report_.loads;
            break;
        case AccessKind::kStore:
            ++report_.stores;
            break;
        case AccessKind::kFetch:
            if (options_.fetches == Fetches::kDropped) {
                ++report_.dropped_fetches;
                return false;
            }
            ++report_.fetches;
            break;
    }
    if (moved_) settle();
    push(Access{.kind = kind,
                .privilege = va >= kUpperHalf ? Privilege::kKernel : Privilege::kUser,
                .va = VirtAddr(va),
                .bytes = bytes == 0 ? 1 : bytes});
    return true;
}

void ImportSink::operation(Operation operation) {
    if (moved_) settle();
    const std::string name = name_of(operation);
    auto made = report_.made.begin();
    while (made != report_.made.end() && made->record != name) ++made;
    if (made == report_.made.end()) made = report_.made.insert(made, {name, 0});
    ++made->count;
    push(std::move(operation));
}

void ImportSink::push(Operation operation) { queue_.push_back(std::move(operation)); }

const TraceItem* ImportSink::next() {
    if (taken_ == queue_.size()) {
        queue_.clear();
        taken_ = 0;
        return nullptr;
    }
    Record& record = std::get<Record>(item_);
    record.what = std::move(queue_[taken_++]);
    record.line = line_;
    record.column = column_;
    record.captured_ns = captured_ns_;
    return &item_;
}

}  // namespace nestwalk
