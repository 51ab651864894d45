// Records about the state of the processor: control registers, address spaces and virtual machines
// to run in, which vCPU runs, and locks.

#include "traces/text_records.h"
#include "traces/values.h"

#include <span>
#include <utility>

namespace nestwalk {
namespace {

using FlagName = Choice<ControlFlag>;

constexpr std::array kCr0Flags{FlagName{"pg", ControlFlag::kPg}, FlagName{"wp", ControlFlag::kWp}};
constexpr std::array kCr4Flags{
    FlagName{"pge", ControlFlag::kPge},   FlagName{"pcide", ControlFlag::kPcide},
    FlagName{"smep", ControlFlag::kSmep}, FlagName{"smap", ControlFlag::kSmap},
    FlagName{"pke", ControlFlag::kPke},   FlagName{"pae", ControlFlag::kPae},
    FlagName{"pse", ControlFlag::kPse},   FlagName{"la57", ControlFlag::kLa57}};
constexpr std::array kEferFlags{FlagName{"nxe", ControlFlag::kNxe},
                                FlagName{"tce", ControlFlag::kTce}};

constexpr std::array kTlbControls{Choice<TlbControl>{"0", TlbControl::kNothing},
                                  Choice<TlbControl>{"1", TlbControl::kAll},
                                  Choice<TlbControl>{"3", TlbControl::kThisAsid},
                                  Choice<TlbControl>{"7", TlbControl::kThisAsidNonGlobal}};

constexpr std::array kTables{Choice<Tables>{"kernel", Tables::kKernel},
                             Choice<Tables>{"user", Tables::kUser}};

ControlWrite flags_of(Fields& fields, std::span<const FlagName> flags) {
    ControlWrite write{};
    for (const FlagName& flag : flags) {
        const std::optional<bool> value = bit_key(fields, flag.word);
        if (!value) continue;
        (*value ? write.set : write.clear).set(flag.value);
    }
    if (write == ControlWrite{}) {
        fields.finish();
        std::vector<std::string_view> names;
        for (const FlagName& flag : flags) names.push_back(flag.word);
        fields.reject(fields.operation(), "missing flag", "FLAG=0 or FLAG=1 of " + listed(names));
    }
    return write;
}

std::string space_argument(Fields& fields) {
    return name(fields, fields.argument("the name of an address space"));
}

Operation parse_mov_cr3(Fields& fields) {
    MovCr3 operation{};
    operation.keep_entries = fields.flag("noflush");
    if (const Word* word = fields.key("pcid")) operation.pcid = pcid(fields, *word);
    if (const Word* word = fields.key("tables"))
        operation.tables = choice(fields, *word, kTables, "tables of a space");
    if (const Word* word = fields.optional_argument()) operation.space = name(fields, *word);
    return operation;
}

Operation parse_mov_cr4(Fields& fields) { return MovCr4{flags_of(fields, kCr4Flags)}; }
Operation parse_mov_cr0(Fields& fields) { return MovCr0{flags_of(fields, kCr0Flags)}; }
Operation parse_toggle_pge(Fields&) { return TogglePge{}; }

Operation parse_wrmsr(Fields& fields) {
    const Word& msr = fields.argument("the MSR, efer");
    if (msr.text != "efer") fields.reject(msr, "unknown MSR", "efer");
    return WrmsrEfer{flags_of(fields, kEferFlags)};
}

Operation parse_task_switch(Fields& fields) { return TaskSwitch{space_argument(fields)}; }
Operation parse_switch(Fields& fields) {
    if (fields.flag("idle")) return SwitchSpace{};
    return SwitchSpace{name(fields, fields.argument("the name of an address space, or idle"))};
}
Operation parse_smi(Fields&) { return SystemManagementInterrupt{}; }
Operation parse_rsm(Fields&) { return ResumeFromSmm{}; }
Operation parse_vmcb_cr3(Fields& fields) { return VmcbCr3{space_argument(fields)}; }

Operation parse_vm(Fields& fields) {
    DeclareVm operation{.name = name(fields, fields.argument("a name for the virtual machine"))};
    if (const Word* word = fields.key("vpid")) operation.vpid = vpid(fields, *word);
    operation.eptp = name_key(fields, "eptp");
    if (const Word* word = fields.key("asid")) operation.asid = asid(fields, *word);
    return operation;
}

Operation parse_eptp(Fields& fields) {
    DeclareEptp operation{.name = name(fields, fields.argument("a name for the host table"))};
    operation.accessed_dirty = bit_key(fields, "ad");
    return operation;
}

Operation parse_vmentry(Fields& fields) {
    VmEntry operation{};
    if (const Word* word = fields.optional_argument()) operation.vm = name(fields, *word);
    if (const Word* word = fields.key("tlb-control"))
        operation.tlb_control = choice(fields, *word, kTlbControls, "a TLB control");
    return operation;
}

Operation parse_vmexit(Fields& fields) {
    VmExit operation{};
    if (const Word* word = fields.optional_argument()) operation.reason = name(fields, *word);
    return operation;
}

Operation parse_vmfunc(Fields& fields) {
    return Vmfunc{name(fields, fields.argument("the name of a host table"))};
}

Operation parse_cpu(Fields& fields) {
    const Word& word = fields.argument(kCpu.expected);
    return SelectCpu{static_cast<std::uint32_t>(number(fields, word, kCpu))};
}

Operation parse_lock(Fields& fields) {
    Lock operation{.name = name(fields, fields.argument("a lock's name"))};
    operation.interrupts_off = fields.flag("irqs-off");
    return operation;
}
Operation parse_unlock(Fields& fields) {
    return Unlock{name(fields, fields.argument("a lock's name"))};
}

constexpr TextRecord kRecords[]{
    {"mov-cr3", parse_mov_cr3}, {"mov-cr4", parse_mov_cr4},
    {"mov-cr0", parse_mov_cr0}, {"toggle-pge", parse_toggle_pge},
    {"wrmsr", parse_wrmsr},     {"task-switch", parse_task_switch},
    {"switch", parse_switch},   {"smi", parse_smi},
    {"rsm", parse_rsm},         {"vmcb-cr3", parse_vmcb_cr3},
    {"vm", parse_vm},           {"eptp", parse_eptp},
    {"vmentry", parse_vmentry}, {"vmexit", parse_vmexit},
    {"vmfunc", parse_vmfunc},   {"cpu", parse_cpu},
    {"lock", parse_lock},       {"unlock", parse_unlock},
};

}  // namespace

TextRecords control_records() { return kRecords; }

}  // namespace nestwalk
