// Traces that are made: closed forms of what each pattern touches, and the same stream on every
// machine.
#include "traces/generated_source.h"
#include "traces/pointer_chase.h"
#include "traces/scatter.h"
#include "traces/text_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

std::vector<PackedAccess> accesses_of(TraceSource& source) {
    std::vector<PackedAccess> all;
    for (AccessRun run = source.next_accesses(); !run.empty(); run = source.next_accesses()) {
        REQUIRE(run.first_line == all.size() + 1);
        all.insert(all.end(), run.accesses.begin(), run.accesses.end());
    }
    REQUIRE(source.next() == nullptr);
    return all;
}

std::vector<PackedAccess> accesses_of(const AccessPattern& pattern, std::uint64_t count) {
    GeneratedSource source(GeneratedAccesses{count, pattern});
    return accesses_of(source);
}

std::vector<PackedAccess> accesses_of(const AccessMix& mix) {
    GeneratedSource source(mix);
    return accesses_of(source);
}

std::uint64_t digest_of(const std::vector<PackedAccess>& accesses) {
    std::uint64_t digest = 0;
    for (const PackedAccess access : accesses) digest = mix(digest, access.word());
    return digest;
}

std::set<std::uint64_t> pages_of(const std::vector<PackedAccess>& accesses) {
    std::set<std::uint64_t> pages;
    for (const PackedAccess access : accesses) pages.insert(access.va().value() / 4096);
    return pages;
}

/// Of each element of the region, how often it was accessed.
std::map<std::uint64_t, std::uint64_t> counts_of(const AccessPattern& pattern,
                                                 const std::vector<PackedAccess>& accesses) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const PackedAccess access : accesses) {
        const std::uint64_t offset = access.va().value() - pattern.at;
        REQUIRE(offset % pattern.element == 0);
        REQUIRE(offset + pattern.element <= pattern.bytes);
        ++counts[offset / pattern.element];
    }
    return counts;
}

/// How far `found` of `tries` is from a probability, in standard deviations.
double deviations(std::uint64_t found, std::uint64_t tries, double probability) {
    const auto n = static_cast<double>(tries);
    return std::abs(static_cast<double>(found) - n * probability) /
           std::sqrt(n * probability * (1 - probability));
}

// Digests of the first 100,000 accesses; a program in Python that follows the headers finds the same.
constexpr std::uint64_t kUniformDigest = 16'119'503'318'002'265'067u;
constexpr std::uint64_t kZipfDigest = 14'636'987'413'874'289'397u;
constexpr std::uint64_t kSteepDigest = 7'724'358'117'637'869'753u;
constexpr std::uint64_t kMixDigest = 8'336'503'552'706'894'794u;

constexpr std::uint64_t kTries = 200'000;
/// Seeds are fixed, so that a test passes always or never; a good generator passes with all but
/// one seed of 15,000.
constexpr double kMostDeviations = 4;

TEST_SUITE("generated accesses") {
    TEST_CASE("sequential accesses go through the region and around") {
        const AccessPattern pattern{.at = 0x10'0000, .bytes = 10 * 4096, .element = 64};
        const auto once = accesses_of(pattern, 10 * 4096 / 64);
        for (std::size_t i = 0; i < once.size(); ++i)
            REQUIRE(once[i].va() == VirtAddr(0x10'0000 + 64 * i));
        CHECK(pages_of(once).size() == 10);
        CHECK(pages_of(accesses_of(pattern, 65)).size() == 2);
        const auto twice = accesses_of(pattern, 2 * once.size());
        CHECK(std::equal(once.begin(), once.end(), twice.begin() + std::ptrdiff_t(once.size())));
        CHECK(once[0].bytes() == 64);
        CHECK(once[0].kind() == AccessKind::kLoad);
    }

    TEST_CASE("an element that does not fit at the end of the region is left out") {
        const auto some = accesses_of({.bytes = 100, .element = 40}, 3);
        CHECK(some[1].va().value() - some[0].va().value() == 40);
        CHECK(some[2] == some[0]);
    }

    TEST_CASE("strided accesses touch every stride once a pass") {
        const AccessPattern pattern{.order = StridedOrder{8192}, .bytes = 1 << 20};
        const auto pass = accesses_of(pattern, (1 << 20) / 8192);
        CHECK(pages_of(pass).size() == 128);
        CHECK(pages_of(accesses_of(pattern, 1000)).size() == 128);
        CHECK(pass.back().va().value() == pattern.at + (1 << 20) - 8192);
    }

    TEST_CASE("uniform accesses are of every element alike") {
        const AccessPattern pattern{.order = UniformOrder{}, .bytes = 8 * 100};
        const auto counts = counts_of(pattern, accesses_of(pattern, kTries));
        CHECK(counts.size() == 100);
        double sum = 0;
        for (const auto& [element, count] : counts) {
            CHECK(deviations(count, kTries, 0.01) < kMostDeviations);
            sum += static_cast<double>(element * count);
        }
        // Mean 49.5; the variance of one is (100^2 - 1) / 12.
        CHECK(std::abs(sum / kTries - 49.5) < kMostDeviations * std::sqrt(9999.0 / 12 / kTries));
    }

    TEST_CASE("the frequency of a rank is what its harmonic number says") {
        for (const std::uint64_t exponent : {0u, 500'000u, 990'000u, 1'000'000u, 1'000'001u,
                                             1'300'000u, 2'000'000u, 10'000'000u}) {
            CAPTURE(exponent);
            const AccessPattern pattern{.order = ZipfOrder{exponent, ZipfOrder::Placement::kRanked},
                                        .bytes = 8 * 1000};
            auto counts = counts_of(pattern, accesses_of(pattern, kTries));
            const auto weight = [&](int rank) {
                return std::pow(rank, -static_cast<double>(exponent) / 1e6);
            };
            double harmonic = 0;
            for (int rank = 1; rank <= 1000; ++rank) harmonic += weight(rank);
            for (const int rank : {1, 2, 3, 10, 100}) {
                CAPTURE(rank);
                const double expected = weight(rank) / harmonic;
                if (expected * kTries < 20) continue;
                CHECK(deviations(counts[std::uint64_t(rank - 1)], kTries, expected) <
                      kMostDeviations);
            }
        }
    }

    TEST_CASE("scattered ranks have the same frequencies elsewhere") {
        const AccessPattern scattered{.order = ZipfOrder{}, .bytes = 8 * 1000};
        AccessPattern ranked = scattered;
        ranked.order = ZipfOrder{.placement = ZipfOrder::Placement::kRanked};
        const auto frequencies = [](const auto& counts) {
            std::vector<std::uint64_t> sorted;
            for (const auto& [element, count] : counts) sorted.push_back(count);
            std::sort(sorted.begin(), sorted.end());
            return sorted;
        };
        const auto a = counts_of(scattered, accesses_of(scattered, kTries));
        const auto b = counts_of(ranked, accesses_of(ranked, kTries));
        CHECK(frequencies(a) == frequencies(b));
        CHECK(a != b);
    }

    TEST_CASE("a scatter is a permutation whatever its size") {
        for (const std::uint64_t limit : {1u, 2u, 3u, 5u, 64u, 1000u, 65'537u}) {
            CAPTURE(limit);
            const Scatter scatter(limit, 7);
            std::set<std::uint64_t> places;
            for (std::uint64_t i = 0; i < limit; ++i) places.insert(scatter.place_of(i));
            CHECK(places.size() == limit);
            CHECK(*places.rbegin() == limit - 1);
        }
    }

    TEST_CASE("so many of 100 accesses are stores") {
        for (const std::uint64_t share : {0u, 1u, 30u, 99u, 100u}) {
            const auto all = accesses_of({.order = UniformOrder{}, .stores = share}, kTries);
            const auto stores = std::count_if(all.begin(), all.end(), [](PackedAccess access) {
                return access.kind() == AccessKind::kStore;
            });
            CAPTURE(share);
            if (share % 100 == 0) {
                CHECK(std::uint64_t(stores) == share / 100 * kTries);
            } else {
                CHECK(deviations(std::uint64_t(stores), kTries, double(share) / 100) <
                      kMostDeviations);
            }
        }
    }

    TEST_CASE("a mix draws its parts by their weights") {
        const AccessPattern low{.order = UniformOrder{}, .at = 0x1000, .bytes = 4096};
        const AccessPattern high{.at = 0x10'0000, .bytes = 4096};
        const auto all = accesses_of(AccessMix{
            .count = kTries, .parts = {{.weight = 3, .pattern = low}, {.pattern = high}}});
        std::vector<PackedAccess> of_high;
        for (const PackedAccess access : all)
            if (access.va().value() >= 0x10'0000) of_high.push_back(access);
        CHECK(deviations(of_high.size(), kTries, 0.25) < kMostDeviations);
        CHECK(of_high == accesses_of(high, of_high.size()));
    }

    TEST_CASE("parts of one seed do not go in step") {
        const AccessPattern pattern{.order = UniformOrder{}, .bytes = 1 << 20};
        AccessPattern other = pattern;
        other.at += 1 << 30;
        const auto all = accesses_of(
            AccessMix{.count = 1000, .parts = {{.pattern = pattern}, {.pattern = other}}});
        std::set<std::uint64_t> first;
        std::size_t same = 0;
        for (const PackedAccess access : all)
            if (access.va().value() < other.at) first.insert(access.va().value() - pattern.at);
        for (const PackedAccess access : all)
            if (access.va().value() >= other.at)
                same += first.count(access.va().value() - other.at);
        CHECK(same < 20);  // of 500, where 2 are expected by chance
    }

    TEST_CASE("the stream of a seed is the same on every machine") {
        const AccessPattern uniform{.order = UniformOrder{}, .stores = 30};
        const AccessPattern zipf{.order = ZipfOrder{}, .bytes = std::uint64_t{4} << 30};
        const AccessPattern steep{.order = ZipfOrder{1'300'000, ZipfOrder::Placement::kRanked}};
        CHECK(digest_of(accesses_of(uniform, 100'000)) == kUniformDigest);
        CHECK(digest_of(accesses_of(zipf, 100'000)) == kZipfDigest);
        CHECK(digest_of(accesses_of(steep, 100'000)) == kSteepDigest);
        CHECK(digest_of(accesses_of(AccessMix{
                  .count = 100'000,
                  .parts = {{.pattern = uniform}, {.weight = 5, .pattern = zipf}}})) == kMixDigest);
        AccessPattern other = uniform;
        other.seed = 2;
        CHECK(digest_of(accesses_of(other, 100'000)) != kUniformDigest);
    }

    TEST_CASE("records and runs of a generator are the same accesses") {
        const GeneratedAccesses accesses{.count = 10'000, .pattern = {.order = ZipfOrder{}}};
        GeneratedSource one(accesses);
        GeneratedSource other(accesses);
        std::string records;
        std::string mixed;
        while (const TraceItem* item = one.next()) records += to_text(*item);
        for (int i = 0; i < 7; ++i) mixed += to_text(*other.next());
        for (AccessRun run = other.next_accesses(); !run.empty(); run = other.next_accesses())
            for (const PackedAccess access : run.accesses)
                mixed += to_text(Operation(access.access())) + '\n';
        CHECK(records == mixed);
        CHECK(std::count(records.begin(), records.end(), '\n') == 10'000);
    }

    TEST_CASE("no accesses are a trace without records") {
        GeneratedSource source(GeneratedAccesses{.count = 0});
        CHECK(source.next() == nullptr);
        CHECK(source.next_accesses().empty());
    }

    TEST_CASE("a pointer chase offers its passes in bulk") {
        for (const ChaseFrames frames : {ChaseFrames::kOwn, ChaseFrames::kOne}) {
            const PointerChase chase{.pages = 3000, .frames = frames};
            PointerChaseSource one(chase);
            PointerChaseSource other(chase);
            std::string records;
            std::string mixed;
            std::size_t in_bulk = 0;
            while (const TraceItem* item = one.next()) records += to_text(*item);
            for (;;) {
                const AccessRun run = other.next_accesses();
                in_bulk += run.accesses.size();
                for (const PackedAccess access : run.accesses)
                    mixed += to_text(Operation(access.access())) + '\n';
                if (!run.empty()) continue;
                const TraceItem* const item = other.next();
                if (item == nullptr) break;
                mixed += to_text(*item);
            }
            CHECK(records == mixed);
            CHECK(in_bulk == 3 * 2 * 3000);
        }
    }
}

}  // namespace
}  // namespace nestwalk
