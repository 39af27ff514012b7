#include "heed/app/cli/flag_file.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/files.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view spaces = " \t\r";

// A file of flags, from front to back.
class FlagReader {
 public:
  FlagReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<FlagOfFile> read() {
    std::vector<FlagOfFile> flags;
    std::set<std::string> seen;
    for (skip_blank_lines(); !text_.empty(); skip_blank_lines()) {
      flags.push_back(read_flag());
      if (!seen.insert(flags.back().name).second)
        refuse(fmt::format("{} is given twice", quote(flags.back().name)));
    }
    return flags;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw CLI::ValidationError(fmt::format("{}:{}", printable(file_), line_), what);
  }
  [[noreturn]] void refuse_line() const {
    refuse(refusal(text_.substr(0, text_.find('\n')), "a line such as steps = 1000"));
  }

  bool at(char character) const { return !text_.empty() && text_.front() == character; }
  bool at_end_of_line() const { return text_.empty() || at('\n'); }

  char take() {
    const char first = text_.front();
    line_ += first == '\n';
    text_.remove_prefix(1);
    return first;
  }

  // Also a comment up to the end of its line.
  void skip_spaces() {
    while (!text_.empty() && spaces.find(text_.front()) != spaces.npos) take();
    if (!at('#')) return;
    while (!at_end_of_line()) take();
  }

  void skip_blank_lines() {
    for (skip_spaces(); at('\n'); skip_spaces()) take();
  }

  std::string take_word() {
    constexpr std::string_view ends = " \t\r\n=,#[]\"'";
    std::string word;
    while (!text_.empty() && ends.find(text_.front()) == ends.npos) word += take();
    return word;
  }

  FlagOfFile read_flag() {
    const std::string_view whole = text_;
    FlagOfFile flag = {.name = take_word(), .values = {}, .line = line_};
    skip_spaces();
    if (flag.name.empty() || !at('=')) {
      text_ = whole;
      refuse_line();
    }
    take();
    skip_spaces();
    if (at('[')) {
      flag.values = read_list();
    } else {
      flag.values.push_back(read_value());
    }
    skip_spaces();
    if (!at_end_of_line()) refuse(refusal(rest_of_line(), "the end of the line"));
    return flag;
  }

  std::vector<std::string> read_list() {
    std::vector<std::string> values;
    take();
    for (skip_blank_lines(); !at(']'); skip_blank_lines()) {
      values.push_back(read_value());
      skip_blank_lines();
      if (at(']')) break;
      if (!at(',')) refuse(refusal(rest_of_line(), "\",\" or \"]\""));
      take();
    }
    take();
    return values;
  }

  std::string_view rest_of_line() const { return text_.substr(0, text_.find('\n')); }

  std::string read_value() {
    if (at('"')) return read_quoted();
    if (at('\'')) return read_literal();
    const std::string word = take_word();
    if (word.empty()) refuse(refusal(rest_of_line(), "a value"));
    return word;
  }

  std::string read_literal() {
    std::string value;
    for (take(); !at('\'');) {
      if (at_end_of_line()) refuse("the closing quotation mark is missing");
      value += take();
    }
    take();
    return value;
  }

  std::string read_quoted() {
    std::string value;
    for (take(); !at('"');) {
      if (at_end_of_line()) refuse("the closing quotation mark is missing");
      const char character = take();
      value += character == '\\' ? read_escape() : character;
    }
    take();
    return value;
  }

  char read_escape() {
    constexpr std::string_view letters = "nrt\"\\", meant = "\n\r\t\"\\";
    if (at('x')) return read_byte();
    const size_t place = at_end_of_line() ? letters.npos : letters.find(text_.front());
    if (place == letters.npos) refuse(refusal(rest_of_line(), "n, r, t, x, \" or \\ after \\"));
    take();
    return meant[place];
  }

  // "x1b"
  char read_byte() {
    unsigned value = 0;
    const char* begin = text_.data() + 1;
    const char* end = begin + std::min<size_t>(2, text_.size() - 1);
    if (std::from_chars(begin, end, value, 16).ptr != begin + 2)
      refuse(refusal(rest_of_line(), "two hexadecimal digits after \\x"));
    text_.remove_prefix(3);
    return static_cast<char>(value);
  }

  std::string_view text_;
  const std::string& file_;
  int line_ = 1;
};

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char character : value) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') text += '\\';
    if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += character;
  }
  return text + '"';
}

std::string value_text(const std::string& value) {
  const bool bare = value == "true" || value == "false" || plain_number<double>(value).has_value();
  return bare ? value : quoted(value);
}

bool takes_no_value(const CLI::Option& option) { return option.get_expected_min() == 0; }

void check_values(const CLI::Option& option, const std::vector<std::string>& values) {
  const auto count = static_cast<int>(values.size());
  if (takes_no_value(option)) {
    const bool known = count == 1 && (values[0] == "true" || values[0] == "false");
    const std::string found = count == 1 ? values[0] : fmt::format("a list of {}", count);
    if (!known) throw CLI::ValidationError(option.get_name(), refusal(found, "true or false"));
    return;
  }
  const int least = option.get_items_expected_min(), most = option.get_items_expected_max();
  if (count >= least && count <= most) return;
  const std::string expected = most == least   ? fmt::format("{}", least)
                               : count < least ? fmt::format("at least {}", least)
                                               : fmt::format("at most {}", most);
  throw CLI::ValidationError(option.get_name(),
                             fmt::format("{} values but {} expected", count, expected));
}

// Takes the flags that neither the command line nor the environment has set.
void take_flags(CLI::App& command, const std::string& file) {
  if (command.get_help_ptr() != nullptr && command.get_help_ptr()->count() > 0) return;
  const std::vector<std::byte> bytes = read_file(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const FlagOfFile& flag : parse_flags(text, file)) {
    const std::string place = fmt::format("{}:{}", printable(file), flag.line);
    CLI::Option* option = command.get_option_no_throw("--" + flag.name);
    if (option == nullptr || !option->get_configurable())
      throw CLI::ValidationError(place, fmt::format("unknown flag {}", quote("--" + flag.name)));
    if (option->count() > 0) continue;
    try {
      check_values(*option, flag.values);
      option->add_result(flag.values);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw CLI::ValidationError(place, error.what());
    }
  }
}

}  // namespace

std::vector<FlagOfFile> parse_flags(std::string_view text, const std::string& file) {
  return FlagReader(text, file).read();
}

void add_flag_file(CLI::App& command, bool& print_config) {
  // The parser handles flags in this order: after the arguments and the environment, and before it
  // checks which flags are required.
  command
      .add_option_function<std::string>(
          "--config", [&command](const std::string& file) { take_flags(command, file); },
          "Read flags from a file, as printed by --print-config")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false);
  command
      .add_flag_function(
          "--print-config",
          [&command, &print_config](int64_t) {
            print_config = true;
            for (CLI::Option* option : command.get_options()) option->required(false);
          },
          "Print the flags in the form that --config reads, and exit")
      ->configurable(false);
}

std::string flags_as_file(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable() || option->count() == 0) continue;
    std::vector<std::string> values = option->reduced_results();
    std::ranges::transform(values, values.begin(), value_text);
    const bool is_list = option->get_items_expected_max() > 1;
    text += fmt::format("{} = {}{}{}\n", option->get_single_name(), is_list ? "[" : "",
                        fmt::join(values, ", "), is_list ? "]" : "");
  }
  return text;
}

}  // namespace heed
