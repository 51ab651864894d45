#pragma once

// Takes what the lines of a foreign trace mean, and hands it out as records: turns ids of
// processes, threads and CPUs into address spaces and vCPUs as the user wants them, and keeps count
// of everything.

#include "traces/import_options.h"
#include "traces/import_report.h"
#include "traces/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nestwalk {

class ImportSink {
public:
    ImportSink(const ImportOptions& options, std::string format);

    /// What follows stands in this line (or record, from 1) of the file.
    void at(std::uint64_t line) {
        line_ = line;
        ++report_.read;
    }
    /// What follows was done by this process, thread or CPU.
    void process(std::uint64_t id) {
        if (process_ != id) enter_process(id);
    }
    void thread(std::uint64_t id) {
        if (thread_ != id) enter_thread(id);
    }
    void cpu(std::uint64_t id) {
        if (cpu_ != id) enter_cpu(id);
    }
    /// What follows was captured then.
    void time(std::uint64_t ns) { captured_ns_ = ns; }

    /// An access of `bytes` bytes; 0, an unknown number, counts as one. Addresses in the upper half
    /// are the kernel's. False if the user does not want it.
    bool access(AccessKind kind, std::uint64_t va, std::uint64_t bytes);
    /// Any other record.
    void operation(Operation operation);

    /// The line is passed over; `reason` is a number that `skips` gave out.
    void skip(std::size_t reason) { ++report_.skipped[reason].count; }
    /// A kind of line that is passed over.
    std::size_t skips(std::string what, std::string why);
    void note(std::string sentence) { report_.notes.push_back(std::move(sentence)); }
    void dialect(std::string name) { report_.dialect = std::move(name); }
    /// The file has records instead of lines.
    void records() {
        report_.unit = "records";
        column_ = 0;
    }

    const ImportOptions& options() const { return options_; }
    const ImportReport& report() const { return report_; }
    /// The vCPU that a CPU of the capture is; kept as long as the trace is read.
    std::uint32_t vcpu_of(std::uint64_t cpu);

    /// The next record, valid until the next call; null if there is none yet.
    const TraceItem* next();

private:
    void enter_process(std::uint64_t id);
    void enter_thread(std::uint64_t id);
    void enter_cpu(std::uint64_t id);
    void settle();
    void push(Operation operation);

    ImportOptions options_{};
    ImportReport report_{};
    std::vector<Operation> queue_{};
    std::size_t taken_{};
    TraceItem item_{};
    std::uint64_t line_{};
    std::uint64_t column_{1};
    std::optional<std::uint64_t> captured_ns_{};
    std::optional<std::uint64_t> process_{};
    std::optional<std::uint64_t> thread_{};
    std::optional<std::uint64_t> cpu_{};
    std::unordered_set<std::uint64_t> processes_{};
    std::unordered_map<std::uint64_t, std::uint32_t> threads_{};
    std::unordered_set<std::uint64_t> cpus_{};
    std::unordered_set<std::uint64_t> spaces_{};                 ///< that were declared
    std::unordered_map<std::uint32_t, std::uint64_t> loaded_{};  ///< the space of each vCPU
    std::unordered_set<std::uint32_t> vcpus_{};
    std::uint32_t vcpu_{};
    bool moved_{};  ///< the next record may belong to another space or vCPU than the last
};

}  // namespace nestwalk
