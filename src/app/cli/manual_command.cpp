#include "heed/app/cli/manual_command.h"

#include <filesystem>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/manual/completion.h"
#include "heed/app/manual/man_page.h"
#include "heed/app/manual/markdown_page.h"
#include "heed/base/files.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr const char* manual_example =
    R"(Everything is made from the flags that the program parses. cmake --install puts the man pages
and completions where shells find them. Without an installation, a shell can take them from here:

  $ source <(heed manual --completion bash)
  $ source <(heed manual --completion zsh)
  $ heed manual --completion fish | source
  $ heed manual --man pages && man pages/heed-train.1
)";

void write_man_pages(const ProgramManual& manual, const fs::path& folder) {
  fs::create_directories(folder);
  write_file_atomically(folder / (manual.name + ".1"), man_page(manual));
  for (const CommandManual& command : manual.commands)
    write_file_atomically(folder / fmt::format("{}-{}.1", manual.name, command.name),
                          man_page(manual, command));
}

void write_markdown_pages(const ProgramManual& manual, const fs::path& folder) {
  fs::create_directories(folder);
  write_file_atomically(folder / "README.md", markdown_page(manual));
  for (const CommandManual& command : manual.commands)
    write_file_atomically(folder / (command.name + ".md"), markdown_page(manual, command));
}

std::string completion_for(const std::string& shell, const ProgramManual& manual) {
  if (shell == "bash") return bash_completion(manual);
  return shell == "zsh" ? zsh_completion(manual) : fish_completion(manual);
}

}  // namespace

ManualCommand::ManualCommand(CLI::App& program) : program_(program) {
  CLI::App& command =
      *program.add_subcommand("manual", "Write man pages and completions of this program");
  command.add_option("--man", man_, "Folder for man pages")
      ->option_text("DIR")
      ->check(folder_name());
  command.add_option("--markdown", markdown_, "Folder for pages of Markdown")
      ->option_text("DIR")
      ->check(folder_name());
  command
      .add_option("--completion", shell_, "Print the script that completes the program's commands")
      ->option_text("bash|zsh|fish")
      ->check(one_of({"bash", "zsh", "fish"}));
  command.footer(manual_example);
  command.parse_complete_callback([this] {
    if (man_.empty() && markdown_.empty() && shell_.empty())
      throw CLI::ValidationError("manual", "give --man, --markdown or --completion");
  });
}

void ManualCommand::run(const Console& console) const {
  const ProgramManual manual = read_manual(program_, HEED_VERSION, HEED_DATE);
  if (!man_.empty()) write_man_pages(manual, man_);
  if (!markdown_.empty()) write_markdown_pages(manual, markdown_);
  if (!shell_.empty()) console.out << completion_for(shell_, manual);
}

}  // namespace heed
