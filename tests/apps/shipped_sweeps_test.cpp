// The sweeps that come with the program run, and show what their comments say.
#include "apps/text_file.h"
#include "tests/apps/program.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace nestwalk::test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kPasses = 10'000;
constexpr std::uint64_t kPages = 50;

Json points_of(const std::string& name, const std::string& engine = "replay") {
    const Finished finished =
        Workplace().run("nestwalk sweep '" NESTWALK_SOURCE_DIR "/configs/sweeps/" + name +
                        ".yaml' -j 2 --format json --engine " + engine);
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

    TEST_CASE("flush-ceiling shows where a flush of everything becomes the cheaper one") {
        const Json points = points_of("flush-ceiling");
        CHECK(points.size() == 5 * 2);
        std::map<std::string, std::map<bool, Json>> by_machine;
        for (const Json& point : points) {
            const Json& values = point["values"];
            by_machine[values["machine"]][values["system.os.flush_ceiling"] == 0] = point;
        }
        for (const auto& [machine, ways] : by_machine) {
            CAPTURE(machine);
            const bool intel = machine.find("zen") != 0;
            const Json& singly = ways.at(false);
            const Json& whole = ways.at(true);
            for (const std::uint64_t pages : {1u, 16u, 33u, 256u}) {
                CAPTURE(pages);
                const std::string phase = std::to_string(pages) + " pages";
                const auto walks = [&](const Json& point) {
                    return counted(point, phase, "walks.load");
                };
                CHECK(counted(singly, phase, "operations.invlpg") == 100 * pages);
                CHECK(counted(whole, phase, "operations.mov_cr3") == 100);
                // Zen's entries stand for four pages each.
                CHECK(walks(singly) == 100 * (intel ? pages : (pages + 3) / 4));
                CHECK(walks(whole) == 100 * (intel ? 512 : 128));
                const bool singly_cheaper =
                    counted(singly, phase, "cycles.total") < counted(whole, phase, "cycles.total");
                CHECK(singly_cheaper == (pages <= (intel ? 33u : 1u)));
            }
        }
    }

    TEST_CASE("pcid shows that switches without PCIDs cost a walk a page") {
        const Json points = points_of("pcid");
        CHECK(points.size() == 3 * 2 * 2 * 2);
        for (const Json& point : points) {
            const Json& values = point["values"];
            CAPTURE(values.dump());
            const bool intel = values["machine"].get<std::string>().find("zen") != 0;
            const bool tagged = values["system.tags.pcid"].get<bool>();
            for (const std::uint64_t pages : {64u, 512u}) {
                const std::string phase = std::to_string(pages) + " pages";
                const std::uint64_t untagged_walks = 100 * 2 * (intel ? pages : pages / 4);
                CHECK(counted(point, phase, "walks.load") == (tagged ? 0 : untagged_walks));
            }
            // With page-table isolation a switch is between an entry into the kernel and the way
            // back.
            const bool isolated = values["system.os.pti"].get<bool>();
            CHECK(counted(point, "64 pages", "operations.mov_cr3") == 100 * 2 * (isolated ? 3 : 1));
        }
    }

    TEST_CASE("pge-intel and pge-amd show where writes of CR4.PGE exit") {
        for (const std::string name : {"pge-intel", "pge-amd"}) {
            const Json points = points_of(name);
            CHECK(points.size() == (name == "pge-amd" ? 3 * 5 * 2 : 2 * 6 * 2));
            for (const Json& point : points) {
                const Json& values = point["values"];
                const std::string system = values["system"].dump();
                CAPTURE(values.dump());
                const bool global = values["workload.program"].get<std::string>().find(
                                        "toggle-pge") != std::string::npos;
                const bool shadow = system.find("shadow") != std::string::npos;
                const bool hosted = system.find("none") == std::string::npos;
                const bool filtered = name == "pge-intel" && !shadow &&
                                      system.find("cr4_filter") == std::string::npos;
                const std::uint64_t exits = !hosted  ? 0
                                            : global ? (filtered ? 0 : 2)
                                            : shadow ? 1
                                                     : 0;
                CHECK(counted(point, "flush", "exits.") == 1000 * exits);
                CHECK(counted(point, "flush", "walks.") == 1000 * 51);
            }
        }
    }

    TEST_CASE("invlpgb-ipi shows from how many processors on a broadcast is the cheaper one") {
        constexpr int kIpi = 740;         // 200 ns at 3700 MHz
        constexpr int kInterrupt = 3700;  // 1000 ns
        constexpr int kInvlpg = 126;      // and INVLPGB
        constexpr int kMovCr3 = 124;
        const Json points = points_of("invlpgb-ipi", "cycle");
        CHECK(points.size() == 4 * 2 * 2);
        for (const Json& point : points) {
            const Json& values = point["values"];
            CAPTURE(values.dump());
            const int vcpus = values["system.vcpus"];
            const int tlbsync = values["timing.tlbsync"];
            const bool broadcasts = values["system.os.invlpgb"].get<bool>() && vcpus > 3;
            for (const int pages : {1, 8, 33, 512}) {
                const std::string phase = std::to_string(pages) + " pages";
                CAPTURE(phase);
                const int flush = pages > 33 ? kMovCr3 : pages * kInvlpg;
                const int interrupting = flush + (vcpus - 1) * kIpi + kInterrupt + flush;
                const int broadcast = (pages > 33 ? 1 : (pages + 7) / 8) * kInvlpg + tlbsync;
                const std::uint64_t taken = counted(point, phase, "tsc.between_reads");
                CHECK(taken == 100u * static_cast<unsigned>(broadcasts ? broadcast : interrupting));
                CHECK(counted(point, phase, "interrupts") ==
                      100u * static_cast<unsigned>(broadcasts ? 0 : vcpus - 1));
                if (vcpus < 4) continue;
                const bool cheaper = tlbsync == 1000 || vcpus == 64 || (vcpus == 16 && pages == 33);
                CHECK((broadcast < interrupting) == cheaper);
            }
        }
    }

    TEST_CASE("every sweep that comes with the program runs and is in the manual") {
        const Workplace place;
        std::istringstream files(
            place.run("ls '" NESTWALK_SOURCE_DIR "/configs/sweeps' | sed 's/[.]yaml$//'").out);
        const std::string manual = read_text_file(NESTWALK_SOURCE_DIR "/docs/sweeps.md");
        int count = 0;
        for (std::string name; std::getline(files, name); ++count) {
            CAPTURE(name);
            const std::string points = std::to_string(points_of(name).size());
            CHECK(manual.find("\n| `" + name + "` | " + points + " | ") != std::string::npos);
        }
        CHECK(count >= 2);
    }
}

}  // namespace
}  // namespace nestwalk::test
