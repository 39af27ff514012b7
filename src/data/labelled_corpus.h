// Labelled texts as a prepared corpus (see corpus_store.h): the source of an entry is the text, the
// target are its labels with tabs between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heed/data/corpus_store.h"

namespace heed {

// The labels of an entry; views into it.
std::vector<std::string_view> labels_of(const PairView& entry);

struct LabelledReport {
  int64_t texts = 0;
};

// Reads files, which may be compressed, into a prepared corpus. An Error names the line that is
// wrong (see LabelledReader), or says that there are no texts.
LabelledReport prepare_labelled(const std::vector<std::string>& files,
                                const std::filesystem::path& path);

struct LabelStatistics {
  std::map<std::string, int64_t, std::less<>> texts;  // that have each label
  bool one_each = true;                               // every text has exactly one label
};

LabelStatistics count_labels(const CorpusStore& store);

}  // namespace heed
