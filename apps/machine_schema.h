#pragma once

// The keys of a machine file in one place: reader, writer, overrides, manual and JSON Schema follow
// these tables.

#include "apps/config_fields.h"
#include "apps/config_override.h"
#include "apps/machine_choices.h"
#include "apps/set_fields.h"
#include "models/machine.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace nestwalk {

/// Levels of paging-structure entries that reference another paging structure.
inline constexpr std::array<Keyword<int>, 4> kEntryLevelWords{
    {{"pde", 2}, {"pdpte", 3}, {"pml4e", 4}, {"pml5e", 5}}};
/// Levels of leaves, by the size of page that they map.
inline constexpr std::array<Keyword<int>, 3> kPageLevelWords{{{"4K", 1}, {"2M", 2}, {"1G", 3}}};
inline constexpr std::array<Keyword<Vendor>, 2> kVendorWords{
    {{"intel", Vendor::kIntel}, {"amd", Vendor::kAmd}}};
inline constexpr std::array<Keyword<IndexHash>, 2> kIndexWords{
    {{"linear", IndexHash::kLinear}, {"xor-fold", IndexHash::kXorFold}}};
inline constexpr std::array<Keyword<CombinedTarget>, 2> kCombinedTargetWords{
    {{"host-physical", CombinedTarget::kHostPhysical},
     {"guest-physical", CombinedTarget::kGuestPhysical}}};

inline constexpr std::uint64_t kMostArrayEntries = std::uint64_t{1} << 20;
/// There are 4096 PCIDs, one of which is the current one.
inline constexpr std::uint64_t kMostPcidsKept = 4095;

/// A key that lists what an array holds, by page size or by level of entry.
struct HoldingKey {
    std::string_view key{};
    MappingClass mapping_class{};
    std::string_view meaning{};  ///< as docs/machines.md has it

    bool by_page_size() const {
        return mapping_class == MappingClass::kTranslation ||
               mapping_class == MappingClass::kNestedTranslation;
    }
};

/// A top-level key that stands for hardware arrays: one, or a map of named ones.
struct MachineSection {
    enum class Shape : std::uint8_t { kOneArray, kNamedArrays };

    std::string_view key{};
    Shape shape{};
    std::vector<StructureParameters> MachineParameters::*arrays{};
    std::span<const HoldingKey> holds{};

    bool is_one_array() const { return shape == Shape::kOneArray; }
    /// Guest-physical mappings have no PCID.
    bool keeps_pcids() const;
};

std::span<const MachineSection> machine_sections();
/// Null if `key` is no section.
const MachineSection* find_section(std::string_view key);

/// Top-level keys of a machine file, in its order.
std::span<const KeyForm> machine_key_forms();
std::vector<std::string_view> machine_keys();
/// Those that `--set` may change: what the program calls a machine, and its records of origin, are
/// no settings.
std::vector<std::string_view> settable_keys();
/// Keys of one array of the section: what it can hold, then its geometry.
std::vector<KeyForm> array_key_forms(const MachineSection& section);
std::vector<std::string_view> array_keys(const MachineSection& section);

/// How many levels of keys stand below a top-level key: none below a plain value, two below a
/// section of named arrays.
std::size_t levels_below(std::string_view key);

/// Lays `change` over the machine's document. Its key must be one of the schema, though the
/// document need not have it; a map given for a section or an array changes the keys it names.
/// Throws InputError.
void apply_machine_override(ConfigNode& machine, const Override& change);

}  // namespace nestwalk
