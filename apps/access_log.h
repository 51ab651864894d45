#pragma once

// The access log: one CSV row a translation and one an operation, in program order.

#include "apps/output_file.h"
#include "models/exit_reason.h"
#include "sim/replay.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace nestwalk {

class AccessLog final : public ReplayLog {
public:
    /// Throws InputError if the file cannot be created.
    explicit AccessLog(const std::string& path);

    void translation(std::size_t vcpu, const Access& access, VirtAddr va, const Outcome& outcome,
                     std::optional<Cycles> completed) override;
    void operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                   std::optional<Cycles> completed) override;

    /// Gives the file its name. Throws InputError if something could not be written.
    void finish() { file_.finish(); }
    /// What is written stays, under the name that is returned. Throws InputError likewise.
    std::string keep() { return file_.keep(); }

private:
    void row(std::size_t vcpu, const char* op, const std::string& va, const Outcome& outcome,
             std::optional<Cycles> completed, ExitReason reason);

    OutputFile file_;
    std::uint64_t index_{};
};

}  // namespace nestwalk
