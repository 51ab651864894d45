#pragma once

// Reads what `valgrind --tool=lackey --trace-mem=yes` prints: "I  ADDR,SIZE" for an instruction, "
// L" for a load, " S" for a store, " M" for a load and a store of the same bytes. ADDR is
// hexadecimal, without 0x as a rule, SIZE decimal. Every reference is a user access. Valgrind's own
// lines ("==PID== ...") are passed over.

#include "traces/import_options.h"
#include "traces/import_report.h"
#include "traces/line_reader.h"
#include "traces/record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwalk {

class LackeyReader final : public TraceSource {
public:
    explicit LackeyReader(LineReader lines, const ImportOptions& options = {});

    const TraceItem* next() override;
    AccessRun next_accesses() override;
    const std::string& name() const override { return lines_.name(); }
    const ImportReport* import_report() const override { return &report_; }

    /// True for a blank line or one that Valgrind prints beside the trace.
    static bool is_banner(std::string_view line);
    /// True for a line that begins as a reference does, whether or not the rest of it is right.
    static bool looks_like_reference(std::string_view line);

private:
    const char* parse_plain(const char* at, const char* end, std::uint32_t& lines);
    void add(AccessKind kind, std::uint64_t rest, std::uint32_t lines);
    Access parse(std::string_view line);
    const TraceItem* emit(const Access& access);

    LineReader lines_;
    ImportReport report_{};
    Fetches fetches_{};
    TraceItem item_{};
    std::vector<PackedAccess> run_{};
    std::vector<std::uint32_t> run_lines_{};  ///< after the first one's
    std::size_t run_size_{};
    bool store_pending_{false};  ///< the second half of an `M`, whose load is in `item_`
};

}  // namespace nestwalk
