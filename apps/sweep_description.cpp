#include "apps/sweep_description.h"
#include "traces/wording.h"

#include <algorithm>

namespace nestwalk {

namespace {

constexpr std::size_t kLongestCell = 60;

}  // namespace

std::vector<std::size_t> choices_of_point(std::size_t point,
                                          const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> choices(sizes.size());
    std::size_t left = point - 1;
    for (std::size_t at = sizes.size(); at-- > 0;) {
        choices[at] = left % sizes[at];
        left /= sizes[at];
    }
    return choices;
}

std::size_t SweepDescription::points() const {
    std::size_t product = 1;
    for (const SweepKey& key : keys) product *= key.values.size();
    return product;
}

std::vector<std::string> SweepDescription::values(std::size_t point) const {
    std::vector<std::size_t> sizes;
    for (const SweepKey& key : keys) sizes.push_back(key.values.size());
    const std::vector<std::size_t> choices = choices_of_point(point, sizes);
    std::vector<std::string> values;
    for (std::size_t at = 0; at < keys.size(); ++at) values.push_back(keys[at].values[choices[at]]);
    return values;
}

std::string one_line(const std::string& value) {
    std::string line;
    for (const char c : value) {
        const bool starts_letter = (static_cast<unsigned char>(c) & 0xc0U) != 0x80;  // of UTF-8
        if (line.size() >= kLongestCell && starts_letter) return line + "...";
        line += c == '\n' ? "\\n" : c == '\t' ? " " : std::string(1, c);
    }
    return line;
}

std::string SweepDescription::name(std::size_t point) const {
    const std::vector<std::string> chosen = values(point);
    std::string name = "point " + std::to_string(point) + " (";
    for (std::size_t at = 0; at < keys.size(); ++at)
        name += (at == 0 ? "" : ", ") + keys[at].key + "=" + one_line(chosen[at]);
    return name + ")";
}

std::string difference(const SweepDescription& it, const SweepDescription& other) {
    if (it.version != other.version)
        return "was made by nestwalk " + it.version + ", not " + other.version;
    if (it.engine != other.engine)
        return "was made with --engine " + it.engine + ", not " + other.engine;
    if (it.experiment != other.experiment) return "is of another experiment";
    if (it.keys != other.keys) return "is of a sweep over other keys or values";
    if (it.settings != other.settings) return "was made with other --set values of the machine";
    for (const SweepInput& input : it.inputs) {
        const bool same = std::count(other.inputs.begin(), other.inputs.end(), input) != 0;
        if (!same)
            return "was made with another content of the " + input.kind + " " + quoted(input.name);
    }
    return it == other ? "" : "is of an experiment that read other files";
}

}  // namespace nestwalk
