#include "traces/pointer_chase.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

struct Read {
    std::vector<Map> maps{};
    std::map<std::string, std::vector<Access>> loads{};
};

Read read_all(const PointerChase& chase) {
    PointerChaseSource source(chase);
    Read read;
    std::string phase;
    while (const TraceItem* item = source.next()) {
        const auto& what = std::get<Record>(*item).what;
        if (const auto* mark = std::get_if<PhaseMark>(&what)) {
            phase = mark->name;
        } else if (const auto* map = std::get_if<Map>(&std::get<Operation>(what))) {
            read.maps.push_back(*map);
        } else {
            read.loads[phase].push_back(std::get<Access>(std::get<Operation>(what)));
        }
    }
    return read;
}

TEST_SUITE("pointer chase") {
    TEST_CASE("each pass reads the order in sequence and visits every page once") {
        const PointerChase chase{.pages = 100, .warm_up = 2, .passes = 3};
        const Read read = read_all(chase);
        CHECK(read.loads.at("warm-up").size() == 2 * 200);
        const std::vector<Access>& loads = read.loads.at("chase");
        REQUIRE(loads.size() == 3 * 200);
        for (std::size_t pass = 0; pass < 3; ++pass) {
            std::set<std::uint64_t> pages;
            for (std::size_t visit = 0; visit < 100; ++visit) {
                const Access& order = loads[pass * 200 + 2 * visit];
                const Access& page = loads[pass * 200 + 2 * visit + 1];
                CHECK(order.va == VirtAddr(chase.order_at + 8 * visit));
                CHECK(order.dependence == Dependence::kIndependent);
                CHECK(page.dependence == Dependence::kOnPreviousLoad);
                CHECK(page.loads_back == 2);
                const std::uint64_t number = (page.va.value() - chase.at) / 4096;
                CHECK(page.va.value() % 4096 == number * 64 % 4096);
                pages.insert(number);
            }
            CHECK(pages.size() == 100);
            CHECK(*pages.rbegin() == 99);
        }
    }

    TEST_CASE("the order is random, the same for a seed and in every pass") {
        const auto order = [](std::uint64_t seed) {
            std::vector<std::uint64_t> pages;
            const Read read = read_all({.pages = 50, .seed = seed});
            for (const Access& load : read.loads.at("chase")) {
                pages.push_back(load.va.value());
            }
            return pages;
        };
        const std::vector<std::uint64_t> one = order(1);
        CHECK(one == order(1));
        CHECK(one != order(2));
        CHECK(std::equal(one.begin(), one.begin() + 100, one.begin() + 100));
        CHECK_FALSE(std::is_sorted(one.begin(), one.begin() + 100));
    }

    TEST_CASE("pages with one frame are all mapped to it") {
        const Read read = read_all({.pages = 7, .stride = 8192, .frames = ChaseFrames::kOne});
        REQUIRE(read.maps.size() == 7);
        std::set<std::uint64_t> pages;
        for (const Map& map : read.maps) {
            pages.insert(map.va.value());
            CHECK(map.to == read.maps[0].to);
            CHECK(map.user);
        }
        CHECK(pages.size() == 7);
        CHECK(read_all({.pages = 7}).maps.empty());
    }
}

}  // namespace
}  // namespace nestwalk
