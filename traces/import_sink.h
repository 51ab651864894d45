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
#include <utility>
#include <vector>

namespace nestwalk {

class ImportSink {
public:
    /// The largest number of a CPU in a trace.
    static constexpr std::uint64_t kLastCpu = 8191;

    /// `file` is the name to report errors under.
    ImportSink(const ImportOptions& options, std::string format, std::string file);

    /// What follows stands in this line (or record, from 1) of the file.
    void at(std::uint64_t line) {
        line_ = line;
        ++report_.read;
    }
    /// What follows was done by this process, thread or CPU (at most kLastCpu).
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
    /// are the kernel's.
    void access(AccessKind kind, std::uint64_t va, std::uint64_t bytes);
    /// The same by kernel code.
    void kernel_access(AccessKind kind, std::uint64_t va, std::uint64_t bytes);
    /// Any other record.
    void operation(Operation operation);

    /// Keeps a place for an operation that is not known yet: nothing behind it is handed out until
    /// `fill`, which puts the operation there, or nothing. One place at a time.
    void hold();
    void fill(std::optional<Operation> operation);
    bool is_holding() const { return held_.has_value(); }
    /// Records behind the place that is kept.
    std::size_t waiting() const { return queue_.size() - taken_; }

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

    /// The vCPU that what follows runs on.
    std::uint32_t vcpu() const;
    /// The trace has been read: says what was asked for in vain.
    void finish();

    const ImportOptions& options() const { return options_; }
    const ImportReport& report() const { return report_; }

    /// The next record, valid until the next call; null if there is none yet.
    const TraceItem* next();

private:
    struct Waiting {
        Operation operation{};
        std::uint64_t line{};
        std::optional<std::uint64_t> captured_ns{};
    };

    void enter_process(std::uint64_t id);
    void enter_thread(std::uint64_t id);
    void enter_cpu(std::uint64_t id);
    void settle();
    void add_access(const Access& access);
    void count(const Operation& operation);
    void push(Operation operation) {
        queue_.push_back({std::move(operation), line_, captured_ns_});
    }

    ImportOptions options_{};
    ImportReport report_{};
    std::string file_{};
    std::vector<Waiting> queue_{};
    std::size_t taken_{};
    std::optional<std::size_t> held_{};  ///< which of the queue is a place that is kept
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
