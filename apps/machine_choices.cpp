#include "apps/machine_choices.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwalk {

namespace {

template <auto kSection, auto kMember>
constexpr ChoiceKey on_off(std::string_view key) {
    return {
        key,
        [](const ConfigValue& value, MachineParameters& machine) {
            machine.*kSection.*kMember = read_switch(value);
        },
        [](const MachineParameters& machine) { return switch_node(machine.*kSection.*kMember); }};
}

template <auto kSection, auto kMember, const auto& kWords>
constexpr ChoiceKey one_of(std::string_view key) {
    return {key,
            [](const ConfigValue& value, MachineParameters& machine) {
                machine.*kSection.*kMember = read_word(value, kWords);
            },
            [](const MachineParameters& machine) {
                return word_node(word_for(machine.*kSection.*kMember, kWords));
            }};
}

constexpr auto kFracture = &MachineParameters::fracture;
constexpr std::array kFractureKeys{
    on_off<kFracture, &FractureParameters::full_flush>("full_flush"),
    one_of<kFracture, &FractureParameters::model, kFractureModelWords>("model"),
    one_of<kFracture, &FractureParameters::scope, kFractureScopeWords>("scope"),
    on_off<kFracture, &FractureParameters::globals>("globals"),
    on_off<kFracture, &FractureParameters::invpcid>("invpcid"),
    on_off<kFracture, &FractureParameters::invvpid>("invvpid")};

constexpr auto kSmash = &MachineParameters::smash_1g;
constexpr std::array kSmashKeys{on_off<kSmash, &SmashParameters::enabled>("enabled"),
                                on_off<kSmash, &SmashParameters::full_flush>("full_flush")};

constexpr auto kFeatures = &MachineParameters::features;
constexpr std::array kFeatureKeys{on_off<kFeatures, &Features::invpcid>("invpcid"),
                                  on_off<kFeatures, &Features::invlpgb>("invlpgb")};

constexpr auto kInvalidation = &MachineParameters::invalidation;
using Choices = InvalidationChoices;
constexpr std::array kInvalidationKeys{
    one_of<kInvalidation, &Choices::smep_and_pae, kForeignGlobalsWords>("smep_and_pae_globals"),
    one_of<kInvalidation, &Choices::page_fault, kForeignGlobalsWords>("page_fault_globals"),
    one_of<kInvalidation, &Choices::invpcid_address, kStructureReachWords>(
        "invpcid_address_structures"),
    one_of<kInvalidation, &Choices::amd_invlpg, kStructureReachWords>("amd_invlpg_structures"),
    on_off<kInvalidation, &Choices::amd_smep_flushes>("amd_smep_flushes"),
    on_off<kInvalidation, &Choices::amd_efer_flushes>("amd_efer_flushes"),
    on_off<kInvalidation, &Choices::intel_efer_flushes>("intel_efer_flushes"),
    on_off<kInvalidation, &Choices::tlb_control_7_nested>("tlb_control_7_nested"),
    on_off<kInvalidation, &Choices::nested_page_fault_drops>("nested_page_fault_drops"),
    one_of<kInvalidation, &Choices::remote_invlpgb, kRemoteInvlpgbWords>("remote_invlpgb")};

using Absence = ChoiceSection::Absence;
constexpr std::array kSections{
    ChoiceSection{"fracture", Absence::kOff, kFractureKeys},
    ChoiceSection{"smash_1g", Absence::kOff, kSmashKeys},
    ChoiceSection{"features", Absence::kDefaults, kFeatureKeys},
    ChoiceSection{"invalidation", Absence::kDefaults, kInvalidationKeys}};

ConfigNode map_of(const MachineParameters& machine, const ChoiceSection& section) {
    ConfigNode node = map_node();
    for (const ChoiceKey& key : section.keys) node.set(key.key, key.write(machine));
    return node;
}

bool is_default(const ConfigNode& map, const ChoiceSection& section) {
    const MachineParameters defaults{};
    return std::equal(section.keys.begin(), section.keys.end(), map.children.begin(),
                      [&](const ChoiceKey& key, const ConfigNode& written) {
                          return key.write(defaults).text == written.text;
                      });
}

}  // namespace

std::span<const ChoiceSection> choice_sections() { return kSections; }

const ChoiceSection* find_choice_section(std::string_view key) {
    const auto found =
        std::find_if(kSections.begin(), kSections.end(),
                     [&](const ChoiceSection& section) { return section.key == key; });
    return found == kSections.end() ? nullptr : &*found;
}

void read_choices(const ConfigFields& machine_file, const ChoiceSection& section,
                  MachineParameters& machine) {
    const std::optional<ConfigValue> value = machine_file.find(section.key);
    const bool may_be_off = section.absence == Absence::kOff;
    if (!value || (may_be_off && is_off(*value->node))) return;
    std::vector<std::string_view> known;
    for (const ChoiceKey& key : section.keys) known.push_back(key.key);
    const ConfigFields fields(*value, known);
    if (may_be_off) fields.require(section.keys.front().key);
    for (const ChoiceKey& key : section.keys)
        if (const std::optional<ConfigValue> given = fields.find(key.key))
            key.read(*given, machine);
}

ConfigNode choices_node(const MachineParameters& machine, const ChoiceSection& section) {
    ConfigNode node = map_of(machine, section);
    return section.absence == Absence::kOff && is_default(node, section) ? switch_node(false)
                                                                         : node;
}

}  // namespace nestwalk
