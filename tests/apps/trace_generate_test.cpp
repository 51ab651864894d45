// Generated workloads, in experiments and on the command line.
#include "apps/experiment_file.h"
#include "apps/generator_section.h"
#include "apps/workload_section.h"
#include "apps/yaml_reader.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"
#include "tests/traces/trace_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

Generator generator(const std::string& text) {
    const ConfigNode node = read_yaml(text, "e.yaml");
    return read_generator({&node, "generator"});
}

std::string error_in(const std::string& text) {
    return nestwalk::error_of([&] { generator(text); });
}

TEST_SUITE("generated workloads") {
    TEST_CASE("each kind is read, and read again from what is written of it") {
        for (const std::string text :
             {"{kind: pointer-chase, pages: 7, frames: one}",
              "{kind: sequential, count: 1K, at: 0x1000, bytes: 1M, element: 64, stores: 30, "
              "seed: 9}",
              "{kind: strided, stride: 2M, bytes: 1G}", "{kind: uniform}",
              "{kind: zipf, exponent: 1.000001, placement: ranked}", "{kind: zipf, exponent: 0}",
              "{kind: mix, count: 5, seed: 3, parts: [{kind: zipf, weight: 7}, {kind: strided, "
              "stride: 64, stores: 100}]}"}) {
            CAPTURE(text);
            const Generator read = generator(text);
            const ConfigNode node = generator_node(read);
            CHECK(read_generator({&node, "generator"}) == read);
        }
        const auto zipf = std::get<GeneratedAccesses>(generator("{kind: zipf, exponent: 1.3}"));
        CHECK(std::get<ZipfOrder>(zipf.pattern.order).exponent_millionths == 1'300'000);
        const auto mix = std::get<AccessMix>(
            generator("{kind: mix, parts: [{kind: uniform}, {kind: uniform, weight: 3}]}"));
        CHECK(mix.parts.size() == 2);
        CHECK(mix.parts[0].weight == 1);
        CHECK(mix.parts[1].weight == 3);
    }

    TEST_CASE("what makes no sense is refused where it stands") {
        CHECK(contains(error_in("{kind: zip}"),
                       "generator.kind: found 'zip', expected pointer-chase, sequential, strided, "
                       "uniform, zipf or mix"));
        CHECK(contains(error_in("{kind: zip}"), "did you mean 'zipf'?"));
        CHECK(contains(error_in("{kind: [zipf]}"), "generator.kind: found"));
        CHECK(
            contains(error_in("{count: 4}"), "generator: has no 'kind', expected pointer-chase, "));
        CHECK(contains(error_in("zipf"), "generator: found 'zipf', expected a generator"));
        CHECK(contains(error_in("{kind: uniform, exponent: 1}"), "exponent"));
        CHECK(contains(error_in("{kind: uniform, stores: 101}"), "generator.stores"));
        CHECK(contains(error_in("{kind: uniform, element: 0}"), "generator.element"));
        CHECK(contains(error_in("{kind: uniform, element: 513}"), "generator.element"));
        CHECK(contains(error_in("{kind: uniform, bytes: 4}"),
                       "bytes: 4 are less than an element of 8 bytes"));
        CHECK(contains(error_in("{kind: strided, stride: 2M, bytes: 1M}"),
                       "stride: 2097152 is more than the 1048576 bytes of the region"));
        CHECK(contains(error_in("{kind: strided, stride: 0}"), "generator.stride"));
        CHECK(contains(error_in("{kind: zipf, exponent: 10.5}"), "generator.exponent"));
        CHECK(contains(error_in("{kind: zipf, exponent: -1}"), "generator.exponent"));
        CHECK(contains(error_in("{kind: zipf, exponent: 0.1234567}"), "generator.exponent"));
        CHECK(contains(error_in("{kind: mix}"), "parts"));
        CHECK(contains(error_in("{kind: mix, parts: []}"), "a list of 1 to 64 generators"));
        CHECK(contains(error_in("{kind: mix, parts: [{kind: mix, parts: []}]}"),
                       "kind: found 'mix', expected sequential, strided, uniform or zipf"));
        CHECK(contains(error_in("{kind: mix, parts: [{kind: uniform, count: 3}]}"), "count"));
        CHECK(contains(error_in("{kind: mix, parts: [{kind: uniform, weight: 0}]}"), "weight"));
    }

    TEST_CASE("a generated workload runs, and its footprint is what the keys say") {
        const Workplace place;
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  generator: {kind: strided, bytes: 1M, "
                    "count: 1000}\n");
        const Finished run = place.run("nestwalk run e.yaml");
        CHECK(run.status == 0);
        CHECK(
            contains(run.out, "1,000 data references, 256 distinct 4K pages, 1 distinct 2M pages"));
        CHECK(contains(place
                           .run("nestwalk run e.yaml --set workload.generator.kind=sequential "
                                "--set workload.generator.count=1024")
                           .out,
                       "1,024 data references, 2 distinct 4K pages"));
    }
}

TEST_SUITE("trace generate") {
    TEST_CASE("keys are options, and the trace is the one of the experiment") {
        const Workplace place;
        CHECK(place
                  .run("nestwalk trace generate zipf a.nwb --count 5K --bytes 4G --exponent 1.1 "
                       "--stores 30 --seed 7")
                  .status == 0);
        place.write("e.yaml",
                    "machine: haswell-ep\nworkload:\n  generator: {kind: zipf, count: 5K, bytes: "
                    "4G, exponent: 1.1, stores: 30, seed: 7}\n");
        const std::string run = "nestwalk run e.yaml --format csv";
        CHECK(place.run(run).out == place.run(run + " --trace a.nwb").out);
    }

    TEST_CASE("every kind writes either form") {
        const Workplace place;
        for (const std::string kind :
             {"sequential", "strided", "uniform", "zipf", "pointer-chase --pages 9 --line-step 0",
              "mix --parts '[{kind: uniform}, {kind: zipf, weight: 3}]'"}) {
            CAPTURE(kind);
            const std::size_t blank = kind.find(' ');
            const std::string name = kind.substr(0, blank);
            const std::string keys = (blank == std::string::npos ? "" : kind.substr(blank)) +
                                     (name == "pointer-chase" ? "" : " --count 3000");
            const std::string generate = "nestwalk trace generate " + name;
            CHECK(place.run(generate + " a.nwt" + keys).status == 0);
            CHECK(place.run(generate + " a.nwb" + keys).status == 0);
            CHECK(place.run("nestwalk trace convert a.nwb - --to nwt").out == place.read("a.nwt"));
        }
    }

    TEST_CASE("the help says which kinds have a key, and what it is to each") {
        const std::string help = Workplace().run("nestwalk trace generate --help").out;
        CHECK(contains(help,
                       " how many accesses (sequential, strided, uniform, zipf or mix; default: "
                       "1000000)\n"));
        CHECK(contains(help,
                       " the first page (pointer-chase; default: 0x100000000); where the region is "
                       "(sequential, strided, uniform or zipf; default: 0x100000000)\n"));
        CHECK(contains(help, " how many pages, at most 16 Mi (pointer-chase)\n"));
        CHECK(contains(help, "(zipf; default: 0.99)\n"));
    }

    TEST_CASE("mistakes name the option") {
        const Workplace place;
        const auto error = [&](const std::string& arguments) {
            const Finished finished = place.run("nestwalk trace generate " + arguments);
            CHECK(finished.status == 2);
            CHECK_FALSE(place.has("a.nwb"));
            return finished.err;
        };
        CHECK(contains(error("zip a.nwb"), "zip not in {pointer-chase,"));
        CHECK(contains(error("zipf a.nwb --bytes many"), "--bytes: zipf.bytes: found 'many'"));
        CHECK(contains(error("zipf a.nwb --stride 64"), "--stride: "));
        CHECK(contains(error("pointer-chase a.nwb"), "pages"));
        CHECK(contains(error("pointer-chase a.nwb --pages 0"), "--pages: "));
        CHECK(contains(error("zipf a.nwb --what 64"), "--what"));
        CHECK(contains(error("zipf"), "OUT is required"));
        CHECK(contains(error("zipf a.bin"), "--to: not known which form"));
    }
}

}  // namespace
}  // namespace nestwalk::test
