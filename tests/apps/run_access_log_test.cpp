// The access log: one row a translation and one an operation, in program order.
#include "tests/apps/program.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

const std::string kExperiment =
    "title: t\nmachine: exact\nset: {timing: off}\nsystem: {paging: native}\n"
    "workload: {trace: t.nwt}\n";
const std::string kHeader =
    "index,cpu,op,va,outcome,level,page_size,guest_refs,host_refs,stale,fault,cycle,exit\n";

std::string log_of(const std::string& trace, const std::string& options = "") {
    const Workplace place;
    place.write("e.yaml", kExperiment);
    place.write("t.nwt", trace);
    const Finished finished = place.run("nestwalk run e.yaml --access-log log.csv " + options);
    CHECK(finished.status == 0);
    CHECK_FALSE(place.has("log.csv.partial"));
    return place.read("log.csv");
}

TEST_SUITE("access log") {
    TEST_CASE("an empty trace leaves the header") { CHECK(log_of("") == kHeader); }

    TEST_CASE("an access with count=N writes N rows") {
        CHECK(log_of("load 0x1000 count=3 stride=4K\n") ==
              kHeader +
                  "0,0,load,0x1000,miss,root,4K,4,0,0,,,\n"
                  "1,0,load,0x2000,miss,pde,4K,1,0,0,,,\n"
                  "2,0,load,0x3000,miss,pde,4K,1,0,0,,,\n");
    }

    TEST_CASE("an access that crosses a page writes two rows") {
        CHECK(log_of("store 0x1ffc\n") == kHeader +
                                              "0,0,store,0x1ffc,miss,root,4K,4,0,0,,,\n"
                                              "1,0,store,0x2000,miss,pde,4K,1,0,0,,,\n");
    }

    TEST_CASE("an access that crosses no boundary of its large page writes one row") {
        CHECK(log_of("load 0x1ffc\n", "--set system.guest.page_size=2M") ==
              kHeader + "0,0,load,0x1ffc,miss,root,2M,3,0,0,,,\n");
    }

    TEST_CASE("an operation writes one row, without an outcome") {
        CHECK(log_of("invlpg 0x5000\nmov-cr3\nfetch 0x1000\nevict 0x1000\nfetch 0x1000\nfetch "
                     "0x1000\n") == kHeader +
                                        "0,0,invlpg,0x5000,,,,,,,,,\n"
                                        "1,0,mov-cr3,,,,,,,,,,\n"
                                        "2,0,fetch,0x1000,miss,root,4K,4,0,0,,,\n"
                                        "3,0,evict,0x1000,,,,,,,,,\n"
                                        "4,0,fetch,0x1000,miss,pde,4K,1,0,0,,,\n"
                                        "5,0,fetch,0x1000,l1-hit,,4K,0,0,0,,,\n");
    }

    TEST_CASE("faults and stale hits are marked") {
        CHECK(log_of("load 0x8000_0000_0000\nload 0x1000\nunmap 0x1000\nload 0x1000\nevict 0x1000\n"
                     "load 0x1000\n") == kHeader +
                                             "0,0,load,0x800000000000,fault,,,0,0,0,gp,,\n"
                                             "1,0,load,0x1000,miss,root,4K,4,0,0,,,\n"
                                             "2,0,unmap,0x1000,,,,,,,,,\n"
                                             "3,0,load,0x1000,l1-hit,,4K,0,0,1,,,\n"
                                             "4,0,evict,0x1000,,,,,,,,,\n"
                                             "5,0,load,0x1000,fault,pde,,5,0,0,page-fault,,\n");
    }

    TEST_CASE("both dimensions of a nested walk are counted, and loops are written out") {
        CHECK(log_of("repeat 3 {\n  load 0x1000\n  invlpg 0x1000\n}\n",
                     "--set system.paging=nested --set nested_tlb=off "
                     "--set guest_physical_paging_structure_caches=off") ==
              kHeader +
                  "0,0,load,0x1000,miss,root,4K,4,20,0,,,\n"
                  "1,0,invlpg,0x1000,,,,,,,,,\n"
                  "2,0,load,0x1000,miss,root,4K,4,20,0,,,\n"
                  "3,0,invlpg,0x1000,,,,,,,,,\n"
                  "4,0,load,0x1000,miss,root,4K,4,20,0,,,\n"
                  "5,0,invlpg,0x1000,,,,,,,,,\n");
    }

    TEST_CASE("what an operating system makes of a record has rows of its own, with its vCPU") {
        CHECK(
            log_of("cpu 1\nload 0x1000\ncpu 0\nload 0x1000\nflush-range 0x1000 pages=1\nshootdown "
                   "0x1000 pages=1\nload 0x1000\n",
                   "--set system.vcpus=2 --set system.os.kind=linux") ==
            kHeader +
                "0,1,cpu,,,,,,,,,,\n"
                "1,1,load,0x1000,miss,root,4K,4,0,0,,,\n"
                "2,0,cpu,,,,,,,,,,\n"
                "3,0,load,0x1000,miss,root,4K,4,0,0,,,\n"
                "4,0,flush-range,0x1000,,,,,,,,,\n"
                "5,0,invlpg,0x1000,,,,,,,,,\n"
                "6,0,shootdown,0x1000,,,,,,,,,\n"
                "7,1,flush-range,0x1000,,,,,,,,,\n"
                "8,1,invlpg,0x1000,,,,,,,,,\n"
                "9,0,load,0x1000,miss,root,4K,4,0,0,,,\n");
    }

    // One walker: each walk begins when the one before has ended. 7 cycles for the STLB, 10 for
    // each entry read, 4 for the data in the L1D.
    TEST_CASE("a machine with timing says in which cycle each access was done") {
        const Workplace place;
        place.write("e.yaml", with(kExperiment, "timing: off", "timing.lfence: 0"));
        place.write("t.nwt", "load 0x1000 count=3 stride=4K\n");
        CHECK(place.run("nestwalk run e.yaml --access-log log.csv").status == 0);
        CHECK(place.read("log.csv") == kHeader +
                                           "0,0,load,0x1000,miss,root,4K,4,0,0,,51,\n"
                                           "1,0,load,0x2000,miss,pde,4K,1,0,0,,61,\n"
                                           "2,0,load,0x3000,miss,pde,4K,1,0,0,,71,\n");
    }

    TEST_CASE("an exit has its reason, and what a hypervisor does is written out") {
        CHECK(log_of("load 0x1000\n",
                     "--set system.paging=shadow "
                     "--set system.hypervisor=kvm-shadow") ==
              kHeader +
                  "0,0,load,0x1000,fault,root,,1,0,0,page-fault,,\n"
                  "1,0,vmexit,,,,,,,,,,page-fault\n"
                  "2,0,vmentry,,,,,,,,,,\n"
                  "3,0,load,0x1000,miss,root,4K,4,0,0,,,\n");
        CHECK(log_of("map 0x1000 size=4K to=0x5000 user\nhost-unmap 0x5000\nload 0x1000\n",
                     "--set system.paging=nested")
                  .ends_with(",ept-violation,,ept-violation\n"));
    }

    TEST_CASE("a run that fails leaves no log") {
        const Workplace place;
        place.write("e.yaml", kExperiment);
        place.write("t.nwt", "load 0x1000\nload oops\n");
        CHECK(place.run("nestwalk run e.yaml --access-log log.csv").status == 2);
        CHECK_FALSE(place.has("log.csv"));
        CHECK_FALSE(place.has("log.csv.partial"));
    }
}

}  // namespace
}  // namespace nestwalk::test
