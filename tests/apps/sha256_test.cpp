// SHA-256 against the examples of FIPS 180-4 and its neighbours.
#include "apps/sha256.h"
#include "tests/apps/program.h"
#include "tests/input_error.h"

#include <string>

#include <doctest/doctest.h>

namespace nestwalk::test {
namespace {

TEST_SUITE("SHA-256") {
    TEST_CASE("the examples of the standard have the digests that it gives") {
        CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        CHECK(sha256(std::string(1'000'000, 'a')) ==
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    TEST_CASE("it does not matter in which pieces a text is added") {
        for (const std::size_t size : {55U, 56U, 63U, 64U, 65U, 119U, 120U, 200U}) {
            CAPTURE(size);
            const std::string text(size, 'x');
            Sha256 hash;
            for (std::size_t at = 0; at < size; at += 7) hash.add(text.substr(at, 7));
            CHECK(hash.finish() == sha256(text));
        }
    }

    TEST_CASE("a file has the digest that sha256sum gives, and a device has none") {
        const Workplace place;
        place.write("f", std::string(3'000'000, 'z') + "end");
        const std::string sum = place.run("sha256sum f && pwd").out;
        const std::string folder = sum.substr(sum.find('\n') + 1, sum.size() - 69);
        CHECK(sha256_of_file(folder.substr(0, folder.find('\n')) + "/f") == sum.substr(0, 64));
        CHECK(error_of([] { sha256_of_file("/dev/zero"); }) ==
              "/dev/zero: is no regular file, expected one that can be read again");
        CHECK(error_of([] { sha256_of_file("/nonexistent/f"); }) ==
              "/nonexistent/f: cannot be opened: No such file or directory");
    }
}

}  // namespace
}  // namespace nestwalk::test
