#include "apps/machine_choices.h"
#include "apps/choice_keys.h"
#include "apps/timing_section.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwalk {

namespace {

constexpr auto kModels = &Machine::parameters;

constexpr auto kFracture = &MachineParameters::fracture;
constexpr std::array kFractureKeys{
    required(on_off<kModels, kFracture, &FractureParameters::full_flush>(
        "full_flush", "INVLPG empties the TLB while a fractured translation is present")),
    one_of<kFractureModelWords, kModels, kFracture, &FractureParameters::model>(
        "model",
        "`sticky`: a bit that a fractured fill sets and that is cleared when the TLB is emptied; "
        "`exact`: as long as a fractured translation is cached"),
    one_of<kFractureScopeWords, kModels, kFracture, &FractureParameters::scope>(
        "scope",
        "what is emptied: `current-context` (the current VPID, every PCID), `current-pcid`, "
        "`everything`; INVVPID counts as current the VPID that it names, INVPCID the PCID"),
    on_off<kModels, kFracture, &FractureParameters::globals>("globals", "global entries go too"),
    on_off<kModels, kFracture, &FractureParameters::invpcid>("invpcid",
                                                             "INVPCID type 0 does the same"),
    on_off<kModels, kFracture, &FractureParameters::invvpid>("invvpid",
                                                             "INVVPID type 0 does the same")};

constexpr auto kSmash = &MachineParameters::smash_1g;
constexpr std::array kSmashKeys{
    required(on_off<kModels, kSmash, &SmashParameters::enabled>(
        "enabled", "a 1G translation is cached as the 2M piece of the access")),
    on_off<kModels, kSmash, &SmashParameters::full_flush>(
        "full_flush",
        "INVLPG and INVLPGA empty the TLB, of every context, if a piece was cached since it was "
        "last empty")};

constexpr auto kFeatures = &MachineParameters::features;
constexpr std::array kFeatureKeys{
    on_off<kModels, kFeatures, &Features::invpcid>("invpcid", "INVPCID"),
    on_off<kModels, kFeatures, &Features::invlpgb>("invlpgb",
                                                   "INVLPGB and TLBSYNC, which Intel never has"),
    on_off<kModels, kFeatures, &Features::flush_by_asid>(
        "flush_by_asid", "AMD: TLB_CONTROL=3 and 7; without it a VM entry with these fails")};

constexpr auto kInvalidation = &MachineParameters::invalidation;
using Choices = InvalidationChoices;
constexpr std::array kInvalidationKeys{
    one_of<kForeignGlobalsWords, kModels, kInvalidation, &Choices::smep_and_pae>(
        "smep_and_pae_globals",
        "Intel, setting CR4.SMEP and changing CR4.PAE: `drop` or `keep` global translations made "
        "under another PCID"),
    one_of<kForeignGlobalsWords, kModels, kInvalidation, &Choices::page_fault>(
        "page_fault_globals",
        "a page fault on an address: `drop` or `keep` its global translations made under another "
        "PCID"),
    one_of<kStructureReachWords, kModels, kInvalidation, &Choices::invpcid_address>(
        "invpcid_address_structures",
        "paging-structure entries that INVPCID type 0 drops: the `path` that leads to the address, "
        "all of its `pcid`, or all of the `asid` (Intel: VPID)"),
    one_of<kStructureReachWords, kModels, kInvalidation, &Choices::amd_invlpg>(
        "amd_invlpg_structures", "the same for INVLPG on AMD with EFER.TCE clear"),
    on_off<kModels, kInvalidation, &Choices::amd_smep_flushes>(
        "amd_smep_flushes", "setting CR4.SMEP on AMD drops everything of the ASID"),
    on_off<kModels, kInvalidation, &Choices::amd_efer_flushes>(
        "amd_efer_flushes", "changing EFER.NXE on AMD drops everything of every ASID"),
    on_off<kModels, kInvalidation, &Choices::intel_efer_flushes>(
        "intel_efer_flushes", "changing EFER.NXE on Intel drops everything"),
    on_off<kModels, kInvalidation, &Choices::tlb_control_7_nested>(
        "tlb_control_7_nested", "TLB_CONTROL=7 drops guest-physical mappings of the ASID too"),
    on_off<kModels, kInvalidation, &Choices::nested_page_fault_drops>(
        "nested_page_fault_drops",
        "a nested page fault drops what an EPT violation does: mappings of the linear and of the "
        "guest-physical address"),
    one_of<kRemoteInvlpgbWords, kModels, kInvalidation, &Choices::remote_invlpgb>(
        "remote_invlpgb",
        "other vCPUs drop what INVLPGB names at once (`at-issue`), or when the issuing one "
        "executes TLBSYNC (`at-tlbsync`)")};

using Absence = ChoiceSection::Absence;
const std::array kSections{ChoiceSection{"fracture", Absence::kOff, kFractureKeys},
                           ChoiceSection{"smash_1g", Absence::kOff, kSmashKeys},
                           ChoiceSection{"features", Absence::kDefaults, kFeatureKeys},
                           ChoiceSection{"invalidation", Absence::kDefaults, kInvalidationKeys},
                           ChoiceSection{"timing", Absence::kOff, timing_keys()}};

const ChoiceKey& key_named(const ChoiceSection& section, std::string_view name) {
    return *std::find_if(section.keys.begin(), section.keys.end(),
                         [&](const ChoiceKey& key) { return key.key == name; });
}

ConfigNode map_of(const Machine& machine, const ChoiceSection& section) {
    ConfigNode node = map_node();
    for (const ChoiceKey& key : section.keys) node.set(key.key, key.write(machine));
    return node;
}

bool is_default(const ConfigNode& map, const ChoiceSection& section) {
    const Machine defaults{};
    return std::equal(section.keys.begin(), section.keys.end(), map.children.begin(),
                      [&](const ChoiceKey& key, const ConfigNode& written) {
                          return key.write(defaults).text == written.text;
                      });
}

// Keys stand in the table after those whose value they may have, so these are settled by then.
void read_keys(const ConfigFields& fields, const ChoiceSection& section, Machine& machine) {
    for (const ChoiceKey& key : section.keys) {
        if (key.required) fields.require(key.key);
        if (const std::optional<ConfigValue> given = fields.find(key.key)) {
            key.read(*given, machine);
        } else if (!key.same_as.empty()) {
            const ConfigNode same = key_named(section, key.same_as).write(machine);
            key.read({&same, join_path(section.key, key.key)}, machine);
        }
    }
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
                  Machine& machine) {
    const std::optional<ConfigValue> value = machine_file.find(section.key);
    const bool may_be_off = section.absence == Absence::kOff;
    if (!value || (may_be_off && is_off(*value->node))) return;
    std::vector<std::string_view> known;
    for (const ChoiceKey& key : section.keys) known.push_back(key.key);
    if (may_be_off && !value->node->is_map())
        reject(*value, "off, or a map with keys such as " + std::string(known.front()));
    read_keys(ConfigFields(*value, known), section, machine);
}

ConfigNode choices_node(const Machine& machine, const ChoiceSection& section) {
    ConfigNode node = map_of(machine, section);
    return section.absence == Absence::kOff && is_default(node, section) ? switch_node(false)
                                                                         : node;
}

std::string meaning_words(const ChoiceKey& key) {
    std::string words(key.meaning);
    if (key.form.kind == ValueForm::Kind::kNumber)
        words += ", " + std::to_string(key.form.range.least) + " to " +
                 std::to_string(key.form.range.most);
    return words;
}

std::string default_words(const ChoiceKey& key) {
    if (key.required) return "required";
    if (!key.same_as.empty()) return "as `" + std::string(key.same_as) + "`";
    return '`' + key.write(Machine{}).text + '`';
}

}  // namespace nestwalk
