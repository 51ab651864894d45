// Tables and traces of Dinero that may have the numbers of threads in them, names of columns, and
// columns that are no numbers.
#include "tests/traces/import_support.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

using test::import_of;
using test::Imported;

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST_SUITE("tables of accesses") {
    TEST_CASE("lines of nothing but what stands between columns are an error and no crash") {
        for (const std::string line : {"[ ", ",,", "();", "[ ]", "| | |", ";", "()"}) {
            for (const std::string rest : {"", "\n", "\n0x602040,R\n0x602048,W\n"}) {
                CAPTURE(line + rest);
                for (const TraceFormat format : {TraceFormat::kColumns, TraceFormat::kAuto}) {
                    const Imported imported = import_of(line + rest, {}, format);
                    CHECK(imported.error.starts_with("FILE"));
                    CHECK(imported.text.empty());
                }
            }
        }
    }

    TEST_CASE("the names of columns in a first line may be words of their own") {
        for (const std::string names :
             {"Instruction Address,Access Type,Memory Address,Thread ID", "PC;r/w;vaddr;tid",
              "insAddr,Op_Type,data-addr,thread", "\"pc\",\"op\",\"addr\",\"tid\""}) {
            CAPTURE(names);
            const std::string separator = names.find(';') != std::string::npos ? ";" : ",";
            std::string row = "0x400810,R,0x602040,7\n";
            if (separator == ";") row = "0x400810;R;0x602040;7\n";
            const Imported imported = import_of(names + "\n" + row);
            if (names.find("r/w") == std::string::npos) CHECK(imported.error == "no error");
            CHECK(imported.text == "load 0x602040 size=1\n");
            CHECK(imported.report.threads == 1);
        }
        const Imported times = import_of("time,op,addr\n0.000001,R,0x602040\n1e-3,W,0x602048\n");
        CHECK(times.error == "no error");
        CHECK(times.text == "load 0x602040 size=1\nstore 0x602048 size=1\n");
        const Imported index = import_of(",pc,addr,rw\n0,0x400810,0x602040,R\n");
        CHECK(index.text == "load 0x602040 size=1\n");
    }

    TEST_CASE("a table that is not all numbers is refused and the way to read it named") {
        const std::string trace = "0x400810,R,0x602040,main\n0x400818,W,0x602048,operator new\n";
        CHECK(import_of(trace).error.starts_with(
            "FILE:1:1: looks like a table of accesses, not all of it numbers: '0x400810,R,"));
        // A last column that is ignored is the rest of the line, or nothing.
        const Imported said = import_of(trace + "0x400818,W,0x602050\n",
                                        {.columns = {Column::kInstruction, Column::kOperation,
                                                     Column::kAddress, Column::kIgnored}});
        CHECK(said.error == "no error");
        CHECK(said.text == "load 0x602040 size=1\nstore 0x602048 size=1\nstore 0x602050 size=1\n");
    }

    TEST_CASE("a last column of small numbers may be threads") {
        CHECK(import_of("0x602040 R 1\n0x602048 W 3\n").error ==
              "FILE:1:1: two readings: the columns of '0x602040 R 1' are address,op,size or "
              "address,op,tid; expected --columns with the right ones (workload.import.columns)");
        CHECK(import_of(repeated("0x602040 R 8\n", 8) + "0x602048 W 3\n").error == "no error");
    }
}

TEST_SUITE("din") {
    TEST_CASE("a word for an access behind the address is no comment if the label says another") {
        const std::string bubbles =
            "0 0x602040 R\n1 0x602048 R\n2 0x602050 W\n3 0x602058 R\n4 0x602060 W\n";
        CHECK(import_of(bubbles).error.starts_with("FILE:1:1: two readings: the columns of"));
        const Imported comments = import_of("0 1000 read\n1 2000 write\n2 3000 ifetch\n");
        CHECK(comments.format == TraceFormat::kDin);
        CHECK(comments.text == "load 0x1000 size=1\nstore 0x2000 size=1\nfetch 0x3000 size=1\n");
    }

    TEST_CASE("sizes that accesses do not have and many labels without accesses may be threads") {
        CHECK(import_of("R 0x602040 0\nW 0x602048 1\n").error ==
              "FILE:1: two readings: '0' behind the address is a size or the number of a thread; "
              "expected --trace-format din or --columns op,address,tid (workload.format, "
              "workload.import.columns)");
        CHECK(import_of("R 0x602040 0\nW 0x602048 1\n", {}, TraceFormat::kDin).text ==
              "load 0x602040 size=1\nstore 0x602048 size=1\n");
        CHECK(import_of("i 400000 3\nr 602040 8\n").error == "no error");
        const std::string threads = "0 0x602040\n1 0x602040\n2 0x602040\n3 0x602040\n";
        CHECK(import_of(repeated(threads, 4)).error ==
              "FILE:4: two readings: the first column is labels of din, where 3 and 4 access "
              "nothing, or the numbers of threads; expected --trace-format din or --columns "
              "tid,address (workload.format, workload.import.columns)");
        CHECK(import_of(repeated(threads, 3)).error == "no error");
        CHECK(import_of(repeated(threads, 4), {}, TraceFormat::kDin).error == "no error");
        CHECK(import_of(repeated(threads, 4), {.columns = {Column::kThread, Column::kAddress}})
                  .report.threads == 4);
    }
}

}  // namespace
}  // namespace nestwalk
