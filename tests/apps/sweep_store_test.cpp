// The results file: what goes in comes out, whatever ends in between, and what is no such file.
#include "apps/sqlite.h"
#include "apps/sweep_store.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

SweepDescription description() {
    return {"0.1.0+test",
            "replay",
            "title: t\n",
            {"stlb.ways=4", "nested_tlb=off"},
            {{"machine", {"exact", "zen3"}}, {"odd \"key\"", {"1", "07", "[a, b]"}}},
            {{"machine", "exact", "abc"}}};
}

PhaseValues values(std::optional<std::string> phase, std::uint64_t first) {
    PhaseValues of{std::move(phase), {}};
    of.values.resize(statistic_infos().size());
    for (std::size_t at = 0; at < of.values.size(); at += 2) of.values[at] = first + at;
    return of;
}

PointResult done(std::size_t point) {
    return {
        point, PointStatus::kDone, "key", "", {values({}, 7), values("", 8), values("a, b", 9)}};
}

std::vector<PointResult> all_of(const SweepStore& store) {
    std::vector<PointResult> all;
    store.for_each([&](const PointResult& result) { all.push_back(result); });
    return all;
}

class Folder {
public:
    std::string path(const std::string& name) const {
        const std::string folder = place_.run("pwd").out;
        return folder.substr(0, folder.size() - 1) + "/" + name;
    }
    const Workplace& place() const { return place_; }

private:
    Workplace place_{};
};

constexpr auto kNew = SweepStore::Opening::kNew;
constexpr auto kResume = SweepStore::Opening::kResume;

TEST_SUITE("sweep store") {
    TEST_CASE("results come back as they were stored and in order") {
        SweepStore store(":memory:", description(), {}, kNew);
        const PointResult failed{5, PointStatus::kFailed, "", "no such thing", {}};
        store.put({failed, done(2)});
        store.put({done(6)});
        store.put({});
        CHECK(all_of(store) == std::vector<PointResult>{done(2), failed, done(6)});
        CHECK(store.find(5) == failed);
        CHECK_FALSE(store.find(1).has_value());
        CHECK(store.stored() == 3);
        CHECK(store.not_done() == 1);
        CHECK(store.numbers() == std::vector<std::size_t>{2, 5, 6});
        CHECK(store.finished() == std::vector<bool>{false, false, true, false, false, true, true});
    }

    TEST_CASE("times keep their thousandths and counts all of 63 bits") {
        SweepStore store(":memory:", description(), {}, kNew);
        PointResult result = done(1);
        const std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
        std::size_t time = 0;
        while (!statistic_infos()[time].thousandths) ++time;
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999}, std::uint64_t{1001},
              std::uint64_t{2'000'000'000'000'999}}) {
            result.phases[0].values[0] = largest - value;
            result.phases[0].values[time] = value;
            store.put({result});
            CHECK(all_of(store) == std::vector<PointResult>{result});
        }
    }

    TEST_CASE("a crashed point is not finished and its next result takes its place") {
        SweepStore store(":memory:", description(), {}, kNew);
        store.put(
            {{3, PointStatus::kCrashed, "", "the process that ran it was ended by signal 9", {}}});
        CHECK_FALSE(store.finished()[3]);
        CHECK(store.first_not_done(9).size() == 1);
        store.put({done(3)});
        CHECK(store.finished()[3]);
        CHECK(all_of(store) == std::vector<PointResult>{done(3)});
    }

    TEST_CASE("a file says what it is of and only the same sweep and shard may resume it") {
        const Folder folder;
        const std::string path = folder.path("r.sqlite");
        SweepStore(path, description(), {2, 3}, kNew).put({done(2)});
        {
            const SweepStore store(path);
            CHECK(store.description() == description());
            CHECK(store.shard() == Shard{2, 3});
            CHECK(store.statistics() == statistic_infos());
            CHECK(all_of(store) == std::vector<PointResult>{done(2)});
        }
        CHECK(SweepStore(path, description(), {2, 3}, kResume).finished()[2]);
        SweepDescription other = description();
        other.version = "0.1.0+other";
        CHECK(error_of([&] {
                  SweepStore(path, other, {2, 3}, kResume);
              }) ==
              path + ": was made by nestwalk 0.1.0+test, not 0.1.0+other; it cannot be resumed");
        CHECK(contains(error_of([&] { SweepStore(path, description(), {}, kResume); }),
                       "has the points of --shard 2/3, not 1/1"));
        CHECK(contains(error_of([&] { SweepStore(path, description(), {}, kNew); }),
                       "exists already"));
    }

    TEST_CASE("of what one put stores nothing is there unless all is") {
        const Folder folder;
        const std::string path = folder.path("r.sqlite");
        SweepStore store(path, description(), {}, kNew);
        store.put({done(1)});
        Database(path, Database::Access::kExisting)
            .run(
                "CREATE TRIGGER full BEFORE INSERT ON points WHEN NEW.point = 4 "
                "BEGIN SELECT RAISE(FAIL, 'no room'); END");
        CHECK(error_of([&] { store.put({done(3), done(4)}); }) == path + ": no room");
        CHECK(all_of(store) == std::vector<PointResult>{done(1)});
        store.put({done(5)});
        CHECK(store.numbers() == std::vector<std::size_t>{1, 5});
    }

    TEST_CASE("queries see whole numbers as such and statistics by name") {
        const Folder folder;
        const std::string path = folder.path("r.sqlite");
        SweepStore(path, description(), {}, kNew).put({done(1), done(2), done(3)});
        const Database database(path, Database::Access::kExisting);
        CHECK(database.number("SELECT count(*) FROM results") == 3);
        CHECK(database.number("SELECT point FROM results WHERE \"odd \"\"key\"\"\" = 1") == 1);
        CHECK(database.number("SELECT point FROM results WHERE \"odd \"\"key\"\"\" = '07'") == 2);
        CHECK(database.number("SELECT \"references.load\" FROM results WHERE point = 1") == 7);
        CHECK(database.number("SELECT \"references.load\" FROM phases WHERE phase = 'a, b'") == 9);
        CHECK(database.number("SELECT count(*) FROM statistics") ==
              static_cast<std::int64_t>(statistic_infos().size()));
    }

    TEST_CASE("files of something else and of other layouts are refused") {
        const Folder folder;
        const std::string path = folder.path("r.sqlite");
        const auto refusal = [&](const std::string& change) {
            SweepStore(path, description(), {}, kNew).put({done(1)});
            Database(path, Database::Access::kExisting).run(change);
            std::string error = error_of([&] { all_of(SweepStore(path)); });
            if (error == "no error")
                error = error_of([&] { SweepStore(path, description(), {}, kResume); });
            folder.place().run("rm r.sqlite");
            return error == "no error" ? error : error.substr(error.find("r.sqlite"));
        };
        CHECK(refusal("PRAGMA application_id = 12") ==
              "r.sqlite: is no results file of nestwalk sweep");
        CHECK(refusal("PRAGMA user_version = 2") ==
              "r.sqlite: has another layout than this version of nestwalk reads");
        CHECK(refusal("DROP TABLE about") == "r.sqlite: no such table: about");
        CHECK(refusal("DELETE FROM varied") == "r.sqlite: is damaged: it describes nothing");
        CHECK(refusal("DELETE FROM varied WHERE position = 0 AND choice = 0") ==
              "r.sqlite: is damaged: the first key has no first value");
        CHECK(refusal("UPDATE points SET status = 'fine'") ==
              "r.sqlite: is damaged: a point has the status 'fine'");
        CHECK(refusal("UPDATE phases SET \"cycles.total\" = -1") ==
              "r.sqlite: is damaged: cycles.total has no such value");
        CHECK(refusal("DELETE FROM points") == "no error");
    }

    TEST_CASE("one at a time may write to a file") {
        const Folder folder;
        const std::string path = folder.path("r.sqlite");
        SweepStore store(path, description(), {}, kNew);
        store.put({done(1)});
        CHECK(store.stored() == 1);
        const Finished other = folder.place().run(
            "printf 'machine: exact\\nworkload: {program: \"load 0\"}\\nsweep: {system.vcpus: "
            "[1]}\\n'"
            " > e.yaml; nestwalk sweep e.yaml --output r.sqlite --resume");
        CHECK(other.status == 2);
        CHECK(other.err == "r.sqlite: another process writes to it now\n");
    }

    TEST_CASE("results survive the way from one process to another") {
        const PointResult failed{5, PointStatus::kFailed, "", "no such thing", {}};
        for (const PointResult& result : {done(1), failed, PointResult{}})
            CHECK(unpacked(packed(result)) == result);
        const std::string bytes = packed(done(1));
        CHECK_THROWS(unpacked(std::string_view(bytes).substr(0, bytes.size() - 1)));
    }
}

}  // namespace
}  // namespace nestwalk::test
