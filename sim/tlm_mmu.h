#pragma once

// An MMU for virtual platforms: transactions with linear addresses come in at a target socket and
// go out with host-physical ones. Translations go through the TLBs and caches of a machine; walks
// read and write the platform's page tables through a socket of their own. Loosely timed
// (b_transport) and approximately timed (nb_transport, base protocol). docs/tlm.md is its manual.

#include "models/invalidation.h"
#include "models/machine.h"
#include "models/mmu.h"
#include "models/regime.h"
#include "sim/tlm_access.h"
#include "sim/tlm_context.h"
#include "sim/tlm_latencies.h"
#include "sim/tlm_table_bus.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace nestwalk {

class TlmMmu : public sc_core::sc_module {
public:
    using ContextNumber = std::uint32_t;

    TlmMmu(const sc_core::sc_module_name& name, const MachineParameters& machine,
           const TlmLatencies& latencies = {});

    tlm_utils::simple_target_socket<TlmMmu> target{"target"};     ///< linear addresses
    tlm_utils::simple_initiator_socket<TlmMmu> tables{"tables"};  ///< page-table entries
    tlm_utils::simple_initiator_socket<TlmMmu> data{"data"};      ///< translated transactions

    /// Makes or replaces a context; drops nothing.
    void set_context(ContextNumber number, const TlmContext& context);
    /// Throws std::out_of_range for a number that was not set.
    const TlmContext& context(ContextNumber number) const { return contexts_.at(number); }

    // tlm_mmu_invalidation.cpp: instructions, as the context executes them. Each drops what the
    // manuals say and what the machine's choices say where they leave one, and returns how much.
    Dropped invlpg(ContextNumber number, VirtAddr va);
    Dropped mov_cr3(ContextNumber number, std::uint64_t root, Pcid pcid = {});
    /// With bit 63 of the source set.
    void mov_cr3_noflush(ContextNumber number, std::uint64_t root, Pcid pcid = {});
    /// Writes of CR0, CR4 and EFER: `flags` are all of them from now on.
    Dropped write_control(ContextNumber number, ControlFlags flags);
    Dropped invpcid(ContextNumber number, const Invpcid& operation);
    // What a hypervisor executes.
    Dropped invvpid(InvvpidType type, Vpid vpid, VirtAddr va = {});
    /// `host_root` is that of the EPT that a single-context invalidation is for.
    Dropped invept(InveptType type, std::uint64_t host_root = 0);
    Dropped invlpga(VirtAddr va, Asid asid);
    /// VMRUN with TLB_CONTROL for the ASID that is entered.
    Dropped tlb_control(TlbControl control, Asid asid);
    /// A VM entry or exit where VPIDs are not in use.
    Dropped vm_transition();
    /// Everything of every context, as a reset does.
    Dropped drop_everything();

    const Mmu& mmu() const { return mmu_; }

private:
    SC_HAS_PROCESS(TlmMmu);

    class Nobody final : public PageSupplier {
    public:
        void supply(VirtAddr, Privilege) override {}
    };

    // tlm_mmu.cpp
    Regime regime_of(const TlmContext& context, EntryMemory& entries) const;
    /// Translates a transaction's address; nothing if that has ended in an error response. What the
    /// translation took is added to `delay`.
    std::optional<std::uint64_t> translate(tlm::tlm_generic_payload& payload,
                                           sc_core::sc_time& delay);
    sc_core::sc_time time_of_lookups(const Outcome& outcome) const;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

    // tlm_mmu_phases.cpp: approximately timed. A request is translated by one process, its response
    // handed back by another.
    struct Pending {
        std::uint64_t linear{};
        bool owes_end{};  ///< the target waits for END_RESP
    };
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void take_requests();
    void take_request(tlm::tlm_generic_payload& payload);
    void send_request(tlm::tlm_generic_payload& payload, Pending& pending);
    void give_responses();
    void give_response(tlm::tlm_generic_payload& payload);

    // tlm_mmu_invalidation.cpp
    Regime regime(ContextNumber number) { return regime_of(contexts_.at(number), entries_); }
    void drop(const FlushPlan& plan, Outcome& outcome);
    Dropped perform(const FlushPlan& plan);
    /// The flush of everything that an invalidation of one page brings while pieces of a larger one
    /// are cached under the tags of `named`.
    void flush_fractured(const Regime& named, Outcome& outcome);
    void load_cr3(ContextNumber number, std::uint64_t root, Pcid pcid);

    Mmu mmu_;
    Vendor vendor_;
    CombinedTarget combined_target_;
    InvalidationChoices choices_;
    TlmLatencies latencies_;
    std::unordered_map<ContextNumber, TlmContext> contexts_{};
    TlmTableBus entries_;
    TlmTableBus debug_entries_;
    sc_core::sc_mutex translating_{"translating"};

    tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_{"requests"};
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_{"responses"};
    std::unordered_map<tlm::tlm_generic_payload*, Pending> pending_{};
    tlm::tlm_generic_payload* requesting_{};  ///< downstream, and not accepted yet
    sc_core::sc_event request_accepted_{"request_accepted"};
    bool responding_{};  ///< upstream, and not over yet
    sc_core::sc_event response_over_{"response_over"};
};

}  // namespace nestwalk
