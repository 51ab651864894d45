#pragma once

// Which addresses of a process are mapped by large pages, from what Linux says of it:
// /proc/PID/smaps, or the list of tools/mm/page-types (`page-types -p PID -l` or `-L`).

#include "models/system_parameters.h"
#include "traces/input_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct PageSizes {
    /// In ascending order, without overlap; neighbours of one size are one region.
    std::vector<PageRegion> regions{};
    std::uint64_t mappings{};  ///< in the file; of a list of pages 0
    /// Mappings of which only a part has large pages. Which one is not said: they stay small.
    std::uint64_t partly{};
    std::uint64_t partly_large_bytes{};
    std::uint64_t partly_bytes{};
};

/// A mapping of smaps whose KernelPageSize is 2 MiB or 1 GiB has
/// pages of that size; one of 4 KiB has pages of 2 MiB from its first to its last multiple of 2 MiB
/// if AnonHugePages, ShmemPmdMapped and FilePmdMapped are as much as that. Of a list of pages, 512
/// that are in order from multiples of 2 MiB, in memory and in the address space, and flagged as a
/// huge page of either kind, are one of 2 MiB. Throws InputError.
PageSizes read_page_sizes(InputFile file);

}  // namespace nestwalk
