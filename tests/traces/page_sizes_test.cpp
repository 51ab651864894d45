// Page sizes of a process from smaps and from lists of pages, in small samples made for these
// tests.
#include "traces/page_sizes.h"
#include "traces/source_location.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk {
namespace {

PageSizes sizes_of(const std::string& content) {
    return read_page_sizes(InputFile::in_memory(content, "pages"));
}

std::string error_of(const std::string& content) {
    try {
        sizes_of(content);
    } catch (const InputError& error) {
        return std::string(error.what()).substr(std::string("pages").size());
    }
    return "no error";
}

std::string mapping(const std::string& range, int page, int huge) {
    return range +
           " rw-p 00000000 00:00 0 \nSize: 4096 kB\nKernelPageSize: " + std::to_string(page) +
           " kB\nRss: 0 kB\nAnonHugePages: " + std::to_string(huge) + " kB\nVmFlags: rd wr mr\n";
}

TEST_SUITE("page sizes") {
    TEST_CASE(
        "a mapping full of huge pages has them from its first multiple of 2 MiB to its last") {
        const PageSizes sizes = sizes_of(mapping("7f0000100000-7f0000700000", 4, 4096) +
                                         mapping("7f0001000000-7f0001200000", 4, 0));
        REQUIRE(sizes.regions.size() == 1);
        CHECK(sizes.regions[0] == PageRegion{0x7f0000200000, 0x400000, PageSize::k2M});
        CHECK(sizes.mappings == 2);
        CHECK(sizes.partly == 0);
    }

    TEST_CASE("a mapping with some huge pages stays small and is counted") {
        const PageSizes sizes = sizes_of(mapping("7f0000000000-7f0000800000", 4, 2048));
        CHECK(sizes.regions.empty());
        CHECK(sizes.partly == 1);
        CHECK(sizes.partly_large_bytes == 0x200000);
        CHECK(sizes.partly_bytes == 0x800000);
    }

    TEST_CASE("hugetlb mappings have the pages that they say") {
        const PageSizes sizes = sizes_of(mapping("40000000-80000000", 1048576, 0) +
                                         mapping("7f0000000000-7f0000400000", 2048, 0) +
                                         mapping("7f0000400000-7f0000600000", 2048, 0));
        REQUIRE(sizes.regions.size() == 2);
        CHECK(sizes.regions[0] == PageRegion{0x40000000, 0x40000000, PageSize::k1G});
        CHECK(sizes.regions[1] == PageRegion{0x7f0000000000, 0x600000, PageSize::k2M});
    }

    TEST_CASE("huge pages of files and of shared memory count") {
        const PageSizes sizes = sizes_of(
            "00200000-00600000 r-xp 00000000 08:01 7 /bin/a b\nKernelPageSize: 4 kB\n"
            "FilePmdMapped:     2048 kB\nShmemPmdMapped: 2048 kB\n");
        REQUIRE(sizes.regions.size() == 1);
        CHECK(sizes.regions[0].bytes == 0x400000);
    }

    TEST_CASE("pages in order from multiples of 2 MiB are one large page") {
        const std::string head = "voffset\toffset\tlen\tflags\n";
        const PageSizes thp = sizes_of(head + "7f0000200\t10200\t1\t___U_l_____Ma_bH______t\n" +
                                       "7f0000201\t10201\t3ff\t___U_l_____Ma_b_T_____t\n");
        REQUIRE(thp.regions.size() == 1);
        CHECK(thp.regions[0] == PageRegion{0x7f0000200000, 0x400000, PageSize::k2M});
        CHECK(sizes_of(head + "7f0000200\t10201\t400\t______t\n").regions.empty());
        CHECK(sizes_of(head + "7f0000200\t10200\t400\t___U___\n").regions.empty());
        CHECK(sizes_of(head + "7f0000200\t10200\t1ff\t______t\n").regions.empty());
        CHECK(sizes_of(head + "7f0000100\t10100\t400\t______t\n").regions.size() == 1);
        CHECK(sizes_of(head + "7f0000100\t10100\t400\t______t\n").regions[0].at == 0x7f0000200000);
    }

    TEST_CASE("what is neither, with its place") {
        CHECK(error_of("hello\n").starts_with(":1:1: not smaps: 'hello'; expected a mapping"));
        CHECK(error_of("7f00-6f00 rw-p\n")
                  .starts_with(":1:1: not a mapping: '7f00-6f00'; expected from a multiple"));
        CHECK(error_of("7f1000-7f2000 rw-p\n?\n").starts_with(":2:1: not a mapping: '?'"));
        CHECK(error_of("7f1000-7f2000 rw-p\nAnonHugePages: x kB\n") ==
              ":2:16: not a number: 'x'; expected a number of kB");
        CHECK(error_of("7f1000-7f2000 rw-p\nAnonHugePages: 8 MB\n") ==
              ":2:17: not in kB: ''; expected a number of kB");
        CHECK(error_of("7f1000-7f3000 rw-p\n7f2000-7f4000 rw-p\n")
                  .starts_with(":2:1: mapping out of order: '7f2000-7f4000 rw-p'"));
        CHECK(error_of("voffset\toffset\tlen\tflags\n7f0000200\t10201\t400\n")
                  .starts_with(":2:20: no flags: ''; expected pages"));
        CHECK(error_of("voffset\toffset\tlen\tflags\n7\t1\t1\t_\n6\t1\t1\t_\n")
                  .starts_with(":3:1: pages out of order: '6'"));
        CHECK(error_of("7f1000-7f2000 rw-p 0 00:00 0\n7f3000-7f4000 rw-p 0 00:00 0\n") ==
              ": looks like /proc/PID/maps, which has no page sizes; expected /proc/PID/smaps");
        CHECK(error_of("7f1000-7f4000 ---p 0 00:00 0  [rollup]\nAnonHugePages: 2048 kB\n") ==
              ":1:1: looks like /proc/PID/smaps_rollup, which has sums of all mappings; expected "
              "/proc/PID/smaps");
        CHECK(error_of(std::string(64, '\0')).starts_with(": looks like binary data; expected "));
    }
}

}  // namespace
}  // namespace nestwalk
