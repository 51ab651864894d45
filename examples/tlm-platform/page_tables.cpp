#include "page_tables.h"

void PageTables::map(std::uint64_t address, std::uint64_t frame) {
    std::uint64_t table = root_;
    for (int level = 4; level > 1; --level) {
        const std::uint64_t entry = table + 8 * (address >> (12 + 9 * (level - 1)) & 511);
        if (memory_.word(entry) == 0) {
            memory_.set_word(entry, (arena_.take() - base_) | present_);
        }
        table = (memory_.word(entry) & 0x000f'ffff'ffff'f000) + base_;
    }
    memory_.set_word(table + 8 * (address >> 12 & 511), frame | present_);
}
