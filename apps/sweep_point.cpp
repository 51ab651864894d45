#include "apps/sweep_point.h"
#include "apps/simulation.h"

#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace nestwalk {

namespace {

constexpr std::array<const char*, 3> kStatusNames{"done", "failed", "crashed"};

// SQLite has signed integers.
constexpr std::uint64_t kLargestValue = std::numeric_limits<std::int64_t>::max();

void check_values(const std::vector<PhaseValues>& phases) {
    for (std::size_t at = 0; at < phases[0].values.size(); ++at)
        if (phases[0].values[at].value_or(0) > kLargestValue)
            throw std::overflow_error(
                fmt::format("the statistic {} is {}, more than the {} that results "
                            "of a sweep can hold",
                            statistic_infos()[at].name, *phases[0].values[at], kLargestValue));
}

class Packer {
public:
    void number(std::uint64_t value) {
        std::array<char, sizeof value> bytes{};
        std::memcpy(bytes.data(), &value, sizeof value);
        bytes_.append(bytes.data(), bytes.size());
    }
    void text(const std::string& value) {
        number(value.size());
        bytes_ += value;
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_{};
};

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string text() {
        const std::uint64_t size = number();
        return std::string(take(size));
    }

private:
    std::string_view take(std::uint64_t size) {
        if (size > bytes_.size()) throw std::length_error("a result is cut short");
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
};

}  // namespace

const char* name_of(PointStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

PointStatus point_status_named(const std::string& word, const std::string& file) {
    for (std::size_t at = 0; at < kStatusNames.size(); ++at)
        if (word == kStatusNames[at]) return static_cast<PointStatus>(at);
    throw InputError({file}, "is damaged: a point has the status '" + word + "'");
}

PointResult run_point(const SweepPlan& plan, std::size_t point, Engine engine) {
    PointResult result{};
    result.point = point;
    try {
        const Experiment experiment = plan.experiment(point);
        result.key = plan.key(experiment, engine);
        result.phases = statistics_of(run(experiment, {}, engine));
        check_values(result.phases);
        return result;
    } catch (const std::bad_alloc&) {
        result.status = PointStatus::kCrashed;
        result.error = "out of memory";
    } catch (const std::exception& error) {
        result.status = PointStatus::kFailed;
        result.error = error.what();
    }
    result.phases.clear();
    return result;
}

std::string packed(const PointResult& result) {
    Packer packer;
    packer.number(result.point);
    packer.number(static_cast<std::uint64_t>(result.status));
    packer.text(result.key);
    packer.text(result.error);
    packer.number(result.phases.size());
    for (const PhaseValues& phase : result.phases) {
        packer.number(phase.phase ? 1 : 0);
        packer.text(phase.phase.value_or(""));
        packer.number(phase.values.size());
        for (const StatisticValue& value : phase.values) {
            packer.number(value ? 1 : 0);
            packer.number(value.value_or(0));
        }
    }
    return packer.take();
}

PointResult unpacked(std::string_view bytes) {
    Unpacker from(bytes);
    PointResult result{};
    result.point = from.number();
    result.status = static_cast<PointStatus>(from.number());
    result.key = from.text();
    result.error = from.text();
    result.phases.resize(from.number());
    for (PhaseValues& phase : result.phases) {
        const bool named = from.number() != 0;
        std::string name = from.text();
        if (named) phase.phase = std::move(name);
        phase.values.resize(from.number());
        for (StatisticValue& value : phase.values) {
            const bool kept = from.number() != 0;
            const std::uint64_t number = from.number();
            if (kept) value = number;
        }
    }
    return result;
}

}  // namespace nestwalk
