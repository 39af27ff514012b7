// A program with a flag of every kind, for tests of its manual.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "heed/app/manual/manual.h"

namespace heed::testing {

struct SmallProgram {
  CLI::App app{"small: a program", "small"};
  std::vector<std::string> files, models;
  std::string folder, text, from;
  int number = 0;
  bool flag = false;

  SmallProgram() {
    CLI::App& bake = *app.add_subcommand("bake", "Bake a cake");
    bake.add_option("from", from, "What it is made from")->option_text("DIR")->required();
    bake.add_option("--files", files, "Recipes: as many as you like")->type_name("FILES");
    bake.add_option("--form", text, "The cake's form")->option_text("round|long:N|10%");
    bake.add_option("--into", folder, "Where it goes")->option_text("FOLDER")->required();
    bake.add_option("--log", text, "What happened")
        ->option_text("[FILE]")
        ->expected(0, 1)
        ->default_str("-");
    bake.add_option("--pair", models, "Two of them")->option_text("FILE FILE")->expected(2);
    bake.add_flag("-q,--quiet", flag, "Say nothing")->excludes("--form")->excludes("--pair");
    bake.add_option("--minutes", number, "Time in the oven")
        ->type_name("N")
        ->default_str("40")
        ->envname("OVEN")
        ->needs("--form")
        ->group("Oven [hot]");
    bake.add_option("--late", text, "A flag of the first group, added last")->option_text("TEXT");
    bake.add_flag("--secret", flag, "Not for everyone")->group("");
    bake.footer("It's done when it's done. .5 is half; a\\b.\n\n  $ small bake flour --into .\n");
    app.add_subcommand("hidden", "Not for everyone")->group("");
  }

  ProgramManual manual() const { return read_manual(app, "1.2", "2026-01-02"); }
};

}  // namespace heed::testing
