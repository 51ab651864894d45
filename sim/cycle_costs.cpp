#include "sim/cycle_costs.h"

namespace nestwalk {
namespace {

using Kind = Instruction::Kind;

struct Costing {
    const Outcome& outcome;
    const TimingParameters& timing;
    const InstructionCosts& costs;

    using Result = std::optional<Instruction>;

    Result make(Kind kind, CycleCause cause, Latency cost) const {
        return Instruction{.kind = kind, .cause = cause, .cost = timing.cycles(cost)};
    }
    Result serializing(Latency cost, CycleCause cause = CycleCause::kFlush) const {
        return make(Kind::kSerializing, cause, cost);
    }
    Result draining(Drain drain, Latency cost) const {
        return make(drain == Drain::kBefore ? Kind::kSerializing : Kind::kOverlapping,
                    CycleCause::kFlush, cost);
    }

    bool flushes() const {
        return outcome.asked.page + outcome.asked.context + outcome.asked.all > 0;
    }

    Result operator()(const Access&) const { return std::nullopt; }
    Result operator()(const Compute& compute) const {
        return Instruction{.kind = Kind::kCompute,
                           .cause = CycleCause::kBase,
                           .cost = Cycles::whole(static_cast<std::int64_t>(compute.core_cycles))};
    }
    Result operator()(const Fence& fence) const {
        if (fence.kind == FenceKind::kMfence) {
            return make(Kind::kMfence, CycleCause::kFence, timing.mfence);
        }
        return make(Kind::kLfence, CycleCause::kFence, timing.lfence);
    }
    Result operator()(const Lock&) const { return make(Kind::kMfence, CycleCause::kFence, {}); }
    Result operator()(const Unlock&) const { return make(Kind::kMfence, CycleCause::kFence, {}); }
    Result operator()(const ReadTimeStamp& read) const {
        return make(read.after_loads ? Kind::kTimeStampFenced : Kind::kTimeStamp, CycleCause::kBase,
                    {});
    }

    Result operator()(const Invlpg&) const { return draining(timing.invlpg_drain, costs.invlpg); }
    Result operator()(const MovCr3& record) const {
        return draining(timing.mov_cr3_drain,
                        record.keep_entries ? costs.mov_cr3_noflush : costs.mov_cr3);
    }
    Result operator()(const TaskSwitch&) const {
        return draining(timing.mov_cr3_drain, costs.mov_cr3);
    }
    Result operator()(const MovCr4&) const {
        return serializing(flushes() ? costs.mov_cr4_flush : costs.mov_cr4);
    }
    Result operator()(const TogglePge&) const {
        Result write = serializing(costs.mov_cr4_flush);
        write->cost = write->cost * 2;
        return write;
    }
    Result operator()(const MovCr0&) const { return serializing(costs.mov_cr0); }
    Result operator()(const WrmsrEfer&) const { return serializing(costs.wrmsr_efer); }
    Result operator()(const Invpcid& record) const {
        switch (record.type) {
            case InvpcidType::kAddress:
                return draining(timing.invlpg_drain, costs.invpcid_address);
            case InvpcidType::kSingleContext:
                return serializing(costs.invpcid_single);
            case InvpcidType::kAllIncludingGlobals:
            case InvpcidType::kAllContexts:
                break;
        }
        return serializing(costs.invpcid_all);
    }
    Result operator()(const SystemManagementInterrupt&) const {
        return serializing(timing.smi, CycleCause::kExit);
    }
    Result operator()(const ResumeFromSmm&) const {
        return serializing(timing.smi, CycleCause::kExit);
    }
    Result operator()(const WriteBackInvalidate&) const { return serializing(timing.wbinvd); }

    Result operator()(const Invvpid&) const { return serializing(timing.invvpid); }
    Result operator()(const Invept&) const { return serializing(timing.invept); }
    Result operator()(const Invlpga&) const {
        return draining(timing.invlpg_drain, timing.invlpga);
    }
    Result operator()(const Invlpgb&) const {
        return make(Kind::kPosted, CycleCause::kFlush, timing.invlpgb);
    }
    Result operator()(const Tlbsync&) const { return serializing(timing.tlbsync); }
    Result operator()(const Vmfunc&) const { return serializing(timing.vmfunc); }
    Result operator()(const VmEntry&) const {
        return serializing(timing.vm_entry, CycleCause::kExit);
    }
    Result operator()(const VmExit&) const {
        return serializing(timing.vm_exit, CycleCause::kExit);
    }

    // Of an operating system's flushes, the interrupts.
    Result operator()(const Shootdown&) const {
        if (outcome.ipis == 0) return std::nullopt;
        Result sending = serializing(timing.ipi, CycleCause::kIpi);
        sending->cost = sending->cost * outcome.ipis;
        return sending;
    }
    Result operator()(const FlushRange& record) const {
        if (!record.remote) return std::nullopt;
        return serializing(timing.interrupt, CycleCause::kIpi);
    }

    // What software does to tables and declarations take no time, nor does what no processor does.
    template <typename Record>
    Result operator()(const Record&) const {
        return std::nullopt;
    }
};

}  // namespace

std::optional<Instruction> instruction_of(const Operation& operation, const Outcome& outcome,
                                          Place place, const TimingParameters& timing) {
    if (outcome.fault.raised()) {
        return Instruction{.kind = Kind::kSerializing,
                           .cause = CycleCause::kFault,
                           .cost = timing.cycles(timing.fault)};
    }
    if (outcome.exits > 0 && !std::holds_alternative<VmExit>(operation)) {
        return Instruction{.kind = Kind::kSerializing,
                           .cause = CycleCause::kExit,
                           .cost = timing.cycles(timing.vm_exit) + timing.cycles(timing.vm_entry)};
    }
    const InstructionCosts& costs = place == Place::kGuest ? timing.guest : timing.bare;
    return std::visit(Costing{outcome, timing, costs}, operation);
}

}  // namespace nestwalk
