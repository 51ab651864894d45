// Experiments: what they mean, that the resolved one means the same, and where their errors point.
#include "apps/experiment_file.h"
#include "apps/yaml_reader.h"
#include "apps/yaml_writer.h"
#include "tests/input_error.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

const std::string kExample = R"(title: INVLPG of an unrelated page, guest 2M on host 4K
machine: haswell-ep                # configs/machines/haswell-ep.yaml
set: {stlb.entries: 2048}          # what-if overrides
system:
  paging: nested                   # native | nested | shadow
  guest: {levels: 4, page_size: 2M, global: false}
  host:  {levels: 4, page_size: 4K, holes: [{at: 0x5000_0000, size: 4K}]}
  tags:  {pcid: off, vpid: on}
  hypervisor: none
  vcpus: 1
workload:
  program: |
    nestwalk-trace 1
    repeat 500000 {
      invlpg 0x50f9000
      load 0x400000 count=50 stride=4K
    }
)";
const std::string kWorkload = "workload:\n  program: load 0x1000\n";

Experiment read(const std::string& text, const std::vector<std::string>& settings = {}) {
    return read_experiment(read_yaml(text, "e.yaml"), "/base", parse_overrides(settings));
}

std::string error_in(const std::string& text, const std::vector<std::string>& settings = {}) {
    return error_of([&] { read(text, settings); });
}

// Line 4 of the experiment is the system section.
std::string system_error(const std::string& system) {
    return error_in("title: t\nmachine: exact\nsystem:\n  " + system + "\n" + kWorkload);
}

Experiment with_system(const std::string& system) {
    return read("title: t\nmachine: exact\nsystem:\n  " + system + "\n" + kWorkload);
}

std::string resolved(const Experiment& experiment) { return write_yaml(resolve(experiment)); }

TEST_SUITE("experiment files") {
    TEST_CASE("the example of the manual means what it says") {
        const Experiment experiment = read(kExample);
        CHECK(experiment.title == "INVLPG of an unrelated page, guest 2M on host 4K");
        CHECK(experiment.machine.parameters.name == "haswell-ep");
        CHECK(experiment.machine.parameters.stlb[0].entries == 2048);
        CHECK(experiment.system.paging == Paging::kNested);
        CHECK(experiment.system.guest.page_size == PageSize::k2M);
        CHECK(experiment.system.host.page_size == PageSize::k4K);
        REQUIRE(experiment.system.host.holes.size() == 1);
        CHECK(experiment.system.host.holes[0] == HostHole{0x50000000, 4096});
        CHECK_FALSE(experiment.system.pcid);
        CHECK(experiment.system.vpid);
        CHECK(experiment.system.demand == Demand::kMapOnFirstTouch);
    }

    TEST_CASE("a program knows the line and column of the experiment where it stands") {
        const auto program = std::get<Program>(read(kExample).workload);
        CHECK(program.location.to_string() == "e.yaml:13:5");
        CHECK(program.text.starts_with("nestwalk-trace 1\nrepeat 500000 {\n  invlpg"));
        const std::string quoted =
            "title: t\nmachine: exact\nworkload:\n  program: \"load 1\\nload 2\"\n";
        CHECK(std::get<Program>(read(quoted).workload).location.to_string() ==
              "e.yaml:4:12: workload.program:1:1");
    }

    TEST_CASE("a system that says nothing has the defaults") {
        for (const std::string system : {"", "system:\n", "system: {}\n"}) {
            const Experiment experiment = read("machine: exact\n" + system + kWorkload);
            CHECK(experiment.system == SystemParameters{});
        }
    }

    TEST_CASE("a title is optional, a machine is not") {
        const Experiment experiment = read("machine: exact\n" + kWorkload);
        CHECK(experiment.title.empty());
        CHECK_FALSE(contains(resolved(experiment), "\ntitle: "));
        CHECK(read(resolved(experiment)) == experiment);
        CHECK(error_in(kWorkload) == "e.yaml:1:1: the key 'machine' is missing");
        CHECK(error_in("title: [a]\nmachine: exact\n" + kWorkload) ==
              "e.yaml:1:8: title: found a list, expected text");
    }

    TEST_CASE("a system has from 1 to 64 vCPUs") {
        CHECK(with_system("vcpus: 1").system.vcpus == 1);
        CHECK(with_system("vcpus: 64").system.vcpus == 64);
        for (const std::string wrong : {"0", "65"})
            CHECK(system_error("vcpus: " + wrong) ==
                  "e.yaml:4:10: system.vcpus: found '" + wrong +
                      "', expected an unsigned whole number such as 64, 0x40 or 4K, from 1 to 64");
    }

    TEST_CASE("all of the system section is read") {
        const Experiment e = with_system(
            "{paging: shadow, guest: {levels: 5, page_size: 1G, global: on, regions: [{at: 2M, "
            "size: 4M, "
            "page_size: 2M}]}, host: {levels: 5, page_size: 1G, accessed_dirty: on, holes: [{at: "
            "4K}]}, "
            "tags: {pcid: on, vpid: off}, demand: off, accessed_dirty_preset: off, cr4: {pge: off, "
            "smep: on}, caches: {data: modelled, start: cold}}");
        CHECK(e.system.paging == Paging::kShadow);
        CHECK(e.system.guest.levels == 5);
        CHECK(e.system.guest.global);
        CHECK(e.system.guest.regions == std::vector{PageRegion{0x200000, 0x400000, PageSize::k2M}});
        CHECK(e.system.host == HostParameters{5, PageSize::k1G, true, {{0x1000, 0x1000}}});
        CHECK(e.system.pcid);
        CHECK_FALSE(e.system.vpid);
        CHECK(e.system.demand == Demand::kFault);
        CHECK_FALSE(e.system.accessed_dirty_preset);
        CHECK(e.system.initial_cr4.clear.test(ControlFlag::kPge));
        CHECK(e.system.initial_cr4.set.test(ControlFlag::kSmep));
        CHECK(e.system.initial_cr4.set.test(ControlFlag::kLa57));
        CHECK(e.system.cached_data == CachedData::kModelled);
        CHECK(e.system.cache_start == CacheStart::kCold);
    }

    TEST_CASE("caches start hot and only page walks use them unless the system says otherwise") {
        for (const char* system : {"{}", "{caches: {}}", "{caches: {data: ideal, start: hot}}"}) {
            CHECK(with_system(system).system.cached_data == CachedData::kIdeal);
            CHECK(with_system(system).system.cache_start == CacheStart::kHot);
        }
        CHECK(with_system("{caches: {data: modelled}}").system.cache_start == CacheStart::kHot);
        CHECK(read(kExample, {"system.caches.start=cold"}).system.cache_start == CacheStart::kCold);
        CHECK(system_error("{caches: {data: model}}") ==
              "e.yaml:4:19: system.caches.data: found 'model', expected ideal or modelled");
        CHECK(system_error("{caches: {start: warm}}") ==
              "e.yaml:4:20: system.caches.start: found 'warm', expected hot or cold");
        CHECK(contains(system_error("{caches: {begin: hot}}"), "unknown key 'begin'"));
        CHECK(
            contains(system_error("{caches: off}"), "system.caches: found 'off', expected a map"));
    }

    TEST_CASE("the resolved experiment means the same and resolves to the same text") {
        const std::string everything =
            "title: \"all: of it\"\nmachine: skylake\nset: {stlb.entries: 768, nested_tlb: off, "
            "paging_structure_caches.pml4e: off, stlb.pages: {4K: all, 2M: [0, 8]}, stlb_1g: "
            "off}\nsystem: "
            "{paging: nested, guest: {levels: 5, regions: [{at: 0xffff_8000_0000_0000, size: 1G, "
            "page_size: "
            "1G}]}, host: {holes: [{at: 0x1000, size: 12K}]}, demand: off, cr4: {pge: off, pke: "
            "on}}\n"
            "workload: {trace: ../t/x.nwt, format: lackey}\n";
        for (const std::string& text :
             {kExample, everything,
              "machine: zen3\nsystem: {vcpus: 3, caches: {data: modelled, start: cold}}\n" +
                  kWorkload}) {
            const Experiment experiment = read(text);
            const std::string written = resolved(experiment);
            const Experiment again =
                read_experiment(read_yaml(written, "resolved.yaml"), "/elsewhere");
            CHECK(again == experiment);
            CHECK(resolved(again) == written);
        }
    }

    TEST_CASE("the resolved experiment names every parameter and what was set") {
        const std::string written = resolved(read(kExample));
        CHECK(contains(written, "stlb:\n    pages: [4K, 2M]\n    entries: 2048\n    ways: 8\n"));
        CHECK(contains(written, "invalidation:\n    smep_and_pae_globals: drop\n"));
        CHECK(contains(written,
                       "{keys: [stlb.entries], is: set by experiment, source: instead of 1024}"));
        CHECK(contains(written, "accessed_dirty: off"));
        CHECK(contains(written,
                       "  program: |\n    nestwalk-trace 1\n    repeat 500000 {\n      invlpg"));
    }

    TEST_CASE("--set reaches the experiment and, after its own set, the machine") {
        const Experiment e =
            read(kExample, {"stlb.entries=4096", "system.guest.page_size=4K",
                            "system.host.holes=[]", "title=another: title", "system.cr4.pge=off"});
        CHECK(e.machine.parameters.stlb[0].entries == 4096);
        CHECK(e.system.guest.page_size == PageSize::k4K);
        CHECK(e.system.host.holes.empty());
        CHECK(e.title == "another: title");
        CHECK(e.system.initial_cr4.clear.test(ControlFlag::kPge));
        CHECK(read(kExample, {"set.stlb.entries=512"}).machine.parameters.stlb[0].entries == 512);
        CHECK(read(kExample, {"set={stlb.entries: 512}"}).machine.parameters.stlb[0].entries ==
              512);
        CHECK(read(kExample, {"machine=zen3"}).machine.parameters.stlb[0].entries == 2048);
    }

    TEST_CASE("errors of --set name it, and errors of set name its line") {
        CHECK(error_in(kExample, {"system.gest.levels=5"}) ==
              "--set system.gest.levels=5: system: unknown key 'gest'; expected paging, guest, "
              "host, tags, "
              "demand, accessed_dirty_preset, cr4, caches, vcpus, schedule_seed, steal, hypervisor "
              "or "
              "os, did you mean "
              "'guest'?");
        CHECK(error_in(kExample, {"system.paging.x=5"}) ==
              "--set system.paging.x=5: system.paging has no keys, so 'system.paging.x' cannot "
              "be set");
        CHECK(error_in("title: t\nmachine: exact\nset:\n  stlb.ways: -1\n  stlb.entries: 4\n" +
                       kWorkload) ==
              "e.yaml:4:14: stlb.ways: found '-1', expected an unsigned whole number such as 64, "
              "0x40 or "
              "4K, from 1 to 256");
        CHECK(contains(error_in("title: t\nmachine: exact\nset:\n  stlb.way: 1\n" + kWorkload),
                       "e.yaml:4:3: 'stlb.way' is no setting of a machine"));
        CHECK(contains(error_in(kExample, {"machine=zen"}),
                       "--set machine=zen: unknown machine 'zen'"));
    }

    TEST_CASE("traces are relative to the experiment, or to where --set was typed") {
        const std::string text =
            "title: t\nmachine: exact\nworkload: {trace: a/../x.nwt, format: nwt}\n";
        const auto trace = std::get<TraceFile>(read(text).workload);
        CHECK(trace.path == "/base/x.nwt");
        CHECK(trace.format == TraceFormat::kNwt);
        const std::string here = std::filesystem::current_path().string();
        CHECK(std::get<TraceFile>(read(text, {"workload.trace=y.nwt"}).workload).path ==
              here + "/y.nwt");
        CHECK(std::get<TraceFile>(read(text, {"workload.trace=-"}).workload).path == "-");
        const Experiment replaced =
            read_experiment(read_yaml(kExample, "e.yaml"), "/base", {trace_override("z.nwt")});
        CHECK(std::get<TraceFile>(replaced.workload).path == here + "/z.nwt");
    }

    TEST_CASE("workloads that are none, or two, are refused") {
        const std::string head = "title: t\nmachine: exact\nworkload: ";
        CHECK(error_in("title: t\nmachine: exact\n") ==
              "e.yaml:1:1: the key 'workload' is missing");
        CHECK(error_in(head + "{}\n") ==
              "e.yaml:3:11: workload: expected a program, a trace or a generator");
        CHECK(
            contains(error_in(head + "{program: a, trace: b}\n"), "e.yaml:3:31: workload.trace: "));
        CHECK(contains(error_in(head + "{program: a, format: nwt}\n"),
                       "workload.format: a program is always"));
        CHECK(contains(error_in(head + "\n  program: >\n    a\n"), "begin the program with |"));
        CHECK(contains(error_in(head + "{trace: x, format: hdf5}\n"), "expected auto, nwt, "));
        CHECK(contains(error_in(head + "{generator: {kind: zipff}}\n"),
                       "workload.generator.kind: found 'zipff', expected pointer-chase, "
                       "sequential, strided, uniform, zipf or mix, did you mean 'zipf'?"));
        CHECK(contains(error_in(head + "{generator: {kind: pointer-chase, pages: 0}}\n"),
                       "workload.generator.pages"));
        CHECK(contains(error_in(head + "{generator: {kind: pointer-chase, pages: 4, frames: one, "
                                       "stride: 64}}\n"),
                       "begin at multiples of 4K"));
        CHECK(
            contains(error_in(head + "{program: a, generator: {kind: pointer-chase, pages: 4}}\n"),
                     "expected one of them"));
    }

    TEST_CASE("a generated workload is read and written back") {
        const std::string text =
            "title: t\nmachine: exact\nworkload: {generator: {kind: pointer-chase, pages: 7, at: "
            "8K, "
            "stride: 8K, line_step: 128, order_at: 1G, frames: one, warm_up: 0, passes: 5, seed: "
            "9}}\n";
        const Experiment experiment = read(text);
        CHECK(std::get<PointerChase>(experiment.workload) ==
              PointerChase{.pages = 7,
                           .at = 8192,
                           .stride = 8192,
                           .line_step = 128,
                           .order_at = 1 << 30,
                           .frames = ChaseFrames::kOne,
                           .warm_up = 0,
                           .passes = 5,
                           .seed = 9});
        CHECK(read_experiment(resolve(experiment), "/") == experiment);
    }

    TEST_CASE("a hypervisor is a word or a map") {
        const auto hypervisor = [](const std::string& value) {
            return read("title: t\nmachine: exact\nsystem: {paging: shadow, hypervisor: " + value +
                        "}\n" + kWorkload)
                .system.hypervisor;
        };
        CHECK(hypervisor("kvm-shadow") == HypervisorParameters{.kind = Hypervisor::kKvmShadow});
        CHECK(hypervisor("{kind: kvm-shadow, shadow_invlpg: single-context, cr4_filter: off, "
                         "tags: 7}") ==
              HypervisorParameters{.kind = Hypervisor::kKvmShadow,
                                   .shadow_invlpg = ShadowInvlpg::kSingleContext,
                                   .cr4_filter = Cr4Filter::kNone,
                                   .tags = 7});
        CHECK(hypervisor("{shadow_invlpg: none}").kind == Hypervisor::kNone);
        CHECK(contains(system_error("hypervisor: kvm"), "found 'kvm', expected none, kvm-ept"));
        CHECK(contains(system_error("hypervisor: {kind: kvm}"), "system.hypervisor.kind: found"));
        CHECK(contains(system_error("hypervisor: {tags: 0}"), "system.hypervisor.tags: found '0'"));
        CHECK(contains(system_error("hypervisor: {invlpg: none}"), "unknown key 'invlpg'"));
    }

    TEST_CASE("a hypervisor that makes no sense says what to write") {
        const auto error = [](const std::string& machine, const std::string& system) {
            return error_in("title: t\nmachine: " + machine + "\nsystem: {" + system + "}\n" +
                            kWorkload);
        };
        const auto says = [&](const std::string& machine, const std::string& system,
                              const std::string& what) {
            const std::string found = error(machine, system);
            CAPTURE(found);
            CHECK(contains(found, "e.yaml:3:"));
            CHECK(contains(found, "system.hypervisor: " + what));
        };
        says("exact", "hypervisor: kvm-ept",
             "a hypervisor needs a guest, but system.paging is "
             "native; write paging: nested");
        says("exact", "hypervisor: xen-shadow",
             "a hypervisor needs a guest, but system.paging is "
             "native; write paging: shadow");
        says("exact-amd", "paging: nested, hypervisor: kvm-ept",
             "kvm-ept is KVM on Intel, but the machine is AMD; write kvm-npt");
        says("exact", "paging: nested, hypervisor: kvm-npt",
             "kvm-npt is KVM on AMD, but the machine is Intel; write kvm-ept");
        says("exact", "paging: nested, hypervisor: kvm-shadow",
             "it shadows page tables; write paging: shadow");
        says("exact", "paging: shadow, hypervisor: kvm-ept",
             "it does not shadow page tables; write paging: nested, or the hypervisor kvm-shadow");
        says("exact", "paging: shadow, hypervisor: {kind: xen-pv-shim}",
             "it does not shadow page tables; write paging: nested, or the hypervisor xen-shadow");
        says("exact", "paging: shadow, tags: {pcid: on}, hypervisor: xen-shadow",
             "Xen offers no PCIDs to guests whose tables it shadows; write tags: {pcid: off}");
        CHECK(error("exact-amd", "paging: shadow, hypervisor: kvm-shadow") == "no error");
        CHECK(error("exact-amd", "paging: nested, hypervisor: xen-hap") == "no error");
    }

    TEST_CASE("impossible systems are refused at their place") {
        CHECK(contains(system_error("guest: {levels: 3}"),
                       "e.yaml:4:19: system.guest.levels: found '3'"));
        CHECK(system_error("{guest: {levels: 5}, cr4: {la57: off}}") ==
              "e.yaml:4:29: system.cr4: la57 is off, but guest.levels is 5, which needs it");
        CHECK(contains(system_error("cr4: {la57: on}"), "la57 is on, but guest.levels is 4"));
        CHECK(contains(system_error("cr4: {pcide: on}"), "system.cr4: unknown key 'pcide'"));
        CHECK(system_error("host: {holes: [{at: 0x800}]}") ==
              "e.yaml:4:23: system.host.holes[0].at: found '0x800', expected a multiple of 4K");
        CHECK(contains(system_error("host: {holes: [{at: 0x1000, size: 0}]}"), "is empty"));
        CHECK(contains(system_error("host: {holes: [{at: 0x1000, size: -4K}]}"),
                       "e.yaml:4:37: system.host.holes[0].size: found '-4K'"));
        CHECK(contains(system_error("host: {holes: [{at: 0xffff_ffff_ffff_f000, size: 8K}]}"),
                       "ends beyond the last address"));
        CHECK(contains(system_error("host: {holes: [{at: 0x1_0000_0000_0000}]}"), "48 bits"));
        CHECK(contains(system_error("host: {levels: 5, holes: [{at: 0x10_0000_0000_0000}]}"),
                       "52 bits"));
    }

    TEST_CASE("regions are aligned, canonical and apart") {
        const auto region_error = [](const std::string& regions) {
            return system_error("guest: {regions: [" + regions + "]}");
        };
        CHECK(contains(region_error("{at: 4K, size: 2M, page_size: 2M}"),
                       "expected a multiple of 2M"));
        CHECK(contains(region_error("{at: 2M, size: 4K, page_size: 2M}"),
                       "expected a multiple of 2M"));
        CHECK(contains(region_error("{at: 0x8000_0000_0000, size: 4K, page_size: 4K}"),
                       "not canonical with 4 levels"));
        CHECK(contains(region_error("{at: 0x7fff_ffff_f000, size: 8K, page_size: 4K}"),
                       "not canonical"));
        CHECK(region_error("{at: 0x7fff_ffff_f000, size: 4K, page_size: 4K}") == "no error");
        CHECK(region_error("{at: 0xffff_ffff_ffff_f000, size: 4K, page_size: 4K}") == "no error");
        CHECK(contains(
            region_error("{at: 4K, size: 8K, page_size: 4K}, {at: 8K, size: 4K, page_size: 4K}"),
            "e.yaml:4:20: system.guest.regions: two regions overlap"));
        CHECK(
            region_error("{at: 8K, size: 4K, page_size: 4K}, {at: 4K, size: 4K, page_size: 4K}") ==
            "no error");
        CHECK(
            system_error(
                "guest: {levels: 5, regions: [{at: 0x8000_0000_0000, size: 4K, page_size: 4K}]}") ==
            "no error");
    }

    TEST_CASE("a machine can be written out in the experiment") {
        const std::string text = resolved(read(kExample));
        CHECK(read(text, {"stlb.entries=512"}).machine.parameters.stlb[0].entries == 512);
        CHECK(error_in("title: t\nmachine: [a]\n" + kWorkload) ==
              "e.yaml:2:10: machine: found a list, expected the name of a machine, or a machine "
              "file's map");
    }
}

}  // namespace
}  // namespace nestwalk
