#include "heed/folders/alignment_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr const char* file_name = "alignment-head";

// Takes ":" and a number from 1 to 1000 off the front.
std::optional<int> take_number(std::string_view& text) {
  if (!text.starts_with(':')) return std::nullopt;
  int number = 0;
  const auto [end, reason] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  constexpr int most = 1000;
  if (reason != std::errc() || number < 1 || number > most) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<AttentionChoice> load_alignment_choice(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / file_name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  const MappedFile file(path);
  std::string_view text = file.text();
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text;
  constexpr std::string_view part = "cross";
  AttentionChoice choice;
  bool is_choice = text.starts_with(part);
  if (is_choice) {
    text.remove_prefix(part.size());
    const std::optional<int> layer = take_number(text), head = take_number(text);
    choice = {.layer = layer.value_or(0), .head = head.value_or(0)};
    is_choice = layer.has_value() && text.empty();
  }
  require(is_choice, ErrorKind::model, "{}: a head such as cross:2:3 was expected but {} was found",
          path.string(), Quoted{line});
  return choice;
}

void save_alignment_choice(const std::filesystem::path& folder, const AttentionChoice& choice) {
  std::string text = fmt::format("cross:{}", choice.layer);
  if (choice.head > 0) text += fmt::format(":{}", choice.head);
  write_file_atomically(folder / file_name, text + "\n");
}

}  // namespace heed
