#pragma once

// FreeBSD on amd64 (sys/amd64/amd64/pmap.c, whose comment before pmap_invalidate_ept() sums it up):
// which instructions a flush or a context switch is made of.

#include "models/machine.h"
#include "models/os_parameters.h"
#include "models/os_place.h"

#include <cstddef>

namespace nestwalk {

class FreeBsdPolicy {
public:
    FreeBsdPolicy(const OsParameters& parameters, const Features& features)
        : parameters_(parameters), features_(features) {}

    // As LinuxPolicy's.
    void start(const OsPlace& at) const;
    void enter_kernel(const OsPlace& at, OsProgram& program) const;
    void return_to_user(const OsPlace& at, OsProgram& program) const;
    void switch_to(const OsPlace& at, std::size_t space, OsProgram& program) const;
    void start_kernel_thread(const OsPlace& at, OsProgram& program) const;
    bool is_whole(const FlushedRange& range) const;
    void note(const OsPlace& at, const FlushRequest& request) const;
    bool may_owe(const OsPlace&) const { return true; }
    void flush_local(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void broadcast(const OsPlace&, const FlushRequest&, OsProgram&) const {}
    bool is_target(const OsPlace& at, const FlushRequest& request) const;
    void flush_remote(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void sent(const OsPlace&, const FlushRequest&, OsProgram&) const {}

private:
    enum class Cached : std::uint8_t { kNo, kYes };

    static FreeBsdCpu& cpu_of(const OsPlace& at);
    static FreeBsdCpu::SpacePcid& pcid_entry(const OsPlace& at, std::size_t space);
    static Pcid kernel_pcid(const OsPlace& at);
    static Pcid user_pcid(const OsPlace& at);
    bool user_pcids(const OsPlace& at) const { return parameters_.pti && at.pcids(); }
    Cached allocate(const OsPlace& at, std::size_t space) const;
    void flush_kernel(const OsPlace& at, const FlushRequest& request, OsProgram& program) const;
    void flush_space(const OsPlace& at, OsProgram& program) const;
    void flush_pages(const OsPlace& at, const FlushedRange& range, OsProgram& program) const;

    OsParameters parameters_;
    Features features_;
};

}  // namespace nestwalk
