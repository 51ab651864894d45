// What operations of virtual machines and their hypervisors remove from the oracle's sets: SDM
// "Invalidating Cached Translation Information", APM "TLB Flush", "Invalidate Page, Alternate
// ASID", "INVLPGB".

#include "tests/properties/oracle.h"

namespace nestwalk::test {

FaultKind Oracle::do_op(const Invvpid& op) {
    const std::uint16_t vpid = op.vpid ? op.vpid->value() : contexts_[hosted()].vpid;
    const std::uint64_t va = op.va.value();
    if (op.type != InvvpidType::kAllContexts && vpid == 0) return FaultKind::kVmFail;
    switch (op.type) {
        case InvvpidType::kAddress:
            if (!canonical(va)) return FaultKind::kVmFail;
            drop_pages([=](const CachedPage& page) {
                return page.tags.context == vpid && page.whole_covers(va);
            });
            drop_tables([=](const CachedTable& table) {
                return table.tags.context == vpid && table.leads_to(va);
            });
            if (setting_.machine.fracture.invvpid && fracture_present()) {
                flush_fractured(vpid, std::nullopt);
            }
            break;
        case InvvpidType::kSingleContext:
            drop_context(vpid);
            break;
        case InvvpidType::kAllContexts:
            drop_pages([](const CachedPage& page) { return page.tags.context != 0; });
            drop_tables([](const CachedTable& table) { return table.tags.context != 0; });
            break;
        case InvvpidType::kSingleContextRetainingGlobals:
            drop_pages(
                [=](const CachedPage& page) { return page.tags.context == vpid && !page.global; });
            drop_tables([=](const CachedTable& table) { return table.tags.context == vpid; });
            break;
    }
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Invept& op) {
    const bool all = op.type == InveptType::kAllContexts;
    const std::size_t index = op.eptp ? find_host_table(*op.eptp) : contexts_[hosted()].host_table;
    const auto named = static_cast<std::uint16_t>(index + 1);
    drop_pages([=](const CachedPage& page) {
        return page.tags.combined && (all || page.tags.host_table == named);
    });
    drop_tables([=](const CachedTable& table) {
        return table.tags.combined && (all || table.tags.host_table == named);
    });
    remove_where(sets().host_pages,
                 [=](const CachedHostPage& page) { return all || page.tag == named; });
    remove_where(sets().host_tables,
                 [=](const CachedHostTable& table) { return all || table.tag == named; });
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Invlpga& op) {
    const std::uint16_t asid = op.asid.value();
    const std::uint64_t va = op.va.value();
    if (!canonical(va)) return FaultKind::kNone;
    drop_pages(
        [=](const CachedPage& page) { return page.tags.context == asid && page.whole_covers(va); });
    drop_tables(
        [=](const CachedTable& table) { return table.tags.context == asid && table.leads_to(va); });
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Invlpgb& op) {
    if (!amd() || !setting_.machine.features.invlpgb) return FaultKind::kInvalidOpcode;
    const bool any_asid = !in_guest() && !op.asid;
    const std::uint16_t asid = in_guest() ? current_context() : op.asid ? op.asid->value() : 0;
    const auto in_space = [&](const auto& entry) {
        return (any_asid || entry.tags.context == asid) &&
               (!op.pcid || op.pcid->value() == entry.tags.pcid);
    };
    // Globals that are to go do so whatever PCID they were made under, as with INVLPG.
    const auto is_meant = [&](const CachedPage& page) {
        if (!page.global) return in_space(page);
        return op.globals && (any_asid || page.tags.context == asid);
    };
    const auto in_range = [&](std::uint64_t base, int level) {
        if (!op.va) return true;
        for (std::uint64_t i = 0; i < op.pages; ++i) {
            if (same_page(base, op.va->value() + i * page_bytes(op.stride), level)) return true;
        }
        return false;
    };
    for (Cpu& each : cpus_) {
        remove_where(each.cached.pages, [&](const CachedPage& page) {
            return is_meant(page) && in_range(page.va, page.whole_level);
        });
        if (!op.final_only) {
            remove_where(each.cached.tables, [&](const CachedTable& table) {
                return in_space(table) && in_range(table.va, table.level);
            });
        }
        if (!op.nested) continue;
        remove_where(each.cached.host_pages,
                     [&](const CachedHostPage& page) { return any_asid || page.tag == asid; });
        remove_where(each.cached.host_tables,
                     [&](const CachedHostTable& table) { return any_asid || table.tag == asid; });
    }
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const VmEntry& op) {
    const std::size_t vm = op.vm ? find_context(*op.vm) : hosted();
    const Context& guest = contexts_[vm];
    if (amd() && guest.asid == 0) return FaultKind::kInvalidVmcb;
    leave_or_enter_guest();
    cpu().running = vm;
    cpu().last_vm = vm;
    if (!amd()) return FaultKind::kNone;
    const std::uint16_t asid = guest.asid;
    switch (op.tlb_control) {
        case TlbControl::kNothing:
            break;
        case TlbControl::kAll:
            drop_everything();
            break;
        case TlbControl::kThisAsid:
            drop_context(asid);
            remove_where(sets().host_pages, [=](const auto& page) { return page.tag == asid; });
            remove_where(sets().host_tables, [=](const auto& table) { return table.tag == asid; });
            break;
        case TlbControl::kThisAsidNonGlobal:
            drop_pages(
                [=](const CachedPage& page) { return page.tags.context == asid && !page.global; });
            drop_tables([=](const CachedTable& table) { return table.tags.context == asid; });
            break;
    }
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const VmExit&) {
    leave_or_enter_guest();
    cpu().running = 0;
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const Vmfunc& op) {
    context().host_table = find_host_table(op.eptp);
    return FaultKind::kNone;
}

FaultKind Oracle::do_op(const VmcbCr3& op) {
    const std::size_t vm = hosted();
    cpu().registers[vm].name(find_space(contexts_[vm], op.space));
    return FaultKind::kNone;
}

}  // namespace nestwalk::test
