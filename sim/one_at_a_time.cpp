#include "sim/one_at_a_time.h"

#include <algorithm>
#include <array>

namespace nestwalk {
namespace {

struct Told {
    OneAtATime reason{};
    const char* name{};
    const char* words{};
};

constexpr std::array kTold{
    Told{OneAtATime::kNone, "", ""},
    Told{OneAtATime::kNotWanted, "not-wanted", "it was asked for"},
    Told{OneAtATime::kAccessLog, "access-log", "each is logged"},
    Told{OneAtATime::kExpectations, "expectations", "expectations are checked"},
    Told{OneAtATime::kOtherClock, "cycle-engine", "the cycle engine keeps the time"},
    Told{OneAtATime::kCachedData, "cached-data", "the data caches hold what accesses reference"},
    Told{OneAtATime::kUnboundedArrays, "unbounded-arrays", "the machine has arrays without bounds"},
    Told{OneAtATime::kCoalescing, "coalescing", "the machine coalesces pages"},
    Told{OneAtATime::kSharedStorage, "shared-storage",
         "one array of the machine holds entries of several kinds"},
    Told{OneAtATime::kSeveralArrays, "several-arrays",
         "several arrays of the machine hold entries of one kind and size"},
    Told{OneAtATime::kOddSets, "odd-number-of-sets",
         "the sets of one array of the machine are no power of two"},
    Told{OneAtATime::kFewAccesses, "few-accesses", "few accesses follow one another"},
    Told{OneAtATime::kExplained, "explained", "the trace has them explained"},
    Told{OneAtATime::kWide, "wide-access",
         "an access has more than 512 bytes or an address of more than 48 bits"},
    Told{OneAtATime::kWithoutPaging, "no-paging", "paging is off"},
    Told{OneAtATime::kPolicy, "os-policy", "the operating system does something before the access"},
    Told{OneAtATime::kNotMapped, "not-mapped", "a page is not mapped"},
    Told{OneAtATime::kAccessedOrDirty, "accessed-dirty", "an A bit is to be set"},
    Told{OneAtATime::kRights, "rights", "rights refuse the access, or a D bit is to be set"},
    Told{OneAtATime::kStale, "stale-entries", "cached entries are not what the tables say"},
    Told{OneAtATime::kPieces, "pieces", "an access crosses pieces of a page"},
    Told{OneAtATime::kDirectoryFull, "directory-full", "too many pages are remembered"},
};

const Told& told(OneAtATime reason) {
    return *std::find_if(kTold.begin(), kTold.end(),
                         [&](const Told& each) { return each.reason == reason; });
}

}  // namespace

const char* name_of(OneAtATime reason) { return told(reason).name; }
const char* words_for(OneAtATime reason) { return told(reason).words; }

}  // namespace nestwalk
