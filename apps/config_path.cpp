#include "apps/config_path.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

namespace nestwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".yaml";
constexpr std::size_t kLongestName = 64;

// A name is one path component of harmless characters, so it cannot lead out of the directory.
bool is_name(std::string_view name) {
    static constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";
    return !name.empty() && name.size() <= kLongestName &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::vector<fs::path> config_directories() {
    std::vector<fs::path> directories;
    if (const char* const chosen = std::getenv("NESTWALK_CONFIGS"); chosen && *chosen != '\0')
        directories.emplace_back(chosen);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error)
        directories.push_back(program.parent_path().parent_path() / "share/nestwalk/configs");
    directories.emplace_back(NESTWALK_CONFIG_DIR);
    return directories;
}

std::vector<std::string> machine_names() {
    std::set<std::string> names;
    for (const fs::path& directory : config_directories()) {
        std::error_code error;
        for (fs::directory_iterator entry(directory / "machines", error), end;
             !error && entry != end; entry.increment(error))
            if (entry->path().extension() == kExtension)
                names.insert(entry->path().stem().string());
    }
    return {names.begin(), names.end()};
}

std::string find_machine(const std::string& name, const fs::path& base,
                         const SourceLocation& asked) {
    if (name.ends_with(kExtension)) return (base / name).lexically_normal().string();
    if (is_name(name)) {
        for (const fs::path& directory : config_directories()) {
            const fs::path file = directory / "machines" / (name + std::string(kExtension));
            std::error_code error;
            if (fs::is_regular_file(file, error)) return file.string();
        }
    }
    const std::vector<std::string> names = machine_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw InputError(asked, "unknown machine " + nestwalk::quoted(name) + "; expected " +
                                listed(known) + ", or the path of a .yaml file" +
                                suggestion(name, known));
}

}  // namespace nestwalk
