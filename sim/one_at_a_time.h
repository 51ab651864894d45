#pragma once

// Why an access did not go through the cascade (sim/cascade.h), for those who want to know.

#include <cstdint>

namespace nestwalk {

enum class OneAtATime : std::uint8_t {
    kNone,
    // The whole replay.
    kNotWanted,
    kAccessLog,
    kExpectations,
    kOtherClock,
    kCachedData,
    // The machine.
    kUnboundedArrays,
    kCoalescing,
    kSharedStorage,
    kSeveralArrays,
    kOddSets,
    // The access, or the accesses around it.
    kFewAccesses,
    kExplained,
    kWide,
    kWithoutPaging,
    kPolicy,
    kNotMapped,
    kAccessedOrDirty,
    kRights,
    kStale,
    kPieces,
    kDirectoryFull,  ///< nobody outside the cascade sees it
};

/// For programs: "access-log", "no-paging"; "" for kNone.
const char* name_of(OneAtATime reason);
/// For people, after "one at a time, because".
const char* words_for(OneAtATime reason);

}  // namespace nestwalk
