// Records that use memory or time: load, store, fetch, compute, fences, rdtsc.

#include "traces/text_records.h"
#include "traces/values.h"

namespace nestwalk {
namespace {

constexpr NumberKind kLoadsBack{"which of the loads before, 1 to 8", 1, kFarthestDependence};
constexpr NumberKind kAccessBytes{"a size in bytes, 1 to 4096", 1, 4096};

template <AccessKind kKind>
Operation parse_access(Fields& fields) {
    Access access{.kind = kKind, .va = va_argument(fields)};
    if (fields.one_flag({"user", "kernel"}) == "kernel") access.privilege = Privilege::kKernel;
    if (fields.flag("dep")) access.dependence = Dependence::kOnPreviousLoad;
    if (const Word* word = fields.key("dep")) {
        access.dependence = Dependence::kOnPreviousLoad;
        access.loads_back = static_cast<std::uint8_t>(number(fields, *word, kLoadsBack));
    }
    if (const Word* word = fields.key("size")) access.bytes = number(fields, *word, kAccessBytes);
    if (const Word* word = fields.key("count")) access.count = number(fields, *word, kCount);
    if (const Word* word = fields.key("stride")) access.stride = number(fields, *word, kAnyNumber);
    return access;
}

Operation parse_compute(Fields& fields) {
    return Compute{number(fields, fields.argument("a number of core cycles"), kAnyNumber)};
}

Operation parse_mfence(Fields&) { return Fence{FenceKind::kMfence}; }
Operation parse_lfence(Fields&) { return Fence{FenceKind::kLfence}; }

Operation parse_rdtsc(Fields& fields) { return ReadTimeStamp{fields.flag("fenced")}; }

constexpr TextRecord kRecords[]{
    {"load", parse_access<AccessKind::kLoad>},
    {"store", parse_access<AccessKind::kStore>},
    {"fetch", parse_access<AccessKind::kFetch>},
    {"compute", parse_compute},
    {"mfence", parse_mfence},
    {"lfence", parse_lfence},
    {"rdtsc", parse_rdtsc},
};

}  // namespace

TextRecords access_records() { return kRecords; }

}  // namespace nestwalk
