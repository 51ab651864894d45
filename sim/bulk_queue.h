#pragma once

// Accesses of a trace's records that wait to be translated together, and where each was written.

#include "traces/packed_access.h"
#include "traces/record.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwalk {

/// Where a record stands in its trace.
struct RecordPlace {
    std::uint64_t line{};
    std::uint64_t column{};
};

class BulkQueue {
public:
    /// True if the accesses of the record can be packed, each.
    static bool takes(const Access& access);

    bool empty() const { return accesses_.empty(); }
    std::size_t size() const { return accesses_.size(); }
    std::span<const PackedAccess> accesses() const { return accesses_; }
    RecordPlace place_of(std::size_t index) const;

    /// One access of a record.
    void add(const PackedAccess& access, RecordPlace place);
    void clear();

private:
    struct From {
        std::size_t index{};
        RecordPlace place{};
    };

    std::vector<PackedAccess> accesses_{};
    std::vector<From> places_{};  ///< where accesses of another record begin
};

}  // namespace nestwalk
