// Shadow tables as a hypervisor keeps them: which writes and flushes of the guest exit, and that
// the shadow follows where it must.
#include "tests/models/recorder.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kNext = 0x2000;

Operation map_to(std::uint64_t va, std::uint64_t frame, PageSize size = PageSize::k4K) {
    return Map{.va = VirtAddr(va), .size = size, .to = frame, .user = true};
}

Operation read_only(std::uint64_t va) { return Protect{.va = VirtAddr(va), .writable = false}; }

TEST_SUITE("shadow tables") {
    TEST_CASE("the first access to a page is a page fault that the guest never sees") {
        Recorder run = kvm_shadow();
        CHECK(run.load(kPage) == "page-fault answered, vmexit page-fault, vmentry, miss, 4 reads");
        CHECK(run.load(kPage) == "hit");
        // The fault has dropped the paging-structure entries of its path.
        CHECK(run.load(kNext) == "page-fault answered, vmexit page-fault, vmentry, miss, 4 reads");
    }

    TEST_CASE("a page fault that the guest's tables ask for is the guest's") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.apply(Map{.va = VirtAddr(kNext), .read_only = true, .user = true});
        CHECK(run.store(kNext) == "page-fault, vmexit page-fault, vmentry");
        CHECK(run.load(kNext) == "page-fault answered, vmexit page-fault, vmentry, miss, 4 reads");
    }

    TEST_CASE("the first write of a page table exits and the others do not until it is in sync") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.load(kNext);
        CHECK(run.apply(read_only(kPage)) == "vmexit table-write, vmentry, protect");
        CHECK(run.apply(read_only(kNext)) == "protect");
        // INVLPG is for one address: the table stays out of sync.
        run.apply(Invlpg{VirtAddr(kPage)});
        CHECK(run.apply(read_only(kPage)) == "protect");
        // A load of CR3 brings all below the root up to date.
        run.apply(MovCr3{});
        CHECK(run.apply(read_only(kPage)) == "vmexit table-write, vmentry, protect");
    }

    TEST_CASE("a table that nothing was made from may be written") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        // The new table's first entry is written before anything was made from it.
        CHECK(run.apply(map_to(k1G, 0x5000)) == "vmexit table-write, vmentry, map");
        CHECK(run.apply(read_only(k1G)) == "protect");
    }

    TEST_CASE("until the guest flushes the shadow keeps what it has") {
        Recorder run = kvm_shadow();
        run.apply(map_to(kPage, 0x5000));
        run.load(kPage);
        run.apply(map_to(kPage, 0x9000));
        run.apply(Evict{VirtAddr(kPage)});
        CHECK(run.load(kPage) == "miss, 1 read");  // the old page, found in the shadow table
        run.apply(Invlpg{VirtAddr(kPage)});
        CHECK(run.load(kPage) == "page-fault answered, vmexit page-fault, vmentry, miss, 4 reads");
    }

    TEST_CASE("rights that were taken away are gone after INVLPG without another exit") {
        Recorder run = kvm_shadow();
        run.store(kPage);
        run.apply(read_only(kPage));
        run.apply(Invlpg{VirtAddr(kPage)});
        CHECK(run.load(kPage) == "miss, 4 reads");
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("rights that were given need no flush: the refused access makes the shadow anew") {
        Recorder run = kvm_shadow();
        run.apply(Map{.va = VirtAddr(kPage), .read_only = true, .user = true});
        run.load(kPage);
        run.apply(Protect{.va = VirtAddr(kPage), .writable = true});
        CHECK(run.store(kPage) == "page-fault answered, vmexit page-fault, vmentry, miss, 4 reads");
    }

    TEST_CASE("the first store to a clean page exits: the hypervisor sets D in the guest's leaf") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.accessed_dirty_preset = false});
        CHECK(run.load(kPage).find("answered") != std::string::npos);
        CHECK(run.store(kPage).find("answered") != std::string::npos);
        CHECK(run.store(kPage) == "hit");
    }

    TEST_CASE("a write of an upper table always exits, drops what it covered and flushes") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        const SetEntry edit{.va = VirtAddr(kPage), .edit = {.level = 2, .writable = false}};
        CHECK(run.apply(edit) == "vmexit table-write, invvpid 2, vmentry, set-entry");
        // The entry had no shadow any more: nothing to flush.
        CHECK(run.apply(edit) == "vmexit table-write, vmentry, set-entry");
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
        CHECK(run.load(kPage).find("answered") != std::string::npos);
    }

    TEST_CASE("a table whose shadow is dropped may be written until one is made of it again") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.apply(SetEntry{.va = VirtAddr(kPage), .edit = {.level = 2, .accessed = false}});
        CHECK(run.apply(read_only(kPage)) == "protect");
        run.load(kPage);
        CHECK(run.apply(read_only(kPage)) == "vmexit table-write, vmentry, protect");
    }

    TEST_CASE("a new table below an upper one is one exit") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        CHECK(run.apply(map_to(k2M, 0x5000)) == "vmexit table-write, vmentry, map");
        CHECK(run.load(kPage) == "hit");
    }

    TEST_CASE("a large page that changes is an upper table's entry") {
        Recorder run =
            kvm_shadow(ShadowInvlpg::kIndividual, {.guest = {.page_size = PageSize::k2M}});
        run.load(k2M);
        run.load(k2M + 0x6000);
        CHECK(run.apply(read_only(k2M)) == "vmexit table-write, invvpid 2, vmentry, protect");
        CHECK(run.load(k2M + 0x6000).find("answered") != std::string::npos);
        CHECK(run.apply(Split{VirtAddr(k2M), std::nullopt}) ==
              "vmexit table-write, invvpid 2, vmentry, split");
    }

    TEST_CASE("the shadow leaf has the smaller of both sizes and is never fractured") {
        for (const PageSize host : {PageSize::k4K, PageSize::k2M}) {
            Recorder run =
                kvm_shadow(ShadowInvlpg::kIndividual,
                           {.guest = {.page_size = PageSize::k2M}, .host = {.page_size = host}});
            run.load(k2M);
            CHECK(run.load(k2M + 0x6000).substr(0, 3) == (host == PageSize::k2M ? "hit" : "pag"));
            CHECK(run.last().page_level == (host == PageSize::k2M ? 2 : 1));
            CHECK_FALSE(run.last().fractured_fill);
        }
    }

    TEST_CASE("no shadow leaf is global") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        run.apply(Map{.va = VirtAddr(kPage), .to = 0x5000, .global = true, .user = true});
        run.load(kPage);
        run.apply(DeclareSpace{"p1", Pcid(1)});
        run.apply(
            Map{.va = VirtAddr(kPage), .to = 0x5000, .space = "p1", .global = true, .user = true});
        run.apply(MovCr3{"p1", true});
        CHECK(run.load(kPage).find("answered") != std::string::npos);
    }

    TEST_CASE("a space that is loaded again has its shadow still") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.apply(DeclareSpace{"b", std::nullopt});
        run.apply(MovCr3{"b", false});
        run.apply(MovCr3{"s0", false});
        CHECK(run.load(kPage) == "miss, 4 reads");
    }

    TEST_CASE("another space's table goes out of sync as well and follows when it is loaded") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        run.apply(DeclareSpace{"b", std::nullopt});
        run.apply(MovCr3{"b", false});
        CHECK(run.apply(Protect{.va = VirtAddr(kPage), .writable = false, .space = "s0"}) ==
              "vmexit table-write, vmentry, protect");
        run.apply(MovCr3{"s0", false});
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("a table that two entries lead to has both shadows dropped") {
        Recorder run = kvm_shadow();
        run.apply(map_to(kPage, 0x5000));
        run.load(kPage);
        run.load(k1G);
        // The page directory of 0 is that of 1 GiB too.
        const std::uint64_t directory = run.guest_entry(0, 3) & 0x000f'ffff'ffff'f000;
        run.apply(SetEntry{.va = VirtAddr(k1G), .edit = {.level = 3, .to = directory}});
        run.apply(MovCr3{});
        CHECK(run.load(k1G + kPage).find("answered") != std::string::npos);
        CHECK(run.apply(SetEntry{.va = VirtAddr(0), .edit = {.level = 2, .present = false}}) ==
              "vmexit table-write, invvpid 2, vmentry, set-entry");
        CHECK(run.load(k1G + kPage) == "page-fault, vmexit page-fault, vmentry");
        CHECK(run.load(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("a table that leads to itself is never out of sync") {
        Recorder run = kvm_shadow();
        run.load(kPage);
        const std::uint64_t root = run.guest_root();
        run.apply(SetEntry{.va = VirtAddr(k512G),
                           .edit = {.level = 4,
                                    .present = true,
                                    .writable = true,
                                    .user = true,
                                    .accessed = true,
                                    .to = root}});
        run.apply(MovCr3{});
        // The page table of address 0, seen as a page through the root as page directory pointers.
        const std::uint64_t window = k512G;
        CHECK(run.load(window).find("answered") != std::string::npos);
        CHECK(run.apply(SetEntry{.va = VirtAddr(k512G), .edit = {.level = 4, .present = false}})
                  .find("vmexit table-write, invvpid 2, vmentry") == 0);
        CHECK(run.load(window) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("a change of the host's tables drops all shadows") {
        Recorder run = kvm_shadow();
        run.apply(map_to(kPage, 0x5000));
        run.load(kPage);
        run.load(kNext);
        CHECK(run.apply(HostProtect{GuestPhysAddr(0x5000), true, false, true}) == "host-protect");
        CHECK(run.load(kNext).find("answered") != std::string::npos);
        CHECK(run.load(kPage).find("answered") != std::string::npos);
        // The host's page gets its rights back when it is needed.
        CHECK(run.store(kPage).find("page-fault answered, vmexit page-fault, vmentry, miss") == 0);
        run.apply(HostUnmap{GuestPhysAddr(0x5000)});
        CHECK(run.load(kPage).find("page-fault answered, vmexit page-fault, vmentry, miss") == 0);
    }

    TEST_CASE("what no host page cures ends the run") {
        Recorder run = kvm_shadow();
        run.apply(map_to(kPage, 0x5000));
        run.load(kNext);
        run.apply(HostSetEntry{GuestPhysAddr(0x5000), {.level = 1, .reserved = true}});
        CHECK_THROWS_AS(run.load(kPage), OperationError);
    }

    TEST_CASE("INVPCID makes the shadows of its PCID follow") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        run.apply(DeclareSpace{"p1", Pcid(1)});
        run.load(kPage);
        run.apply(MovCr3{"p1", true});
        run.apply(Protect{.va = VirtAddr(kPage), .writable = false, .space = "s0"});
        run.apply(Invpcid{InvpcidType::kAddress, Pcid(0), VirtAddr(kPage)});
        run.apply(MovCr3{"s0", true});
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("bit 63 lets a root that is kept be out of date") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.pcid = true});
        run.apply(DeclareSpace{"p1", Pcid(1)});
        run.store(kPage);
        run.apply(MovCr3{"p1", true});
        run.apply(Protect{.va = VirtAddr(kPage), .writable = false, .space = "s0"});
        run.apply(MovCr3{"s0", true});
        CHECK(run.store(kPage) == "miss, 4 reads");
        run.apply(TogglePge{});
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("an operating system's kernel half is one set of tables below many roots") {
        constexpr std::uint64_t kKernel = 0xffff'8000'0000'1000;
        SystemParameters base;
        base.os.kind = OsKind::kLinux;
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, base);
        const auto kernel_load = [&] {
            return run.apply(Access{.privilege = Privilege::kKernel, .va = VirtAddr(kKernel)});
        };
        run.apply(DeclareSpace{"b", std::nullopt});
        kernel_load();
        run.apply(SwitchSpace{"b"});
        kernel_load();
        CHECK(run.apply(Unmap{VirtAddr(kKernel), std::nullopt}) ==
              "vmexit table-write, vmentry, unmap");
        run.apply(Invlpg{VirtAddr(kKernel)});
        CHECK(kernel_load() == "page-fault, vmexit page-fault, vmentry");
        run.apply(SwitchSpace{"s0"});
        CHECK(kernel_load() == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("what another vCPU has cached of a dropped shadow table goes with it") {
        Recorder run = kvm_shadow(ShadowInvlpg::kIndividual, {.vcpus = 2});
        run.load(kPage);
        run.apply(SelectCpu{1});
        run.load(kPage);
        run.apply(SelectCpu{0});
        run.apply(SetEntry{.va = VirtAddr(kPage), .edit = {.level = 3, .user = false}});
        run.apply(SelectCpu{1});
        CHECK(run.load(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("without CR0.WP the kernel writes a read-only page and the leaf is its alone") {
        Recorder run = kvm_shadow();
        const auto kernel_store = [&] {
            return run.apply(Access{.kind = AccessKind::kStore,
                                    .privilege = Privilege::kKernel,
                                    .va = VirtAddr(kPage)});
        };
        run.apply(Map{.va = VirtAddr(kPage), .read_only = true, .user = true});
        CHECK(kernel_store() == "page-fault, vmexit page-fault, vmentry");
        // Leaves that were made under CR0.WP are dropped.
        CHECK(run.apply(MovCr0{{.clear = flags({ControlFlag::kWp})}}) ==
              "vmexit mov-cr0, invvpid 1, vmentry");
        CHECK(kernel_store().find("page-fault answered") == 0);
        CHECK(kernel_store() == "hit");
        CHECK(run.load(kPage).find("page-fault answered") == 0);
        CHECK(run.load(kPage) == "hit");
        CHECK(run.store(kPage) == "page-fault, vmexit page-fault, vmentry");
        CHECK(kernel_store().find("page-fault answered") == 0);
    }

    TEST_CASE("a change of EFER.NXE drops the shadows that were made under the other value") {
        Recorder run = kvm_shadow();
        run.apply(Map{.va = VirtAddr(kPage), .user = true, .no_execute = true});
        run.load(kPage);
        CHECK(run.apply(WrmsrEfer{{.clear = flags({ControlFlag::kNxe})}}) ==
              "vmexit wrmsr, invvpid 1, vmentry");
        CHECK(run.load(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("Xen: another VPID or ASID instead of a flush") {
        SystemParameters xen{.paging = Paging::kShadow};
        xen.hypervisor.kind = Hypervisor::kXenShadow;
        Recorder run(exact_machine(), xen);
        run.load(kPage);
        CHECK(run.apply(SetEntry{.va = VirtAddr(kPage), .edit = {.level = 2, .user = false}}) ==
              "vmexit table-write, vmentry, set-entry");
        CHECK(run.context() == 2);
        CHECK(run.load(kPage) == "page-fault, vmexit page-fault, vmentry");
    }

    TEST_CASE("two states that differ in a table's synchrony are not the same") {
        Recorder one = kvm_shadow();
        Recorder other = kvm_shadow();
        for (Recorder* run : {&one, &other}) run->load(kPage);
        CHECK(one.system().state() == other.system().state());
        CHECK(one.system().state().digest() == other.system().state().digest());
        one.apply(SetEntry{.va = VirtAddr(kPage), .edit = {.level = 1, .accessed = true}});
        CHECK_FALSE(one.system().state() == other.system().state());
        CHECK(one.system().state().digest() != other.system().state().digest());
    }
}

}  // namespace
}  // namespace nestwalk::test
