#include "heed/app/manual/markdown_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heed {

namespace {

constexpr int line_width = 100;

// Letters of a flag or of the words around it.
bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
}

// What would be taken for Markdown is escaped, flags are set as code, and code stays as it is.
std::string marked_up(std::string_view text) {
  std::string markdown;
  while (!text.empty()) {
    size_t length = 1;
    const bool begins_word = markdown.empty() || !is_name_letter(markdown.back());
    if (text.starts_with('`') && text.find('`', 1) != text.npos) {
      length = text.find('`', 1) + 1;
      markdown += text.substr(0, length);
    } else if (begins_word && text.starts_with("--") && text.size() > 2 &&
               is_name_letter(text[2])) {
      const auto end = std::ranges::find_if_not(text, is_name_letter);
      length = static_cast<size_t>(end - text.begin());
      markdown += fmt::format("`{}`", text.substr(0, length));
    } else {
      if (std::string_view("\\`*_<>[]|").find(text.front()) != std::string_view::npos)
        markdown += '\\';
      markdown += text.front();
    }
    text.remove_prefix(length);
  }
  return markdown;
}

// A line that happens to begin with a dash is no item of a list.
std::string wrapped(std::string_view text, const std::string& first, const std::string& others) {
  std::string markdown;
  for (const std::string& line : lines_of(wrap(marked_up(text), line_width, first, others))) {
    const bool begins_list = !markdown.empty() && line.substr(others.size()).starts_with("- ");
    markdown += (begins_list ? others + '\\' + line.substr(others.size()) : line) + '\n';
  }
  return markdown;
}

std::string paragraph(std::string_view text) { return wrapped(text, "", "") + '\n'; }

std::string listing(std::string_view kind, std::string_view text) {
  return fmt::format("```{}\n{}```\n\n", kind, text);
}

std::string blocks(const std::vector<TextBlock>& all) {
  std::string markdown;
  for (const TextBlock& block : all)
    markdown += block.kind == TextBlock::Kind::prose
                    ? paragraph(block.text)
                    : listing(block.text.starts_with("$ ") ? "console" : "text", block.text);
  return markdown;
}

std::string item(const std::string& heading, std::string_view text) {
  return wrapped(text, fmt::format("- {}: ", heading), "  ");
}

std::string as_sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

std::string flag_items(const std::vector<FlagManual>& flags) {
  std::string markdown, group;
  for (const FlagManual& flag : flags) {
    const std::string next = flag.is_positional ? "Arguments" : flag.group;
    if (next != group)
      markdown += fmt::format("{}## {}\n\n", markdown.empty() ? "" : "\n", marked_up(next));
    group = next;
    markdown += item(fmt::format("`{}`", heading_of(flag)), details_of(flag));
  }
  return markdown + '\n';
}

std::string section(std::string_view name, const std::string& body) {
  return body.empty() ? "" : fmt::format("## {}\n\n{}", name, body);
}

// One empty line at most, and one line's end.
std::string without_last_blank_line(std::string page) {
  while (page.ends_with("\n\n")) page.pop_back();
  return page;
}

}  // namespace

std::string markdown_page(const ProgramManual& program) {
  std::string commands, statuses;
  for (const CommandManual& command : program.commands)
    commands += item(fmt::format("[`{} {}`]({}.md)", program.name, command.name, command.name),
                     command.description);
  for (const ExitStatus& status : exit_statuses()) statuses += item(status.code, status.meaning);
  return without_last_blank_line(
      fmt::format("# {}\n\n", program.name) + paragraph(as_sentence(program.description)) +
      listing("text", program.name + " COMMAND [OPTIONS]\n") +
      section("Commands", commands + '\n') + blocks(program.text.description) +
      section("Examples", blocks(program.text.examples)) + flag_items(program.flags) +
      section("Exit status", statuses));
}

std::string markdown_page(const ProgramManual& program, const CommandManual& command) {
  const std::string usage = usage_of(program, command) + '\n';
  return without_last_blank_line(fmt::format("# {} {}\n\n", program.name, command.name) +
                                 paragraph(as_sentence(command.description)) +
                                 listing("text", usage) + blocks(command.text.description) +
                                 section("Examples", blocks(command.text.examples)) +
                                 flag_items(command.flags) + "[All commands](README.md)\n");
}

}  // namespace heed
