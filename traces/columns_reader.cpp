#include "traces/columns_reader.h"
#include "traces/access_word.h"
#include "traces/number.h"
#include "traces/number_base.h"
#include "traces/sample_lines.h"
#include "traces/size_guess.h"
#include "traces/source_location.h"
#include "traces/wording.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kSeparators = " \t,;:|=()[]\"";
constexpr std::size_t kMostColumns = 12;
/// Every address of a program is above, every size and number of a CPU below.
constexpr std::uint64_t kLeastAddress = 0x10000;
constexpr std::uint64_t kLargestOperand = 64;

struct ColumnName {
    std::string_view name;  ///< letters in lower case, without what stands between words
    Column column;
};
constexpr std::array kNames{ColumnName{"ip", Column::kInstruction},
                            ColumnName{"pc", Column::kInstruction},
                            ColumnName{"address", Column::kAddress},
                            ColumnName{"addr", Column::kAddress},
                            ColumnName{"vaddr", Column::kAddress},
                            ColumnName{"va", Column::kAddress},
                            ColumnName{"ea", Column::kAddress},
                            ColumnName{"rw", Column::kOperation},
                            ColumnName{"op", Column::kOperation},
                            ColumnName{"type", Column::kOperation},
                            ColumnName{"access", Column::kOperation},
                            ColumnName{"kind", Column::kOperation},
                            ColumnName{"size", Column::kSize},
                            ColumnName{"bytes", Column::kSize},
                            ColumnName{"tid", Column::kThread},
                            ColumnName{"thread", Column::kThread},
                            ColumnName{"pid", Column::kProcess},
                            ColumnName{"cpu", Column::kCpu},
                            ColumnName{"core", Column::kCpu},
                            ColumnName{"value", Column::kValue},
                            ColumnName{"instruction", Column::kInstruction},
                            ColumnName{"instructionaddress", Column::kInstruction},
                            ColumnName{"instraddr", Column::kInstruction},
                            ColumnName{"insaddr", Column::kInstruction},
                            ColumnName{"instructionpointer", Column::kInstruction},
                            ColumnName{"dataaddress", Column::kAddress},
                            ColumnName{"dataaddr", Column::kAddress},
                            ColumnName{"memoryaddress", Column::kAddress},
                            ColumnName{"memaddr", Column::kAddress},
                            ColumnName{"virtualaddress", Column::kAddress},
                            ColumnName{"virtaddr", Column::kAddress},
                            ColumnName{"vaddress", Column::kAddress},
                            ColumnName{"effectiveaddress", Column::kAddress},
                            ColumnName{"accesstype", Column::kOperation},
                            ColumnName{"memoryaccess", Column::kOperation},
                            ColumnName{"operation", Column::kOperation},
                            ColumnName{"optype", Column::kOperation},
                            ColumnName{"readwrite", Column::kOperation},
                            ColumnName{"mode", Column::kOperation},
                            ColumnName{"accesssize", Column::kSize},
                            ColumnName{"datasize", Column::kSize},
                            ColumnName{"len", Column::kSize},
                            ColumnName{"length", Column::kSize},
                            ColumnName{"threadid", Column::kThread},
                            ColumnName{"process", Column::kProcess},
                            ColumnName{"processid", Column::kProcess},
                            ColumnName{"cpuid", Column::kCpu},
                            ColumnName{"coreid", Column::kCpu},
                            ColumnName{"vcpu", Column::kCpu}};

constexpr std::array kColumnTexts{"-", "ip", "op", "address", "size", "value", "tid", "pid", "cpu"};

struct Cells {
    std::array<std::string_view, kMostColumns> cells{};
    std::size_t count{};
};

Cells split(std::string_view line) {
    Cells cells{};
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(kSeparators), line.size()));
        if (line.empty() || cells.count == kMostColumns) return cells;
        const std::string_view cell = line.substr(0, line.find_first_of(kSeparators));
        cells.cells[cells.count++] = cell;
        line.remove_prefix(cell.size());
    }
}

bool is_hexadecimal(std::string_view text) {
    return !text.empty() &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// What may be a number: "fade" alone is a word.
bool is_number(std::string_view cell) {
    if (cell.starts_with("0x") || cell.starts_with("0X")) return is_hexadecimal(cell.substr(2));
    const bool begins = !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
    return is_hexadecimal(cell) && (begins || cell.size() >= 6);
}

std::uint64_t hexadecimal(std::string_view cell) {
    if (cell.starts_with("0x") || cell.starts_with("0X")) cell.remove_prefix(2);
    return parse_number("0x" + std::string(cell)).value;
}

// The column of the access, if there is one such word and numbers besides; else the count.
std::size_t operation_of(const Cells& cells) {
    std::size_t found = cells.count;
    for (std::size_t i = 0; i < cells.count; ++i) {
        if (access_word(cells.cells[i]) != AccessWord::kNone) {
            if (found != cells.count) return cells.count;
            found = i;
        } else if (!is_number(cells.cells[i])) {
            return cells.count;
        }
    }
    return found;
}

Column column_named(std::string_view name) {
    std::string lower;
    for (const char c : name) {
        const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9')) lower += small;
    }
    for (const ColumnName& row : kNames)
        if (row.name == lower) return row.column;
    return Column::kIgnored;
}

// The columns that a first line names; empty if it does not.
std::vector<Column> named_columns(std::string_view line) {
    line = without_blanks(line);
    std::vector<Column> columns;
    // Names may have blanks in them where something else is between columns.
    std::size_t at = line.find_first_of(",;|\t");
    if (at != std::string_view::npos) {
        const char separator = line[at];
        for (;; at = line.find(separator)) {
            columns.push_back(column_named(line.substr(0, at)));
            if (at == std::string_view::npos) break;
            line.remove_prefix(at + 1);
        }
    } else {
        const Cells cells = split(line);
        for (std::size_t i = 0; i < cells.count; ++i)
            columns.push_back(column_named(cells.cells[i]));
    }
    const auto count = [&](Column column) {
        return std::count(columns.begin(), columns.end(), column);
    };
    if (count(Column::kAddress) != 1 || count(Column::kOperation) != 1) return {};
    return columns;
}

std::string text_of(const std::vector<Column>& columns) {
    std::string text;
    for (const Column column : columns)
        text += (text.empty() ? "" : ",") +
                std::string(kColumnTexts.at(static_cast<std::size_t>(column)));
    return text;
}

// What the numbers of a column may be, from all that were seen.
struct Seen {
    bool addresses{};
    bool sizes{true};
};

}  // namespace

bool ColumnsReader::recognises(std::string_view line) {
    const Cells cells = split(line);
    return cells.count >= 2 && cells.count < kMostColumns && operation_of(cells) != cells.count;
}

bool ColumnsReader::names_columns(std::string_view line) { return !named_columns(line).empty(); }

bool ColumnsReader::resembles(std::string_view line) {
    const Cells cells = split(line);
    std::size_t accesses = 0;
    bool has_address = false;
    for (std::size_t i = 0; i < cells.count; ++i) {
        if (access_word(cells.cells[i]) != AccessWord::kNone) ++accesses;
        has_address = has_address ||
                      (is_number(cells.cells[i]) && hexadecimal(cells.cells[i]) >= kLeastAddress);
    }
    return accesses == 1 && has_address;
}

bool ColumnsReader::is_beside(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#' || line.starts_with("//");
}

ColumnsReader::ColumnsReader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "columns"), columns_(options.columns) {
    comments_ = sink().skips("comment lines", "no accesses");
    blanks_ = sink().skips("blank lines", "nothing on them");
    names_ = sink().skips("lines of column names", "no accesses");
    prefetches_ = sink().skips("prefetches", "hints, which need not translate");
    decide_columns();
    decide_base();
    sink().dialect(text_of(columns_));
}

void ColumnsReader::decide_columns() {
    std::array<Seen, kMostColumns> seen{};
    SizeGuess sizes;
    std::string first;
    std::uint64_t first_line = 0;
    std::size_t count = 0;
    std::size_t operation = 0;
    bool began = false;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t number) {
        if (is_beside(line)) return;
        if (!std::exchange(began, true)) {
            const std::vector<Column> named = named_columns(line);
            has_names_ = !named.empty();
            if (has_names_ && columns_.empty()) columns_ = named;
            if (has_names_) return;
        }
        const Cells cells = split(line);
        if (first_line == 0) {
            first = without_blanks(line);
            first_line = number;
            count = cells.count;
            operation = operation_of(cells);
        }
        if (count != 0 && cells.count == count) sizes.see(cells.cells[count - 1], number);
        for (std::size_t i = 0; i < cells.count; ++i) {
            if (!is_number(cells.cells[i])) continue;
            const ParsedNumber size = parse_number(cells.cells[i]);
            seen[i].addresses = seen[i].addresses || hexadecimal(cells.cells[i]) >= kLeastAddress;
            seen[i].sizes = seen[i].sizes && size.fault == NumberFault::kNone && size.value >= 1 &&
                            size.value <= kLargestOperand;
        }
    });
    if (!columns_.empty() || first_line == 0) return;

    std::vector<std::size_t> addresses;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < count; ++i)
        if (i != operation) (seen[i].addresses ? addresses : others).push_back(i);
    std::vector<Column> columns(count, Column::kIgnored);
    if (operation < count) columns[operation] = Column::kOperation;
    const auto open = [&](const std::string& readings) {
        throw InputError({name(), first_line, 1}, "two readings: the columns of " + quoted(first) +
                                                      " are " + readings +
                                                      "; expected --columns with the right ones "
                                                      "(workload.import.columns)");
    };
    if (operation == count) open("unknown: none says load or store");
    if (addresses.empty() && others.size() == 1) std::swap(addresses, others);
    const bool has_size = others.size() == 1 && seen[others[0]].sizes && others[0] + 1 == count;
    if (has_size) columns[others[0]] = Column::kSize;
    if (has_size && addresses.size() == 1 && sizes.is_doubtful()) {
        columns[addresses[0]] = Column::kAddress;
        std::vector<Column> threads = columns;
        threads[others[0]] = Column::kThread;
        open(text_of(columns) + " or " + text_of(threads));
    }
    if (addresses.size() == 1 && (others.empty() || has_size)) {
        columns[addresses[0]] = Column::kAddress;
        columns_ = columns;
        return;
    }
    if (addresses.size() == 2 && (others.empty() || has_size)) {
        std::vector<Column> reversed = columns;
        columns[addresses[0]] = reversed[addresses[1]] = Column::kInstruction;
        columns[addresses[1]] = reversed[addresses[0]] = Column::kAddress;
        open(text_of(columns) + " or " + text_of(reversed));
    }
    open("more than the numbers show");
}

void ColumnsReader::decide_base() {
    BaseGuess base;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t number) {
        if (is_beside(line)) return;
        const Cells cells = split(line);
        for (std::size_t i = 0; i < std::min(cells.count, columns_.size()); ++i)
            if (columns_[i] == Column::kAddress || columns_[i] == Column::kInstruction)
                if (is_number(cells.cells[i]))
                    base.see(cells.cells[i], number,
                             static_cast<std::uint64_t>(cells.cells[i].data() - line.data()) + 1);
    });
    base_ = base.decide(sink().options().base, name());
}

void ColumnsReader::read(LineScanner& line, ImportSink& sink) {
    if (is_beside(line.line()))
        return sink.skip(without_blanks(line.line()).empty() ? blanks_ : comments_);
    if (std::exchange(has_names_, false)) return sink.skip(names_);
    AccessWord access = AccessWord::kLoad;
    std::uint64_t va = 0;
    std::uint64_t bytes = 0;
    for (const Column& column : columns_) {
        line.skip(kSeparators);
        const std::string_view rest = line.rest();
        const std::string_view cell = rest.substr(0, rest.find_first_of(kSeparators));
        const std::string_view what = kColumnTexts.at(static_cast<std::size_t>(column));
        // A last column that is ignored is the rest of the line.
        if (column == Column::kIgnored && &column == &columns_.back()) {
            line.go_to(line.line().size());
            break;
        }
        if (cell.empty()) line.reject("missing column", what);
        const std::size_t end = line.position() + cell.size();
        switch (column) {
            case Column::kOperation:
                access = access_word(cell);
                if (access == AccessWord::kNone) line.reject("not an access", "R, W or their like");
                break;
            case Column::kAddress:
                va = line.number(base_, "an address");
                break;
            case Column::kSize:
                bytes = line.size(NumberBase::kDecimal, "a number of bytes");
                break;
            case Column::kThread:
                sink.thread(line.decimal("the number of a thread"));
                break;
            case Column::kProcess:
                sink.process(line.decimal("the number of a process"));
                break;
            case Column::kCpu: {
                const std::uint64_t cpu = line.decimal("the number of a CPU");
                if (cpu > ImportSink::kLastCpu) line.reject("no such CPU", "at most 8191");
                sink.cpu(cpu);
                break;
            }
            case Column::kInstruction:
                line.number(base_, "the address of an instruction");
                break;
            case Column::kValue:
            case Column::kIgnored:
                line.go_to(end);
        }
        if (column == Column::kOperation) line.go_to(end);
        if (line.position() != end) line.reject("text behind the column", what);
    }
    line.skip(kSeparators);
    if (!line.at_end()) line.reject("too many columns", text_of(columns_));
    switch (access) {
        case AccessWord::kPrefetch:
            return sink.skip(prefetches_);
        case AccessWord::kFetch:
            return sink.access(AccessKind::kFetch, va, bytes);
        case AccessWord::kModify:
            sink.access(AccessKind::kLoad, va, bytes);
            return sink.access(AccessKind::kStore, va, bytes);
        case AccessWord::kStore:
            return sink.access(AccessKind::kStore, va, bytes);
        default:
            return sink.access(AccessKind::kLoad, va, bytes);
    }
}

}  // namespace nestwalk
