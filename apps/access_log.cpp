#include "apps/access_log.h"
#include "apps/number_format.h"
#include "traces/source_location.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace nestwalk {
namespace {

constexpr const char* kHeader =
    "index,cpu,op,va,outcome,level,page_size,guest_refs,host_refs,stale,fault,cycle\n";

std::string hex(VirtAddr va) { return fmt::format("0x{:x}", va.value()); }
std::string hex(GuestPhysAddr gpa) { return fmt::format("0x{:x}", gpa.value()); }
std::string hex(const std::optional<VirtAddr>& va) { return va ? hex(*va) : std::string(); }

/// The address that an operation names, if it names one.
std::string address_of(const Operation& operation) {
    return std::visit(
        [](const auto& record) -> std::string {
            if constexpr (requires { record.va; }) {
                return hex(record.va);
            } else if constexpr (requires { record.gpa; }) {
                return hex(record.gpa);
            } else {
                return {};
            }
        },
        operation);
}

}  // namespace

AccessLog::AccessLog(const std::string& path)
    : path_(path), file_(std::fopen((path + ".partial").c_str(), "w")) {
    if (!file_) {
        throw InputError({path},
                         std::string("cannot write the access log: ") + std::strerror(errno));
    }
    std::fputs(kHeader, file_.get());
}

AccessLog::~AccessLog() {
    if (file_) std::remove((path_ + ".partial").c_str());
}

void AccessLog::row(const char* op, const std::string& va, const Outcome& outcome,
                    std::optional<Cycles> completed) {
    const char* size = outcome.page_level == 0  ? ""
                       : outcome.page_span == 2 ? "16K"
                                                : name_of(page_size_of_level(outcome.page_level));
    const bool access = outcome.result != TranslationResult::kNone;
    fmt::print(file_.get(), "{},{},{},{},{},{},{},{},{},{},{},{}\n", index_++, cpu_, op, va,
               name_of(outcome.result), name_of_start(outcome.start_level), size,
               access ? std::to_string(outcome.reads_of(Dimension::kGuest)) : "",
               access ? std::to_string(outcome.reads_of(Dimension::kHost)) : "",
               access ? (outcome.stale ? "1" : "0") : "", name_of(outcome.fault.kind),
               completed ? with_thousandths(static_cast<std::uint64_t>(completed->milli)) : "");
}

void AccessLog::translation(const Access& access, VirtAddr va, const Outcome& outcome,
                            std::optional<Cycles> completed) {
    row(name_of(access.kind), hex(va), outcome, completed);
}

void AccessLog::operation(const Operation& operation, const Outcome& outcome,
                          std::optional<Cycles> completed) {
    if (const auto* select = std::get_if<SelectCpu>(&operation)) cpu_ = select->cpu;
    row(name_of(operation), address_of(operation), outcome, completed);
}

void AccessLog::finish() {
    const bool written = std::ferror(file_.get()) == 0;
    const bool closed = std::fclose(file_.release()) == 0;
    if (!written || !closed || std::rename((path_ + ".partial").c_str(), path_.c_str()) != 0) {
        std::remove((path_ + ".partial").c_str());
        throw InputError({path_},
                         std::string("cannot write the access log: ") + std::strerror(errno));
    }
}

}  // namespace nestwalk
