// A training run of a few milliseconds, for the tests of the command.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "heed/data/dates.h"
#include "program_test.h"

namespace heed::testing {

class TrainCommandTest : public testing::ProgramTest {
 protected:
  TrainCommandTest() {
    Rng rng(1);
    std::string written, iso;
    for (int i = 0; i < 120; ++i) {
      const DatePair pair = random_date(rng, DateUse::training);
      written += pair.written + '\n';
      iso += pair.iso + '\n';
    }
    write("a.written", written);
    write("a.iso", iso);
  }

  using Flags = std::map<std::string, std::vector<std::string>>;

  // A run of a few milliseconds; `more` adds flags or replaces their values; flags with empty
  // values are left out.
  Outcome train(const Flags& more = {}) const {
    Flags flags = {{"--train", {path("a.written"), path("a.iso")}},
                   {"--model", {path("model")}},
                   {"--vocabulary-kind", {"characters"}},
                   {"--width", {"16"}},
                   {"--heads", {"2"}},
                   {"--encoder-layers", {"1"}},
                   {"--decoder-layers", {"1"}},
                   {"--ffn", {"32"}},
                   {"--batch", {"512"}},
                   {"--max-length", {"100"}},
                   {"--steps", {"3"}},
                   {"--threads", {"1"}},
                   {"--valid-lines", {"2"}}};
    for (const auto& [flag, values] : more) flags[flag] = values;
    std::vector<std::string> arguments = {"train"};
    for (const auto& [flag, values] : flags) {
      if (values.empty()) continue;
      arguments.push_back(flag);
      // A flag that takes no value.
      if (values != std::vector<std::string>{""})
        arguments.insert(arguments.end(), values.begin(), values.end());
    }
    return run(arguments);
  }

  // The last sentence of a failed run, without the name of the program and with short paths.
  std::string complaint(const Flags& more, int code = 1) const {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    std::string said = outcome.err;
    EXPECT_TRUE(said.ends_with('\n')) << said;
    said = said.substr(0, said.size() - 1);
    said = said.substr(said.rfind('\n') + 1);
    EXPECT_TRUE(said.starts_with("heed: ")) << said;
    for (size_t place; (place = said.find(path(""))) != std::string::npos;)
      said.erase(place, path("").size());
    return said.substr(std::min<size_t>(said.size(), 6));
  }

  std::string weights() const { return read("model/model.safetensors"); }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

}  // namespace heed::testing
