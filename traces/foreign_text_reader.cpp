#include "traces/foreign_text_reader.h"

#include <string_view>
#include <utility>

namespace nestwalk {

ForeignTextReader::ForeignTextReader(LineReader lines, const ImportOptions& options,
                                     std::string format)
    : lines_(std::move(lines)), sink_(options, std::move(format), lines_.name()) {}

const TraceItem* ForeignTextReader::next() {
    for (;;) {
        if (const TraceItem* item = sink_.next()) return item;
        if (at_end_) return nullptr;
        std::string_view text;
        if (lines_.next(text)) {
            sink_.at(lines_.line_number());
            LineScanner line(text, lines_);
            read(line, sink_);
        } else {
            at_end_ = true;
            finish(sink_);
            sink_.finish();
        }
    }
}

}  // namespace nestwalk
