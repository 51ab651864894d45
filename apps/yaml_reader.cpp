#include "apps/yaml_reader.h"
#include "apps/text_file.h"
#include "traces/wording.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace nestwalk {

namespace {

constexpr const char* kNoAnchors = "anchors and aliases are not supported";

std::size_t leading_spaces(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

// The first line of `text` that is not blank.
std::string_view first_written_line(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (leading_spaces(line) < line.size()) return line;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return {};
}

// Whether the quoted text at the start of `text` ends. yaml-cpp takes the end of the file for a
// quote.
bool is_closed(std::string_view text) {
    const char quote = text[0];
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\')
            ++i;
        else if (text[i] == quote)
            return true;
    }
    return false;
}

// Builds the tree from the parser's events, which come in document order.
class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(std::string_view source, const std::string& file) : source_(source), file_(file) {}

    ConfigNode take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (documents_++ != 0)
            throw InputError(at(mark), "a second document begins here, expected only one");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse(mark, "", anchor);
        add(node(mark, ConfigNode::Kind::kNull));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        throw InputError(at(mark), kNoAnchors);
    }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override {
        throw InputError(at(mark), kNoAnchors);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuse(mark, tag == "!" ? "" : tag, anchor);
        ConfigNode scalar = node(mark, ConfigNode::Kind::kScalar);
        // The file is UTF-8, but yaml-cpp makes one byte of each of these escapes.
        if (!is_utf8(value))
            throw InputError(scalar.location,
                             "the escapes \\N and \\_ are not supported, expected the character");
        scalar.text = value;
        locate_text(scalar, static_cast<std::size_t>(std::max(mark.pos, 0)));
        add(std::move(scalar));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        refuse(mark, tag, anchor);
        open(node(mark, ConfigNode::Kind::kSequence));
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        refuse(mark, tag, anchor);
        open(node(mark, ConfigNode::Kind::kMap));
    }
    void OnMapEnd() override { close(); }

private:
    struct Frame {
        ConfigNode node{};
        std::unordered_set<std::string> seen{};  ///< keys of a map, to refuse duplicates
    };

    SourceLocation at(const YAML::Mark& mark) const {
        return {file_, static_cast<std::uint64_t>(mark.line) + 1,
                static_cast<std::uint64_t>(mark.column) + 1};
    }

    void refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
        if (anchor != YAML::NullAnchor) throw InputError(at(mark), kNoAnchors);
        if (!tag.empty() && tag != "?") throw InputError(at(mark), "tags are not supported");
    }

    ConfigNode node(const YAML::Mark& mark, ConfigNode::Kind kind) const {
        ConfigNode made{};
        made.kind = kind;
        made.location = at(mark);
        made.text_location = made.location;
        return made;
    }

    // Style and position of the text, which the events do not carry: read from the source at the
    // mark.
    void locate_text(ConfigNode& scalar, std::size_t position) const {
        const char first = position < source_.size() ? source_[position] : '\0';
        if (first == '"' || first == '\'') {
            if (!is_closed(source_.substr(position)))
                throw InputError(scalar.location, "this quote is never closed");
            scalar.style = ConfigNode::Style::kQuoted;
            ++scalar.text_location.column;
        } else if (first == '|' || first == '>') {
            scalar.style = first == '|' ? ConfigNode::Style::kLiteral : ConfigNode::Style::kFolded;
            const std::string_view rest = source_.substr(position);
            const std::string_view body =
                rest.substr(std::min(rest.find('\n'), rest.size() - 1) + 1);
            const std::size_t written = leading_spaces(first_written_line(body));
            const std::size_t kept = leading_spaces(first_written_line(scalar.text));
            ++scalar.text_location.line;
            scalar.text_location.column = written - std::min(written, kept) + 1;
        }
    }

    void open(ConfigNode opened) {
        if (stack_.size() >= kDeepestConfig)
            throw InputError(opened.location,
                             "nested deeper than " + std::to_string(kDeepestConfig) + " levels");
        if (awaits_key())
            throw InputError(
                opened.location,
                "a list or map cannot be a key, expected a word (is a bracket left open?)");
        stack_.push_back({std::move(opened), {}});
    }

    void close() {
        ConfigNode closed = std::move(stack_.back().node);
        stack_.pop_back();
        add(std::move(closed));
    }

    bool awaits_key() const {
        if (stack_.empty() || !stack_.back().node.is_map()) return false;
        return stack_.back().node.keys.size() == stack_.back().node.children.size();
    }

    void add(ConfigNode added) {
        if (++nodes_ > kMostConfigNodes)
            throw InputError(added.location,
                             "more than " + std::to_string(kMostConfigNodes) + " values");
        if (stack_.empty())
            root_ = std::move(added);
        else if (awaits_key())
            add_key(added);
        else
            stack_.back().node.children.push_back(std::move(added));
    }

    void add_key(const ConfigNode& key) {
        if (!key.is_scalar() || key.text.empty())
            throw InputError(key.location, "an empty key, expected a word");
        if (!stack_.back().seen.insert(key.text).second)
            throw InputError(key.location, "the key " + quoted(key.text) + " is here twice");
        stack_.back().node.keys.push_back({key.text, key.location});
    }

    std::string_view source_;
    const std::string& file_;
    std::vector<Frame> stack_{};
    ConfigNode root_{};
    std::size_t nodes_{};
    int documents_{};
};

// What to add to the parser's own words where they do not tell a beginner what to change.
std::string hint(const std::string& message) {
    if (message.find("anchor") != std::string::npos) return kNoAnchors;
    if (message == "illegal map value")
        return "not valid YAML: a key is not expected here (is the line indented like its "
               "neighbours? "
               "a text with ': ' in it needs quotes)";
    if (message == "end of map not found" || message == "end of sequence not found")
        return "not valid YAML: " + message + " (is the line indented like its neighbours?)";
    return "not valid YAML: " + message;
}

// Position of a tab among the spaces that begin line `number` (from 0) of `text`, or line 0.
SourceLocation indenting_tab(std::string_view text, int number, const std::string& file) {
    for (int skipped = 0; skipped < number && !text.empty(); ++skipped)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    const std::size_t tab = text.find_first_not_of(' ');
    if (number < 0 || tab == std::string_view::npos || text[tab] != '\t') return {};
    return {file, static_cast<std::uint64_t>(number) + 1, tab + 1};
}

[[noreturn]] void rethrow(const YAML::Exception& error, std::string_view text,
                          const std::string& file) {
    // The parser notices an indenting tab at the tab or, at the latest, at the next line.
    for (const int line : {error.mark.line, error.mark.line - 1}) {
        const SourceLocation tab = indenting_tab(text, line, file);
        if (tab.line != 0)
            throw InputError(tab, "a tab: YAML does not allow tabs for indentation, use spaces");
    }
    SourceLocation where{file, 0, 0};
    if (!error.mark.is_null())
        where = {file, static_cast<std::uint64_t>(error.mark.line) + 1,
                 static_cast<std::uint64_t>(error.mark.column) + 1};
    throw InputError(where, hint(error.msg));
}

ConfigNode parse(const std::string& text, const std::string& file) {
    std::istringstream in(text);
    TreeBuilder builder(text, file);
    try {
        YAML::Parser parser(in);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        rethrow(error, text, file);
    }
    ConfigNode root = builder.take_root();
    if (root.is_null()) throw InputError({file, 0, 0}, "is empty, expected a map of settings");
    return root;
}

}  // namespace

ConfigNode read_yaml_file(const std::string& path) { return parse(read_text_file(path), path); }

ConfigNode read_yaml(std::string text, const std::string& file) {
    return parse(checked_text(std::move(text), file), file);
}

}  // namespace nestwalk
