#pragma once

// Where each value of a machine file comes from. Every value has a record; a machine that cannot
// say where a number comes from is refused.

#include "apps/value_form.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

enum class ProvenanceKind : std::uint8_t {
    kDocumented,
    kMeasured,
    kCalibrated,  ///< fitted to a measurement, which is named
    kAssumed,
    kSetByExperiment,  ///< changed by `set` or --set
};

inline constexpr std::array<Keyword<ProvenanceKind>, 5> kProvenanceWords{
    {{"documented", ProvenanceKind::kDocumented},
     {"measured", ProvenanceKind::kMeasured},
     {"calibrated", ProvenanceKind::kCalibrated},
     {"assumed", ProvenanceKind::kAssumed},
     {"set by experiment", ProvenanceKind::kSetByExperiment}}};

/// Keys of a record.
inline constexpr std::array kRecordKeys{
    KeyForm{"keys",
            "dotted keys. A key covers all below it; for each value the longest key wins; `all` "
            "covers what no other key does",
            form_of(ValueForm::Kind::kTexts), "", true},
    KeyForm{"is",
            "`documented` (by the vendor or the processor itself), `measured` (by someone, on such "
            "hardware), `calibrated` (fitted), `assumed` (no source, or a guess)",
            word_form<kProvenanceWords>(), "", true},
    KeyForm{"source", "who says so, or why it is assumed", form_of(ValueForm::Kind::kText), "",
            true},
    KeyForm{"on", "of a calibrated value: the measurement it was fitted to",
            form_of(ValueForm::Kind::kText)}};

struct Provenance {
    ProvenanceKind kind{};
    std::string source{};
    std::string on{};  ///< what a calibrated value was fitted to

    bool operator==(const Provenance&) const = default;
};

/// One value of a machine: `stlb.entries`, `1024`, and where that comes from.
struct ProvenanceEntry {
    std::string path{};
    std::string value{};
    Provenance provenance{};

    bool operator==(const ProvenanceEntry&) const = default;
};

/// The values of a machine in canonical form (as `machine_node` writes it), without name and title.
std::vector<ProvenanceEntry> machine_values(const ConfigNode& canonical);

/// Gives each entry the record of the `provenance` list whose key covers most of its path. Throws
/// InputError for an entry without record, a record that covers nothing, and two records for one
/// key.
void read_provenance(const ConfigValue& list, std::vector<ProvenanceEntry>& entries);

/// The shortest list of records that gives the entries their provenance again.
ConfigNode provenance_node(const std::vector<ProvenanceEntry>& entries);

}  // namespace nestwalk
