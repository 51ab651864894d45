#pragma once

// A machine as a graph: its parts, and which part asks which when it does not have the answer. It
// is checked once, when a machine is read, tells in which order to build the parts, and is what
// `nestwalk show machine NAME --dot` draws. No run looks at it.

#include "models/machine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nestwalk {

/// One part. An array that holds mappings of several classes, as the STLB of Zen does, is a part
/// for each: it is asked at several points of a walk.
struct MachinePart {
    enum class Kind : std::uint8_t {
        kDataSide,         ///< loads and stores begin here
        kInstructionSide,  ///< fetches begin here
        kL1Tlb,
        kStlb,
        kPageWalker,
        kPagingStructureCache,
        kNestedTlb,
        kGuestPhysicalStructureCache,
        kCache,
        kMemory,
    };
    /// What it belongs to. All but those of the instruction side serve loads and stores.
    enum class Group : std::uint8_t { kData, kInstruction, kBothSides, kWalker, kMemory };

    Kind kind{};
    Group group{};
    /// Unique: where a machine file says what is special to this part, as "l1_dtlb.dtlb_4k" or
    /// "stlb.nested"; a few words for a part that every machine has.
    std::string key{};
    std::string unasked{};  ///< why, where nothing asks it; may be empty
    /// Of an array: what it holds as this part.
    std::variant<std::monostate, StructureParameters, CacheParameters> geometry{};
};

/// What `from` asks if it has no answer itself, or to go on once it has one.
struct MachineEdge {
    enum class When : std::uint8_t { kAlways, kNestedPaging };

    std::size_t from{};
    std::size_t to{};
    When when{};
    std::vector<int> page_levels{};  ///< between TLBs: of the pages it asks for; 1 = 4K

    bool operator==(const MachineEdge&) const = default;
};

struct Topology {
    std::vector<MachinePart> parts{};
    std::vector<MachineEdge> edges{};
};

/// What makes a topology impossible. `key` is that of the part it is about, or empty.
struct TopologyError {
    std::string key{};
    std::string message{};

    bool operator==(const TopologyError&) const = default;
};

Topology topology_of(const MachineParameters& machine);

/// Nothing where the parts fit together: none comes to ask itself, there is one memory, each part
/// leads there, and loads and stores lead to each part, fetches to those of the instruction side.
std::optional<TopologyError> topology_error(const Topology& topology);

/// All parts, each after those that it asks. The topology must be free of errors.
std::vector<std::size_t> elaboration_order(const Topology& topology);

}  // namespace nestwalk
