#include "heed/app/cli/tag_flag.h"

#include "heed/base/text.h"
#include "heed/data/tag_name.h"

namespace heed {

CLI::Option* add_tag_flag(CLI::App& command, std::string& tag) {
  const auto check = [](const std::string& text) {
    return tag_name(text) ? std::string()
                          : fmt::format("{} but {} was expected", quote(text), what_a_tag_is);
  };
  return command
      .add_option("--tag", tag,
                  "One of the model's tags: a domain, or the language to translate to")
      ->option_text("TAG")
      ->check(CLI::Validator(check, ""));
}

}  // namespace heed
