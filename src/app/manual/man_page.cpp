#include "heed/app/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heed/base/text.h"

namespace heed {

namespace {

// Text as roff takes it. Characters outside ASCII become escapes, so that every formatter and
// locale shows what it can.
std::string escaped(std::string_view text) {
  std::string roff;
  while (!text.empty()) {
    const char32_t character = take_character(text).value_or(U'\uFFFD');
    switch (character) {
      case U'\\':
        roff += "\\e";
        break;
      case U'-':
        roff += "\\-";
        break;
      case U'\'':
        roff += "\\(aq";
        break;
      case U'`':
        roff += "\\(ga";
        break;
      case U'^':
        roff += "\\(ha";
        break;
      case U'~':
        roff += "\\(ti";
        break;
      default:
        if (character < 0x80)
          roff += static_cast<char>(character);
        else
          roff += fmt::format("\\[u{:04X}]", static_cast<uint32_t>(character));
    }
  }
  return roff;
}

// A line of text: one that begins like a request is none.
std::string text_line(std::string_view text) {
  const bool looks_like_request = text.starts_with('.') || text.starts_with('\'');
  return fmt::format("{}{}\n", looks_like_request ? "\\&" : "", escaped(text));
}

// Sentences end at the end of a line, as roff wants it; the formatter fills the lines again.
std::string filled(std::string_view prose) {
  constexpr int line_width = 76;
  std::string roff;
  while (!prose.empty()) {
    const size_t end = std::min(prose.find(". "), prose.size() - 1) + 1;
    for (const std::string& line : lines_of(wrap(prose.substr(0, end), line_width, "", "")))
      roff += text_line(line);
    prose.remove_prefix(end);
  }
  return roff;
}

std::string listing(std::string_view text) {
  std::string roff = ".RS 4\n.EX\n";
  for (const std::string& line : lines_of(text)) roff += text_line(line);
  return roff + ".EE\n.RE\n";
}

std::string blocks(const std::vector<TextBlock>& all) {
  std::string roff;
  for (const TextBlock& block : all) {
    if (!roff.empty()) roff += ".PP\n";
    roff += block.kind == TextBlock::Kind::listing ? listing(block.text) : filled(block.text);
  }
  return roff;
}

std::string item(std::string_view heading, std::string_view text) {
  return fmt::format(".TP\n{}\n{}", heading, filled(text));
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }

// "-h, --help" in bold, and its value in italics, unless that names what to type.
std::string heading(const FlagManual& flag) {
  std::string names;
  for (const std::string& name : flag.names)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", bold(name));
  if (flag.value.empty() || flag.is_positional) return names;
  const bool is_typed = flag.kind == ValueKind::choice;
  return fmt::format("{} {}", names,
                     is_typed ? bold(flag.value) : fmt::format("\\fI{}\\fR", escaped(flag.value)));
}

std::string flag_items(const std::vector<FlagManual>& flags) {
  std::string roff, group = "Options";
  for (const FlagManual& flag : flags) {
    if (flag.group != group) roff += fmt::format(".SS {}\n", escaped(flag.group));
    group = flag.group;
    roff += item(heading(flag), details_of(flag));
  }
  return roff;
}

std::string section(std::string_view name, const std::string& body) {
  return body.empty() ? "" : fmt::format(".SH {}\n{}", name, body);
}

std::string title(const ProgramManual& program, std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return fmt::format(".TH {} 1 {} \"{} {}\" \"{} manual\"\n", escaped(name), program.date,
                     program.name, program.version, program.name);
}

std::string name_line(const std::string& name, std::string description) {
  // "Train a model" goes on from the name; "CTranslate2 models" would stay as it is.
  const bool is_word =
      description.size() > 1 && std::islower(static_cast<unsigned char>(description[1])) != 0;
  if (is_word)
    description[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(description[0])));
  return fmt::format("{} \\- {}\n", escaped(name), escaped(description));
}

std::string exit_status() {
  std::string roff;
  for (const ExitStatus& status : exit_statuses()) roff += item(bold(status.code), status.meaning);
  return roff;
}

std::string page_of(const ProgramManual& program, const CommandManual& command) {
  return fmt::format("{}-{}", program.name, command.name);
}

std::string reference(const std::string& page) { return fmt::format(".BR {} (1)", escaped(page)); }

std::string see_also(const std::vector<std::string>& pages) {
  std::string roff;
  for (const std::string& page : pages)
    roff += reference(page) + (page == pages.back() ? "\n" : " ,\n");
  return roff;
}

bool mentions(const ManualText& text, const std::string& words) {
  for (const auto& all : {text.description, text.examples})
    for (const TextBlock& block : all)
      if (block.text.find(words) != std::string::npos) return true;
  return false;
}

// The program, and the commands that the text mentions.
std::vector<std::string> related_pages(const ProgramManual& program, const CommandManual& command) {
  std::vector<std::string> pages = {program.name};
  for (const CommandManual& other : program.commands)
    if (other.name != command.name &&
        mentions(command.text, fmt::format("{} {} ", program.name, other.name)))
      pages.push_back(page_of(program, other));
  return pages;
}

std::string files() {
  return filled("A model is a folder that MarianMT would know:") +
         item(bold("config.json"), "Its settings.") +
         item(bold("model.safetensors"),
              "Its weights, with a checksum of all that belongs to them.") +
         item(bold("source.spm") + ", " + bold("target.spm"),
              "Its vocabularies, of SentencePiece.") +
         item(bold("vocab.json"), "The numbers of its tokens.");
}

std::string environment(const ProgramManual& program) {
  std::string roff;
  for (const CommandManual& command : program.commands)
    for (const FlagManual& flag : command.flags)
      if (!flag.environment.empty())
        roff += item(bold(flag.environment),
                     fmt::format("{} for {} {}.", flag.names.back(), program.name, command.name));
  return roff + item(bold("NO_COLOR"), "If it is set and not empty, no colours are used.");
}

std::string synopsis(const std::string& program, const std::string& usage) {
  return fmt::format("{}{}\n", bold(program), escaped(usage.substr(program.size())));
}

}  // namespace

std::string man_page(const ProgramManual& program) {
  std::string commands;
  std::vector<std::string> pages;
  for (const CommandManual& command : program.commands) {
    pages.push_back(page_of(program, command));
    commands +=
        fmt::format(".TP\n{}\n{}", reference(pages.back()), filled(command.description + "."));
  }
  return title(program, program.name) +
         section("NAME", name_line(program.name, program.description)) +
         section("SYNOPSIS", synopsis(program.name, program.name + " COMMAND [OPTIONS]")) +
         section("DESCRIPTION", blocks(program.text.description)) + section("COMMANDS", commands) +
         section("OPTIONS", flag_items(program.flags)) + section("EXIT STATUS", exit_status()) +
         section("ENVIRONMENT", environment(program)) + section("FILES", files()) +
         section("EXAMPLES", blocks(program.text.examples)) + section("SEE ALSO", see_also(pages));
}

std::string man_page(const ProgramManual& program, const CommandManual& command) {
  const std::string page = page_of(program, command);
  std::string description = blocks(command.text.description);
  if (description.empty()) description = filled(command.description + ".");
  return title(program, page) + section("NAME", name_line(page, command.description)) +
         section("SYNOPSIS", synopsis(program.name, usage_of(program, command))) +
         section("DESCRIPTION", description) + section("OPTIONS", flag_items(command.flags)) +
         section("EXIT STATUS", exit_status()) +
         section("EXAMPLES", blocks(command.text.examples)) +
         section("SEE ALSO", see_also(related_pages(program, command)));
}

}  // namespace heed
