#include "tests/properties/os_generator.h"
#include "tests/properties/choices.h"
#include "tests/properties/universe.h"

#include <array>

namespace nestwalk::test {

namespace {

VirtAddr page(Choices& choices) { return VirtAddr(choices.one_of(kPages)); }

bool of_kernel(VirtAddr va) { return va.value() >> 63 != 0; }

/// Kernels keep to their half, but for what they copy from and to users; kernel threads have none.
Access access(Choices& choices) {
    static constexpr std::array kKinds{AccessKind::kLoad, AccessKind::kStore, AccessKind::kLoad,
                                       AccessKind::kFetch};
    Access access{.kind = choices.one_of(kKinds)};
    access.va = page(choices) + choices.below(4) * 0x400;
    const bool kernel = of_kernel(access.va) ? !choices.one_in(8) : choices.one_in(4);
    access.privilege = kernel ? Privilege::kKernel : Privilege::kUser;
    if (choices.one_in(16)) access.va = access.va + (0xffc - (access.va.value() & 0xfff));
    return access;
}

/// Both parts of the flush that a change of `va` needs; a part that comes alone is another flush.
void flush(std::vector<Operation>& program, const FlushedRange& range, Choices& choices) {
    if (choices.one_in(8)) {
        program.push_back(Shootdown{range});
        program.push_back(FlushRange{range});
        return;
    }
    program.push_back(FlushRange{range});
    if (choices.one_in(8)) program.push_back(FlushRange{{.va = range.va, .kernel = range.kernel}});
    program.push_back(Shootdown{range});
}

/// One page was changed and no paging structure freed.
FlushedRange one_page(VirtAddr va) {
    return {.va = VirtAddr(align_down(va.value(), page_bytes(PageSize::k4K))),
            .pages = 1,
            .kernel = of_kernel(va)};
}

/// All small pages of a larger one.
FlushedRange all_small_pages(VirtAddr va, PageSize size) {
    return {.va = VirtAddr(align_down(va.value(), page_bytes(size))),
            .pages = page_bytes(size) / page_bytes(PageSize::k4K),
            .kernel = of_kernel(va),
            .freed_tables = true};
}

std::vector<Operation> change(Choices& choices, const Setting& setting) {
    const VirtAddr va = page(choices);
    // A large page of a guest is several in the shadow tables, of which a hypervisor, who is not
    // there, would have to think when the guest executes INVLPG.
    const bool small = setting.system.paging == Paging::kShadow;
    std::vector<Operation> program;
    switch (choices.below(small ? 3 : 6)) {
        case 1: {
            program.push_back(Unmap{.va = va});
            flush(program, one_page(va), choices);
            break;
        }
        case 2: {
            program.push_back(Protect{.va = va,
                                      .writable = choices.one_in(2),
                                      .user = choices.one_in(2),
                                      .no_execute = choices.one_in(4)});
            flush(program, one_page(va), choices);
            break;
        }
        case 3: {
            program.push_back(Collapse{.va = va});
            flush(program, all_small_pages(va, PageSize::k1G), choices);
            break;
        }
        case 4: {
            program.push_back(Split{.va = va});
            flush(program, one_page(va), choices);
            break;
        }
        default: {
            static constexpr std::array kSizes{PageSize::k4K, PageSize::k4K, PageSize::k4K,
                                               PageSize::k2M, PageSize::k1G};
            const PageSize size = small ? PageSize::k4K : choices.one_of(kSizes);
            const std::uint64_t frame = size == PageSize::k4K   ? choices.one_of(kSmallFrames)
                                        : size == PageSize::k2M ? choices.one_of(kMediumFrames)
                                                                : choices.one_of(kLargeFrames);
            program.push_back(Map{.va = VirtAddr(align_down(va.value(), page_bytes(size))),
                                  .size = size,
                                  .to = frame,
                                  .global = of_kernel(va) && !setting.system.os.pti,
                                  .read_only = choices.one_in(4),
                                  .user = !of_kernel(va)});
            flush(program, size == PageSize::k4K ? one_page(va) : all_small_pages(va, size),
                  choices);
            break;
        }
    }
    return program;
}

}  // namespace

std::vector<Operation> os_operations_of(std::uint64_t number, const Setting& setting) {
    Choices choices(number);
    const std::uint64_t kind = choices.below(64);
    if (kind < 40) return {access(choices)};
    if (kind < 46) return change(choices, setting);
    if (kind < 53) return {SwitchSpace{choices.one_of(kSpaces)}};
    if (kind == 53) return {SwitchSpace{}};
    if (kind == 54) return {Invlpg{page(choices)}};
    if (kind == 55 && setting.virtualized()) return {VmExit{}};
    if (kind < 58 && setting.virtualized()) return {VmEntry{}};
    if (kind < 63) {
        return {SelectCpu{static_cast<std::uint32_t>(choices.below(setting.system.vcpus))}};
    }
    return {MovCr3{}};
}

}  // namespace nestwalk::test
