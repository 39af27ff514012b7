// The flags of all commands that read sentence pairs of any format: --format, --from, --to,
// --truncate and --max-characters.
#pragma once

#include <CLI/CLI.hpp>

#include "heed/data/corpus.h"

namespace heed {

// The input must live as long as the command.
void add_corpus_flags(CLI::App& command, CorpusInput& input);

}  // namespace heed
