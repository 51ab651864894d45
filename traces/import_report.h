#pragma once

// What became of a foreign trace: how many of its lines were used, how many not, and why. It is
// complete once the trace has been read to its end.

#include <cstdint>
#include <string>
#include <vector>

namespace nestwalk {

struct ImportReport {
    /// Lines of one kind that were passed over.
    struct Skipped {
        std::string what{};  ///< "banner lines"
        std::string why{};   ///< "Valgrind's own"
        std::uint64_t count{};
    };
    /// Records of one kind that are no accesses.
    struct Made {
        std::string record{};  ///< "flush-range"
        std::uint64_t count{};
    };

    std::string format{};       ///< as --trace-format has it
    std::string dialect{};      ///< empty where the format has one form
    std::string unit{"lines"};  ///< or "records"
    std::uint64_t read{};       ///< lines or records in the file
    std::uint64_t loads{};
    std::uint64_t stores{};
    std::uint64_t fetches{};
    std::uint64_t dropped_fetches{};  ///< that were not wanted
    std::vector<Made> made{};
    std::vector<Skipped> skipped{};
    std::uint64_t processes{};  ///< that were seen; 0 where the trace does not say
    std::uint64_t threads{};
    std::uint64_t cpus{};
    std::uint64_t spaces{1};  ///< address spaces that came of them
    std::uint64_t vcpus{1};
    std::vector<std::string> notes{};

    std::uint64_t data_references() const { return loads + stores; }
};

}  // namespace nestwalk
