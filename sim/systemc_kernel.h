#pragma once

// A SystemC kernel of one's own. SystemC has one simulation context a process and elaborates it
// once; with a context each, several simulations can follow one another, or stand side by side.

#include <systemc>

namespace nestwalk {

class SystemcKernel {
public:
    SystemcKernel();
    SystemcKernel(const SystemcKernel&) = delete;
    SystemcKernel& operator=(const SystemcKernel&) = delete;
    ~SystemcKernel();

    /// Makes a kernel the current one while it lives: modules are made, and the kernel is run, in
    /// one.
    class Use {
    public:
        explicit Use(SystemcKernel& kernel);
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        ~Use();

    private:
        sc_core::sc_simcontext* outer_;
        sc_core::sc_simcontext* outer_default_;
    };

private:
    sc_core::sc_simcontext* context_;
};

}  // namespace nestwalk
