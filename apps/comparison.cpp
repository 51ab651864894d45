#include "apps/comparison.h"
#include "traces/source_location.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nestwalk {

namespace {

using Values = std::vector<std::string>;

/// A statistic of either, and where it stands in each; beyond the end where it does not.
struct Pair {
    StatisticInfo info{};
    std::size_t a{};
    std::size_t b{};
};

std::vector<Pair> paired(const std::vector<StatisticInfo>& a, const std::vector<StatisticInfo>& b) {
    std::vector<Pair> pairs;
    std::map<std::string, std::size_t> known;
    for (std::size_t at = 0; at < a.size(); ++at) {
        known.emplace(a[at].name, pairs.size());
        pairs.push_back({a[at], at, b.size()});
    }
    for (std::size_t at = 0; at < b.size(); ++at) {
        const auto found = known.find(b[at].name);
        if (found == known.end())
            pairs.push_back({b[at], a.size(), at});
        else
            pairs[found->second].b = at;
    }
    return pairs;
}

StatisticValue value_at(const PhaseValues& of, std::size_t at) {
    return at < of.values.size() ? of.values[at] : std::nullopt;
}

const PhaseValues* phase_named(const PointResult& result, const std::optional<std::string>& name) {
    for (const PhaseValues& phase : result.phases)
        if (phase.phase == name) return &phase;
    return nullptr;
}

class Comparer {
public:
    Comparer(const ResultSet& a, const ResultSet& b, Comparison& into)
        : a_(a), b_(b), pairs_(paired(a.statistics(), b.statistics())), into_(into) {}

    void compare(std::size_t at_a, std::size_t at_b) {
        const PointResult a = a_.result(at_a);
        const PointResult b = b_.result(at_b);
        into_.points.push_back(a_.values(at_a));
        if (a.status != b.status)
            say(std::string(name_of(a.status)) + " in A, " + name_of(b.status) + " in B");
        if (a.status != PointStatus::kDone || b.status != PointStatus::kDone) return;
        for (const PhaseValues& phase : a.phases) {
            if (const PhaseValues* const other = phase_named(b, phase.phase))
                compare(phase, *other);
            else
                say("phase " + phase_words(phase.phase.value_or("")) + " only in A");
        }
        for (const PhaseValues& phase : b.phases)
            if (phase_named(a, phase.phase) == nullptr)
                say("phase " + phase_words(phase.phase.value_or("")) + " only in B");
    }

private:
    void compare(const PhaseValues& a, const PhaseValues& b) {
        for (const Pair& pair : pairs_) {
            const StatisticValue of_a = value_at(a, pair.a);
            const StatisticValue of_b = value_at(b, pair.b);
            if (of_a != of_b)
                into_.differences.push_back(
                    {into_.points.size() - 1, a.phase, pair.info, of_a, of_b});
        }
    }

    void say(std::string words) {
        into_.point_differences.push_back({into_.points.size() - 1, std::move(words)});
    }

    const ResultSet& a_;
    const ResultSet& b_;
    std::vector<Pair> pairs_;
    Comparison& into_;
};

// For each key of A, where it stands in B.
std::vector<std::size_t> matched_keys(const ResultSet& a, const ResultSet& b) {
    if (a.kind() != b.kind())
        throw InputError({b.path()}, std::string("is ") +
                                         (b.kind() == ResultSet::Kind::kRun ? "a run" : "a sweep") +
                                         ", and " + a.path() + " is not; expected two of a kind");
    std::vector<std::size_t> places;
    for (const std::string& key : a.keys()) {
        const auto found = std::find(b.keys().begin(), b.keys().end(), key);
        places.push_back(static_cast<std::size_t>(found - b.keys().begin()));
    }
    const bool all = std::count(places.begin(), places.end(), b.keys().size()) == 0;
    if (all && a.keys().size() == b.keys().size()) return places;
    const auto listed_keys = [](const ResultSet& set) {
        std::string list;
        for (const std::string& key : set.keys()) list += (list.empty() ? "" : ", ") + key;
        return list;
    };
    throw InputError({b.path()}, "varies " + listed_keys(b) + ", and " + a.path() + " varies " +
                                     listed_keys(a) + "; expected the same keys");
}

}  // namespace

double StatisticDifference::size() const {
    if (!a || !b) return 1;
    const std::uint64_t larger = std::max(*a, *b);
    return static_cast<double>(larger - std::min(*a, *b)) / static_cast<double>(larger);
}

Comparison compare(const ResultSet& a, const ResultSet& b) {
    const std::vector<std::size_t> places = matched_keys(a, b);
    std::map<Values, std::size_t> of_b;
    for (std::size_t at = 0; at < b.points(); ++at) {
        Values values;
        for (const std::size_t place : places) values.push_back(b.values(at)[place]);
        of_b.emplace(std::move(values), at);
    }
    Comparison comparison{};
    comparison.keys = a.keys();
    Comparer comparer(a, b, comparison);
    for (std::size_t at = 0; at < a.points(); ++at) {
        const auto found = of_b.find(a.values(at));
        if (found == of_b.end()) {
            comparison.only_a.push_back(a.values(at));
            continue;
        }
        comparer.compare(at, found->second);
        of_b.erase(found);
    }
    for (const auto& [values, at] : of_b) comparison.only_b.push_back(values);
    std::stable_sort(comparison.differences.begin(), comparison.differences.end(),
                     [](const StatisticDifference& one, const StatisticDifference& other) {
                         return one.size() > other.size();
                     });
    return comparison;
}

}  // namespace nestwalk
