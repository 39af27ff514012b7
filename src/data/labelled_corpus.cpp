#include "heed/data/labelled_corpus.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/labelled_reader.h"

namespace heed {

std::vector<std::string_view> labels_of(const PairView& entry) {
  std::vector<std::string_view> labels;
  std::string_view left = entry.target;
  while (!left.empty()) {
    const size_t end = std::min(left.find('\t'), left.size());
    labels.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return labels;
}

LabelledReport prepare_labelled(const std::vector<std::string>& files,
                                const std::filesystem::path& path) {
  CorpusWriter writer(path);
  LabelledReport report;
  for (const std::string& file : files) {
    LabelledReader reader(LineReader(file), labelled_format(file));
    for (LabelledText text; reader.next(text); ++report.texts) {
      for (const std::string& label : text.labels)
        require(label.find('\t') == label.npos, "{}: the label {} has a tab", reader.where(),
                Quoted{label});
      writer.add(text.text, fmt::format("{}", fmt::join(text.labels, "\t")));
    }
  }
  require(report.texts > 0, "{}: there are no labelled texts", fmt::join(files, " "));
  writer.commit();
  return report;
}

LabelStatistics count_labels(const CorpusStore& store) {
  LabelStatistics found;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    const CorpusChunk entries = store.read(chunk);
    for (const PairView& entry : entries.pairs) {
      const std::vector<std::string_view> labels = labels_of(entry);
      found.one_each = found.one_each && labels.size() == 1;
      for (const std::string_view label : labels) ++found.texts[std::string(label)];
    }
  }
  return found;
}

}  // namespace heed
