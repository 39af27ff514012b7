// `heed attention --over-time`: what a training run has watched.
#pragma once

#include <optional>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/runs/attention_picture.h"

namespace heed {

struct WantedHistory {
  std::string model, title;
  std::optional<std::string> source;  // of the sentence; nothing: all of them
  std::string svg, html, json;        // files, or nothing; if there are none, a table in words
  HeadChoice choice;
  TokenUnit unit = TokenUnit::words;
};

// An Error if nothing was watched, or if something is wrong with a file.
void show_over_time(const WantedHistory& wanted, const Console& console);

}  // namespace heed
