// The commands of the program, made small.
#pragma once

#include <string>
#include <vector>

#include "program_sweep.h"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed::testing {

// What commands work on.
class CommandFiles : public TemporaryFolder {
 public:
  CommandFiles() : TemporaryFolder(fast_folder()) {
    put_model(path("model"));
    std::string source, target;
    for (uint64_t i = 0; i < 5; ++i) {
      source += made_up_sentence(i) + "\n";
      target += made_up_sentence(i + 100) + "\n";
    }
    put("source", source);
    put("target", target);
  }

  std::string model() const { return path("model"); }
  std::string source() const { return path("source"); }
  std::string target() const { return path("target"); }
  std::string made() const { return path("made"); }
};

using Arguments = std::vector<std::string>;

struct Command {
  std::string name;
  Arguments (*arguments)(const CommandFiles& files);
};

inline void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

inline const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"translate",
       [](const CommandFiles& files) -> Arguments {
         return {"translate", "--model",      files.model(), "--input",     files.source(),
                 "--beam=2",  "--max-length", "6",           "--threads=2", "--json"};
       }},
      {"score",
       [](const CommandFiles& files) -> Arguments {
         return {"score",        "--model",  files.model(),  "--source",
                 files.source(), "--target", files.target(), "--json"};
       }},
      {"evaluate",
       [](const CommandFiles& files) -> Arguments {
         return {"evaluate",    "--hypothesis", files.source(),
                 "--reference", files.target(), "--json"};
       }},
      {"inspect",
       [](const CommandFiles& files) -> Arguments {
         return {"inspect", "--json", files.model()};
       }},
      {"corpus",
       [](const CommandFiles& files) -> Arguments {
         return {"corpus", "--json", "--input", files.source(), files.target()};
       }},
      {"convert",
       [](const CommandFiles& files) -> Arguments {
         return {"convert", "--int8", files.model(), files.made()};
       }},
      {"attention",
       [](const CommandFiles& files) -> Arguments {
         return {"attention", "--model", files.model(), "--source=ba ko", "--beam=2", "--json"};
       }},
      {"page",
       [](const CommandFiles& files) -> Arguments {
         return {"attention", "--model", files.model(), "--source=ba", "--target=ko", "--html=-"};
       }},
      {"train",
       [](const CommandFiles& files) -> Arguments {
         return {"train",
                 "--train",
                 files.source(),
                 files.target(),
                 "--model",
                 files.made(),
                 "--width=8",
                 "--heads=2",
                 "--encoder-layers=1",
                 "--decoder-layers=1",
                 "--ffn=8",
                 "--ema=0.9",
                 "--vocabulary-kind=characters",
                 "--batch=512",
                 "--max-length=500",
                 "--steps=2",
                 "--valid-lines=1",
                 "--threads=1"};
       }},
  };
  return all;
}

}  // namespace heed::testing
