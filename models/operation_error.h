#pragma once

// An operation that a trace asks for and that cannot be carried out: an unknown space, a split of a
// page that is not there, more page tables than the model holds. Whoever replays the trace adds its
// position.

#include <stdexcept>

namespace nestwalk {

class OperationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace nestwalk
