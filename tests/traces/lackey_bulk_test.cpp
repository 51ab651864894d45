// Lackey's lines in bulk: the same accesses, lines and report as line by line.
#include "tests/traces/trace_support.h"
#include "traces/input_file.h"
#include "traces/lackey_reader.h"
#include "traces/line_reader.h"
#include "traces/text_writer.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

struct Read {
    std::string text{};  ///< each access with its line
    std::string error{};
    std::uint64_t lines{};
    std::uint64_t references{};
    std::uint64_t dropped{};
    std::size_t in_bulk{};

    bool operator==(const Read& other) const {
        return text == other.text && error == other.error && lines == other.lines &&
               references == other.references && dropped == other.dropped;
    }
};

void add(const TraceItem& item, std::string& text) {
    text += std::to_string(std::get<Record>(item).line) + ": " + to_text(item);
}

template <typename ReadOn>
Read read(const std::string& trace, const ImportOptions& options, ReadOn&& read_on) {
    LackeyReader reader(LineReader(InputFile::in_memory(trace, "trace")), options);
    Read result{};
    try {
        while (read_on(reader, result)) {
        }
    } catch (const InputError& error) {
        result.error = error.what();
    }
    const ImportReport& report = *reader.import_report();
    result.lines = report.read;
    result.references = report.data_references() + 1000 * report.fetches;
    result.dropped = report.dropped_fetches;
    return result;
}

Read line_by_line(const std::string& trace, const ImportOptions& options = {}) {
    return read(trace, options, [](LackeyReader& reader, Read& result) {
        const TraceItem* const item = reader.next();
        if (item != nullptr) add(*item, result.text);
        return item != nullptr;
    });
}

Read in_bulk(const std::string& trace, const ImportOptions& options = {}) {
    return read(trace, options, [](LackeyReader& reader, Read& result) {
        const AccessRun run = reader.next_accesses();
        result.in_bulk += run.accesses.size();
        for (std::size_t i = 0; i < run.accesses.size(); ++i)
            add(Record{.what = run.accesses[i].access(), .line = run.line_of(i)}, result.text);
        if (!run.empty()) return true;
        const TraceItem* const item = reader.next();
        if (item != nullptr) add(*item, result.text);
        return item != nullptr;
    });
}

const std::string kUsual = "I  04001000,3\n L 1ffefffe50,8\n S 1ffefffe48,16\n M 0421c7cc,4\n";

TEST_SUITE("lackey in bulk") {
    TEST_CASE("usual lines are read in bulk") {
        const Read bulk = in_bulk(kUsual);
        CHECK(bulk.text ==
              "1: fetch 0x4001000 size=3\n2: load 0x1ffefffe50\n"
              "3: store 0x1ffefffe48 size=16\n4: load 0x421c7cc size=4\n"
              "4: store 0x421c7cc size=4\n");
        CHECK(bulk.in_bulk == 5);
        CHECK(bulk == line_by_line(kUsual));
    }

    TEST_CASE("unusual lines among them make no difference") {
        for (const std::string line :
             {"==12== Lackey\n", "\n", "  \n", "I  0x1000,3\n", " L 1000,8 \n", "  L 1000,8\n",
              "I 1000,3\n", " I 1000,3\n", "I\t1000,3\n", " S 1000,513\n",
              " L ffffffffffffffff,8\n", " M 800000000000,4\n", " L 1000,008\n", " L 1000, 8\n",
              " L 1000,8\r\n", " L ABCDEF,8\n", " L 00000000000000001,8\n", " L 1000,4096\n"}) {
            CAPTURE(line);
            const std::string trace = kUsual + line + kUsual + line;
            const Read bulk = in_bulk(trace);
            CHECK(bulk == line_by_line(trace));
            CHECK(bulk.error.empty());
        }
    }

    TEST_CASE("errors are those of reading line by line") {
        for (const std::string line :
             {"L 1000,8\nhello\n", " L 1000\n", " L ,8\n", " L 1000,\n", " L 1000,0\n",
              " L 1000,4097\n", " L 1000,8x\n", " X 1000,8\n", " L 11111111111111111,8\n", " L",
              "I", " ", " L 1000,8 9\n", "I  1000;3\n", "\x01\n"}) {
            CAPTURE(line);
            const Read bulk = in_bulk(kUsual + kUsual + line);
            CHECK(bulk == line_by_line(kUsual + kUsual + line));
        }
        CHECK(in_bulk(kUsual + " L 1000,0\n").error.starts_with("trace:5:"));
    }

    TEST_CASE("fetches that are dropped are so in bulk too") {
        ImportOptions options{};
        options.fetches = Fetches::kDropped;
        std::string trace = kUsual;
        for (int i = 0; i < 20'000; ++i) trace += "I  04001000,3\n";
        trace += kUsual;
        const Read bulk = in_bulk(trace, options);
        CHECK(bulk == line_by_line(trace, options));
        CHECK(bulk.dropped == 20'002);
        CHECK(bulk.in_bulk == 8);
    }

    TEST_CASE("traces longer than what is read at once") {
        std::mt19937 random(5);
        std::string trace;
        for (int i = 0; i < 60'000; ++i) {
            static const char* const kKinds[] = {"I  ", " L ", " S ", " M "};
            trace += kKinds[random() % 4];
            trace += std::to_string(random() >> random() % 32) + ',' +
                     std::to_string(1 + random() % 64) + '\n';
            if (random() % 1000 == 0) trace += "==7== hm\n";
        }
        trace.pop_back();
        const Read bulk = in_bulk(trace);
        CHECK(bulk == line_by_line(trace));
        CHECK(bulk.in_bulk > 70'000);
    }
}

}  // namespace
}  // namespace nestwalk
