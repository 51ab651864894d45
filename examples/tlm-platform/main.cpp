// A virtual platform with a nestwalk MMU between a processor's traffic and memory. Natively first,
// then as a guest whose memory is behind an EPT. See README.md.

#include "memory.h"
#include "page_tables.h"
#include "traffic.h"

using namespace nestwalk;

namespace {

StructureParameters array(const char* name, std::uint32_t entries, std::uint32_t ways,
                          MappingClass mapping_class, int level) {
    return {.name = name,
            .entries = entries,
            .ways = ways,
            .replacement = ReplacementPolicy::kTrueLru,
            .holds = {{.mapping_class = mapping_class, .level = level}}};
}

/// A small core: 16 + 64 entries for 4-KiB pages, and the upper levels of walks.
MachineParameters small_core() {
    MachineParameters machine{.name = "small-core"};
    machine.l1_dtlb = {array("dtlb", 16, 4, MappingClass::kTranslation, 1)};
    machine.stlb = {array("stlb", 64, 4, MappingClass::kTranslation, 1)};
    machine.paging_structure_caches = {array("pde", 8, 0, MappingClass::kPagingStructure, 2)};
    return machine;
}

constexpr std::uint64_t kUserPage = 0b111;  // P, R/W, U/S
constexpr std::uint64_t kEptPage = 0b111;   // read, write, execute

constexpr std::uint64_t kGuestMemory = 0x800000;  // where the guest's address 0 is
constexpr std::uint32_t kNative = 0;
constexpr std::uint32_t kGuest = 1;

void native(Traffic& cpu, TlmMmu& mmu, PageTables& tables) {
    cpu.say("natively:");
    cpu.load(0x400000);
    cpu.load(0x400008);
    cpu.load(0x401000);
    cpu.store(0x401000);
    cpu.store(0x401008);
    cpu.load(0x500000);

    cpu.say("the page gets another frame:");
    tables.map(0x400000, 0x30000);
    cpu.load(0x400000);
    cpu.say("INVLPG:");
    mmu.invlpg(kNative, VirtAddr(0x400000));
    cpu.load(0x400000);

    cpu.say("32 pages, more than the L1 TLB has room for, twice:");
    cpu.load_many(0x400000, 0x1000, 32);
    cpu.load_many(0x400000, 0x1000, 32);
}

void guest(Traffic& cpu, TlmMmu& mmu) {
    cpu.use_context(kGuest);
    cpu.say("as a guest:");
    cpu.load(0x400000);
    cpu.load(0x400008);
    cpu.load(0x401000);
    cpu.load(0x402000);
    cpu.say("INVVPID of the guest:");
    mmu.invvpid(InvvpidType::kSingleContext, Vpid(1));
    cpu.load(0x400000);
}

}  // namespace

int sc_main(int, char*[]) {
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));

    Memory memory("memory");
    TableArena arena(0x100000);
    PageTables tables(memory, arena, kUserPage);
    for (std::uint64_t page = 0; page < 32; ++page) {
        tables.map(0x400000 + 0x1000 * page, 0x10000 + 0x1000 * page);
    }

    // The guest sees 2 MiB of memory; its tables are at guest-physical 0x100000.
    PageTables ept(memory, arena, kEptPage);
    for (std::uint64_t page = 0; page < 512; ++page) {
        ept.map(0x1000 * page, kGuestMemory + 0x1000 * page);
    }
    TableArena guest_arena(kGuestMemory + 0x100000);
    PageTables guest_tables(memory, guest_arena, kUserPage, kGuestMemory);
    guest_tables.map(0x400000, 0x20000);
    guest_tables.map(0x401000, 0x21000);
    guest_tables.map(0x402000, 0x700000);  // beyond the guest's memory

    using sc_core::SC_NS;
    TlmMmu mmu("mmu", small_core(), {.stlb = {3, SC_NS}, .walk = {5, SC_NS}});
    mmu.set_context(kNative, {.root = tables.root()});
    mmu.set_context(
        kGuest, {.root = guest_tables.root(), .tag = 1, .host = TlmHostTable{.root = ept.root()}});

    Traffic cpu("cpu", [&](Traffic& running) {
        native(running, mmu, tables);
        guest(running, mmu);
    });
    cpu.socket.bind(mmu.target);
    mmu.tables.bind(memory.target);
    mmu.data.bind(memory.target);
    sc_core::sc_start();
    return 0;
}
