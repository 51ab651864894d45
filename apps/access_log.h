#pragma once

// The access log: one CSV row a translation and one an operation, in program order.

#include "models/system.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace nestwalk {

class AccessLog final : public OutcomeObserver {
public:
    /// Writes to `path` + ".partial" until finish(). Throws InputError if it cannot be created.
    explicit AccessLog(const std::string& path);
    ~AccessLog() override;

    void on_translation(const Access& access, VirtAddr va, const Outcome& outcome) override;
    void on_operation(const Operation& operation, const Outcome& outcome) override;

    /// Gives the file its name. Throws InputError if something could not be written.
    void finish();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    void row(const char* op, const std::string& va, const Outcome& outcome);

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    std::uint64_t index_{};
    std::uint32_t cpu_{};
};

}  // namespace nestwalk
