// TlmMmu approximately timed: it agrees with the loosely timed side where one transaction is under
// way at a time, and overlaps what has been translated.
#include "sim/systemc_kernel.h"
#include "tests/sim/tlm_phases.h"

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPresent = 0b110'0111;  // P, R/W, U/S, A, D

/// The page at 0x1000 * n is at 0x40000 + 0x1000 * n, for n below 64.
void map_pages(PlatformMemory& memory) {
    memory.set_entry(0x100000, 0x101000 | kPresent);
    memory.set_entry(0x101000, 0x102000 | kPresent);
    memory.set_entry(0x102000, 0x103000 | kPresent);
    for (std::uint64_t page = 0; page < 64; ++page) {
        memory.set_entry(0x103000 + 8 * page, (0x40000 + 0x1000 * page) | kPresent);
    }
}

std::vector<Transaction> loads(const std::vector<std::uint64_t>& addresses) {
    std::vector<Transaction> transactions;
    transactions.reserve(addresses.size());
    for (const std::uint64_t address : addresses) transactions.push_back({.address = address});
    return transactions;
}

struct PhasedRun {
    std::vector<Transaction> transactions{};
    std::size_t freed{};
    std::size_t ends_of_responses{};
};

PhasedRun run_phased(const std::vector<std::uint64_t>& addresses, Answer answer,
                     const sc_core::sc_time& response_accept = {}) {
    SystemcKernel kernel;
    const SystemcKernel::Use use(kernel);
    PlatformMemory tables("tables");
    PhasedMemory memory("memory", answer);
    PhasedInitiator initiator("initiator");
    TlmMmu mmu("mmu", exact_machine(), {.stlb = ns(7), .walk = ns(11)});
    initiator.socket.bind(mmu.target);
    mmu.tables.bind(tables.target);
    mmu.data.bind(memory.target);
    map_pages(tables);
    mmu.set_context(0, {.root = 0x100000});
    initiator.transactions = loads(addresses);
    initiator.response_accept = response_accept;
    sc_core::sc_start();
    return {initiator.transactions, initiator.freed, memory.ends_of_responses};
}

TEST_SUITE("TlmMmu phases") {
    TEST_CASE("TlmMmu: both timings agree on one transaction at a time") {
        for (const std::uint64_t address : {0x1000ull, 0x3ff8ull, 0x4'0000ull, 1ull << 63}) {
            CAPTURE(address);
            SystemcKernel kernel;
            const SystemcKernel::Use use(kernel);
            PlatformMemory memory("memory");
            Initiator initiator("initiator");
            TlmMmu mmu("mmu", exact_machine(), {.stlb = ns(7), .walk = ns(11)});
            initiator.socket.bind(mmu.target);
            mmu.tables.bind(memory.target);
            mmu.data.bind(memory.target);
            map_pages(memory);
            mmu.set_context(0, {.root = 0x100000});
            Transaction loose;
            initiator.script = [&] { loose = initiator.load(address); };
            sc_core::sc_start();

            const Transaction phased =
                run_phased({address}, Answer::kEndRequestInCall).transactions[0];
            CHECK(phased.status == loose.status);
            CHECK(phased.access.result == loose.access.result);
            CHECK(phased.access.fault == loose.access.fault);
            CHECK(phased.access.physical == loose.access.physical);
            CHECK(phased.access.table_reads == loose.access.table_reads);
            CHECK(phased.ended - phased.begun == loose.ended - loose.begun);
        }
    }

    TEST_CASE("TlmMmu: transactions that hit overlap in memory") {
        const PhasedRun run =
            run_phased({0x1000, 0x1008, 0x1010, 0x1018}, Answer::kEndRequestInCall);
        REQUIRE(run.transactions.size() == 4);
        const sc_core::sc_time translated = ns(4 * 50 + 7 + 11);
        for (std::size_t at = 0; at < 4; ++at) {
            CAPTURE(at);
            CHECK(run.transactions[at].ok());
            CHECK(run.transactions[at].value == 0x41000 + 8 * at);
            // Memory takes a request every 2 ns.
            CHECK(run.transactions[at].ended ==
                  translated + ns(50) + ns(2 * static_cast<double>(at)));
        }
        CHECK(run.freed == 4);
    }

    TEST_CASE("TlmMmu: a fault is answered while what came before is in memory") {
        const PhasedRun run = run_phased({0x1000, 1ull << 63}, Answer::kEndRequestInCall);
        CHECK(run.transactions[1].status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(run.transactions[1].access.fault.kind == FaultKind::kGeneralProtection);
        CHECK(run.transactions[1].ended < run.transactions[0].ended);
        CHECK(run.transactions[0].ok());
        CHECK(run.freed == 2);
    }

    TEST_CASE("TlmMmu follows a target through every way of the base protocol") {
        for (const Answer answer :
             {Answer::kEndRequestInCall, Answer::kEndRequestLater, Answer::kResponseLater,
              Answer::kResponseInCall, Answer::kCompleted}) {
            for (const double accept : {0.0, 3.0}) {
                CAPTURE(static_cast<int>(answer));
                CAPTURE(accept);
                const PhasedRun run = run_phased({0x1000, 0x2008, 0x2010}, answer, ns(accept));
                for (const Transaction& transaction : run.transactions) {
                    CHECK(transaction.ok());
                    CHECK(transaction.value == 0x40000 + transaction.address);
                }
                CHECK(run.freed == 3);
                CHECK(run.ends_of_responses == (answer == Answer::kCompleted ? 0 : 3));
            }
        }
    }

    TEST_CASE("TlmMmu: a target of b_transport alone serves phased initiators too") {
        // In SystemC's own context: the process that its socket makes for this is never freed.
        PlatformMemory tables("tables");
        struct Loose final : sc_core::sc_module {
            explicit Loose(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
                target.register_b_transport(this, &Loose::b_transport);
            }
            void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
                delay += ns(50);
                payload.set_response_status(tlm::TLM_OK_RESPONSE);
            }
            tlm_utils::simple_target_socket<Loose> target{"target"};
        } memory("memory");
        PhasedInitiator initiator("initiator");
        TlmMmu mmu("mmu", exact_machine());
        initiator.socket.bind(mmu.target);
        mmu.tables.bind(tables.target);
        mmu.data.bind(memory.target);
        map_pages(tables);
        mmu.set_context(0, {.root = 0x100000});
        initiator.transactions = loads({0x1000, 0x1008});
        sc_core::sc_start();
        CHECK(initiator.transactions[0].ok());
        CHECK(initiator.transactions[1].ok());
        CHECK(initiator.freed == 2);
    }
}

}  // namespace
}  // namespace nestwalk::test
