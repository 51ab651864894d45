#include "traffic.h"

#include <cstdio>
#include <utility>

using nestwalk::AccessKind;
using nestwalk::TlmAccess;

namespace {

std::string nanoseconds(const sc_core::sc_time& time) {
    return std::to_string(static_cast<long>(time.to_seconds() * 1e9 + 0.5)) + " ns";
}

}  // namespace

Traffic::Traffic(const sc_core::sc_module_name& name, std::function<void(Traffic&)> program)
    : sc_core::sc_module(name), program_(std::move(program)) {
    keeper_.reset();
    SC_THREAD(run);
}

void Traffic::run() { program_(*this); }

Traffic::Done Traffic::access(std::uint64_t address, AccessKind kind) {
    const bool store = kind == AccessKind::kStore;
    Done done{.what = store ? "store" : "load", .address = address};
    done.access.context = context_;
    done.access.kind = kind;

    std::uint64_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_extension(&done.access);

    sc_core::sc_time delay = keeper_.get_local_time();
    socket->b_transport(payload, delay);
    done.took = delay - keeper_.get_local_time();
    keeper_.set(delay);
    if (keeper_.need_sync()) keeper_.sync();
    payload.clear_extension(&done.access);
    done.status = payload.get_response_status();
    return done;
}

void Traffic::print(const Done& done) {
    std::printf("%-5s 0x%06llx  ", done.what, static_cast<unsigned long long>(done.address));
    if (done.access.fault.raised()) {
        std::printf("%s", nestwalk::name_of(done.access.fault.kind));
    } else {
        std::printf("%-8s -> 0x%06llx", nestwalk::name_of(done.access.result),
                    static_cast<unsigned long long>(done.access.physical));
    }
    std::printf(", %u entries read, %s\n", done.access.table_reads, nanoseconds(done.took).c_str());
}

void Traffic::load_many(std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
    sc_core::sc_time took;
    std::uint64_t walks = 0;
    for (std::uint64_t number = 0; number < count; ++number) {
        const Done done = access(first + stride * number, AccessKind::kLoad);
        took += done.took;
        if (done.access.table_reads > 0) ++walks;
    }
    std::printf("%llu loads, %llu walks, %s\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(walks), nanoseconds(took).c_str());
}

void Traffic::say(const std::string& text) const { std::printf("%s\n", text.c_str()); }
