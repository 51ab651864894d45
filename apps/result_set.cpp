#include "apps/result_set.h"
#include "apps/number_format.h"
#include "apps/sweep_store.h"
#include "apps/text_file.h"

#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwalk {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSqliteStart = "SQLite format 3";
constexpr std::size_t kLargestJson = std::size_t{256} << 20;
constexpr double kThousand = 1000;
constexpr double kMostThousands = 9.2e15;

class SweepResults final : public ResultSet {
public:
    explicit SweepResults(const std::string& path) : ResultSet(Kind::kSweep, path), store_(path) {
        const SweepDescription& sweep = store_.description();
        origin_ =
            fmt::format("{} of {} points, nestwalk {}, engine {}", with_thousands(store_.stored()),
                        with_thousands(sweep.points()), sweep.version, sweep.engine);
        for (const std::string& setting : sweep.settings) origin_ += ", --set " + one_line(setting);
        for (const SweepKey& key : sweep.keys) keys_.push_back(key.key);
        statistics_ = store_.statistics();
        numbers_ = store_.numbers();
        for (const std::size_t point : numbers_) values_.push_back(sweep.values(point));
    }

    PointResult result(std::size_t at) const override {
        std::optional<PointResult> result = store_.find(numbers_[at]);
        return result ? std::move(*result) : PointResult{};
    }

private:
    SweepStore store_;
    std::vector<std::size_t> numbers_{};
};

class RunResults final : public ResultSet {
public:
    RunResults(const std::string& path, const Json& json) : ResultSet(Kind::kRun, path) {
        values_.emplace_back();
        if (!json.is_object() || !json.contains("whole") || !json.contains("phases"))
            damaged("it has no 'whole' or no 'phases'");
        origin_ = "a run";
        if (json.contains("title") && json["title"].is_string() && json["title"] != "")
            origin_ += ": " + json["title"].get<std::string>();
        result_.point = 1;
        result_.phases.push_back(read(json["whole"]));
        for (const Json& phase : json["phases"]) {
            if (!phase.is_object() || !phase.contains("name") || !phase["name"].is_string() ||
                !phase.contains("statistics"))
                damaged("a phase has no name or no statistics");
            result_.phases.push_back(read(phase["statistics"]));
            result_.phases.back().phase = phase["name"].get<std::string>();
        }
        for (PhaseValues& phase : result_.phases) phase.values.resize(statistics_.size());
    }

    PointResult result(std::size_t) const override { return result_; }

private:
    [[noreturn]] void damaged(const std::string& what) const {
        throw InputError({path_}, "is no JSON result of nestwalk run: " + what);
    }

    PhaseValues read(const Json& statistics) {
        if (!statistics.is_object()) damaged("statistics are no object");
        PhaseValues of{};
        for (const auto& [name, value] : statistics.items()) {
            const bool real = value.is_number_float();
            if (!real && !value.is_number_unsigned()) damaged(name + " is no number");
            const std::size_t at = index_of(name, real);
            of.values.resize(statistics_.size());
            of.values[at] =
                real ? thousandths(value.get<double>(), name) : value.get<std::uint64_t>();
        }
        return of;
    }

    std::uint64_t thousandths(double value, const std::string& name) const {
        if (!(value >= 0 && value <= kMostThousands)) damaged(name + " has no such value");
        return static_cast<std::uint64_t>(std::llround(value * kThousand));
    }

    std::size_t index_of(const std::string& name, bool real) {
        const auto [found, is_new] = indices_.emplace(name, statistics_.size());
        if (is_new) statistics_.push_back({name, "", "", real});
        return found->second;
    }

    PointResult result_{};
    std::map<std::string, std::size_t> indices_{};
};

}  // namespace

std::unique_ptr<ResultSet> open_results(const std::string& path) {
    if (beginning_of_file(path, kSqliteStart.size()) == kSqliteStart)
        return std::make_unique<SweepResults>(path);
    const std::string text = beginning_of_file(path, kLargestJson + 1);
    if (text.size() > kLargestJson) throw InputError({path}, "is larger than a result can be");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        throw InputError(
            {path},
            "is neither a results file of nestwalk sweep nor a JSON result of nestwalk "
            "run");
    return std::make_unique<RunResults>(path, json);
}

}  // namespace nestwalk
