// A trace sorted into streams of vCPUs: the same records in the same order, as unrolling the trace
// record by record gives them.
#include "tests/properties/generator.h"
#include "traces/source_location.h"
#include "traces/text_trace_reader.h"
#include "traces/text_writer.h"
#include "traces/vcpu_streams.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

using Streams = std::vector<std::vector<std::string>>;

std::string barrier_text(std::uint32_t on, const std::vector<Record>& records) {
    std::string text = "(" + std::to_string(on) + ")";
    for (const Record& record : records) text += " " + to_text(record);
    return text;
}

/// Takes from the streams in turn until all are at a barrier or at their end.
Streams streams_of(const std::string& program, std::uint32_t vcpus) {
    TextTraceReader source(program, {"program", 1, 1});
    VcpuStreams streams(source, vcpus);
    Streams taken(vcpus);
    while (true) {
        std::size_t at_barrier = 0;
        for (std::uint32_t vcpu = 0; vcpu < vcpus; ++vcpu) {
            while (const StreamItem* const item = streams.here(vcpu)) {
                if (const auto* barrier = std::get_if<std::shared_ptr<const Barrier>>(item)) {
                    taken[vcpu].push_back(
                        barrier_text(streams.barrier_on(vcpu), (*barrier)->records));
                    ++at_barrier;
                    break;
                }
                const auto& record = std::get<StreamRecord>(*item);
                taken[vcpu].push_back(to_text(record.record) + (record.joined ? " +" : ""));
                streams.advance(vcpu);
            }
        }
        if (at_barrier == 0) return taken;
        REQUIRE(at_barrier == vcpus);
        streams.pass_barrier();
    }
}

/// Record by record, as `cpu` says.
void unroll(const std::vector<TraceItem>& items, std::uint32_t& cpu, Streams& streams) {
    for (const TraceItem& item : items) {
        if (const auto* block = std::get_if<RepeatBlock>(&item)) {
            for (std::uint64_t i = 0; i < block->count; ++i) unroll(block->body, cpu, streams);
            continue;
        }
        const auto& record = std::get<Record>(item);
        if (std::holds_alternative<PhaseMark>(record.what)) {
            for (auto& stream : streams) stream.push_back(barrier_text(cpu, {record}));
            continue;
        }
        const auto& operation = std::get<Operation>(record.what);
        if (const auto* select = std::get_if<SelectCpu>(&operation)) {
            cpu = select->cpu;
        } else {
            streams[cpu].push_back(to_text(record));
        }
    }
}

Streams unrolled(const std::string& program, std::uint32_t vcpus) {
    TextTraceReader source(program, {"program", 1, 1});
    std::vector<TraceItem> items;
    while (const TraceItem* const item = source.next()) items.push_back(*item);
    Streams streams(vcpus);
    std::uint32_t cpu = 0;
    unroll(items, cpu, streams);
    return streams;
}

/// Records that a reader of the result can tell apart, in blocks within blocks.
void add_random_records(Randomness& random, int depth, std::string& program, int& number) {
    const std::uint64_t records = random.next() % 5;
    for (std::uint64_t i = 0; i < records; ++i) {
        const std::uint64_t kind = random.next() % 12;
        if (kind < 4)
            program += "compute " + std::to_string(++number) + "\n";
        else if (kind < 7)
            program += "cpu " + std::to_string(random.next() % 3) + "\n";
        else if (kind < 8)
            program += "phase \"" + std::to_string(++number) + "\"\n";
        else if (depth < 4) {
            program += "repeat " + std::to_string(random.next() % 4) + " {\n";
            add_random_records(random, depth + 1, program, number);
            program += "}\n";
        }
    }
}

TEST_SUITE("streams of vCPUs") {
    TEST_CASE("a cpu record says to which stream the records after it belong") {
        CHECK(streams_of("compute 1\ncpu 1\ncompute 2\ncompute 3\ncpu 0\ncompute 4", 2) ==
              Streams{{"compute 1", "compute 4"}, {"compute 2", "compute 3"}});
    }

    TEST_CASE("an iteration begins on the vCPU on which the one before ended") {
        CHECK(streams_of("repeat 3 {\ncompute 1\ncpu 1\ncompute 2\n}\ncompute 3", 2) ==
              Streams{
                  {"compute 1"},
                  {"compute 2", "compute 1", "compute 2", "compute 1", "compute 2", "compute 3"}});
    }

    TEST_CASE("streams are those of unrolled traces in 3000 random programs") {
        std::size_t records = 0;
        for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
            Randomness random(seed);
            std::string program;
            int number = 0;
            add_random_records(random, 0, program, number);
            add_random_records(random, 0, program, number);
            CAPTURE(program);
            const Streams expected = unrolled(program, 3);
            CHECK(streams_of(program, 3) == expected);
            for (const auto& stream : expected) records += stream.size();
        }
        CHECK(records > 20'000);
    }

    TEST_CASE("an inner loop that concerns no vCPU takes no time however often it is repeated") {
        CHECK(streams_of("repeat 1000000000000 {\nrepeat 2 {\n}\n}\n"
                         "repeat 1000000000000 {\nrepeat 1000000000000 {\ncpu 1\n}\n}\ncompute 1",
                         64)[1] == std::vector<std::string>{"compute 1"});
        TextTraceReader source(
            "repeat 1000000000000 {\nrepeat 2 {\ncompute 1\ncpu 1\ncompute 2\n"
            "}\ncpu 0\n}",
            {"program", 1, 1});
        VcpuStreams streams(source, 64);
        for (std::uint32_t vcpu = 2; vcpu < 64; ++vcpu) CHECK(streams.here(vcpu) == nullptr);
        CHECK(streams.here(0) != nullptr);
        CHECK(streams.here(1) != nullptr);
    }

    TEST_CASE("every stream meets phases and declarations and the set-up of tables") {
        const Streams streams = streams_of(
            "cpu 1\nmap 0x1000 size=4K\nspace s1\nload 0x1000\nmap 0x2000 size=4K\nphase \"p\"\n"
            "explain \"e\"\nspace s2\nexpect refs=0\nload 0x2000",
            2);
        CHECK(streams[0] == std::vector<std::string>{"(1) map 0x1000 size=4K", "(1) space s1",
                                                     "(1) phase \"p\"",
                                                     "(1) explain \"e\" space s2 expect refs=0"});
        CHECK(streams[1] ==
              std::vector<std::string>{"(1) map 0x1000 size=4K", "(1) space s1", "load 0x1000",
                                       "map 0x2000 size=4K", "(1) phase \"p\"",
                                       "(1) explain \"e\" space s2 expect refs=0", "load 0x2000"});
    }

    TEST_CASE("a block ends the set-up") {
        CHECK(streams_of("repeat 1 {\nmap 0x1000 size=4K\n}\nmap 0x2000 size=4K", 2)[1].empty());
    }

    TEST_CASE("an operation stays with its explanations and expectations") {
        CHECK(streams_of("explain \"e\"\nload 0x1000\nexpect miss\nexpect refs=4\nload 0x2000",
                         1) == Streams{{"explain \"e\" +", "load 0x1000 +", "expect miss +",
                                        "expect refs=4", "load 0x2000"}});
        CHECK(streams_of("explain \"e\"\ncpu 1\nload 0x1000\ncpu 0\nexpect miss", 2) ==
              Streams{{"expect miss"}, {"explain \"e\" +", "load 0x1000"}});
        CHECK(streams_of("repeat 2 {\nload 0x1000\nexpect miss\n}", 1)[0] ==
              std::vector<std::string>{"load 0x1000 +", "expect miss", "load 0x1000 +",
                                       "expect miss"});
    }

    TEST_CASE("a vCPU that does not exist is an error with its place") {
        const std::string message = "program:3:1: cpu 2: system.vcpus is 2";
        CHECK_THROWS_WITH_AS(streams_of("load 0x1000\n\ncpu 2", 2), message.c_str(), InputError);
        CHECK_THROWS_WITH_AS(streams_of("repeat 1 {\nload 0x1000\ncpu 2\n}", 2), message.c_str(),
                             InputError);
    }

    TEST_CASE("a stream may be as far behind the others as the limit says") {
        const auto far_apart = [](int records) {
            std::string program = "cpu 1\ncompute 1\ncpu 0\n";
            for (int i = 0; i < records; ++i) program += "compute 1\n";
            return program + "cpu 1\ncompute 2";
        };
        const auto second_of_vcpu_1 = [&](int records) {
            TextTraceReader source(far_apart(records), {"program", 1, 1});
            VcpuStreams streams(source, 2, 100);
            REQUIRE(streams.here(1) != nullptr);
            streams.advance(1);
            return streams.here(1) != nullptr;
        };
        CHECK(second_of_vcpu_1(98));
        CHECK_FALSE(second_of_vcpu_1(102));
    }

    TEST_CASE("a stream that is let off may go on from a barrier but not in between") {
        std::string program;
        for (int i = 0; i < 200; ++i) program += "compute 1\n";
        const auto last_of_vcpu_1 = [&](const std::string& rest) {
            TextTraceReader source(program + rest, {"program", 1, 1});
            VcpuStreams streams(source, 2, 100);
            CHECK(streams.here(1) == nullptr);
            CHECK(streams.let_off(1));
            for (int i = 0; i < 200; ++i) {
                REQUIRE(streams.here(0) != nullptr);
                streams.advance(0);
            }
            streams.here(0);
            return streams.here(1) != nullptr;
        };
        CHECK(last_of_vcpu_1("phase \"p\"\ncpu 1\ncompute 2"));
        CHECK(last_of_vcpu_1("repeat 2 {\nphase \"p\"\n}"));
        CHECK_FALSE(last_of_vcpu_1("compute 2"));
        CHECK_THROWS_WITH_AS(last_of_vcpu_1("cpu 1\ncompute 2\nphase \"p\""),
                             "program:202:1: vCPU 1 has a record here, and none among the 100 "
                             "before it; expected the records of vCPUs that run side by side to be "
                             "nearer to one another in the trace",
                             InputError);
    }

    TEST_CASE("a trace without records has empty streams") {
        CHECK(streams_of("", 2) == Streams(2));
        CHECK(streams_of("cpu 1\nrepeat 0 {\ncompute 1\n}", 2) == Streams(2));
    }
}

}  // namespace
}  // namespace nestwalk::test
