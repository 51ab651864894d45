#pragma once

// Several traces as one, in the order of their times of capture.

#include "traces/record.h"
#include "traces/trace_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwalk {

enum class MergedCpus : std::uint8_t {
    kAsWritten,  ///< each input's own `cpu` records hold
    kPerInput,   ///< the first input runs on vCPU 0, the next one on 1, and so on
};
enum class MergedSpaces : std::uint8_t {
    kAsWritten,  ///< all in the spaces that they name
    kPerInput,   ///< each in a space of its own, `input0`, `input1`, ...
};

class TraceMerge {
public:
    static constexpr std::size_t kMostInputs = 1024;

    /// 1 to kMostInputs sources.
    TraceMerge(std::vector<std::unique_ptr<TraceSource>> inputs, MergedCpus cpus,
               MergedSpaces spaces);

    /// Writes all records; those of one time in the order of the inputs. `check` is called before
    /// each. Throws InputError for a record without a time or with one before its predecessor's,
    /// and for one that says itself what each input is to have of its own.
    void write(TraceWriter& writer, const std::function<void()>& check);
    const std::vector<std::unique_ptr<TraceSource>>& inputs() const { return sources_; }

private:
    struct Input {
        TraceSource* source{};
        const TraceItem* item{};  ///< the next one
        std::uint64_t t{};
        std::uint32_t cpu{};  ///< on which its records run
        bool space_declared{};
    };

    void advance(std::size_t number);
    void check_item(const Input& input) const;
    void check_record(const Input& input, const Record& record) const;
    void switch_to(std::size_t number, TraceWriter& writer);
    std::size_t earliest() const;

    std::vector<std::unique_ptr<TraceSource>> sources_;
    MergedCpus cpus_;
    MergedSpaces spaces_;
    std::vector<Input> inputs_{};
    std::uint32_t cpu_{};  ///< on which what is written runs
    /// Of each vCPU, the input whose space is loaded.
    std::vector<std::optional<std::size_t>> loaded_{};
};

}  // namespace nestwalk
