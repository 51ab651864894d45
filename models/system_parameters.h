#pragma once

// The system that a trace runs on: kind of paging, page sizes of both dimensions, tags. Resolved
// and checked, as an experiment gives it.

#include "models/control_flags.h"
#include "models/hypervisor.h"
#include "models/os_parameters.h"
#include "models/page_size.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwalk {

enum class Paging : std::uint8_t { kNative, kNested, kShadow };

/// A stretch of addresses with a page size of its own.
struct PageRegion {
    std::uint64_t at{};
    std::uint64_t bytes{};
    PageSize page_size{};

    bool operator==(const PageRegion&) const = default;
};

/// The tables that the trace's own software writes: the guest's, or the only ones natively.
struct GuestParameters {
    int levels{4};                      ///< 4 or 5
    PageSize page_size{PageSize::k4K};  ///< of pages mapped on first touch
    bool
        global{};  ///< pages mapped on first touch have G set; an operating system has its own rule
    std::vector<PageRegion> regions{};  ///< linear addresses with another page size

    bool operator==(const GuestParameters&) const = default;
};

/// A hole of `bytes` at `at` in the host's large-page mapping: pages of `HostParameters::page_size`
/// that the hole touches are mapped by 4-KiB leaves instead.
struct HostHole {
    std::uint64_t at{};
    std::uint64_t bytes{page_bytes(PageSize::k4K)};

    bool operator==(const HostHole&) const = default;
};

/// The EPT or NPT.
struct HostParameters {
    int levels{4};
    PageSize page_size{PageSize::k4K};
    bool accessed_dirty{};  ///< EPTP bit 6; an NPT always has A and D
    std::vector<HostHole> holes{};

    bool operator==(const HostParameters&) const = default;
};

/// Which accesses occupy the data caches besides page walks.
enum class CachedData : std::uint8_t { kIdeal, kModelled };

/// What the caches hold before the first record.
enum class CacheStart : std::uint8_t {
    kCold,  ///< nothing
    kHot,   ///< as much as the outermost cache can take of what is asked for first
};

/// What happens to a page that nothing has mapped yet when it is accessed.
enum class Demand : std::uint8_t { kMapOnFirstTouch, kFault };

struct SystemParameters {
    Paging paging{};
    GuestParameters guest{};
    HostParameters host{};
    bool pcid{};      ///< CR4.PCIDE at the start
    bool vpid{true};  ///< "enable VPID"
    Demand demand{};
    bool accessed_dirty_preset{true};  ///< software installs entries with A and D set
    ControlWrite initial_cr4{};        ///< over the starting values of the trace format
    CachedData cached_data{};
    CacheStart cache_start{CacheStart::kHot};
    std::uint32_t vcpus{1};
    OsParameters os{};
    HypervisorParameters hypervisor{};

    bool operator==(const SystemParameters&) const = default;
};

}  // namespace nestwalk
