// nestwalk_soak N [SEED [SETTING]]: N random operations on the system and on the oracle side by
// side, spread over all settings, or those whose name starts with SETTING. Prints how many were
// done and how many a second of processor time; a difference is shrunk, printed as a trace, and
// makes the exit status 1.

#include "tests/properties/checker.h"
#include "tests/properties/generator.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace nestwalk::test;

/// A program is short enough to shrink fast and long enough to fill the caches many times.
constexpr std::size_t kProgramLength = 10'000;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t soak(const Setting& setting, std::uint64_t operations, Randomness& random) {
    std::uint64_t done = 0;
    std::vector<std::uint64_t> program(kProgramLength);
    while (done < operations) {
        for (std::uint64_t& number : program) number = random.next();
        const auto difference = run_program(setting, program);
        if (difference) {
            const std::vector<std::uint64_t> shortest = shrink(setting, program);
            std::fputs(describe(setting, shortest).c_str(), stdout);
            return 0;
        }
        done += program.size();
    }
    return done;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 4) {
        std::fputs("usage: nestwalk_soak N [SEED [SETTING]]\n", stderr);
        return 2;
    }
    const std::uint64_t operations = std::strtoull(argv[1], nullptr, 0);
    Randomness random(argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1);
    const std::string only = argc > 3 ? argv[3] : "";
    std::vector<const Setting*> settings;
    for (const std::vector<Setting>* some :
         {&exact_settings(), &bounded_settings(), &os_settings()}) {
        for (const Setting& setting : *some) {
            if (setting.name.starts_with(only)) settings.push_back(&setting);
        }
    }

    if (settings.empty()) {
        std::fprintf(stderr, "no setting's name starts with \"%s\"\n", only.c_str());
        return 2;
    }
    std::uint64_t total = 0;
    int differing = 0;
    const double start = processor_seconds();
    for (const Setting* setting : settings) {
        const double before = processor_seconds();
        const std::uint64_t done = soak(*setting, operations / settings.size() + 1, random);
        const double took = processor_seconds() - before;
        std::fprintf(stderr, "%-60s %10.0f operations/s%s\n", setting->name.c_str(),
                     static_cast<double>(done) / took, done == 0 ? "  DIFFERS" : "");
        if (done == 0) ++differing;
        total += done;
    }
    const double took = processor_seconds() - start;
    std::printf("%llu operations, %.0f a second of processor time, %d of %zu settings differ\n",
                static_cast<unsigned long long>(total), static_cast<double>(total) / took,
                differing, settings.size());
    return differing == 0 ? 0 : 1;
}
