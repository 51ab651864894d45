// The `os` part of an experiment's system: what it means, and what makes no sense.
#include "apps/experiment_file.h"
#include "apps/os_section.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

const std::string kWorkload = "workload:\n  program: load 0x1000\n";

Experiment with_os(const std::string& os, const std::string& machine = "exact") {
    return read_experiment(read_yaml("machine: " + machine + "\nsystem:\n  tags: {pcid: on}\n" +
                                         "  os: " + os + "\n" + kWorkload,
                                     "e.yaml"),
                           "", {});
}

std::string os_error(const std::string& os, const std::string& machine = "exact") {
    return error_of([&] { with_os(os, machine); });
}

TEST_SUITE("os section") {
    TEST_CASE("an operating system has the defaults of its kind") {
        CHECK(with_os("{}").system.os == OsParameters{});
        CHECK(with_os("{kind: linux}").system.os == OsParameters{.kind = OsKind::kLinux,
                                                                 .flush_ceiling = 33,
                                                                 .dynamic_pcids = 6,
                                                                 .lazy_tlb = true});
        CHECK(with_os("{kind: freebsd}").system.os ==
              OsParameters{.kind = OsKind::kFreeBsd, .flush_ceiling = 4095});
    }

    TEST_CASE("all keys of an operating system are read and written") {
        const Experiment linux_all = with_os(
            "{kind: linux, flush_ceiling: 0, pti: on, dynamic_pcids: 3, lazy_tlb: off, invlpgb: "
            "on}",
            "zen3");
        CHECK(linux_all.system.os == OsParameters{.kind = OsKind::kLinux,
                                                  .flush_ceiling = 0,
                                                  .pti = true,
                                                  .dynamic_pcids = 3,
                                                  .lazy_tlb = false,
                                                  .invlpgb = true});
        CHECK(read_experiment(resolve(linux_all), "/", {}) == linux_all);
        const Experiment freebsd = with_os("{kind: freebsd, flush_ceiling: 7, pti: on}");
        CHECK(read_experiment(resolve(freebsd), "/", {}) == freebsd);
        CHECK(write_flow(os_node(freebsd.system.os)) ==
              "{kind: freebsd, flush_ceiling: 7, pti: on}");
        const Experiment none = with_os("{kind: none, pti: on, flush_ceiling: 5}");
        CHECK(read_experiment(resolve(none), "/", {}) == none);
    }

    TEST_CASE("what an operating system cannot be is refused at its place") {
        CHECK(os_error("{kind: windows}") ==
              "e.yaml:4:14: system.os.kind: found 'windows', expected none, linux or freebsd");
        CHECK(os_error("{kind: linux, ceiling: 3}")
                  .find("e.yaml:4:21: system.os: unknown key 'ceiling'") == 0);
        CHECK(os_error("{kind: linux, flush_ceiling: 65537}") ==
              "e.yaml:4:36: system.os.flush_ceiling: found '65537', expected an unsigned whole "
              "number such as 64, 0x40 or 4K, from 0 to 65536");
        CHECK(os_error("{kind: linux, dynamic_pcids: 0}")
                  .find("e.yaml:4:36: system.os.dynamic_pcids: found '0'") == 0);
        CHECK(os_error("{kind: freebsd, dynamic_pcids: 3}") ==
              "e.yaml:4:38: system.os.dynamic_pcids: is Linux's: FreeBSD gives every space a PCID");
        CHECK(os_error("{kind: freebsd, lazy_tlb: on}") ==
              "e.yaml:4:33: system.os.lazy_tlb: is Linux's: FreeBSD's kernel threads load their "
              "own space");
        CHECK(os_error("{kind: freebsd, invlpgb: off}") ==
              "e.yaml:4:32: system.os.invlpgb: is Linux's: FreeBSD sends interrupts");
    }

    TEST_CASE("INVLPGB needs a machine that has it and PCIDs") {
        CHECK(os_error("{kind: linux, invlpgb: on}", "zen3") == "no error");
        CHECK(os_error("{kind: linux, invlpgb: on}", "exact") ==
              "e.yaml:3:3: system: uses INVLPGB (os.invlpgb: on), which the machine does not have");
        CHECK(os_error("{kind: linux, invlpgb: on}", "zen2") ==
              "e.yaml:3:3: system: uses INVLPGB (os.invlpgb: on), which the machine does not have");
        CHECK(error_of([] {
                  read_experiment(
                      read_yaml(
                          "machine: zen3\nsystem:\n  os: {kind: linux, invlpgb: on}\n" + kWorkload,
                          "e.yaml"),
                      "", {});
              }) ==
              "e.yaml:3:30: system.os.invlpgb: is on, but tags.pcid is off: it is used with "
              "PCIDs");
    }

    TEST_CASE("an operating system has its own rule for global pages") {
        CHECK(error_of([] {
                  read_experiment(read_yaml("machine: exact\nsystem:\n  guest: {global: on}\n  os: "
                                            "{kind: linux}\n" +
                                                kWorkload,
                                            "e.yaml"),
                                  "", {});
              }) ==
              "e.yaml:4:14: system.os.kind: has its own rule for global pages, the kernel's "
              "half without pti; leave guest.global off");
    }
}

}  // namespace
}  // namespace nestwalk
