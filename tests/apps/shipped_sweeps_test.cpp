// The sweeps that come with the program run, and show what their comments say.
#include "tests/apps/program.h"

#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kPasses = 10'000;
constexpr std::uint64_t kPages = 50;

Json points_of(const std::string& name) {
    const Finished finished =
        Workplace().run("nestwalk sweep '" NESTWALK_SOURCE_DIR "/configs/sweeps/" + name +
                        ".yaml' -j 2 --format json");
    REQUIRE(finished.status == 0);
    CHECK(finished.err.empty());
    return Json::parse(finished.out)["points"];
}

// The sum of a group of statistics in a phase.
std::uint64_t counted(const Json& point, const std::string& phase, const std::string& group) {
    std::uint64_t sum = 0;
    for (const Json& each : point["phases"])
        if (each["name"] == phase)
            for (const auto& [name, value] : each["statistics"].items())
                if (name.starts_with(group)) sum += value.get<std::uint64_t>();
    return sum;
}

TEST_SUITE("shipped sweeps") {
    TEST_CASE(
        "page-sizes shows that INVLPG of one page empties the TLB where pages are in pieces") {
        const std::map<std::string, int> order{{"4K", 0}, {"2M", 1}, {"1G", 2}};
        const Json points = points_of("page-sizes");
        CHECK(points.size() == 6 * 3 * 3);
        for (const Json& point : points) {
            const Json& values = point["values"];
            CAPTURE(values.dump());
            const bool intel = values["machine"].get<std::string>().find("zen") != 0;
            const int guest = order.at(values["system.guest.page_size"]);
            const int host = order.at(values["system.host.page_size"]);
            // The 50 pages are in one region of 2M, the page apart in another one: in pieces of 4K
            // they are 51, in larger ones 2.
            const std::uint64_t touched = std::min(guest, host) == 0 ? kPages + 1 : 2;
            const std::uint64_t full = counted(point, "full flush", "walks.");
            // Four neighbouring pages may share an entry where both dimensions have small ones.
            if (guest == 0 && !intel)
                CHECK(full < kPasses * touched);
            else
                CHECK(full == kPasses * touched);
            const std::uint64_t selective = counted(point, "selective flush", "walks.");
            if (intel && guest > host)
                CHECK(selective == kPasses * touched);
            else
                CHECK(selective <= kPages + 1);
        }
    }

    TEST_CASE("exits shows what VPIDs save and what a level costs") {
        const Json points = points_of("exits");
        CHECK(points.size() == 2 * 2 * 2 * 2 * 2);
        for (const Json& point : points) {
            const Json& values = point["values"];
            CAPTURE(values.dump());
            const bool tagged = values["system.tags.vpid"].get<bool>();
            CHECK(counted(point, "exits", "walks.") == (tagged ? 0 : kPasses * kPages));
            // A fifth level of the guest's tables is read once a pass, by the walk from the root.
            const bool five = values["system.guest.levels"] == 5;
            CHECK(counted(point, "exits", "reads.guest.level5") == (five && !tagged ? kPasses : 0));
        }
    }

    TEST_CASE("every sweep that comes with the program has a test and is in the manual") {
        const std::string names =
            Workplace().run("cd '" NESTWALK_SOURCE_DIR "/configs/sweeps' && ls").out;
        CHECK(names == "exits.yaml\npage-sizes.yaml\n");
        const Workplace place;
        for (const std::string name : {"exits", "page-sizes"})
            CHECK(place.run("grep -q '^| `" + name + "`' '" NESTWALK_SOURCE_DIR "/docs/sweeps.md'")
                      .status == 0);
    }
}

}  // namespace
}  // namespace nestwalk::test
