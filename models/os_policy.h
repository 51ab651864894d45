#pragma once

// The operating system of an experiment: one place that knows of which kind it is. It turns what a
// trace says an operating system does into the instructions that one of that kind executes.

#include "models/freebsd_policy.h"
#include "models/linux_policy.h"
#include "models/machine.h"
#include "models/os_parameters.h"
#include "models/os_place.h"

#include <cstddef>
#include <variant>

namespace nestwalk {

class OsPolicy {
public:
    OsPolicy(const OsParameters& parameters, const Features& features);

    bool present() const { return parameters_.kind != OsKind::kNone; }
    const OsParameters& parameters() const { return parameters_; }

    /// A vCPU of an operating system that begins to run, its first space loaded.
    void start(const OsPlace& at) const;
    /// The instructions that lead to code of that privilege from what runs now: none but with
    /// page-table isolation.
    void cross(const OsPlace& at, Privilege to, OsProgram& program) const;
    /// A context switch, in the kernel.
    void switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const;
    void start_kernel_thread(const OsPlace& at, OsProgram& program) const;

    /// A vCPU begins one part of a flush of the space that it has loaded, or of the kernel's half:
    /// the part that is left of the same flush, or a flush of its own. Throws OperationError where
    /// the range makes no sense.
    FlushRequest begin(const OsPlace& at, const FlushedRange& range, FlushPart part) const;
    /// What a vCPU takes part in that is told to flush by one that is not known.
    FlushRequest begin_received(const OsPlace& at, const FlushedRange& range) const;

    // What is executed of it, in the kernel; see LinuxPolicy.
    void broadcast(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void flush_local(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    bool is_target(const OsPlace& at, const FlushRequest& request) const;
    void flush_remote(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void sent(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;

private:
    void require_sensible(const OsPlace& at, const FlushedRange& range) const;
    bool goes_on(const OsPlace& at, const FlushedRange& range, FlushPart part) const;
    FlushRequest ask(const OsPlace& at, const FlushedRange& range) const;

    OsParameters parameters_;
    std::variant<std::monostate, LinuxPolicy, FreeBsdPolicy> kind_{};
};

}  // namespace nestwalk
