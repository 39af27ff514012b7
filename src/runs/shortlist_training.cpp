#include "heed/runs/shortlist_training.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/folders/model_folder.h"

namespace heed {

namespace {

// Of a piece count for the aligner: those of a word, and the space before it.
constexpr int characters = 6;

// Of links that count. A candidate too many costs little, and one too few may cost a word.
constexpr double least_probability = 0.01;

constexpr size_t chunk_pairs = 4096;

struct Counted {
  double count;
  int32_t id;
};

// The ids with the highest counts, the lower id first among equals; sorted by id.
std::vector<int32_t> most_counted(std::vector<Counted> counts, int64_t most) {
  const auto kept = static_cast<size_t>(std::min(most, static_cast<int64_t>(counts.size())));
  std::ranges::partial_sort(counts, counts.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const Counted& one, const Counted& other) {
                              return std::pair(-one.count, one.id) <
                                     std::pair(-other.count, other.id);
                            });
  std::vector<int32_t> ids;
  for (size_t i = 0; i < kept; ++i) ids.push_back(counts[i].id);
  std::ranges::sort(ids);
  return ids;
}

// A side of the corpus: the pieces of each sentence, and what the aligner sees of them.
class Pieces {
 public:
  explicit Pieces(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), words_(characters), number_of_(size(), unnumbered) {}

  std::vector<int32_t> numbers_of(std::span<const int32_t> ids) {
    std::vector<int32_t> numbers;
    numbers.reserve(ids.size());
    for (const int32_t id : ids) {
      int32_t& number = number_of_[static_cast<size_t>(id)];
      if (number == unnumbered) number = words_.number(characters_of(vocabulary_.piece(id)));
      numbers.push_back(number);
    }
    return numbers;
  }

  size_t size() const { return static_cast<size_t>(vocabulary_.size()); }
  const NumberedWords& words() const { return words_; }
  std::vector<int32_t> encode(std::string_view text) const { return vocabulary_.encode(text); }

 private:
  static constexpr int32_t unnumbered = -1;

  const Vocabulary& vocabulary_;
  NumberedWords words_;
  std::vector<int32_t> number_of_;
};

class ShortlistLearner {
 public:
  ShortlistLearner(const Vocabulary& source, const Vocabulary& target, Workers& workers)
      : shared_(source.same_ids(target)),
        source_(source),
        target_(target),
        workers_(workers),
        links_(source_.size()),
        target_counts_(target_.size()) {}

  CorpusReport read(const CorpusInput& input) {
    return read_corpus(input, [&](std::string_view source, std::string_view target) {
      ids_.push_back({source_.encode(source), target_.encode(target)});
      numbered_.push_back(
          {source_.numbers_of(ids_.back().source), target_.numbers_of(ids_.back().target)});
    });
  }

  void count_links(const WordAligner::Progress& progress) {
    WordAligner aligner(numbered_, source_.words(), target_.words(), workers_, {}, progress);
    for (size_t begin = 0; begin < ids_.size(); begin += chunk_pairs) {
      std::vector<std::vector<ProbableLink>> found(std::min(chunk_pairs, ids_.size() - begin));
      workers_.run(static_cast<int64_t>(found.size()), [&](int64_t task, int) {
        const auto i = static_cast<size_t>(task);
        found[i] = aligner.probable_links(numbered_[begin + i], least_probability);
      });
      for (size_t i = 0; i < found.size(); ++i) count(ids_[begin + i], found[i]);
    }
  }

  Shortlist shortlist(const ShortlistOptions& options) const {
    ShortlistLists lists;
    std::vector<Counted> counts;
    for (size_t id = 0; id < target_counts_.size(); ++id)
      if (target_counts_[id] > 0) counts.push_back({target_counts_[id], static_cast<int32_t>(id)});
    lists.frequent = most_counted(std::move(counts), options.frequent);
    lists.offsets.push_back(0);
    for (const std::map<int32_t, double>& links : links_) {
      counts.clear();
      for (const auto& [id, count] : links) counts.push_back({count, id});
      const std::vector<int32_t> best = most_counted(std::move(counts), options.best);
      lists.targets.insert(lists.targets.end(), best.begin(), best.end());
      lists.offsets.push_back(static_cast<int64_t>(lists.targets.size()));
    }
    // Names go from one language to the other as they are.
    lists.with_source = shared_;
    return Shortlist(std::move(lists), static_cast<int64_t>(source_.size()),
                     static_cast<int64_t>(target_.size()));
  }

  void judge(LearntShortlist& learnt) const {
    int64_t candidates = 0, pieces = 0, covered = 0;
    for (const NumberedPair& pair : ids_) {
      const std::vector<int32_t> found = learnt.shortlist.candidates(pair.source);
      candidates += static_cast<int64_t>(found.size());
      pieces += static_cast<int64_t>(pair.target.size());
      covered += std::ranges::count_if(
          pair.target, [&](int32_t id) { return std::ranges::binary_search(found, id); });
    }
    learnt.candidates = static_cast<double>(candidates) / static_cast<double>(ids_.size());
    learnt.covered =
        static_cast<double>(covered) / static_cast<double>(std::max<int64_t>(pieces, 1));
  }

 private:
  void count(const NumberedPair& ids, std::span<const ProbableLink> links) {
    for (const int32_t id : ids.target) ++target_counts_[static_cast<size_t>(id)];
    for (const auto& [link, probability] : links)
      links_[static_cast<size_t>(ids.source[static_cast<size_t>(link.source)])]
            [ids.target[static_cast<size_t>(link.target)]] += probability;
  }

  bool shared_;
  Pieces source_, target_;
  Workers& workers_;
  std::vector<NumberedPair> ids_, numbered_;
  // Of each source piece: targets, and how many links to them are to be expected.
  std::vector<std::map<int32_t, double>> links_;
  std::vector<double> target_counts_;
};

}  // namespace

LearntShortlist learn_shortlist(const CorpusInput& input, const Vocabulary& source,
                                const Vocabulary& target, const ShortlistOptions& options,
                                Workers& workers, const WordAligner::Progress& progress) {
  ShortlistLearner learner(source, target, workers);
  const CorpusReport report = learner.read(input);
  learner.count_links(progress);
  LearntShortlist learnt{.shortlist = learner.shortlist(options), .report = report};
  learner.judge(learnt);
  return learnt;
}

ShortlistVocabularies load_shortlist_vocabularies(const std::filesystem::path& folder) {
  require(!is_model_of_another_tool(folder), ErrorKind::usage,
          "{}: is a model of another tool; `heed convert FROM TO` makes one of heed of it",
          folder.string());
  const ModelFolder model = load_model_folder(folder);
  require(!std::holds_alternative<LanguageModelConfig>(model.config), ErrorKind::usage,
          "{}: is a language model, which does not translate and needs no shortlist",
          folder.string());
  return {model.source, model.target};
}

}  // namespace heed
