#include "heed/app/cli/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <new>

#include "heed/app/cli/align_command.h"
#include "heed/app/cli/attend_command.h"
#include "heed/app/cli/attention_command.h"
#include "heed/app/cli/classify_command.h"
#include "heed/app/cli/convert_command.h"
#include "heed/app/cli/corpus_command.h"
#include "heed/app/cli/demo_command.h"
#include "heed/app/cli/embed_command.h"
#include "heed/app/cli/evaluate_command.h"
#include "heed/app/cli/generate_command.h"
#include "heed/app/cli/inspect_command.h"
#include "heed/app/cli/manual_command.h"
#include "heed/app/cli/memory_shortage.h"
#include "heed/app/cli/models_command.h"
#include "heed/app/cli/score_command.h"
#include "heed/app/cli/serve_command.h"
#include "heed/app/cli/shortlist_command.h"
#include "heed/app/cli/train_command.h"
#include "heed/app/cli/translate_command.h"
#include "heed/app/cli/usage_sentence.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr int done = 0;
constexpr int failed = program_failed;

constexpr const char* conventions =
    R"(Run heed COMMAND --help for the flags of a command. Results go to standard output or to the
files that flags name; progress and complaints go to standard error.

Examples: learn to translate, translate, and look at what the model attends to.

  $ heed train --train text.en text.de --model en-de --time 30m
  $ heed translate --model en-de < new.en > new.de
  $ heed attention --model en-de --source "Two men are playing football." --html football.html
)";

// What came before a mistake.
void flush_output(const Console& console) {
  try {
    console.out.flush();
  } catch (const std::exception&) {
    // One error is enough, and this one came second.
  }
}

// File names and arguments may hold any bytes, so they are made printable.
int report(const Console& console, int code, const std::string& sentence) {
  flush_output(console);
  console.err << "heed: " << printable(sentence) << '\n';
  return code;
}

// What was wrong with the arguments, and where to find help. `command` is null if none was chosen.
std::string usage_advice(const CLI::App* command, const std::vector<std::string>& arguments,
                         const CLI::ParseError& error) {
  if (command != nullptr) {
    // A flag that seems to be missing may be there, but misspelt.
    const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    const auto misspelt = lacks ? unknown_flag(command->remaining()) : std::nullopt;
    return fmt::format("{} (see heed {} --help)", misspelt.value_or(usage_sentence(error)),
                       command->get_name());
  }
  const bool is_flag = arguments.front().starts_with('-');
  return fmt::format("{} {} (see heed --help)", is_flag ? "there is no flag" : "unknown command",
                     quote(arguments.front()));
}

// For people who type the program's name to see what it can do.
std::string list_of_commands(const CLI::App& program) {
  std::string text = "Commands:\n";
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    text += fmt::format("  {:<10} {}\n", command->get_name(), command->get_description());
  return text + "Run heed COMMAND --help for details, or heed demo for a demonstration\n";
}

int parse_and_run(const std::vector<std::string>& arguments, const Console& console,
                  Communicator& ranks) {
  CLI::App program("heed: attention-based sequence-to-sequence models on ordinary CPUs", "heed");
  program.set_version_flag("--version", "heed " HEED_VERSION, "Print the version and exit");
  program.require_subcommand(1);
  const TrainCommand train(program);
  const TranslateCommand translate(program);
  const GenerateCommand generate(program);
  const ScoreCommand score(program);
  const ClassifyCommand classify(program);
  const EmbedCommand embed(program);
  const EvaluateCommand evaluate(program);
  const InspectCommand inspect(program);
  const ModelsCommand models(program);
  const AttentionCommand attention(program);
  const AttendCommand attend(program);
  const ServeCommand serve(program);
  const AlignCommand align(program);
  const ShortlistCommand shortlist(program);
  const CorpusCommand corpus(program);
  const ConvertCommand convert(program);
  const DemoCommand demo(program);
  const ManualCommand manual(program);
  program.footer(conventions);  // last: commands inherit what is there before them
  const std::map<std::string, std::function<int()>> commands = {
      {"train", [&] { return train.run(console, ranks); }},
      {"translate",
       [&] {
         if (&ranks == &alone())
           translate.run(console);
         else
           translate.run_on(ranks, console);
         return done;
       }},
      {"generate", [&] { return generate.run(console), done; }},
      {"score", [&] { return score.run(console), done; }},
      {"classify", [&] { return classify.run(console), done; }},
      {"embed", [&] { return embed.run(console), done; }},
      {"evaluate", [&] { return evaluate.run(console), done; }},
      {"inspect", [&] { return inspect.run(console), done; }},
      {"models", [&] { return models.run(console), done; }},
      {"attention", [&] { return attention.run(console), done; }},
      {"attend", [&] { return attend.run(console), done; }},
      {"serve", [&] { return serve.run(console), done; }},
      {"align", [&] { return align.run(console), done; }},
      {"shortlist", [&] { return shortlist.run(console), done; }},
      {"convert", [&] { return convert.run(console), done; }},
      {"corpus", [&] { return corpus.run(console), done; }},
      {"demo", [&] { return demo.run(console), done; }},
      {"manual", [&] { return manual.run(console), done; }},
  };
  const auto chosen = [&] {
    return program.get_subcommands().empty() ? nullptr : program.get_subcommands().front();
  };
  if (arguments.empty()) {
    report(console, wrong_usage, "no command was given");
    console.err << list_of_commands(program);
    return wrong_usage;
  }
  try {
    // CLI11 takes the arguments from the back.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    program.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    console.out << program.help();
    return done;
  } catch (const CLI::CallForVersion& version) {
    console.out << version.what() << '\n';
    return done;
  } catch (const CLI::ParseError& error) {
    return report(console, wrong_usage, usage_advice(chosen(), arguments, error));
  }
  const std::string name = chosen()->get_name();
  const bool is_shared = name == "train" || name == "translate";
  return ranks.is_first() || is_shared ? commands.at(name)() : done;
}

// Reports every failure but a lack of memory.
int run_and_report(const std::vector<std::string>& arguments, const Console& console,
                   Communicator& ranks) {
  try {
    const int code = parse_and_run(arguments, console, ranks);
    console.out.flush();
    return console.out ? code : report(console, failed, "standard output cannot be written");
  } catch (const Error& error) {
    return report(console, failed, error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    return report(console, failed,
                  fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return report(console, failed, std::string("unexpected failure: ") + error.what());
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Console& console,
                Communicator& ranks) {
  try {
    return run_and_report(arguments, console, ranks);
  } catch (const std::bad_alloc&) {
    // Allocates nothing. Also reached if another failure could not be reported for lack of memory.
    flush_output(console);
    console.err << memory_shortage;
    return failed;
  }
}

}  // namespace heed
