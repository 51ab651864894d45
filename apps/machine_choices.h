#pragma once

// The flat sections of a machine file: keys with a switch, a word, a number or a latency each, as
// one table a section. Reader, writer, overrides and reports follow the tables, and
// docs/machines.md has their rows.

#include "apps/config_fields.h"
#include "apps/machine_file.h"
#include "apps/value_form.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
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

/// One key of a flat section.
struct ChoiceKey {
    std::string_view key{};
    std::string_view meaning{};  ///< as docs/machines.md has it
    ValueForm form{};
    void (*read)(const ConfigValue& value, Machine& machine){};
    ConfigNode (*write)(const Machine& machine){};
    bool required{};             ///< where the section is given at all
    std::string_view same_as{};  /// an earlier key of the section, whose value it has if not given
};

struct ChoiceSection {
    enum class Absence : std::uint8_t {
        kOff,       ///< the section may be `off`, as it is if not given
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
void read_choices(const ConfigFields& machine_file, const ChoiceSection& section, Machine& machine);
/// All keys of the section, or `off` where it may be off and is.
ConfigNode choices_node(const Machine& machine, const ChoiceSection& section);

/// The meaning with the range of numbers: "page walks at a time, 1 to 64".
std::string meaning_words(const ChoiceKey& key);

/// What a key that is not given has, for people: "required", "as `invlpg`", "`off`".
std::string default_words(const ChoiceKey& key);

}  // namespace nestwalk
