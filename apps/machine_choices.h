#pragma once

// The small sections of a machine file: switches and words that fill one structure each, as one
// table a section. Reader, writer, overrides and reports follow the tables.

#include "apps/config_fields.h"
#include "models/machine.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace nestwalk {

inline constexpr std::array<Keyword<FractureModel>, 2> kFractureModelWords{
    {{"sticky", FractureModel::kSticky}, {"exact", FractureModel::kExact}}};
inline constexpr std::array<Keyword<FractureScope>, 3> kFractureScopeWords{
    {{"current-context", FractureScope::kCurrentContext},
     {"current-pcid", FractureScope::kCurrentPcid},
     {"everything", FractureScope::kEverything}}};
inline constexpr std::array<Keyword<Coalescing>, 2> kCoalescingWords{
    {{"off", Coalescing::kNone}, {"four-pages", Coalescing::kFourPages}}};
inline constexpr std::array<Keyword<ForeignGlobals>, 2> kForeignGlobalsWords{
    {{"drop", ForeignGlobals::kDrop}, {"keep", ForeignGlobals::kKeep}}};
inline constexpr std::array<Keyword<StructureReach>, 3> kStructureReachWords{
    {{"path", StructureReach::kPath},
     {"pcid", StructureReach::kPcid},
     {"asid", StructureReach::kAsid}}};
inline constexpr std::array<Keyword<RemoteInvlpgb>, 2> kRemoteInvlpgbWords{
    {{"at-issue", RemoteInvlpgb::kAtIssue}, {"at-tlbsync", RemoteInvlpgb::kAtTlbsync}}};

/// One key of a small section.
struct ChoiceKey {
    std::string_view key{};
    void (*read)(const ConfigValue& value, MachineParameters& machine){};
    ConfigNode (*write)(const MachineParameters& machine){};
};

struct ChoiceSection {
    enum class Absence : std::uint8_t {
        kOff,  ///< the section may be `off`; as a map it must say its first key, which turns it on
        kDefaults,  ///< a key that is not given has its default, as the whole section has
    };

    std::string_view key{};
    Absence absence{};
    std::span<const ChoiceKey> keys{};
};

std::span<const ChoiceSection> choice_sections();
/// Null if `key` is no such section.
const ChoiceSection* find_choice_section(std::string_view key);

/// Changes what the section says; `value` absent: nothing. Throws InputError.
void read_choices(const ConfigFields& machine_file, const ChoiceSection& section,
                  MachineParameters& machine);
/// All keys of the section, or `off` where it may be off and is.
ConfigNode choices_node(const MachineParameters& machine, const ChoiceSection& section);

}  // namespace nestwalk
