#include "heed/runs/corpus_alignment.h"

#include <algorithm>
#include <iterator>

#include "heed/base/characters.h"

namespace heed {

namespace {

// Are aligned at a time, so that few lines wait to be written.
constexpr size_t chunk_pairs = 4096;

}  // namespace

std::string pharaoh_line(std::span<const WordLink> links) {
  std::string line;
  for (const auto [source, target] : links)
    fmt::format_to(std::back_inserter(line), "{}{}-{}", line.empty() ? "" : " ", source, target);
  return line;
}

CorpusAlignment::CorpusAlignment(const CorpusAlignmentOptions& options, Workers& workers)
    : options_(options),
      workers_(workers),
      source_words_(options.characters),
      target_words_(options.characters) {}

CorpusReport CorpusAlignment::read(const CorpusInput& input, std::vector<NumberedPair>& pairs) {
  const auto numbers = [&](NumberedWords& words, std::string_view text) {
    return words.numbers(tokenise(options_.tokeniser, characters_of(text)));
  };
  return read_corpus(
      input,
      [&](std::string_view source, std::string_view target) {
        pairs.push_back({numbers(source_words_, source), numbers(target_words_, target)});
      },
      [&](Drop) { pairs.emplace_back(); });
}

CorpusReport CorpusAlignment::learn(const CorpusInput& input,
                                    const WordAligner::Progress& progress) {
  const CorpusReport report = read(input, pairs_);
  aligner_.emplace(pairs_, source_words_, target_words_, workers_, options_.aligner, progress);
  return report;
}

void CorpusAlignment::write_links(std::span<const NumberedPair> pairs,
                                  std::optional<Symmetrisation> method, const LineWriter& write) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < pairs.size(); begin += chunk_pairs) {
    const auto chunk = pairs.subspan(begin, std::min(chunk_pairs, pairs.size() - begin));
    lines.assign(chunk.size(), {});
    workers_.run(static_cast<int64_t>(chunk.size()), [&](int64_t task, int) {
      const auto i = static_cast<size_t>(task);
      lines[i] = pharaoh_line(method ? aligner_->links(chunk[i], *method)
                                     : aligner_->agreed_links(chunk[i]));
    });
    for (const std::string& line : lines) write(line);
  }
}

void CorpusAlignment::write_links(std::optional<Symmetrisation> method, const LineWriter& write) {
  write_links(pairs_, method, write);
}

CorpusReport CorpusAlignment::write_links_of(const CorpusInput& input,
                                             std::optional<Symmetrisation> method,
                                             const LineWriter& write) {
  std::vector<NumberedPair> pairs;
  const CorpusReport report = read(input, pairs);
  write_links(pairs, method, write);
  return report;
}

}  // namespace heed
