#include "apps/access_log.h"
#include "apps/number_format.h"
#include "models/hex.h"

#include <fmt/format.h>

namespace nestwalk {
namespace {

constexpr const char* kHeader =
    "index,cpu,op,va,outcome,level,page_size,guest_refs,host_refs,stale,fault,cycle,exit\n";

std::string hex(VirtAddr va) { return to_hex(va.value()); }
std::string hex(GuestPhysAddr gpa) { return to_hex(gpa.value()); }
std::string hex(const std::optional<VirtAddr>& va) { return va ? hex(*va) : std::string(); }

/// The address that an operation names, if it names one.
std::string address_of(const Operation& operation) {
    return std::visit(
        [](const auto& record) -> std::string {
            if constexpr (requires { record.va; }) {
                return hex(record.va);
            } else if constexpr (requires { record.range.va; }) {
                return hex(record.range.va);
            } else if constexpr (requires { record.gpa; }) {
                return hex(record.gpa);
            } else {
                return {};
            }
        },
        operation);
}

}  // namespace

AccessLog::AccessLog(const std::string& path) : file_(path, "the access log") {
    file_.write(kHeader);
}

void AccessLog::row(std::size_t vcpu, const char* op, const std::string& va, const Outcome& outcome,
                    std::optional<Cycles> completed, ExitReason reason) {
    const char* size = outcome.page_level == 0  ? ""
                       : outcome.page_span == 2 ? "16K"
                                                : name_of(page_size_of_level(outcome.page_level));
    const bool access = outcome.result != TranslationResult::kNone;
    file_.write(
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", index_++, vcpu, op, va,
                    name_of(outcome.result), name_of_start(outcome.start_level), size,
                    access ? std::to_string(outcome.reads_of(Dimension::kGuest)) : "",
                    access ? std::to_string(outcome.reads_of(Dimension::kHost)) : "",
                    access ? (outcome.stale ? "1" : "0") : "", name_of(outcome.fault.kind),
                    completed ? with_thousandths(static_cast<std::uint64_t>(completed->milli)) : "",
                    outcome.exits > 0 ? name_of(reason) : ""));
}

void AccessLog::translation(std::size_t vcpu, const Access& access, VirtAddr va,
                            const Outcome& outcome, std::optional<Cycles> completed) {
    row(vcpu, name_of(access.kind), hex(va), outcome, completed,
        exit_reason_of(outcome.fault.kind));
}

void AccessLog::operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                          std::optional<Cycles> completed) {
    row(vcpu, name_of(operation), address_of(operation), outcome, completed,
        exit_reason_of(operation));
}

}  // namespace nestwalk
