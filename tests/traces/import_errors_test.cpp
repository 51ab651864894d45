// What is wrong with a foreign trace, with its place: one row a malformed or truncated file.
#include "tests/traces/trace_support.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

struct Row {
    std::string content;
    std::string error;  ///< behind the file's name
};

const std::string kPinForm = "; expected IP: R or W, then ADDRESS, as in '0x400810: R 0x602040'";
const std::string kPinTail =
    "; expected a size, a value, 'TID: N' or the end of the line behind the address";
const std::string kPinGood = "0x400810: R 0x602040\n0x400810: R 0x602040\n";

const std::vector<Row> kRows{
    {kPinGood + "0x400810: R\n", ":3:12: not a number: ''" + kPinForm},
    {kPinGood + "0x400810: R 0x\n", ":3:14: text behind the address: 'x'" + kPinTail},
    {kPinGood + "0x400810: R -8\n", ":3:13: negative number: '-8'" + kPinForm},
    {kPinGood + "0x400810: R 0x11112222333344445\n",
     ":3:13: number too large: '0x11112222333344445'; expected one that 64 bits can hold"},
    {kPinGood + "0x400810 R 0x602040\n",
     ":3:10: no colon behind the instruction's address: 'R'" + kPinForm},
    {kPinGood + "0x400810: Q 0x602040\n", ":3:11: not an access: 'Q'" + kPinForm},
    {kPinGood + "0x400810: R 0x602040 4097\n",
     ":3:22: size out of range: '4097'; expected at most 4096 bytes"},
    {kPinGood + "0x400810: R 0x602040 8 0x1 9\n", ":3:28: too many columns: '9'" + kPinTail},
    {kPinGood + "0x400810: R 0x602040 ; FOO: 1\n", ":3:24: not a number: 'FOO:'" + kPinTail},
    {kPinGood + "Segmentation fault\n", ":3:1: not a number: 'Segmentation'" + kPinForm},
    {kPinGood + "0x4008", ":3:7: no colon behind the instruction's address: ''" + kPinForm},
};

TEST_SUITE("foreign traces") {
    TEST_CASE("every malformed file is an error at its place") {
        for (const Row& row : kRows) {
            const test::TemporaryFile file(row.content);
            CHECK(test::error_of_file(file.path()) == file.path() + row.error);
        }
    }
}

}  // namespace
}  // namespace nestwalk
