#include "apps/timing_section.h"
#include "apps/choice_keys.h"

#include <optional>

namespace nestwalk {

namespace {

constexpr std::uint32_t kMostMhz = 10'000;
constexpr std::uint32_t kMostIssueWidth = 16;
constexpr std::uint32_t kMostPorts = 8;
constexpr std::uint32_t kMostReorderEntries = 4096;
constexpr std::uint32_t kMostOutstandingMisses = 256;
constexpr std::uint32_t kMostWalkers = 64;
/// Of one latency, whatever the ratio of the clocks: what the longest one has in nanoseconds at the
/// fastest clock.
constexpr Cycles kMostCycles = Cycles::whole(kMostLatency * kMostMhz / 1000);

using Timing = TimingParameters;
using Costs = InstructionCosts;
constexpr auto kTiming = &Machine::timing;
constexpr auto kBare = &Timing::bare;
constexpr auto kGuest = &Timing::guest;

// That the section is a map, of which this key is always one, is what turns timing on.
constexpr ChoiceKey core_mhz() {
    ChoiceKey key = number<1, kMostMhz, kTiming, &Timing::core_mhz>(
        "core_mhz", "clock of the core, in MHz; cycles are its cycles");
    key.read = [](const ConfigValue& value, Machine& machine) {
        machine.timing.core_mhz = static_cast<std::uint32_t>(read_unsigned(value, {1, kMostMhz}));
        machine.timing.enabled = true;
    };
    return required(key);
}

constexpr std::array kKeys{
    core_mhz(),
    required(number<1, kMostMhz, kTiming, &Timing::tsc_mhz>(
        "tsc_mhz", "clock of the time-stamp counter, in MHz")),
    required(number<1, kMostIssueWidth, kTiming, &Timing::issue_width>(
        "issue_width", "instructions dispatched a cycle")),
    required(number<1, kMostPorts, kTiming, &Timing::load_ports>("load_ports",
                                                                 "loads that can start a cycle")),
    required(number<1, kMostPorts, kTiming, &Timing::store_ports>("store_ports",
                                                                  "stores that can start a cycle")),
    required(number<1, kMostReorderEntries, kTiming, &Timing::reorder_entries>(
        "reorder_entries", "instructions in flight")),
    required(number<1, kMostOutstandingMisses, kTiming, &Timing::outstanding_misses>(
        "outstanding_misses", "lines of data on their way to the L1D")),

    required(number<1, kMostWalkers, kTiming, &Timing::walkers>("walkers", "page walks at a time")),
    required(latency<kTiming, &Timing::stlb>("stlb_latency",
                                             "look-up of the STLB, beyond that of an L1 TLB")),
    required(latency<kTiming, &Timing::walk>("walk_latency",
                                             "of a page walk, without its look-ups and reads")),
    on_off<kTiming, &Timing::walker_holds_stlb_lookup>(
        "walker_holds_stlb_lookup",
        "a walk that follows a look-up of the STLB holds its walker from the start of the look-up"),
    latency<kTiming, &Timing::paging_structure_cache>("paging_structure_cache_latency",
                                                      "one look-up of the paging-structure caches"),
    latency<kTiming, &Timing::nested_tlb>("nested_tlb_latency", "one look-up of the nested TLB"),
    latency<kTiming, &Timing::guest_physical_paging_structure_cache>(
        "guest_physical_paging_structure_cache_latency",
        "one look-up of the guest-physical paging-structure caches"),
    latency<kTiming, &Timing::accessed_dirty>("accessed_dirty_latency",
                                              "setting one A or D flag, beyond reading the entry"),

    required(latency<kTiming, &Timing::l1d>("l1d_latency", "of a line found in the L1D or L1I")),
    latency<kTiming, &Timing::l2>("l2_latency",
                                  "of a line found in the L2; required where the machine has one"),
    latency<kTiming, &Timing::l3>("l3_latency",
                                  "of a line found in the L3; required where the machine has one"),
    required(latency<kTiming, &Timing::memory>("memory_latency", "of a line found in memory")),
    latency<kTiming, &Timing::line_interval>("line_interval",
                                             "least time between two lines that come to the L1D"),

    required(latency<kTiming, kBare, &Costs::invlpg>("invlpg", "INVLPG")),
    required(latency<kTiming, kBare, &Costs::mov_cr3>("mov_cr3", "MOV to CR3, and a task switch")),
    same_as("mov_cr3", latency<kTiming, kBare, &Costs::mov_cr3_noflush>(
                           "mov_cr3_noflush", "MOV to CR3 with bit 63 set")),
    same_as("mov_cr3", latency<kTiming, kBare, &Costs::mov_cr4>(
                           "mov_cr4", "MOV to CR4 that changes no flag that flushes")),
    same_as("mov_cr4", latency<kTiming, kBare, &Costs::mov_cr4_flush>(
                           "mov_cr4_flush", "MOV to CR4 that flushes: half of a toggle of PGE")),
    same_as("mov_cr4", latency<kTiming, kBare, &Costs::mov_cr0>("mov_cr0", "MOV to CR0")),
    same_as("mov_cr4", latency<kTiming, kBare, &Costs::wrmsr_efer>("wrmsr_efer", "WRMSR to EFER")),
    same_as("invlpg", latency<kTiming, kBare, &Costs::invpcid_address>(
                          "invpcid_address", "INVPCID type 0, one address")),
    same_as("invpcid_address", latency<kTiming, kBare, &Costs::invpcid_single>(
                                   "invpcid_single", "INVPCID type 1, one PCID")),
    same_as("invpcid_single", latency<kTiming, kBare, &Costs::invpcid_all>(
                                  "invpcid_all", "INVPCID types 2 and 3, all PCIDs")),

    same_as("invlpg", latency<kTiming, kGuest, &Costs::invlpg>("guest_invlpg", "in a guest")),
    same_as("mov_cr3", latency<kTiming, kGuest, &Costs::mov_cr3>("guest_mov_cr3", "in a guest")),
    same_as("mov_cr3_noflush", latency<kTiming, kGuest, &Costs::mov_cr3_noflush>(
                                   "guest_mov_cr3_noflush", "in a guest")),
    same_as("mov_cr4", latency<kTiming, kGuest, &Costs::mov_cr4>("guest_mov_cr4", "in a guest")),
    same_as("mov_cr4_flush",
            latency<kTiming, kGuest, &Costs::mov_cr4_flush>("guest_mov_cr4_flush", "in a guest")),
    same_as("mov_cr0", latency<kTiming, kGuest, &Costs::mov_cr0>("guest_mov_cr0", "in a guest")),
    same_as("wrmsr_efer",
            latency<kTiming, kGuest, &Costs::wrmsr_efer>("guest_wrmsr_efer", "in a guest")),
    same_as("invpcid_address", latency<kTiming, kGuest, &Costs::invpcid_address>(
                                   "guest_invpcid_address", "in a guest")),
    same_as("invpcid_single",
            latency<kTiming, kGuest, &Costs::invpcid_single>("guest_invpcid_single", "in a guest")),
    same_as("invpcid_all",
            latency<kTiming, kGuest, &Costs::invpcid_all>("guest_invpcid_all", "in a guest")),

    one_of<kDrainWords, kTiming, &Timing::invlpg_drain>(
        "invlpg_drain",
        "INVLPG, INVLPGA and INVPCID type 0 start when earlier accesses have completed (`before`), "
        "or at once, and complete no sooner than these (`overlap`)"),
    one_of<kDrainWords, kTiming, &Timing::mov_cr3_drain>("mov_cr3_drain",
                                                         "the same for MOV to CR3"),
    latency<kTiming, &Timing::mfence>("mfence", "MFENCE"),
    latency<kTiming, &Timing::lfence>("lfence", "LFENCE"),
    latency<kTiming, &Timing::rdtsc>(
        "rdtsc", "from the sample of RDTSC until a serializing instruction can start"),
    latency<kTiming, &Timing::wbinvd>("wbinvd", "WBINVD"),
    latency<kTiming, &Timing::invvpid>("invvpid", "INVVPID"),
    latency<kTiming, &Timing::invept>("invept", "INVEPT"),
    same_as("invlpg", latency<kTiming, &Timing::invlpga>("invlpga", "INVLPGA")),
    same_as("invlpg", latency<kTiming, &Timing::invlpgb>("invlpgb", "INVLPGB, in dispatch alone")),
    latency<kTiming, &Timing::tlbsync>("tlbsync", "TLBSYNC"),
    latency<kTiming, &Timing::vmfunc>("vmfunc", "VMFUNC"),
    latency<kTiming, &Timing::vm_exit>("vm_exit", "an exit from a virtual machine"),
    latency<kTiming, &Timing::vm_entry>("vm_entry", "an entry to a virtual machine"),
    latency<kTiming, &Timing::smi>("smi",
                                   "entering system-management mode, and as much for leaving it"),
    latency<kTiming, &Timing::fault>("fault", "delivery of an exception"),
    latency<kTiming, &Timing::ipi>("ipi", "sending the interrupt of a shootdown to one vCPU"),
    latency<kTiming, &Timing::interrupt>(
        "interrupt", "taking one: its delivery, and the return from it, without what is flushed")};

// Where the file has the key; the section if it has not, as for a key whose value is another's.
ConfigValue place_of(std::string_view key, const ConfigFields& machine_file) {
    ConfigValue place = machine_file.require("timing");
    place.path = join_path(place.path, key);
    if (const ConfigNode* const node = place.node->find(key)) place.node = node;
    return place;
}

void check_bounds(const ChoiceKey& key, const Machine& machine, const ConfigFields& machine_file) {
    if (key.form.kind != ValueForm::Kind::kLatency) return;
    const ConfigNode written = key.write(machine);
    const Cycles cycles = machine.timing.cycles(read_latency({&written, ""}));
    if (cycles <= kMostCycles) return;
    refuse(place_of(key.key, machine_file),
           quoted(written.text) + " are more than " +
               std::to_string(kMostCycles.milli / Cycles::kScale) + " core cycles at core_mhz " +
               std::to_string(machine.timing.core_mhz) + " and tsc_mhz " +
               std::to_string(machine.timing.tsc_mhz));
}

void require_for(const CacheParameters& cache, std::string_view key, std::string_view level,
                 const ConfigFields& machine_file) {
    const ConfigValue timing = machine_file.require("timing");
    if (cache.bytes == 0 || timing.node->find(key) != nullptr) return;
    refuse(timing,
           "the key " + quoted(key) + " is missing: the machine has an " + std::string(level));
}

}  // namespace

std::span<const ChoiceKey> timing_keys() { return kKeys; }

void check_timing(const Machine& machine, const ConfigFields& machine_file) {
    if (!machine.timing.enabled) return;
    for (const ChoiceKey& key : kKeys) check_bounds(key, machine, machine_file);
    require_for(machine.parameters.caches.l2, "l2_latency", "L2", machine_file);
    require_for(machine.parameters.caches.l3, "l3_latency", "L3", machine_file);
}

}  // namespace nestwalk
