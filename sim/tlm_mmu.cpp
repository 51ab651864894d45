#include "sim/tlm_mmu.h"

#include <algorithm>

namespace nestwalk {
namespace {

/// Bytes that a transaction touches: with a short streaming width, the same ones again and again.
std::uint64_t width_of(const tlm::tlm_generic_payload& payload) {
    return std::min(payload.get_data_length(), payload.get_streaming_width());
}

bool crosses(std::uint64_t first, std::uint64_t bytes, int level) {
    return bytes > 0 && (first ^ (first + bytes - 1)) >> level_shift(level) != 0;
}

/// A payload without the extension is a user's load or store of context 0.
TlmAccess access_of(const tlm::tlm_generic_payload& payload) {
    TlmAccess access;
    if (payload.is_write()) access.kind = AccessKind::kStore;
    return access;
}

/// What the tables say, caches and rights aside.
std::optional<std::uint64_t> mapped_now(const Regime& regime, std::uint64_t linear) {
    if (!regime.paging && !regime.nested) return linear;
    const std::optional<Walk> walk = Mmu::walk_uncached(regime, VirtAddr(linear));
    if (!walk) return std::nullopt;
    return walk->physical();
}

}  // namespace

TlmMmu::TlmMmu(const sc_core::sc_module_name& name, const MachineParameters& machine,
               const TlmLatencies& latencies)
    : sc_core::sc_module(name),
      mmu_(machine),
      vendor_(machine.vendor),
      combined_target_(machine.combined_target),
      choices_(machine.invalidation),
      latencies_(latencies),
      entries_(tables, TlmTableBus::Transport::kTimed),
      debug_entries_(tables, TlmTableBus::Transport::kDebug) {
    target.register_b_transport(this, &TlmMmu::b_transport);
    target.register_nb_transport_fw(this, &TlmMmu::nb_transport_fw);
    target.register_transport_dbg(this, &TlmMmu::transport_dbg);
    target.register_get_direct_mem_ptr(this, &TlmMmu::get_direct_mem_ptr);
    data.register_nb_transport_bw(this, &TlmMmu::nb_transport_bw);
    SC_THREAD(take_requests);
    SC_THREAD(give_responses);
}

void TlmMmu::set_context(ContextNumber number, const TlmContext& context) {
    contexts_[number] = context;
}

Regime TlmMmu::regime_of(const TlmContext& context, EntryMemory& entries) const {
    const bool amd = vendor_ == Vendor::kAmd;
    Regime regime;
    regime.vendor = vendor_;
    regime.flags = context.flags;
    regime.paging = context.flags.test(ControlFlag::kPg);
    if (!regime.paging) {
        regime.flags.clear(ControlFlag::kSmep);
        regime.flags.clear(ControlFlag::kSmap);
    }
    regime.linear = {context.root, context.levels, EntryFormat::kOrdinary};
    regime.nested = context.host.has_value();
    if (regime.nested) {
        regime.host = {context.host->root, context.host->levels,
                       amd ? EntryFormat::kOrdinary : EntryFormat::kEpt};
        regime.host_accessed_dirty = amd || context.host->accessed_dirty;
        if (!amd) regime.ep4ta = Ep4ta(context.host->root >> 12);
    }
    regime.entries = &entries;
    regime.context = context.tag;
    if (regime.paging && context.flags.test(ControlFlag::kPcide)) regime.pcid = context.pcid;
    regime.combined_target = combined_target_;
    regime.choices = choices_;
    regime.generation = 1;  // whether entries are stale is nobody's question here
    return regime;
}

sc_core::sc_time TlmMmu::time_of_lookups(const Outcome& outcome) const {
    sc_core::sc_time time = outcome.l1_missed ? latencies_.stlb : sc_core::SC_ZERO_TIME;
    if (outcome.start_level != 0) time += latencies_.walk;
    for (const StructureLookup& lookup : outcome.lookups) {
        switch (lookup.group) {
            case StructureLookup::Group::kPagingStructures:
                time += latencies_.paging_structure_cache;
                break;
            case StructureLookup::Group::kNestedTlb:
                time += latencies_.nested_tlb;
                break;
            case StructureLookup::Group::kGuestPhysicalStructures:
                time += latencies_.guest_physical_paging_structure_cache;
                break;
        }
    }
    return time;
}

std::optional<std::uint64_t> TlmMmu::translate(tlm::tlm_generic_payload& payload,
                                               sc_core::sc_time& delay) {
    TlmAccess unsaid = access_of(payload);
    auto* const said = payload.get_extension<TlmAccess>();
    TlmAccess& access = said == nullptr ? unsaid : *said;
    const auto context = contexts_.find(access.context);
    if (context == contexts_.end()) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return std::nullopt;
    }

    // A target may wait while a walk reads: others wait for the walk.
    translating_.lock();
    const Regime regime = regime_of(context->second, entries_);
    const VirtAddr va(payload.get_address());
    Nobody nobody;
    Outcome outcome;
    entries_.begin(delay);
    mmu_.load_pcid(regime);
    mmu_.translate({.va = va, .kind = access.kind, .privilege = access.privilege}, regime, nobody,
                   outcome);
    const bool failed = entries_.failed();
    translating_.unlock();

    delay += time_of_lookups(outcome);
    access.result = outcome.result;
    access.fault = outcome.fault;
    access.physical = outcome.physical;
    access.table_reads = static_cast<std::uint32_t>(outcome.reads.size());
    tlm::tlm_response_status error = tlm::TLM_OK_RESPONSE;
    if (failed) {
        error = tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (outcome.fault.raised()) {
        error = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    } else if (outcome.page_level != 0 &&
               crosses(va.value(), width_of(payload), outcome.page_level)) {
        error = tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (error == tlm::TLM_OK_RESPONSE) return outcome.physical;
    payload.set_response_status(error);
    return std::nullopt;
}

// --- Loosely timed ------------------------------------------------------------------------------

void TlmMmu::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_dmi_allowed(false);
    const std::uint64_t linear = payload.get_address();
    const std::optional<std::uint64_t> physical = translate(payload, delay);
    if (!physical) return;
    payload.set_address(*physical);
    data->b_transport(payload, delay);
    payload.set_address(linear);
    payload.set_dmi_allowed(false);
}

/// Reads and writes what the tables map now, page by page, and changes no TLB.
unsigned int TlmMmu::transport_dbg(tlm::tlm_generic_payload& payload) {
    const auto* const said = payload.get_extension<TlmAccess>();
    const auto context = contexts_.find(said == nullptr ? 0 : said->context);
    if (context == contexts_.end()) return 0;
    const Regime regime = regime_of(context->second, debug_entries_);
    const unsigned int length = payload.get_data_length();
    unsigned int done = 0;
    while (done < length) {
        const std::uint64_t linear = payload.get_address() + done;
        const std::optional<std::uint64_t> physical = mapped_now(regime, linear);
        if (!physical) return done;
        const std::uint64_t left = level_bytes(1) - (linear & (level_bytes(1) - 1));
        const auto bytes = static_cast<unsigned int>(std::min<std::uint64_t>(left, length - done));
        tlm::tlm_generic_payload piece;
        piece.set_command(payload.get_command());
        piece.set_address(*physical);
        piece.set_data_ptr(payload.get_data_ptr() + done);
        piece.set_data_length(bytes);
        piece.set_streaming_width(bytes);
        const unsigned int moved = data->transport_dbg(piece);
        done += moved;
        if (moved < bytes) return done;
    }
    return done;
}

/// A pointer would outlive the translation that it was made by.
bool TlmMmu::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.init();
    dmi.allow_none();
    return false;
}

}  // namespace nestwalk
