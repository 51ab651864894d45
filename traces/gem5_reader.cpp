#include "traces/gem5_reader.h"
#include "traces/number.h"
#include "traces/sample_lines.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace nestwalk {
namespace {

constexpr std::string_view kForm =
    "a packet, [ID,]r or w,ADDRESS,SIZE[,FLAGS],TICK[,PC], as in 'r,8192,64,0,1000'";
constexpr std::uint64_t kNanosecondsInSecond = 1'000'000'000;
constexpr std::string_view kFrequency = "Tick frequency:";

/// How lines begin that the script prints besides packets.
constexpr std::array<std::string_view, 7> kBanners{"Parsing packet", "Object id:", "Object id ",
                                                   kFrequency,       "Master id ", "Requestor id",
                                                   "Parsed packets"};

bool is_banner(std::string_view line) {
    return std::any_of(kBanners.begin(), kBanners.end(),
                       [&](std::string_view banner) { return line.starts_with(banner); });
}

// The fields of a line, at most eight.
struct Packet {
    std::array<std::string_view, 8> fields{};
    std::size_t count{};
    std::size_t command{};  ///< which field it is: 1 where an id stands before it

    bool is_packet() const {
        return command < count && fields[command].size() == 1 &&
               std::string_view("rwu").find(fields[command][0]) != std::string_view::npos;
    }
    /// Fields from the command on.
    std::size_t behind() const { return count - command; }
};

bool is_number(std::string_view text) { return parse_number(text).fault == NumberFault::kNone; }

Packet split(std::string_view line) {
    Packet packet{};
    line = without_blanks(line);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    for (;;) {
        const std::size_t comma = line.find(',');
        if (packet.count == packet.fields.size()) return {};
        packet.fields[packet.count++] = without_blanks(line.substr(0, comma));
        if (comma == std::string_view::npos) break;
        line.remove_prefix(comma + 1);
    }
    packet.command = is_number(packet.fields[0]) ? 1 : 0;
    return packet;
}

}  // namespace

bool Gem5Reader::recognises(std::string_view line) {
    const Packet packet = split(line);
    if (!packet.is_packet() || packet.behind() < 4) return false;
    for (std::size_t i = packet.command + 1; i < packet.count; ++i)
        if (!is_number(packet.fields[i])) return false;
    return true;
}

bool Gem5Reader::is_beside(std::string_view line) {
    line = without_blanks(line);
    return line.empty() || line[0] == '#' || is_banner(line);
}

Gem5Reader::Gem5Reader(LineReader lines, const ImportOptions& options)
    : ForeignTextReader(std::move(lines), options, "gem5") {
    blanks_ = sink().skips("blank lines", "nothing on them");
    comments_ = sink().skips("comment lines", "no accesses");
    banners_ = sink().skips("banner lines", "the script's own");
    others_ = sink().skips("packets", "neither a read nor a write request");
    sink().note("packets carry physical addresses; they were taken for linear ones");
    decide_dialect();
}

// Five fields are without flags or without a PC: the one that never falls is the tick.
void Gem5Reader::decide_dialect() {
    bool third_falls = false;
    bool third_rises = false;
    bool fourth_falls = false;
    std::uint64_t last_third = 0;
    std::uint64_t last_fourth = 0;
    has_flags_ = true;
    for_each_line(sample(), [&](std::string_view line, std::uint64_t) {
        if (!recognises(line)) return;
        const Packet packet = split(line);
        if (packet.behind() == 4) has_flags_ = false;
        if (packet.behind() != 5) return;
        const std::uint64_t third = parse_number(packet.fields[packet.command + 3]).value;
        const std::uint64_t fourth = parse_number(packet.fields[packet.command + 4]).value;
        third_falls = third_falls || third < last_third;
        third_rises = third_rises || third > last_third;
        fourth_falls = fourth_falls || fourth < last_fourth;
        last_third = third;
        last_fourth = fourth;
    });
    if (fourth_falls && third_rises && !third_falls) has_flags_ = false;
    sink().dialect(has_flags_ ? "packets with flags" : "packets without flags");
}

void Gem5Reader::read_banner(LineScanner& line, ImportSink& sink) {
    sink.skip(banners_);
    if (!line.take(kFrequency)) return;
    line.skip_blanks();
    const std::size_t start = line.position();
    const std::uint64_t frequency = line.decimal("ticks in a second");
    if (frequency < kNanosecondsInSecond || frequency % kNanosecondsInSecond != 0)
        line.reject_at(start, "ticks that are no fraction of a nanosecond",
                       "a multiple of 1000000000 in a second");
    ticks_in_nanosecond_ = frequency / kNanosecondsInSecond;
}

void Gem5Reader::read(LineScanner& line, ImportSink& sink) {
    line.skip_blanks();
    if (line.at_end()) return sink.skip(blanks_);
    if (line.peek() == '#') return sink.skip(comments_);
    if (is_banner(line.rest())) return read_banner(line, sink);
    const auto comma = [&] {
        line.skip_blanks();
        if (!line.take(',')) line.reject("no comma", kForm);
        line.skip_blanks();
    };
    if (line.letters().empty()) {
        line.decimal(kForm);
        comma();
    }
    const std::string_view command = line.letters();
    if (command != "r" && command != "w" && command != "u") line.reject("not a command", kForm);
    line.go_to(line.position() + 1);
    comma();
    const std::uint64_t address = line.decimal(kForm);
    comma();
    const std::uint64_t bytes = line.size(NumberBase::kDecimal, kForm);
    comma();
    std::uint64_t tick = line.decimal(kForm);
    if (has_flags_) {
        comma();
        tick = line.decimal(kForm);
    }
    line.skip_blanks();
    if (line.take(',')) {
        line.skip_blanks();
        line.decimal(kForm);  // the address of the instruction, which other packets fetch
        line.skip_blanks();
    }
    if (!line.at_end()) line.reject("text behind the packet", "the end of the line");
    if (command == "u") return sink.skip(others_);
    sink.time(tick / ticks_in_nanosecond_);
    sink.access(command == "w" ? AccessKind::kStore : AccessKind::kLoad, address, bytes);
}

}  // namespace nestwalk
