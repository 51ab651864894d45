// Joining parts of a sweep: which results win, which contradict each other.
#include "apps/sweep_merge.h"
#include "apps/sweep_progress.h"
#include "apps/sweep_store.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

SweepDescription description() {
    return {"0.1.0+test", "replay", "title: t\n", {}, {{"stlb.ways", {"1", "2", "4", "8"}}}, {}};
}

PointResult done(std::size_t point, std::uint64_t value, const std::string& key = "key") {
    PhaseValues whole{};
    whole.values.resize(statistic_infos().size(), value);
    return {point, PointStatus::kDone, key, "", {whole}};
}

PointResult ended(std::size_t point, PointStatus status) { return {point, status, "", "why", {}}; }

class Folder {
public:
    Folder() {
        const std::string folder = place_.run("pwd").out;
        folder_ = folder.substr(0, folder.size() - 1) + "/";
    }

    std::string part(const std::string& name, const std::vector<PointResult>& results,
                     const SweepDescription& of = description()) const {
        SweepStore(folder_ + name, of, {}, SweepStore::Opening::kNew).put(results);
        return folder_ + name;
    }
    /// What is wrong with joining the two, without the name of the folder.
    std::string refusal(const std::vector<PointResult>& a,
                        const std::vector<PointResult>& b) const {
        const std::string parts[] = {part("a", a), part("b", b)};
        std::string error = error_of([&] { merge_sweeps(folder_ + "out", {parts[0], parts[1]}); });
        place_.run("rm -f a b out");
        for (std::size_t at; (at = error.find(folder_)) != std::string::npos;)
            error.erase(at, folder_.size());
        return error;
    }
    std::string path(const std::string& name) const { return folder_ + name; }
    const Workplace& place() const { return place_; }

private:
    Workplace place_{};
    std::string folder_{};
};

TEST_SUITE("sweep merge") {
    TEST_CASE("points of all parts are joined and those in none are missing") {
        const Folder folder;
        const std::string a = folder.part("a", {done(4, 7), done(1, 5)});
        const std::string b = folder.part("b", {done(1, 5)});
        const MergedSweep merged = merge_sweeps(folder.path("out"), {a, b});
        CHECK(merged.points == 4);
        CHECK(merged.missing == std::vector<std::size_t>{2, 3});
        const SweepStore out(folder.path("out"));
        CHECK(out.shard() == Shard{});
        CHECK(out.find(1) == done(1, 5));
        CHECK(out.find(4) == done(4, 7));
        CHECK(folder.place().run("ls").out == "a\nb\nout\n");
    }

    TEST_CASE("results that contradict each other are refused") {
        const Folder folder;
        CHECK(
            folder.refusal({done(2, 5)}, {done(2, 6)}) ==
            "b: contradicts a about point 2 (stlb.ways=2): the statistic references.load differs");
        CHECK(folder.refusal({done(2, 5)}, {done(2, 5, "other")}) ==
              "b: contradicts a about point 2 (stlb.ways=2): they are of different experiments");
        CHECK(folder.refusal({ended(1, PointStatus::kFailed)}, {done(1, 5)}) ==
              "b: contradicts a about point 1 (stlb.ways=1): it is done here and failed there");
        PointResult longer = done(3, 5);
        longer.phases.push_back(longer.phases[0]);
        CHECK(folder.refusal({longer}, {done(3, 5)}) ==
              "b: contradicts a about point 3 (stlb.ways=4): they have different phases");
        CHECK_FALSE(folder.place().has("out"));
        CHECK_FALSE(folder.place().has("out.partial"));
        CHECK(folder.refusal({done(2, 5)}, {done(2, 5)}) == "no error");
    }

    TEST_CASE("a point that crashed gives way to any other result") {
        const Folder folder;
        const auto crashed = ended(1, PointStatus::kCrashed);
        const auto failed = ended(1, PointStatus::kFailed);
        const std::string a = folder.part("a", {crashed});
        const std::string b = folder.part("b", {failed});
        merge_sweeps(folder.path("ab"), {a, b});
        merge_sweeps(folder.path("ba"), {b, a});
        merge_sweeps(folder.path("aa"), {a, a});
        CHECK(SweepStore(folder.path("ab")).find(1) == failed);
        CHECK(SweepStore(folder.path("ba")).find(1) == failed);
        CHECK(SweepStore(folder.path("aa")).find(1) == crashed);
    }

    TEST_CASE("parts of another version are refused") {
        const Folder folder;
        SweepDescription newer = description();
        newer.version = "0.2.0+test";
        const std::string a = folder.part("a", {done(1, 5)});
        const std::string b = folder.part("b", {done(2, 5)}, newer);
        CHECK(error_of([&] {
                  merge_sweeps(folder.path("out"), {a, b});
              }) == b + ": cannot be joined with " + a +
                        ": it was made by nestwalk 0.2.0+test, not 0.1.0+test");
    }

    TEST_CASE("what an earlier attempt left behind is no obstacle") {
        const Folder folder;
        const std::string a = folder.part("a", {done(1, 5)});
        folder.place().write("out.partial", "half of something");
        CHECK(merge_sweeps(folder.path("out"), {a}).missing.size() == 3);
        CHECK_FALSE(folder.place().has("out.partial"));
    }

    TEST_CASE("missing points are named in ranges and many are counted") {
        CHECK(ranges_words({}) == "");
        CHECK(ranges_words({7}) == "7");
        CHECK(ranges_words({1, 2, 4, 5, 6, 9}) == "1-2, 4-6, 9");
        std::vector<std::size_t> odd;
        for (std::size_t number = 1; number < 2040; number += 2) odd.push_back(number);
        CHECK(ranges_words(odd) == "1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 1,010 more");
    }
}

TEST_SUITE("sweep progress") {
    TEST_CASE("it says how many points are through and how long the others will take") {
        CHECK(progress_words(0, 0, 60, 0, 0) == "0 of 60 points");
        CHECK(progress_words(0, 0, 60, 0, 5) == "0 of 60 points");
        // 12 in 4 seconds are 3 a second: 16 more for the 48 that are left.
        CHECK(progress_words(12, 0, 60, 2, 4) ==
              "12 of 60 points, 2 failed, 3 a second, 16 s left");
        // Those of an earlier run say nothing of the rate.
        CHECK(progress_words(50, 48, 60, 0, 4) == "50 of 60 points, 0.5 a second, 20 s left");
        CHECK(progress_words(1000, 0, 2000, 0, 100) ==
              "1,000 of 2,000 points, 10 a second, 1 min 40 s left");
        CHECK(progress_words(1, 0, 1001, 0, 59.95) ==
              "1 of 1,001 points, 0.0167 a second, 16 h 39 min left");
        CHECK(progress_words(60, 0, 60, 0, 4) == "60 of 60 points, 15 a second, 0 s left");
    }
}

}  // namespace
}  // namespace nestwalk::test
