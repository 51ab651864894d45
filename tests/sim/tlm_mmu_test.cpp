// TlmMmu in a small platform, loosely timed: translations, walks through the platform's memory,
// faults, invalidations, debug and direct memory access.
#include "sim/systemc_kernel.h"
#include "tests/sim/tlm_platform.h"

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPresent = 0b111;  // P, R/W, U/S
constexpr std::uint64_t kAccessed = 1 << 5;
constexpr std::uint64_t kDirty = 1 << 6;
constexpr std::uint64_t kLarge = 1 << 7;

/// 0x1000-0x5fff are at 0x9000 and so on: tables at 0x100000 (PML4) to 0x103000 (page table).
struct Platform {
    explicit Platform(const MachineParameters& machine = exact_machine(),
                      const TlmLatencies& latencies = {}) {
        mmu.emplace("mmu", machine, latencies);
        initiator.socket.bind(mmu->target);
        mmu->tables.bind(memory.target);
        mmu->data.bind(memory.target);
        memory.set_entry(0x100000, 0x101000 | kPresent);
        memory.set_entry(0x101000, 0x102000 | kPresent);
        memory.set_entry(0x102000, 0x103000 | kPresent);
        for (std::uint64_t page = 1; page < 6; ++page) {
            memory.set_entry(0x103000 + 8 * page, (0x8000 + 0x1000 * page) | kPresent);
        }
        mmu->set_context(0, {.root = 0x100000});
    }
    void run(const std::function<void()>& script) {
        initiator.script = script;
        sc_core::sc_start();
    }

    SystemcKernel kernel{};
    SystemcKernel::Use use{kernel};
    PlatformMemory memory{"memory"};
    Initiator initiator{"initiator"};
    std::optional<TlmMmu> mmu{};
};

TEST_SUITE("TlmMmu") {
    TEST_CASE("TlmMmu walks the platform's tables and then hits") {
        Platform platform;
        platform.memory.set_entry(0x9010, 0x1234'5678'9abc'def0);
        platform.run([&] {
            const Transaction miss = platform.initiator.load(0x1010);
            CHECK(miss.ok());
            CHECK(miss.value == 0x1234'5678'9abc'def0);
            CHECK(miss.access.physical == 0x9010);
            CHECK(miss.access.result == TranslationResult::kMiss);
            CHECK(miss.access.table_reads == 4);
            CHECK(platform.memory.addresses ==
                  std::vector<std::uint64_t>{0x100000, 0x100000, 0x101000, 0x101000, 0x102000,
                                             0x102000, 0x103008, 0x103008, 0x9010});
            // 4 entries read, and written with A; then the data.
            CHECK(miss.ended - miss.begun == ns(9 * 50));

            const Transaction hit = platform.initiator.load(0x1018);
            CHECK(hit.access.result == TranslationResult::kL1Hit);
            CHECK(hit.ended - hit.begun == ns(50));
        });
        CHECK(platform.memory.addresses.size() == 10);
        CHECK(platform.memory.entry(0x103008) == (0x9000 | kPresent | kAccessed));
    }

    TEST_CASE("TlmMmu adds the latencies of its own look-ups") {
        Platform platform(exact_machine(), {.stlb = ns(7),
                                            .walk = ns(11),
                                            .paging_structure_cache = ns(3),
                                            .nested_tlb = ns(1000)});
        platform.run([&] {
            const Transaction first = platform.initiator.load(0x1010);
            CHECK(first.ended - first.begun == ns(9 * 50 + 7 + 11 + 3));
            // From the PDE: one entry read and written.
            const Transaction second = platform.initiator.load(0x2010);
            CHECK(second.access.table_reads == 1);
            CHECK(second.ended - second.begun == ns(3 * 50 + 7 + 11 + 3));
        });
    }

    TEST_CASE("TlmMmu sets D on the first store in a walk of its own") {
        Platform platform;
        platform.run([&] {
            platform.initiator.load(0x1010);
            CHECK((platform.memory.entry(0x103008) & kDirty) == 0);
            CHECK(platform.initiator.store(0x1010, 77).ok());
            CHECK((platform.memory.entry(0x103008) & kDirty) != 0);
            CHECK(platform.memory.entry(0x9010) == 77);
            CHECK(platform.initiator.store(0x1010, 78).access.table_reads == 0);
        });
    }

    TEST_CASE("TlmMmu answers a fault with an address error that says which") {
        Platform platform;
        platform.memory.set_entry(0x103010, 0xa000 | 0b101);  // 0x2000: read-only
        platform.run([&] {
            const Transaction absent = platform.initiator.load(0x7000);
            CHECK(absent.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
            CHECK(absent.access.fault.kind == FaultKind::kPageFault);
            CHECK_FALSE(absent.access.fault.present);
            CHECK(absent.access.fault.va == VirtAddr(0x7000));
            CHECK(absent.access.result == TranslationResult::kFault);
            // The walk took its time: 4 entries read, 3 of them written.
            CHECK(absent.ended - absent.begun == ns(7 * 50));

            const Transaction refused = platform.initiator.store(0x2000, 1);
            CHECK(refused.access.fault.kind == FaultKind::kPageFault);
            CHECK(refused.access.fault.present);
            CHECK(platform.memory.entry(0xa000) == 0);
            CHECK(platform.initiator.load(0x2000).ok());

            const Transaction odd = platform.initiator.load(0x8000'0000'0000'0000);
            CHECK(odd.access.fault.kind == FaultKind::kGeneralProtection);
        });
    }

    TEST_CASE("TlmMmu: what the memory refuses is an error and no page fault") {
        Platform platform;
        platform.memory.beyond = 0x103000;  // the page table
        platform.run([&] {
            CHECK(platform.initiator.load(0x1000).status == tlm::TLM_GENERIC_ERROR_RESPONSE);
            platform.memory.beyond = 0xa000'0000;
            platform.memory.set_entry(0x103008, 0xb000'0000 | kPresent);
            CHECK(platform.initiator.load(0x1000).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
            CHECK_FALSE(platform.initiator.load(0x1000).access.fault.raised());
        });
    }

    TEST_CASE("TlmMmu keeps a translation until it is invalidated") {
        Platform platform;
        platform.run([&] {
            CHECK(platform.initiator.load(0x1000).access.physical == 0x9000);
            platform.memory.set_entry(0x103008, 0xe000 | kPresent);
            CHECK(platform.initiator.load(0x1000).access.physical == 0x9000);
            CHECK(platform.mmu->invlpg(0, VirtAddr(0x2000)).translations == 0);
            CHECK(platform.initiator.load(0x1000).access.physical == 0x9000);
            CHECK(platform.mmu->invlpg(0, VirtAddr(0x1000)).translations == 2);
            CHECK(platform.initiator.load(0x1000).access.physical == 0xe000);
            platform.memory.set_entry(0x103008, 0xf000 | kPresent);
            CHECK(platform.mmu->mov_cr3(0, 0x100000).translations == 2);
            CHECK(platform.initiator.load(0x1000).access.physical == 0xf000);
        });
    }

    TEST_CASE("TlmMmu keeps the PCIDs and VPIDs of its contexts apart") {
        Platform platform;
        TlmContext context{.root = 0x100000, .pcid = Pcid(1), .tag = 5};
        context.flags.set(ControlFlag::kPcide);
        platform.mmu->set_context(1, context);
        platform.run([&] {
            const auto load = [&](std::uint32_t number) {
                Transaction transaction{.address = 0x1000};
                transaction.access.context = number;
                return platform.initiator.transport(transaction).access.result;
            };
            CHECK(load(0) == TranslationResult::kMiss);
            CHECK(load(1) == TranslationResult::kMiss);
            CHECK(load(0) == TranslationResult::kL1Hit);
            platform.mmu->mov_cr3_noflush(1, 0x100000, Pcid(2));
            CHECK(load(1) == TranslationResult::kMiss);
            platform.mmu->mov_cr3_noflush(1, 0x100000, Pcid(1));
            CHECK(load(1) == TranslationResult::kL1Hit);
            CHECK(platform.mmu->invpcid(1, {.type = InvpcidType::kSingleContext, .pcid = Pcid(1)})
                      .translations == 2);
            CHECK(load(1) == TranslationResult::kMiss);
            CHECK(load(0) == TranslationResult::kL1Hit);
            CHECK(platform.mmu->invvpid(InvvpidType::kSingleContext, Vpid(5)).translations == 4);
            CHECK(load(0) == TranslationResult::kL1Hit);
            CHECK(load(7) == TranslationResult::kNone);
        });
    }

    TEST_CASE("TlmMmu: an instruction of a context that was not set is an error of the program") {
        Platform platform;
        CHECK_THROWS_AS(platform.mmu->invlpg(7, VirtAddr(0)), std::out_of_range);
        CHECK_THROWS_AS(platform.mmu->context(7), std::out_of_range);
    }

    TEST_CASE("TlmMmu: writes of control registers drop what they must") {
        Platform platform;
        platform.run([&] {
            platform.initiator.load(0x1000);
            ControlFlags flags = TlmContext::default_flags();
            CHECK(platform.mmu->write_control(0, flags).translations == 0);
            flags.set(ControlFlag::kPge);
            CHECK(platform.mmu->write_control(0, flags).translations == 2);
            CHECK(platform.mmu->context(0).flags == flags);
            platform.initiator.load(0x1000);
            CHECK(platform.mmu->drop_everything().translations == 2);
        });
    }

    TEST_CASE("TlmMmu walks both dimensions of a guest and INVEPT drops what they gave") {
        Platform platform(walker({.nested_translations = {1, 2}}));
        // The guest's memory is one 2-MiB page of the host, where everything is mapped already.
        platform.memory.set_entry(0x200000, 0x201000 | 7);
        platform.memory.set_entry(0x201000, 0x202000 | 7);
        platform.memory.set_entry(0x202000, 0x000000 | 7 | kLarge);
        TlmContext guest{.root = 0x100000, .tag = 1};
        guest.host = TlmHostTable{.root = 0x200000};
        platform.mmu->set_context(0, guest);
        platform.run([&] {
            const Transaction first = platform.initiator.load(0x1000);
            CHECK(first.access.physical == 0x9000);
            CHECK(first.access.table_reads == 3 + 4);  // the host's page is found 4 times
            CHECK(platform.initiator.load(0x1000).access.table_reads == 4);
            CHECK(platform.mmu->invept(InveptType::kSingleContext, 0x300000).nested_translations ==
                  0);
            CHECK(platform.mmu->invept(InveptType::kSingleContext, 0x200000).nested_translations ==
                  1);
            platform.memory.set_entry(0x202000, 0);
            const Transaction exits = platform.initiator.load(0x1000);
            CHECK(exits.access.fault.kind == FaultKind::kEptViolation);
            CHECK(exits.access.fault.gpa == GuestPhysAddr(0x100000));
        });
    }

    TEST_CASE("TlmMmu refuses a burst across pages and lets one inside a large page through") {
        Platform platform;
        platform.memory.set_entry(0x102008, 0x400000 | kPresent | kLarge);
        platform.run([&] {
            CHECK(platform.initiator.load(0x1ffc).status == tlm::TLM_BURST_ERROR_RESPONSE);
            CHECK(platform.initiator.load(0x1ff8).ok());
            CHECK(platform.initiator.load(0x200ffc).ok());
        });
    }

    TEST_CASE("TlmMmu: a walk that waits keeps others waiting and they find what it brought") {
        Platform platform;
        platform.memory.annotation = Annotation::kWait;
        platform.run([&] {
            std::vector<Transaction> done;
            const auto load = [&] { done.push_back(platform.initiator.load(0x1000)); };
            sc_core::sc_process_handle other = sc_core::sc_spawn(load);
            load();
            sc_core::wait(other.terminated_event());
            REQUIRE(done.size() == 2);
            CHECK(done[0].access.result == TranslationResult::kMiss);
            CHECK(done[1].access.result == TranslationResult::kL1Hit);
            CHECK(done[0].ended == ns(9 * 50));
        });
    }

    TEST_CASE("TlmMmu gives no direct memory access and says for which addresses") {
        Platform platform;
        platform.run([&] {
            tlm::tlm_generic_payload payload;
            tlm::tlm_dmi dmi;
            dmi.allow_read_write();
            CHECK_FALSE(platform.initiator.socket->get_direct_mem_ptr(payload, dmi));
            CHECK(dmi.is_none_allowed());
            CHECK(dmi.get_start_address() == 0);
            CHECK(dmi.get_end_address() == ~sc_dt::uint64{});
            CHECK(platform.initiator.load(0x1000).ok());
        });
        CHECK_FALSE(platform.initiator.dmi_was_offered);
    }

    TEST_CASE("TlmMmu: a debug transaction sees what is mapped now and changes no TLB") {
        Platform platform;
        platform.memory.set_entry(0x9ff8, 0x1111'1111'1111'1111);
        platform.memory.set_entry(0xa000, 0x2222'2222'2222'2222);
        std::array<std::uint64_t, 2> words{};
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
        payload.set_data_length(16);
        platform.run([&] {
            const auto moved_at = [&](std::uint64_t address) {
                payload.set_address(address);
                return platform.initiator.socket->transport_dbg(payload);
            };
            CHECK(moved_at(0x1ff8) == 16);
            CHECK(words[0] == 0x1111'1111'1111'1111);
            CHECK(words[1] == 0x2222'2222'2222'2222);
            CHECK(platform.memory.entry(0x103008) == (0x9000 | kPresent));
            CHECK(moved_at(0x5ff8) == 8);  // the next page is not mapped
            CHECK(moved_at(0x6000) == 0);
            CHECK(platform.initiator.load(0x1000).access.result == TranslationResult::kMiss);
        });
    }

    TEST_CASE("TlmLatencies are a core's at its clock") {
        TimingParameters timing;
        timing.core_mhz = 2000;
        timing.tsc_mhz = 1000;
        timing.stlb = {7'000, ClockDomain::kCore};
        timing.walk = {10'000, ClockDomain::kTsc};
        timing.nested_tlb = {3'500, ClockDomain::kNanoseconds};
        const TlmLatencies latencies = TlmLatencies::of(timing);
        CHECK(latencies.stlb == ns(3.5));
        CHECK(latencies.walk == ns(10));
        CHECK(latencies.nested_tlb == ns(3.5));
        CHECK(latencies.paging_structure_cache == sc_core::SC_ZERO_TIME);
    }
}

}  // namespace
}  // namespace nestwalk::test
