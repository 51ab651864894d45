#include "tests/properties/generator.h"
#include "tests/properties/choices.h"
#include "tests/properties/universe.h"

#include <array>
#include <string>

namespace nestwalk::test {

namespace {

VirtAddr page(Choices& choices) { return VirtAddr(choices.one_of(kPages)); }

/// Some byte of a page: often the first, sometimes a page that only large pages cover.
VirtAddr byte_of_page(Choices& choices) {
    static constexpr std::array<std::uint64_t, 8> kOffsets{0,    0,     8,      0,
                                                           0x18, 0xff8, 0x7000, 0x20'0000};
    const VirtAddr start = page(choices);
    return start + choices.one_of(kOffsets);
}

PageSize size(Choices& choices) {
    static constexpr std::array kSizes{PageSize::k4K, PageSize::k4K, PageSize::k4K, PageSize::k4K,
                                       PageSize::k2M, PageSize::k2M, PageSize::k1G};
    return choices.one_of(kSizes);
}

std::uint64_t frame(Choices& choices, PageSize of) {
    if (of == PageSize::k4K) return choices.one_of(kSmallFrames);
    return of == PageSize::k2M ? choices.one_of(kMediumFrames) : choices.one_of(kLargeFrames);
}

/// Mostly the current space; the others exist in guests and natively only.
std::optional<std::string> other_space(Choices& choices) {
    if (!choices.one_in(3)) return std::nullopt;
    return choices.one_of(kSpaces);
}

std::string space(Choices& choices) {
    const std::uint64_t choice = choices.below(8);
    return choice < 6 ? kSpaces[choice % 4] : kHostSpaces[choice - 6];
}

std::optional<bool> edited(Choices& choices, std::uint64_t one_in) {
    if (!choices.one_in(one_in)) return std::nullopt;
    return choices.below(2) != 0;
}

VirtAddr aligned(VirtAddr va, PageSize to) {
    return VirtAddr(align_down(va.value(), page_bytes(to)));
}

Operation access(Choices& choices) {
    static constexpr std::array kKinds{AccessKind::kLoad, AccessKind::kStore, AccessKind::kLoad,
                                       AccessKind::kFetch};
    Access access{.kind = choices.one_of(kKinds)};
    access.privilege = choices.one_in(3) ? Privilege::kKernel : Privilege::kUser;
    access.va = byte_of_page(choices);
    if (choices.one_in(64)) access.va = access.va + (0xffc - (access.va.value() & 0xfff));
    if (choices.one_in(256)) access.va = VirtAddr(0x0000'8000'0000'0000 + access.va.value() % 4096);
    return access;
}

Operation map(Choices& choices) {
    Map map{.va = page(choices), .size = size(choices)};
    map.va = aligned(map.va, map.size);
    map.to = frame(choices, map.size);
    map.space = other_space(choices);
    map.global = choices.one_in(3);
    map.read_only = choices.one_in(4);
    map.user = !choices.one_in(4);
    map.no_execute = choices.one_in(4);
    return map;
}

Operation set_entry(Choices& choices) {
    SetEntry set{.va = page(choices)};
    EntryEdit& edit = set.edit;
    edit.level = static_cast<int>(choices.below(5)) + 1;
    set.space = other_space(choices);
    switch (choices.below(11)) {
        case 0:
            edit.accessed = choices.below(2) != 0;
            break;
        case 1:
            edit.dirty = choices.below(2) != 0;
            break;
        case 2:
            edit.writable = choices.below(2) != 0;
            break;
        case 3:
            edit.user = choices.below(2) != 0;
            break;
        case 4:
            edit.global = choices.below(2) != 0;
            break;
        case 5:
            edit.no_execute = choices.below(2) != 0;
            break;
        case 6:
            edit.present = choices.below(3) != 0;
            break;
        case 7:
            edit.reserved = choices.below(3) == 2;
            break;
        case 8:
            edit.accessed = edited(choices, 2);
            edit.dirty = edited(choices, 2);
            break;
        case 9:
            edit.large = true;
            break;
        default:
            if (edit.level == 1)
                edit.to = choices.one_of(kSmallFrames);
            else
                edit.present = true;
            break;
    }
    return set;
}

Operation table_change(Choices& choices) {
    switch (choices.below(32)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return Unmap{page(choices), other_space(choices)};
        case 4:
        case 5:
        case 6:
        case 7:
        case 8: {
            Protect protect{.va = page(choices)};
            protect.writable = edited(choices, 2);
            protect.user = choices.below(2) != 0;
            protect.no_execute = choices.one_in(4);
            protect.space = other_space(choices);
            return protect;
        }
        case 9:
            return Collapse{page(choices), other_space(choices)};
        case 10:
            return Split{page(choices), other_space(choices)};
        case 11:
        case 12:
        case 13:
        case 14:
        case 15:
        case 16:
        case 17:
        case 18:
            return set_entry(choices);
        default:
            return map(choices);
    }
}

Operation host_set_entry(Choices& choices) {
    HostSetEntry set{.gpa = GuestPhysAddr(choices.one_of(kGuestPages)), .edit = {}};
    EntryEdit& edit = set.edit;
    edit.level = static_cast<int>(choices.below(4)) + 1;
    switch (choices.below(7)) {
        case 0:
            edit.accessed = choices.below(2) != 0;
            break;
        case 1:
            edit.dirty = choices.below(2) != 0;
            break;
        case 5:
            edit.user = choices.below(2) != 0;
            break;
        case 2:
            edit.writable = choices.below(2) != 0;
            break;
        case 3:
            edit.present = choices.below(3) != 0;
            break;
        case 4:
            edit.reserved = choices.below(3) == 2;
            break;
        default:
            edit.no_execute = choices.below(2) != 0;
            break;
    }
    return set;
}

Operation host_change(Choices& choices) {
    const GuestPhysAddr gpa(choices.one_of(kGuestPages));
    switch (choices.below(16)) {
        case 0:
        case 1:
            return HostUnmap{gpa};
        case 2:
            return HostSplit{gpa};
        case 3:
            return HostCollapse{gpa};
        case 4:
        case 5:
        case 6: {
            HostProtect protect{.gpa = gpa, .read = true};
            protect.write = choices.below(2) != 0;
            protect.execute = choices.below(2) != 0;
            return protect;
        }
        case 7:
        case 8:
        case 9:
            return host_set_entry(choices);
        default: {
            const PageSize of = size(choices);
            const std::uint64_t bytes = page_bytes(of);
            return HostMap{.gpa = GuestPhysAddr(align_down(gpa.value(), bytes)),
                           .size = of,
                           .to = PhysAddr(kHostMemory + choices.below(3) * bytes)};
        }
    }
}

Operation write_control(Choices& choices) {
    static constexpr std::array kFlags{ControlFlag::kPge,  ControlFlag::kPge,  ControlFlag::kPcide,
                                       ControlFlag::kSmep, ControlFlag::kSmap, ControlFlag::kPke,
                                       ControlFlag::kPae,  ControlFlag::kPse,  ControlFlag::kWp,
                                       ControlFlag::kWp,   ControlFlag::kPg,   ControlFlag::kPg,
                                       ControlFlag::kNxe,  ControlFlag::kTce,  ControlFlag::kLa57};
    const ControlFlag flag = choices.one_of(kFlags);
    ControlWrite write{};
    // Flags that make most accesses fault are cleared more often than set, paging the other way
    // round.
    const bool rare = flag == ControlFlag::kSmep || flag == ControlFlag::kSmap;
    const bool common = flag == ControlFlag::kPg || flag == ControlFlag::kNxe;
    const bool set = common ? choices.below(4) != 1 : choices.below(rare ? 3 : 2) == 1;
    if (set)
        write.set.set(flag);
    else
        write.clear.set(flag);
    if (flag == ControlFlag::kWp || flag == ControlFlag::kPg) return MovCr0{write};
    if (flag == ControlFlag::kNxe || flag == ControlFlag::kTce) return WrmsrEfer{write};
    if (choices.one_in(8)) write.set.set(ControlFlag::kPse);
    return MovCr4{write};
}

Operation load_space(Choices& choices) {
    MovCr3 load{};
    load.keep_entries = choices.one_in(2);
    if (!choices.one_in(6)) load.space = space(choices);
    if (choices.one_in(8)) load.pcid = Pcid(static_cast<std::uint16_t>(choices.below(3)));
    return load;
}

Operation broadcast(Choices& choices) {
    Invlpgb all{};
    if (!choices.one_in(3)) all.va = page(choices);
    if (!choices.one_in(3)) all.asid = Asid(static_cast<std::uint16_t>(choices.below(3)));
    if (choices.one_in(2)) all.pcid = Pcid(static_cast<std::uint16_t>(choices.below(3)));
    all.globals = choices.one_in(2);
    all.final_only = choices.one_in(3);
    all.nested = choices.one_in(3);
    all.pages = choices.below(3) + 1;
    if (choices.one_in(4)) all.stride = PageSize::k2M;
    return all;
}

Operation invalidate(Choices& choices, const Setting& setting) {
    const auto pcid = [&] { return Pcid(static_cast<std::uint16_t>(choices.below(3))); };
    const auto tag = [&] { return static_cast<std::uint16_t>(choices.below(3)); };
    switch (choices.below(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            return Invlpg{byte_of_page(choices)};
        case 5:
        case 6:
        case 7:
            return Invpcid{static_cast<InvpcidType>(choices.below(4)), pcid(),
                           byte_of_page(choices)};
        case 8:
        case 9:
        case 10:
            return Evict{byte_of_page(choices)};
        case 11:
            return TogglePge{};
        case 12:
        case 13:
            if (setting.amd()) return Invlpga{byte_of_page(choices), Asid(tag())};
            return Invvpid{static_cast<InvvpidType>(choices.below(4)), Vpid(tag()),
                           byte_of_page(choices)};
        case 14:
            if (setting.amd()) return broadcast(choices);
            if (choices.one_in(32)) return broadcast(choices);
            return Invept{static_cast<InveptType>(choices.below(3) == 0 ? 2 : 1),
                          std::string(choices.one_of(kHostTables))};
        default: {
            if (choices.one_in(4)) return SystemManagementInterrupt{};
            if (choices.one_in(4)) return ResumeFromSmm{};
            if (choices.one_in(8)) return WriteBackInvalidate{};
            return choices.one_in(4) ? Operation(Tlbsync{}) : Operation(TaskSwitch{space(choices)});
        }
    }
}

Operation change_mode(Choices& choices, const Setting& setting) {
    static constexpr std::array kControls{TlbControl::kNothing,  TlbControl::kNothing,
                                          TlbControl::kNothing,  TlbControl::kThisAsidNonGlobal,
                                          TlbControl::kThisAsid, TlbControl::kAll};
    switch (choices.below(8)) {
        case 0:
        case 1:
            return VmExit{};
        case 2:
        case 3:
        case 4:
        case 5: {
            VmEntry entry{};
            if (choices.one_in(2)) entry.vm = choices.one_of(kMachines);
            if (setting.amd()) entry.tlb_control = choices.one_of(kControls);
            return entry;
        }
        case 6:
            return Vmfunc{choices.one_of(kHostTables)};
        default:
            return VmcbCr3{space(choices)};
    }
}

}  // namespace

Operation operation_of(std::uint64_t number, const Setting& setting) {
    Choices choices(number);
    const std::uint64_t kind = choices.below(256);
    if (kind < 166) return access(choices);
    if (kind < 188) return table_change(choices);
    if (kind < 196) {
        if (setting.system.paging == Paging::kNested) return host_change(choices);
        return access(choices);
    }
    if (kind < 218) return invalidate(choices, setting);
    if (kind < 232) return load_space(choices);
    if (kind < 240) return write_control(choices);
    if (kind < 254 && setting.virtualized()) return change_mode(choices, setting);
    if (kind == 255 && setting.system.vcpus > 1) {
        return SelectCpu{static_cast<std::uint32_t>(choices.below(setting.system.vcpus))};
    }
    return access(choices);
}

}  // namespace nestwalk::test
