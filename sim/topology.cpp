#include "sim/topology.h"

#include <algorithm>
#include <utility>

namespace nestwalk {
namespace {

using Kind = MachinePart::Kind;
using Group = MachinePart::Group;
using When = MachineEdge::When;
using Parts = std::vector<std::size_t>;

constexpr int kLargestPage = 3;

/// The array as what it is for one class of mapping.
StructureParameters only(MappingClass mapping_class, StructureParameters array) {
    const auto is_other = [mapping_class](const Holding& held) {
        return held.mapping_class != mapping_class;
    };
    array.holds.erase(std::remove_if(array.holds.begin(), array.holds.end(), is_other),
                      array.holds.end());
    return array;
}

class Builder {
public:
    explicit Builder(const MachineParameters& machine) : machine_(machine) {}

    Topology build() {
        add_tlbs();
        add_walker();
        add_caches();
        connect_side(data_, l1_data_, stlb_data_);
        connect_side(fetch_, l1_instruction_, fetches_have_stlb() ? stlb_instruction_ : stlb_data_);
        connect_all(stlb_data_, {walker_});
        connect_all(stlb_instruction_, {walker_});
        connect_walker();
        connect_caches();
        return std::move(topology_);
    }

private:
    bool fetches_have_stlb() const { return !machine_.stlb_instruction.empty(); }

    std::size_t add(MachinePart part) {
        topology_.parts.push_back(std::move(part));
        return topology_.parts.size() - 1;
    }

    void add_arrays(const std::vector<StructureParameters>& arrays, const std::string& section,
                    Kind kind, Group group, Parts& parts) {
        for (const StructureParameters& array : arrays) {
            if (array.entries == 0) continue;
            parts.push_back(
                add({.kind = kind,
                     .group = group,
                     .key = section + array.name,
                     .unasked = "a second-level TLB is asked for pages, and this one holds none",
                     .geometry = only(MappingClass::kTranslation, array)}));
        }
    }

    void add_tlbs() {
        data_ = add({.kind = Kind::kDataSide, .group = Group::kData, .key = "loads and stores"});
        add_arrays(machine_.l1_dtlb, "l1_dtlb.", Kind::kL1Tlb, Group::kData, l1_data_);
        fetch_ = add({.kind = Kind::kInstructionSide,
                      .group = Group::kInstruction,
                      .key = "instruction fetches"});
        add_arrays(machine_.l1_itlb, "l1_itlb.", Kind::kL1Tlb, Group::kInstruction,
                   l1_instruction_);
        add_arrays(machine_.stlb, "", Kind::kStlb,
                   fetches_have_stlb() ? Group::kData : Group::kBothSides, stlb_data_);
        add_arrays(machine_.stlb_instruction, "", Kind::kStlb, Group::kInstruction,
                   stlb_instruction_);
    }

    /// The arrays, of any section, that hold mappings which only walks ask for.
    void add_walker() {
        walker_ = add({.kind = Kind::kPageWalker, .group = Group::kWalker, .key = "page walker"});
        add_walk_caches(MappingClass::kPagingStructure, Kind::kPagingStructureCache,
                        "paging_structures", structure_caches_);
        add_walk_caches(MappingClass::kNestedTranslation, Kind::kNestedTlb, "nested", nested_tlbs_);
        add_walk_caches(MappingClass::kNestedPagingStructure, Kind::kGuestPhysicalStructureCache,
                        "nested_paging_structures", guest_physical_caches_);
    }

    /// `key` says in `stlb` and `stlb_1g` what they hold of the class.
    void add_walk_caches(MappingClass mapping_class, Kind kind, const std::string& key,
                         Parts& parts) {
        const auto add_section = [&](const std::vector<StructureParameters>& arrays,
                                     const std::string& section, const std::string& below) {
            for (const StructureParameters& array : arrays) {
                StructureParameters part = only(mapping_class, array);
                if (array.entries == 0 || part.holds.empty()) continue;
                parts.push_back(add({.kind = kind,
                                     .group = Group::kWalker,
                                     .key = (section + array.name).append(below),
                                     .geometry = std::move(part)}));
            }
        };
        const bool second = mapping_class == MappingClass::kNestedPagingStructure;
        add_section(machine_.stlb, "", "." + key);
        add_section(machine_.paging_structure_caches, "paging_structure_caches.",
                    second ? ".nested_levels" : "");
        add_section(machine_.nested_tlb, "nested_tlb.", "");
        add_section(machine_.nested_paging_structure_caches,
                    "guest_physical_paging_structure_caches.", "");
    }

    void add_cache(const CacheParameters& cache, const std::string& name, Group group,
                   Parts& level) {
        if (cache.bytes == 0) return;
        const bool behind = &cache == &machine_.caches.l2 || &cache == &machine_.caches.l3;
        level.push_back(
            add({.kind = Kind::kCache,
                 .group = group,
                 .key = "caches." + name,
                 .unasked = behind ? "is asked through the L1D, and the machine has none" : "",
                 .geometry = cache}));
    }

    void add_caches() {
        const CacheHierarchyParameters& caches = machine_.caches;
        add_cache(caches.l1d, "l1d", Group::kMemory, l1d_);
        add_cache(caches.l1i, "l1i", Group::kInstruction, l1i_);
        add_cache(caches.l2, "l2", Group::kMemory, l2_);
        add_cache(caches.l3, "l3", Group::kMemory, l3_);
        memory_ = {add({.kind = Kind::kMemory, .group = Group::kMemory, .key = "memory"})};
    }

    void connect(std::size_t from, std::size_t to, int page_level) {
        std::vector<MachineEdge>& edges = topology_.edges;
        const auto found = std::find_if(edges.begin(), edges.end(), [&](const MachineEdge& edge) {
            return edge.from == from && edge.to == to;
        });
        if (found != edges.end()) {
            found->page_levels.push_back(page_level);
        } else {
            edges.push_back({from, to, When::kAlways, {page_level}});
        }
    }

    void connect_all(const Parts& from, const Parts& to, When when = When::kAlways) {
        for (const std::size_t asking : from)
            for (const std::size_t asked : to) topology_.edges.push_back({asking, asked, when, {}});
    }

    bool holds(std::size_t part, int level) const {
        const auto& holds = std::get<StructureParameters>(topology_.parts[part].geometry).holds;
        return std::any_of(holds.begin(), holds.end(),
                           [level](const Holding& held) { return held.level == level; });
    }

    /// A page goes into the first-level array for its size, or as a piece into that for the next
    /// smaller one: that array is who asks for it.
    void connect_side(std::size_t side, const Parts& first, const Parts& second) {
        for (int page = 1; page <= kLargestPage; ++page) {
            std::size_t asking = side;
            for (int level = 1; level <= page; ++level)
                for (const std::size_t tlb : first)
                    if (holds(tlb, level)) asking = tlb;
            if (asking != side && holds(asking, page)) connect(side, asking, page);
            bool asked = false;
            for (const std::size_t tlb : second) {
                if (!holds(tlb, page)) continue;
                connect(asking, tlb, page);
                asked = true;
            }
            if (!asked) connect(asking, walker_, page);
        }
    }

    /// A walk asks the paging-structure caches, then reads entries. A nested walk first translates
    /// where each of the guest's entries is.
    void connect_walker() {
        const Parts& reads = l1d_.empty() ? memory_ : l1d_;
        Parts last{walker_};
        if (!structure_caches_.empty()) {
            connect_all(last, structure_caches_);
            last = structure_caches_;
        }
        connect_all(last, reads);
        bool nested = false;
        for (const Parts& next : {nested_tlbs_, guest_physical_caches_}) {
            if (next.empty()) continue;
            connect_all(last, next, When::kNestedPaging);
            last = next;
            nested = true;
        }
        if (nested) connect_all(last, reads, When::kNestedPaging);
    }

    /// Lines that the L1D lacks come from the L2, those from the L3, those from memory; of these
    /// levels the machine may lack any. Nothing comes to loads and walks but through the L1D.
    void connect_caches() {
        const Parts& beyond_l2 = l3_.empty() ? memory_ : l3_;
        const Parts& beyond_l1 = l2_.empty() ? beyond_l2 : l2_;
        connect_all({data_}, l1d_.empty() ? memory_ : l1d_);
        connect_all({fetch_}, l1i_.empty() ? beyond_l1 : l1i_);
        connect_all(l1d_, beyond_l1);
        connect_all(l1i_, beyond_l1);
        connect_all(l2_, beyond_l2);
        connect_all(l3_, memory_);
    }

    const MachineParameters& machine_;
    Topology topology_{};
    std::size_t data_{};
    std::size_t fetch_{};
    std::size_t walker_{};
    Parts l1_data_{};
    Parts l1_instruction_{};
    Parts stlb_data_{};
    Parts stlb_instruction_{};
    Parts structure_caches_{};
    Parts nested_tlbs_{};
    Parts guest_physical_caches_{};
    // Each has one part or none.
    Parts l1d_{};
    Parts l1i_{};
    Parts l2_{};
    Parts l3_{};
    Parts memory_{};
};

}  // namespace

Topology topology_of(const MachineParameters& machine) { return Builder(machine).build(); }

}  // namespace nestwalk
