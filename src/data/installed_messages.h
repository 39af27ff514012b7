// The translations of the software that is installed on a machine: real parallel text without a
// download.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

// Where Linux distributions put the messages of programs.
std::vector<std::filesystem::path> message_folders();

// The MO files of a language and its variants ("de" and "de_AT"), sorted by name.
std::vector<std::filesystem::path> installed_messages(
    const std::vector<std::filesystem::path>& folders, std::string_view language);

// Receives what is wrong with a skipped file.
using Complaint = std::function<void(const std::string& sentence)>;

// Passes the pairs of all these files to `consume`. A file that cannot be read is skipped with a
// warning. Translator credits are dropped. An Error if no pair can be used.
CorpusReport read_installed(const std::vector<std::filesystem::path>& folders,
                            const std::string& language, int64_t max_characters,
                            const PairConsumer& consume, const Complaint& complain);

}  // namespace heed
