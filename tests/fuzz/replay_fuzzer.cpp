// libFuzzer's way into the target, and mutations of whole records: bytes alone rarely make a trace
// that gets far.
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t kChoiceBytes = 4;

// `@` is an address, `%` a small number, `$` the name of a space.
constexpr std::string_view kRecords[] = {
    "load @",
    "store @",
    "fetch @",
    "load @ kernel",
    "load @ count=9 stride=4K",
    "store @ count=5 stride=2M size=4096",
    "load @ size=16",
    "invlpg @",
    "invpcid address va=@ pcid=%",
    "invpcid single pcid=%",
    "invpcid all",
    "invpcid all-global",
    "invvpid address va=@ vpid=%",
    "invvpid single vpid=%",
    "invvpid single-retain-globals",
    "invvpid all",
    "invept single",
    "invept all",
    "invlpga @ asid=%",
    "invlpgb va=@ pages=% asid=%",
    "invlpgb globals nested",
    "invlpgb va=@ pages=65536 stride=2M final",
    "tlbsync",
    "wbinvd",
    "evict @",
    "mov-cr3",
    "mov-cr3 $",
    "mov-cr3 $ noflush",
    "mov-cr4 pge=0",
    "mov-cr4 pge=1",
    "mov-cr4 pcide=1",
    "mov-cr4 pcide=0",
    "mov-cr4 smep=1",
    "mov-cr4 smap=1",
    "mov-cr0 wp=0",
    "mov-cr0 pg=0",
    "mov-cr0 pg=1",
    "wrmsr efer nxe=0",
    "wrmsr efer nxe=1",
    "wrmsr efer tce=1",
    "toggle-pge",
    "task-switch $",
    "smi",
    "rsm",
    "vmcb-cr3 $",
    "vm v% vpid=% asid=%",
    "vm vm0 vpid=%",
    "eptp e% ad=1",
    "vmfunc e%",
    "vmexit",
    "vmentry",
    "vmentry v%",
    "vmentry tlb-control=1",
    "vmentry tlb-control=3",
    "vmentry tlb-control=7",
    "space $ pcid=%",
    "map @ size=4K user",
    "map @ size=4K to=0x@000",
    "map 0x40000000 size=1G user",
    "map 0x200000 size=2M user global",
    "map 0x40000000 size=2M to=0x600000 user",
    "unmap @",
    "protect @ ro",
    "protect @ rw user nx",
    "collapse @",
    "split @",
    "set-entry @ level=% p=0",
    "set-entry @ level=% p=1 a=0 d=0",
    "set-entry @ level=% to=0x1000%000",
    "set-entry @ level=% ps=1",
    "set-entry @ level=% ps=0",
    "set-entry @ level=% rsvd=1",
    "set-entry @ level=% us=1 rw=1 g=1 nx=0",
    "host-map 0x200000 size=2M",
    "host-map 0x40000000 size=1G to=0",
    "host-unmap @",
    "host-split @",
    "host-collapse @",
    "host-protect @ r",
    "host-protect @ rwx",
    "host-set-entry @ level=% ps=1",
    "host-set-entry @ level=% p=0 a=0 d=0",
    "host-set-entry @ level=% to=0x1000%000",
    "cpu 0",
    "cpu 1",
    "phase \"p%\"",
    "expect hit",
    "expect miss level=pde",
    "repeat % {",
    "repeat 3% {",
    "}",
};

constexpr std::string_view kAddresses[] = {
    "0",           "0x1000",     "0x1ff8",     "0x2000",     "0x5000",         "0x200000",
    "0x201000",    "0x3ff000",   "0x40000000", "0x40200000", "0x7fffffffffff", "0xffff800000000000",
    "0x100000000", "0x10001000",
};

class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutated(std::string_view text) {
        std::vector<std::string> lines;
        std::istringstream in{std::string(text)};
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        for (std::size_t edits = 1 + below(4); edits != 0; --edits) edit(lines);
        std::string out;
        for (const std::string& line : lines) out += line + '\n';
        return out;
    }

    std::size_t below(std::size_t limit) { return random_() % limit; }

private:
    std::string record() {
        std::string text;
        for (const char c : kRecords[below(std::size(kRecords))]) {
            if (c == '@') {
                text += kAddresses[below(std::size(kAddresses))];
            } else if (c == '%') {
                text += std::to_string(1 + below(5));
            } else if (c == '$') {
                text += "s" + std::to_string(below(3));
            } else {
                text += c;
            }
        }
        return text;
    }

    std::ptrdiff_t place(const std::vector<std::string>& lines) {
        return static_cast<std::ptrdiff_t>(below(lines.size() + 1));
    }

    void edit(std::vector<std::string>& lines) {
        const std::size_t choice = below(10);
        if (choice < 5 || lines.empty()) {
            lines.insert(lines.begin() + place(lines), record());
            return;
        }
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(below(lines.size()));
        const std::ptrdiff_t last = std::min(first + static_cast<std::ptrdiff_t>(1 + below(6)),
                                             static_cast<std::ptrdiff_t>(lines.size()));
        const std::vector<std::string> some(lines.begin() + first, lines.begin() + last);
        if (choice < 7) {
            lines.erase(lines.begin() + first, lines.begin() + last);
        } else if (choice < 8) {
            lines.insert(lines.begin() + place(lines), some.begin(), some.end());
        } else if (choice < 9) {
            lines.insert(lines.begin() + last, "}");
            lines.insert(lines.begin() + first, "repeat " + std::to_string(below(40)) + " {");
        } else {
            lines[static_cast<std::size_t>(first)] = record();
        }
    }

    std::mt19937 random_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nestwalk::fuzz::replay({reinterpret_cast<const char*>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    Mutator mutator(seed);
    if (size < kChoiceBytes || most < 64 || mutator.below(4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    if (mutator.below(8) == 0) {
        data[mutator.below(kChoiceBytes)] = static_cast<std::uint8_t>(mutator.below(256));
        return size;
    }
    const std::string text =
        mutator.mutated({reinterpret_cast<const char*>(data) + kChoiceBytes, size - kChoiceBytes});
    const std::size_t kept = std::min(text.size(), most - kChoiceBytes);
    std::copy_n(text.begin(), kept, data + kChoiceBytes);
    return kChoiceBytes + kept;
}
