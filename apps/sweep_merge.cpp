#include "apps/sweep_merge.h"
#include "apps/number_format.h"
#include "apps/sweep_store.h"
#include "traces/wording.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace nestwalk {

namespace {

constexpr std::size_t kMostRanges = 10;
constexpr std::size_t kStoredAtATime = 1000;

using Parts = std::vector<std::unique_ptr<SweepStore>>;

Parts open_parts(const std::vector<std::string>& paths) {
    Parts parts;
    for (const std::string& path : paths) {
        parts.push_back(std::make_unique<SweepStore>(path));
        const std::string other =
            difference(parts.back()->description(), parts.front()->description());
        if (!other.empty())
            throw InputError({path},
                             "cannot be joined with " + parts.front()->path() + ": it " + other);
    }
    return parts;
}

// What the results of one point say differently, of what running it again would not change.
std::string contradiction(const PointResult& a, const PointResult& b,
                          const std::vector<StatisticInfo>& infos) {
    if (a.status != b.status)
        return std::string("it is ") + name_of(a.status) + " here and " + name_of(b.status) +
               " there";
    if (a.key != b.key) return "they are of different experiments";
    if (a.phases.size() != b.phases.size()) return "they have different phases";
    for (std::size_t phase = 0; phase < a.phases.size(); ++phase)
        for (std::size_t at = 0; at < infos.size(); ++at)
            if (a.phases[phase].values[at] != b.phases[phase].values[at])
                return "the statistic " + infos[at].name + " differs";
    return "";
}

// The result of a point, if a part has one; that of one which crashed gives way to any other.
std::optional<PointResult> joined(const Parts& parts, std::size_t point) {
    std::optional<PointResult> result;
    const SweepStore* from = nullptr;
    for (const auto& part : parts) {
        std::optional<PointResult> other = part->find(point);
        if (!other) continue;
        if (result && result->status != PointStatus::kCrashed) {
            if (other->status == PointStatus::kCrashed) continue;
            const std::string wrong = contradiction(*other, *result, part->statistics());
            if (wrong.empty()) continue;
            throw InputError({part->path()}, "contradicts " + from->path() + " about " +
                                                 part->description().name(point) + ": " + wrong);
        }
        result = std::move(other);
        from = part.get();
    }
    return result;
}

std::vector<std::size_t> join(const Parts& parts, SweepStore& into) {
    std::vector<std::size_t> missing;
    std::vector<PointResult> results;
    for (std::size_t point = 1; point <= into.description().points(); ++point) {
        if (std::optional<PointResult> result = joined(parts, point))
            results.push_back(std::move(*result));
        else
            missing.push_back(point);
        if (results.size() < kStoredAtATime) continue;
        into.put(results);
        results.clear();
    }
    into.put(results);
    return missing;
}

}  // namespace

MergedSweep merge_sweeps(const std::string& output, const std::vector<std::string>& parts) {
    namespace fs = std::filesystem;
    const Parts opened = open_parts(parts);
    std::error_code error;
    if (fs::exists(output, error))
        throw InputError({output}, "exists already, expected the name of a new file");
    const std::string partial = output + ".partial";
    fs::remove(partial, error);
    fs::remove(partial + "-journal", error);
    MergedSweep merged{};
    try {
        SweepStore into(partial, opened.front()->description(), {}, SweepStore::Opening::kNew);
        merged = {into.description().points(), join(opened, into)};
    } catch (const InputError&) {
        fs::remove(partial, error);
        throw;
    }
    fs::rename(partial, output, error);
    if (error) throw InputError({output}, "cannot be written: " + error.message());
    return merged;
}

std::string ranges_words(const std::vector<std::size_t>& numbers) {
    std::string words;
    std::size_t ranges = 0;
    for (std::size_t at = 0; at < numbers.size();) {
        if (ranges++ == kMostRanges)
            return words + " and " + with_thousands(numbers.size() - at) + " more";
        std::size_t end = at + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
        words += (words.empty() ? "" : ", ") + std::to_string(numbers[at]);
        if (end - at > 1) words += "-" + std::to_string(numbers[end - 1]);
        at = end;
    }
    return words;
}

}  // namespace nestwalk
