#include "sim/systemc_kernel.h"

#include <cstdlib>

namespace nestwalk {

SystemcKernel::SystemcKernel() {
    // SystemC prints its copyright when the first simulation of a process begins, unless told not
    // to.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    context_ = new sc_core::sc_simcontext;
}

SystemcKernel::~SystemcKernel() {
    const Use use(*this);
    delete context_;
}

SystemcKernel::Use::Use(SystemcKernel& kernel)
    : outer_(sc_core::sc_curr_simcontext), outer_default_(sc_core::sc_default_global_context) {
    sc_core::sc_curr_simcontext = kernel.context_;
    sc_core::sc_default_global_context = kernel.context_;
}

SystemcKernel::Use::~Use() {
    sc_core::sc_curr_simcontext = outer_;
    sc_core::sc_default_global_context = outer_default_;
}

}  // namespace nestwalk

/// libsystemc refers to it. A program that has its own takes that.
extern "C" __attribute__((weak)) int sc_main(int, char**) { return 0; }
