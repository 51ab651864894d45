#pragma once

// What a trace consists of, counted record by record in bounded memory.

#include "apps/page_census.h"
#include "traces/record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestwalk {

class TraceCensus {
public:
    /// Names of phases and spaces that are kept.
    static constexpr std::size_t kMostNames = 4096;

    /// Lowest and highest, if there is any.
    struct Range {
        std::uint64_t first{};
        std::uint64_t last{};
    };
    /// Names in the order in which they come; of more than kMostNames only how many.
    struct Names {
        std::vector<std::string> first{};
        std::uint64_t count{};

        void add(const std::string& name);

    private:
        std::set<std::string> known_{};
    };
    /// Of one kind of access, as often as it is executed; UINT64_MAX: that many or more.
    struct References {
        std::uint64_t user{};
        std::uint64_t kernel{};
    };

    void add(const TraceItem& item);
    void add(const AccessRun& run);

    /// Top-level records, and all of them, those of `repeat` blocks once.
    std::uint64_t items() const { return items_; }
    std::uint64_t records() const { return records_; }
    /// Records as they are written, by the word they begin with.
    std::map<std::string, std::uint64_t> by_word() const;
    const References& references(AccessKind kind) const {
        return references_[static_cast<std::size_t>(kind)];
    }
    /// Loads and stores.
    std::uint64_t data_references() const;
    const PageCensus& data_pages() const { return data_pages_; }
    const PageCensus& code_pages() const { return code_pages_; }
    const std::optional<Range>& data_range() const { return data_range_; }
    const std::optional<Range>& code_range() const { return code_range_; }
    /// Of records with `t=`.
    const std::optional<Range>& captured_ns() const { return captured_ns_; }
    const Names& phases() const { return phases_; }
    /// Those that records name.
    const Names& spaces() const { return spaces_; }
    const std::set<std::uint32_t>& cpus() const { return cpus_; }
    std::uint64_t blocks() const { return blocks_; }
    int deepest() const { return deepest_; }

private:
    void add(const TraceItem& item, std::uint64_t times);
    void add(const Operation& operation, std::uint64_t times);
    void add(const Access& access, std::uint64_t times);
    void add_time(const std::optional<std::uint64_t>& captured_ns);
    void note_cpu();
    void add_space(const Operation& operation);

    std::uint64_t items_{};
    std::uint64_t records_{};
    std::array<std::uint64_t, 3> accesses_{};  ///< records, by kind
    std::map<std::string, std::uint64_t> others_{};
    std::array<References, 3> references_{};
    PageCensus data_pages_{};
    PageCensus code_pages_{};
    std::optional<Range> data_range_{};
    std::optional<Range> code_range_{};
    std::optional<Range> captured_ns_{};
    Names phases_{};
    Names spaces_{};
    std::set<std::uint32_t> cpus_{};
    std::uint32_t cpu_{};
    bool cpu_noted_{};  ///< among cpus_
    std::uint64_t blocks_{};
    int depth_{};
    int deepest_{};
};

}  // namespace nestwalk
