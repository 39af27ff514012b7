// The commands that write files, made small: each takes a fraction of a second.
#pragma once

#include "ctranslate2_sample.h"
#include "faulty_command.h"
#include "heed/data/dates.h"
#include "sample_text.h"
#include "small_model.h"

namespace heed::testing {

inline std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

inline void put_pairs(const FaultyCommand& command, const std::string& name, int pairs) {
  Rng rng(static_cast<uint64_t>(pairs));
  std::string written, iso;
  for (int i = 0; i < pairs; ++i) {
    const DatePair pair = random_date(rng, DateUse::training);
    written += pair.written + '\n';
    iso += pair.iso + '\n';
  }
  command.folder().put("in/" + name + ".written", written);
  command.folder().put("in/" + name + ".iso", iso);
}

inline void set_translating(FaultyCommand& command) {
  put_model(command.path("in/model"));
  // Enough for more than one chunk of lines, so that there is more than one write.
  command.folder().put("in/text", lines_of(made_up_sentences(400)));
  command.set({.arguments = {"translate", "--model", command.path("in/model"), "--input",
                             command.path("in/text"), "--output", command.path("out/text"),
                             "--beam", "1", "--max-length", "10", "--threads", "1"},
               .before = {{"text", "older text\n"}}});
}

inline void set_converting(FaultyCommand& command) {
  put_model(command.path("in/model"));
  command.set(
      {.arguments = {"convert", "--int8", command.path("in/model"), command.path("out/model")}});
}

inline void set_converting_a_foreign_model(FaultyCommand& command, const TemporaryFolder& foreign) {
  ctranslate2_sample::write_folder(foreign);
  std::filesystem::copy(foreign.path(""), command.path("in/foreign"));
  command.set({.arguments = {"convert", command.path("in/foreign"), command.path("out/model")}});
}

inline void set_writing_a_corpus(FaultyCommand& command) {
  put_pairs(command, "pairs", 6);
  command.set({.arguments = {"corpus", "--input", command.path("in/pairs.written"),
                             command.path("in/pairs.iso"), "--output", command.path("out/source"),
                             command.path("out/target")},
               .before = {{"source", "older source\n"}, {"target", "older target\n"}},
               .last = command.path("out/target")});
}

// Every kind of state: dropout, subword sampling, an EMA, snapshots, checkpoints between
// validations.
inline void set_training(FaultyCommand& command) {
  put_pairs(command, "train", 200);
  command.set({.arguments = {"train",
                             "--train",
                             command.path("in/train.written"),
                             command.path("in/train.iso"),
                             "--model",
                             command.path("out/model"),
                             "--width=16",
                             "--heads=2",
                             "--encoder-layers=1",
                             "--decoder-layers=1",
                             "--ffn=16",
                             "--ema=0.9",
                             "--sampling=0.2",
                             "--batch=512",
                             "--max-length=128",
                             "--vocabulary=120",
                             "--validate-every=2",
                             "--average-last=2",
                             "--save-every=3",
                             "--steps=7",
                             "--valid-lines=1",
                             "--threads=1"},
               .goes_on = true});
}

}  // namespace heed::testing
