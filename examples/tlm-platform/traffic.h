#pragma once

// A processor's traffic: loads and stores at linear addresses, temporally decoupled. It runs ahead
// of simulated time by at most the global quantum.

#include <cstdint>
#include <functional>
#include <string>

#include <nestwalk/sim/tlm_mmu.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

class Traffic final : public sc_core::sc_module {
public:
    /// `program` is what the processor does; it may call everything below.
    Traffic(const sc_core::sc_module_name& name, std::function<void(Traffic&)> program);

    tlm_utils::simple_initiator_socket<Traffic> socket{"socket"};

    void load(std::uint64_t address) { print(access(address, nestwalk::AccessKind::kLoad)); }
    void store(std::uint64_t address) { print(access(address, nestwalk::AccessKind::kStore)); }
    /// `count` loads of which nothing is printed but their number and time.
    void load_many(std::uint64_t first, std::uint64_t stride, std::uint64_t count);
    void say(const std::string& text) const;
    void use_context(std::uint32_t context) { context_ = context; }

private:
    struct Done {
        const char* what{};
        std::uint64_t address{};
        tlm::tlm_response_status status{};
        nestwalk::TlmAccess access{};
        sc_core::sc_time took{};
    };

    SC_HAS_PROCESS(Traffic);
    void run();
    Done access(std::uint64_t address, nestwalk::AccessKind kind);
    static void print(const Done& done);

    std::function<void(Traffic&)> program_;
    tlm_utils::tlm_quantumkeeper keeper_{};
    std::uint32_t context_{};
};
