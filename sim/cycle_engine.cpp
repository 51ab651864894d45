#include "sim/cycle_engine.h"
#include "models/operation_error.h"
#include "sim/cycle_vcpu.h"
#include "sim/systemc_kernel.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nestwalk {
namespace {

/// Instructions that are handed to a vCPU's process at once.
constexpr std::size_t kBatch = 512;
/// Far enough from the last number that no batch reaches it.
constexpr Cycles kLatest = Cycles::whole(4'000'000'000'000'000);

}  // namespace

class CycleEngine::Model {
public:
    Model(const TimingParameters& timing, std::size_t vcpus);
    ~Model();

    CycleVcpu& vcpu(std::size_t number) { return *vcpus_[number]; }
    std::size_t vcpus() const { return vcpus_.size(); }
    void count_in(std::size_t number, Counters& counters);
    void run(CycleVcpu& vcpu, CycleVcpu::Until until);
    void run_if_full(CycleVcpu& vcpu) {
        if (vcpu.program().size() >= kBatch) run(vcpu, CycleVcpu::Until::kExecuted);
    }

private:
    SystemcKernel kernel_{};
    std::unique_ptr<MemoryLevel> memory_{};
    std::unique_ptr<MemoryLevel> l3_{};
    std::vector<std::unique_ptr<CycleVcpu>> vcpus_{};
    std::vector<Counters*> counters_;
    CycleVcpu* running_{};
};

CycleEngine::Model::Model(const TimingParameters& timing, std::size_t vcpus) : counters_(vcpus) {
    const SystemcKernel::Use use(kernel_);
    const CycleLatencies latencies(timing);
    memory_ = std::make_unique<MemoryLevel>("memory", LineSource::kMemory, latencies.memory);
    l3_ = std::make_unique<MemoryLevel>("l3", LineSource::kL3, latencies.l3);
    l3_->next.bind(memory_->target);
    for (std::size_t number = 0; number < vcpus; ++number) {
        const std::string name = "vcpu" + std::to_string(number);
        vcpus_.push_back(std::make_unique<CycleVcpu>(name.c_str(), timing, *l3_));
    }
}

CycleEngine::Model::~Model() {
    const SystemcKernel::Use use(kernel_);
    if (running_ != nullptr) {
        // Notifications that the kernel has not come to are lost with it: let it come to them.
        for (const auto& vcpu : vcpus_) vcpu->abandon();
        if (sc_core::sc_pending_activity()) sc_core::sc_start();
    }
    vcpus_.clear();
    l3_.reset();
    memory_.reset();
}

/// What is under way is counted where it was begun.
void CycleEngine::Model::count_in(std::size_t number, Counters& counters) {
    if (counters_[number] == &counters) return;
    run(*vcpus_[number], CycleVcpu::Until::kRetired);
    counters_[number] = &counters;
    vcpus_[number]->tally().use(counters);
}

void CycleEngine::Model::run(CycleVcpu& vcpu, CycleVcpu::Until until) {
    if (vcpu.reached(until)) return;
    if (running_ != &vcpu && running_ != nullptr) {
        // A vCPU that is left out has nothing under way; the kernel is the other's.
        CycleVcpu& before = *std::exchange(running_, nullptr);
        run(before, CycleVcpu::Until::kRetired);
    }
    running_ = &vcpu;
    const SystemcKernel::Use use(kernel_);
    vcpu.prepare(until);
    sc_core::sc_start();
    if (!vcpu.reached(until)) throw std::logic_error("cycle engine: nothing is left to wait for");
    if (vcpu.dispatched() > kLatest) {
        throw OperationError("simulated time goes beyond 4,000,000,000,000,000 core cycles");
    }
}

CycleEngine::CycleEngine(const TimingParameters& timing, std::size_t vcpus)
    : model_(std::make_unique<Model>(timing, vcpus)) {}

CycleEngine::~CycleEngine() = default;

void CycleEngine::translation(std::size_t vcpu, const Access& access, const Outcome& outcome,
                              Counters& counters) {
    model_->count_in(vcpu, counters);
    CycleVcpu& core = model_->vcpu(vcpu);
    if (CycleProgram::is_hit(outcome)) {
        const Instruction hit = CycleProgram::hit_of(access, outcome);
        if (core.execute_at_once(hit)) return;
        core.program().add(hit);
    } else {
        core.program().add(access, outcome);
    }
    model_->run_if_full(core);
}

void CycleEngine::operation(std::size_t vcpu, const Operation& operation, const Outcome& outcome,
                            Place place, Counters& counters) {
    model_->count_in(vcpu, counters);
    model_->vcpu(vcpu).program().add(operation, outcome, place);
    model_->run_if_full(model_->vcpu(vcpu));
}

void CycleEngine::settle() {
    for (std::size_t number = 0; number < model_->vcpus(); ++number) {
        model_->run(model_->vcpu(number), CycleVcpu::Until::kRetired);
        model_->vcpu(number).tally().forget_time_stamp();
    }
}

Cycles CycleEngine::frontier(std::size_t vcpu) {
    CycleVcpu& core = model_->vcpu(vcpu);
    if (!core.knows_frontier()) model_->run(core, CycleVcpu::Until::kRetired);
    return core.frontier();
}

Cycles CycleEngine::drained(std::size_t vcpu) {
    CycleVcpu& core = model_->vcpu(vcpu);
    model_->run(core, CycleVcpu::Until::kRetired);
    return std::max(core.frontier(), core.tally().retired());
}

void CycleEngine::hold(std::size_t vcpu, Cycles until, CycleCause cause, Counters& counters) {
    model_->count_in(vcpu, counters);
    model_->vcpu(vcpu).program().add(
        {.kind = Instruction::Kind::kHold, .cause = cause, .cost = until});
    model_->run_if_full(model_->vcpu(vcpu));
}

Cycles CycleEngine::completed(std::size_t vcpu) {
    model_->run(model_->vcpu(vcpu), CycleVcpu::Until::kRetired);
    return model_->vcpu(vcpu).completed();
}

}  // namespace nestwalk
