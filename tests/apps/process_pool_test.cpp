// Work in processes: every piece once, and a process that dies takes one piece with it.
#include "apps/process_pool.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

namespace nestwalk {
namespace {

using Ends = std::map<std::size_t, PieceEnd>;

Ends all_ends(const std::vector<std::size_t>& pieces, std::size_t processes,
              std::function<std::string(std::size_t)> work) {
    Ends ends;
    const PoolWork pool{.work = std::move(work), .collect = [&](const std::vector<PieceEnd>& some) {
                            for (const PieceEnd& each : some)
                                CHECK(ends.emplace(each.piece, each).second);
                        }};
    const PoolEnd end = work_in_processes(pieces, processes, pool);
    CHECK(end == PoolEnd::kAllDone);
    return ends;
}

std::vector<std::size_t> up_to(std::size_t count) {
    std::vector<std::size_t> pieces(count);
    std::iota(pieces.begin(), pieces.end(), std::size_t{1});
    return pieces;
}

TEST_SUITE("process pool") {
    TEST_CASE("every piece is answered once by however many processes") {
        for (const std::size_t processes : {1U, 3U, 40U}) {
            CAPTURE(processes);
            const Ends ends = all_ends(up_to(30), processes,
                                       [](std::size_t piece) { return std::to_string(piece * 2); });
            CHECK(ends.size() == 30);
            for (const auto& [piece, end] : ends) {
                CHECK(end.kind == PieceEnd::Kind::kAnswered);
                CHECK(end.text == std::to_string(piece * 2));
            }
        }
        CHECK(all_ends({}, 4, [](std::size_t) { return ""; }).empty());
    }

    TEST_CASE("answers may be empty or larger than any buffer") {
        const Ends ends = all_ends(up_to(4), 2, [](std::size_t piece) {
            return piece == 1 ? std::string() : std::string(piece * 1'000'000, 'x');
        });
        CHECK(ends.at(1).text.empty());
        CHECK(ends.at(4).text == std::string(4'000'000, 'x'));
    }

    TEST_CASE("work is done in other processes which keep nothing for this one") {
        int here = 0;
        const Ends ends = all_ends(up_to(6), 2, [&](std::size_t) {
            ++here;
            return std::to_string(getpid());
        });
        CHECK(here == 0);
        CHECK(std::none_of(ends.begin(), ends.end(), [](const auto& end) {
            return end.second.text == std::to_string(getpid());
        }));
    }

    TEST_CASE("a process that dies loses its own piece and says how") {
        const Ends ends = all_ends(up_to(9), 2, [](std::size_t piece) -> std::string {
            if (piece == 2) std::raise(SIGKILL);
            if (piece == 5) _exit(3);
            if (piece == 7) throw std::runtime_error("nobody hears this");
            return "ok";
        });
        CHECK(ends.size() == 9);
        for (const auto& [piece, end] : ends) {
            CAPTURE(piece);
            const bool dies = piece == 2 || piece == 5 || piece == 7;
            CHECK(end.kind == (dies ? PieceEnd::Kind::kDied : PieceEnd::Kind::kAnswered));
        }
        CHECK(ends.at(2).text == "was ended by signal 9");
        CHECK(ends.at(5).text == "ended with status 3");
        CHECK(ends.at(7).text == "was ended by signal 6");
    }

    TEST_CASE("all of them may die") {
        const Ends ends = all_ends(up_to(5), 3, [](std::size_t) -> std::string { _exit(1); });
        CHECK(ends.size() == 5);
    }

    TEST_CASE("each process begins once") {
        int begun = 0;
        std::string answers;
        const PoolWork work{.begin = [&] { ++begun; },
                            .work = [&](std::size_t) { return std::to_string(begun); },
                            .collect =
                                [&](const std::vector<PieceEnd>& some) {
                                    for (const PieceEnd& each : some) answers += each.text;
                                }};
        work_in_processes(up_to(6), 2, work);
        CHECK(answers == "111111");
        CHECK(begun == 0);
    }

    TEST_CASE("once it is stopped what is under way is given up") {
        std::atomic<bool> stop{false};
        std::size_t collected = 0;
        const PoolWork work{.work = [](std::size_t piece) -> std::string {
                                while (piece == 3) pause();
                                return "";
                            },
                            .collect =
                                [&](const std::vector<PieceEnd>& some) {
                                    collected += some.size();
                                    if (collected == 2) stop = true;
                                },
                            .stop = &stop};
        CHECK(work_in_processes(up_to(4), 1, work) == PoolEnd::kStopped);
        CHECK(collected == 2);
    }

    TEST_CASE("what collecting throws ends the work") {
        const PoolWork work{.work = [](std::size_t) { return std::string("x"); },
                            .collect =
                                [](const std::vector<PieceEnd>& some) {
                                    if (!some.empty()) throw std::runtime_error("full");
                                }};
        CHECK_THROWS_WITH(work_in_processes(up_to(3), 2, work), "full");
    }
}

}  // namespace
}  // namespace nestwalk
