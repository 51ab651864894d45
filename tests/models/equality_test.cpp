// Loops collapse where two states are equal, and an experiment is read back where two parameter
// sets are: every field must tell, bookkeeping alone must not.
#include "models/machine.h"
#include "models/mapping.h"
#include "models/selection.h"
#include "models/system_parameters.h"
#include "models/system_state.h"
#include "models/unbounded.h"
#include "tests/models/machines.h"

#include <functional>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

template <typename Value>
using Changes = std::vector<std::function<void(Value&)>>;

/// Each change by itself makes a value that differs from `same`, and from every other one.
template <typename Value>
void each_tells(const Value& same, const Changes<Value>& changes) {
    CHECK(same == Value(same));
    for (std::size_t index = 0; index < changes.size(); ++index) {
        INFO("change ", index);
        Value changed = same;
        changes[index](changed);
        CHECK_FALSE(changed == same);
        CHECK_FALSE(same == changed);
        CHECK(changed == Value(changed));
    }
}

TEST_SUITE("equality") {
    TEST_CASE("every field of a mapping but its bookkeeping tells two mappings apart") {
        each_tells<Mapping>({}, {[](Mapping& m) { m.key.page = 1; },
                                 [](Mapping& m) { m.key.ep4ta = Ep4ta(1); },
                                 [](Mapping& m) { m.key.context = 1; },
                                 [](Mapping& m) { m.key.pcid = Pcid(1); },
                                 [](Mapping& m) { m.key.kind = MappingKind::kCombined; },
                                 [](Mapping& m) { m.key.role = MappingRole::kPagingStructure; },
                                 [](Mapping& m) { m.key.level = 2; },
                                 [](Mapping& m) { m.key.span = 2; },
                                 [](Mapping& m) { m.target = 1; },
                                 [](Mapping& m) { m.guest_target = 1; },
                                 [](Mapping& m) { m.rights.writable = false; },
                                 [](Mapping& m) { m.rights.user = false; },
                                 [](Mapping& m) { m.rights.no_execute = true; },
                                 [](Mapping& m) { m.rights.host_readable = false; },
                                 [](Mapping& m) { m.rights.host_writable = false; },
                                 [](Mapping& m) { m.rights.host_executable = false; },
                                 [](Mapping& m) { m.global = true; },
                                 [](Mapping& m) { m.dirty = true; },
                                 [](Mapping& m) { m.host_dirty = true; },
                                 [](Mapping& m) { m.whole_level = 2; },
                                 [](Mapping& m) { m.effective_level = 2; }});
        Mapping verified;
        verified.bookkeeping = {.filled_by = {7}, .verified = 8};
        CHECK(verified == Mapping{});
        CHECK(verified.digest() == Mapping{}.digest());
    }

    TEST_CASE("an unbounded array that would find another entry first is another state") {
        Mapping first;
        first.global = true;
        Mapping second = first;
        second.key.pcid = Pcid(1);
        const auto holding = [](const Mapping& one, const Mapping& other) {
            Unbounded<Mapping> array;
            array.insert(0, 1, {}, one, [](const Mapping&) {});
            array.insert(0, 1, {}, other, [](const Mapping&) {});
            return array;
        };
        CHECK(holding(first, second) == holding(first, second));
        CHECK_FALSE(holding(first, second) == holding(second, first));
        CHECK_FALSE(holding(first, second) == Unbounded<Mapping>());
    }

    TEST_CASE("every field of a selection tells, so that a pending broadcast is itself") {
        each_tells<Selection>(
            {}, {[](Selection& s) { s.linear = true; }, [](Selection& s) { s.combined = true; },
                 [](Selection& s) { s.guest_physical = true; },
                 [](Selection& s) { s.translations = true; },
                 [](Selection& s) { s.paging_structures = true; },
                 [](Selection& s) { s.globals = GlobalRule::kDropAnyPcid; },
                 [](Selection& s) { s.context = std::uint16_t{0}; },
                 [](Selection& s) { s.spare_context_zero = true; },
                 [](Selection& s) { s.pcid = Pcid(0); }, [](Selection& s) { s.ep4ta = Ep4ta(0); },
                 [](Selection& s) { s.address = 0; },
                 [](Selection& s) { s.address_rule = AddressRule::kPiece; }});
    }

    TEST_CASE("every field of an array's parameters tells") {
        each_tells<StructureParameters>(
            {}, {[](StructureParameters& p) { p.name = "a"; },
                 [](StructureParameters& p) { p.entries = 1; },
                 [](StructureParameters& p) { p.ways = 1; },
                 [](StructureParameters& p) { p.index = IndexHash::kXorFold; },
                 [](StructureParameters& p) { p.replacement = ReplacementPolicy::kNru; },
                 [](StructureParameters& p) { p.seed = 2; },
                 [](StructureParameters& p) { p.pcids_kept = 2; },
                 [](StructureParameters& p) { p.holds = {Holding{}}; }});
        each_tells<Holding>({},
                            {[](Holding& h) { h.mapping_class = MappingClass::kPagingStructure; },
                             [](Holding& h) { h.level = 2; }, [](Holding& h) { h.ways.first = 1; },
                             [](Holding& h) { h.ways.count = 1; }});
    }

    TEST_CASE("every option of a machine tells") {
        using M = MachineParameters;
        each_tells<M>({}, {[](M& m) { m.name = "a"; },
                           [](M& m) { m.title = "a"; },
                           [](M& m) { m.vendor = Vendor::kAmd; },
                           [](M& m) { m.l1_dtlb.resize(1); },
                           [](M& m) { m.l1_itlb.resize(1); },
                           [](M& m) { m.stlb.resize(1); },
                           [](M& m) { m.stlb_instruction.resize(1); },
                           [](M& m) { m.paging_structure_caches.resize(1); },
                           [](M& m) { m.nested_tlb.resize(1); },
                           [](M& m) { m.nested_paging_structure_caches.resize(1); },
                           [](M& m) { m.combined_target = CombinedTarget::kGuestPhysical; },
                           [](M& m) { m.fracture.full_flush = true; },
                           [](M& m) { m.fracture.model = FractureModel::kExact; },
                           [](M& m) { m.fracture.scope = FractureScope::kEverything; },
                           [](M& m) { m.fracture.globals = !m.fracture.globals; },
                           [](M& m) { m.fracture.invpcid = true; },
                           [](M& m) { m.fracture.invvpid = true; },
                           [](M& m) { m.smash_1g.enabled = true; },
                           [](M& m) { m.smash_1g.full_flush = true; },
                           [](M& m) { m.coalescing = Coalescing::kFourPages; },
                           [](M& m) { m.features.invpcid = false; },
                           [](M& m) { m.features.invlpgb = false; }});
        using C = InvalidationChoices;
        each_tells<C>(
            {},
            {[](C& c) { c.smep_and_pae = ForeignGlobals::kKeep; },
             [](C& c) { c.page_fault = ForeignGlobals::kKeep; },
             [](C& c) { c.invpcid_address = StructureReach::kPcid; },
             [](C& c) { c.amd_invlpg = StructureReach::kPath; },
             [](C& c) { c.amd_smep_flushes = false; }, [](C& c) { c.amd_efer_flushes = false; },
             [](C& c) { c.intel_efer_flushes = true; }, [](C& c) { c.tlb_control_7_nested = true; },
             [](C& c) { c.nested_page_fault_drops = false; },
             [](C& c) { c.remote_invlpgb = RemoteInvlpgb::kAtTlbsync; }});
    }

    TEST_CASE("every parameter of a system tells") {
        using P = SystemParameters;
        ControlFlags smep;
        smep.set(ControlFlag::kSmep);
        each_tells<P>(
            {},
            {[](P& p) { p.paging = Paging::kShadow; }, [](P& p) { p.guest.levels = 5; },
             [](P& p) { p.guest.page_size = PageSize::k1G; }, [](P& p) { p.guest.global = true; },
             [](P& p) { p.guest.regions = {PageRegion{}}; }, [](P& p) { p.host.levels = 5; },
             [](P& p) { p.host.page_size = PageSize::k2M; },
             [](P& p) { p.host.accessed_dirty = true; }, [](P& p) { p.host.holes = {HostHole{}}; },
             [](P& p) { p.pcid = true; }, [](P& p) { p.vpid = false; },
             [](P& p) { p.demand = Demand::kFault; }, [](P& p) { p.accessed_dirty_preset = false; },
             [&](P& p) { p.initial_cr4.set = smep; }, [&](P& p) { p.initial_cr4.clear = smep; },
             [](P& p) { p.vcpus = 2; }});
        each_tells<PageRegion>({},
                               {[](PageRegion& r) { r.at = 1; }, [](PageRegion& r) { r.bytes = 1; },
                                [](PageRegion& r) { r.page_size = PageSize::k2M; }});
        each_tells<HostHole>({}, {[](HostHole& h) { h.at = 1; }, [](HostHole& h) { h.bytes = 1; }});
    }

    TEST_CASE("every part of a system's state tells") {
        SystemState state;
        state.vcpus.push_back({.mmu = Mmu(exact_machine())});
        state.vcpus.front().registers.resize(1);
        state.software.resize(1);
        state.software.front().spaces.resize(1);
        state.host_tables.resize(1);
        ControlFlags wp;
        wp.set(ControlFlag::kWp);
        using S = SystemState;
        each_tells<S>(state, {[](S& s) { s.current_cpu = 1; },
                              [](S& s) { s.vcpus.push_back(s.vcpus.front()); },
                              [](S& s) { s.vcpus.front().running = 1; },
                              [](S& s) { s.vcpus.front().last_vm = 1; },
                              [](S& s) { s.vcpus.front().registers.front().space = 1; },
                              [&](S& s) { s.vcpus.front().registers.front().flags = wp; },
                              [](S& s) { s.vcpus.front().pending_broadcasts.resize(1); },
                              [](S& s) { s.software.front().name = "a"; },
                              [](S& s) { s.software.front().memory.write(8, 1); },
                              [](S& s) { s.software.front().frames.take_table(); },
                              [](S& s) { s.software.front().spaces.front().name = "a"; },
                              [](S& s) { s.software.front().spaces.front().pcid = Pcid(1); },
                              [](S& s) { s.software.front().spaces.front().root = 1; },
                              [](S& s) { s.software.front().spaces.front().shadow_root = 1; },
                              [](S& s) { s.software.front().levels = 5; },
                              [](S& s) { s.software.front().vpid = Vpid(1); },
                              [](S& s) { s.software.front().asid = Asid(1); },
                              [](S& s) { s.software.front().host_table = 1; },
                              [](S& s) { s.host_tables.front().name = "a"; },
                              [](S& s) { s.host_tables.front().root = 1; },
                              [](S& s) { s.host_tables.front().accessed_dirty = true; }});
    }
}

}  // namespace
}  // namespace nestwalk::test
