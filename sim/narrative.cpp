#include "sim/narrative.h"
#include "models/operation_error.h"
#include "traces/text_writer.h"

#include <array>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::array<const char*, kMaxLevels + 1> kEntryNames{"",      "PTE",   "PDE",
                                                              "PDPTE", "PML4E", "PML5E"};

std::string several(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// Clauses with commas between them.
class Clauses {
public:
    void add(const std::string& clause) {
        if (!text_.empty()) text_ += ", ";
        text_ += clause;
    }
    void add_if(bool holds, const char* clause) {
        if (holds) add(clause);
    }
    void add_some(std::uint64_t count, const char* one, const char* many) {
        if (count > 0) add(several(count, one, many));
    }
    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

private:
    std::string text_{};
};

void add_results(const LastOperation& last, Clauses& clauses) {
    if (last.translations == 1) {
        clauses.add_if(last.l1_hits == 1, "hit in the L1 TLB");
        clauses.add_if(last.stlb_hits == 1, "hit in the STLB");
        clauses.add_if(last.misses == 1, "miss");
    } else if (last.translations > 1) {
        clauses.add(std::to_string(last.translations) + " translations");
        clauses.add_some(last.l1_hits, "hit in the L1 TLB", "hits in the L1 TLB");
        clauses.add_some(last.stlb_hits, "hit in the STLB", "hits in the STLB");
        clauses.add_some(last.misses, "miss", "misses");
    }
    if (last.fault == FaultKind::kNone) {
        if (last.translations == 0 || last.exits == 0) return;
        clauses.add("after " + several(last.exits, "VM exit", "VM exits") + " (" +
                    last.exit_reason + ")");
        return;
    }
    const bool exits = last.exit_reason == name_of(last.fault);
    // The hypervisor leaves it to the guest.
    clauses.add_if(exits && last.fault == FaultKind::kPageFault, "VM exit");
    clauses.add(
        std::string(exits && last.fault != FaultKind::kPageFault ? "VM exit: " : "fault: ") +
        name_of(last.fault));
}

void add_walks(const LastOperation& last, Clauses& clauses) {
    clauses.add_if(last.rights_rewalks > 0, "the cached rights refused it");
    clauses.add_if(last.dirty_assists > 0, "dirty assist");
    if (last.walks == 0) return;
    std::string reads = several(last.refs(), "read", "reads");
    if (last.host_refs > 0) {
        reads += " (" + std::to_string(last.guest_refs) + " guest, " +
                 std::to_string(last.host_refs) + " host)";
    }
    if (last.walks == 1 && last.start_level == kFromRoot) reads += " from the root";
    if (last.walks == 1 && last.start_level != kFromRoot) {
        reads += std::string(" below a cached ") + kEntryNames[last.start_level];
    }
    clauses.add(reads);
    clauses.add_if(last.fault_rewalks > 0, "repeated from the root");
}

void add_translations(const LastOperation& last, Clauses& clauses) {
    clauses.add_if(last.stale_hits > 0, "stale");
    clauses.add_if(last.stale_walks > 0, "through a stale entry");
    clauses.add_if(last.ambiguous_hits > 0, "entries of two sizes match");
    if (last.fractured_fills == 0) return;
    clauses.add(std::string("cached as ") + name_of(page_size_of_level(last.page_level)) +
                " of a " + name_of(page_size_of_level(last.whole_level)) + " page");
}

std::string tlb_entries(const Dropped& dropped) {
    std::string text = several(dropped.translations, "TLB entry", "TLB entries");
    if (dropped.global_translations > 0) {
        text += " (" + std::to_string(dropped.global_translations) + " global)";
    }
    return text;
}

void add_drops(const LastOperation& last, Clauses& clauses) {
    const Dropped& dropped = last.dropped;
    Clauses drops;
    if (dropped.translations > 0) drops.add(tlb_entries(dropped));
    drops.add_some(dropped.paging_structures, "paging-structure entry", "paging-structure entries");
    drops.add_some(dropped.nested_translations, "guest-physical translation",
                   "guest-physical translations");
    drops.add_some(dropped.nested_paging_structures, "guest-physical paging-structure entry",
                   "guest-physical paging-structure entries");
    if (!drops.empty()) clauses.add("drops " + drops.text());
    clauses.add_if(last.fracture_flushes > 0, "a fractured page was cached: the whole TLB goes");
    clauses.add_if(last.smash_flushes > 0, "a piece of a 1G page was cached: the whole TLB goes");
}

std::string flags_set(const EntryRead& read) {
    if (!read.set_accessed && !read.set_dirty) return {};
    return std::string("+") + (read.set_accessed ? "A" : "") + (read.set_dirty ? "D" : "");
}

}  // namespace

std::string told_outcome(const LastOperation& last) {
    Clauses clauses;
    add_results(last, clauses);
    add_walks(last, clauses);
    add_translations(last, clauses);
    clauses.add_if(last.translations == 0 && last.exits == 1, "VM exit");
    if (last.translations == 0 && last.exits > 1) {
        clauses.add(std::to_string(last.exits) + " VM exits");
    }
    add_drops(last, clauses);
    return clauses.empty() ? "drops nothing" : clauses.text();
}

std::vector<std::string> told_reads(const LastOperation::Reads& reads, const Regime& regime) {
    std::vector<std::string> told;
    std::string host;
    for (const EntryRead& read : reads.entries) {
        if (read.dimension == Dimension::kHost) {
            host += (host.empty() ? "h" : " h") + std::to_string(read.level) + flags_set(read);
            continue;
        }
        const std::string entry =
            (regime.nested ? "g" : "") + std::string(kEntryNames[read.level]) + flags_set(read);
        told.push_back(host.empty() ? entry : host + " -> " + entry);
        host.clear();
    }
    if (!host.empty()) told.push_back(reads.translated ? host + " -> data" : host);
    return told;
}

void Narrative::explain(const Explanation& explanation) {
    if (explanation_.size() + explanation.sentence.size() > kLongestExplanation) {
        throw OperationError("explain: more than " + std::to_string(kLongestExplanation) +
                             " bytes before one operation");
    }
    if (!explanation_.empty()) explanation_ += ' ';
    explanation_ += explanation.sentence;
    waits_ = true;
}

void Narrative::tell(std::uint64_t line, const Operation& operation, const LastOperation& last,
                     const Regime& regime) {
    waits_ = false;
    std::string explanation = std::exchange(explanation_, {});
    if (operations_.size() == kMostOperations) {
        ++left_out_;
        return;
    }
    ToldOperation told{.line = line,
                       .operation = to_text(operation),
                       .outcome = told_outcome(last),
                       .more_walks = last.walks - last.first_walks.size(),
                       .explanation = std::move(explanation)};
    for (const LastOperation::Reads& walk : last.first_walks) {
        told.walks.push_back(told_reads(walk, regime));
    }
    operations_.push_back(std::move(told));
}

}  // namespace nestwalk
