#include "heed/decoding/head_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "heed/attention/word_weights.h"
#include "heed/base/error.h"
#include "heed/decoding/scoring.h"
#include "heed/decoding/word_alignment.h"

namespace heed {

namespace {

using Ids = std::vector<int32_t>;
using Sums = HeadTableSums;
using Occurrences = std::unordered_map<int32_t, int64_t>;

// Sentences whose sums are in memory at once.
constexpr size_t most_sentences = 256;

struct EncodedPair {
  Ids source, target;     // with the ends; one of them is empty where a model reads one text
  size_t tag_tokens = 0;  // at the beginning of the source
};

// What is looked at, and with which model.
struct LookedAt {
  HeadCounts counts;
  int64_t max_length;     // of the model
  std::string_view line;  // what one of the lines is called in errors
  std::function<bool(int32_t)> is_special;
  std::function<Recording(const EncodedPair&)> record;
  std::vector<EncodedPair> lines = {};
  const ParallelText* pairs = nullptr;  // whose words have gold links
};

template <typename T>
void add_all(std::vector<T>& into, const std::vector<T>& other) {
  if (into.empty()) into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) into[i] += other[i];
}

void add(Sums& into, const Sums& other) {
  add_all(into.heads, other.heads);
  add_all(into.importance, other.importance);
  add_all(into.alignment, other.alignment);
  add_all(into.layers, other.layers);
  into.log_probability += other.log_probability;
  into.tokens += other.tokens;
  into.predicted += other.predicted;
}

Ids encoded(const std::string& line, const Vocabulary& vocabulary, const TagIds& tag = {}) {
  Ids ids = tag;
  const Ids own = vocabulary.encode(line);
  ids.insert(ids.end(), own.begin(), own.end());
  ids.push_back(Vocabulary::end);
  return ids;
}

// Of each of some tokens; 0 for those that are special.
std::vector<int64_t> occurrences_of(const Ids& ids, const Occurrences& occurrences) {
  std::vector<int64_t> found;
  for (const int32_t id : ids) {
    const auto entry = occurrences.find(id);
    found.push_back(entry == occurrences.end() ? 0 : entry->second);
  }
  return found;
}

Tensor mean_of_heads(const RecordedPart& part, AttentionPart which, int64_t layer) {
  const Shape& shape = part.weights.shape();
  Tensor mean = Tensor::zeros({shape[2], shape[3]});
  for (int64_t head = 1; head <= shape[1]; ++head) {
    const Tensor weights = part.weights_of({which, layer, head});
    for (size_t i = 0; i < mean.span<float>().size(); ++i)
      mean.span<float>()[i] += weights.span<float>()[i] / static_cast<float>(shape[1]);
  }
  return mean;
}

// All but the alignment.
Sums sums_of(const Recording& recording, const std::vector<HeadName>& names,
             const Occurrences& source_occurrences, const Occurrences& target_occurrences) {
  Sums sums;
  sums.log_probability =
      std::accumulate(recording.log_probabilities.begin(), recording.log_probabilities.end(), 0.0);
  const Ids& counted = recording.target.empty() ? recording.source : recording.target;
  sums.tokens = static_cast<int64_t>(counted.size());
  sums.predicted = static_cast<int64_t>(recording.log_probabilities.size());
  const std::vector<int64_t> source = occurrences_of(recording.source, source_occurrences),
                             read = occurrences_of(recording.read, target_occurrences);
  for (const HeadName& name : names) {
    const RecordedPart& part = recording.part(name.part);
    const bool decoder = name.part == AttentionPart::decoder;
    sums.heads.push_back(sum_head(
        part.weights_of(name).matrix<float>(),
        {.part = name.part, .occurrences = decoder ? read : source, .ends = recording.ends}));
    if (part.importance.present())
      sums.importance.push_back(part.importance.matrix<double>()(name.layer - 1, name.head - 1));
  }
  return sums;
}

// One line of the text after the other, through the model.
class Describer {
 public:
  Describer(const LookedAt& looked_at, const HeadTableOptions& options)
      : looked_at_(looked_at), options_(options), names_(all_heads(looked_at.counts)) {
    require(options.gold.empty() || options.gold.size() == looked_at.lines.size(),
            "heads: gold links of {} pairs, but there are {}", options.gold.size(),
            looked_at.lines.size());
    for (size_t i = 0; i < looked_at.lines.size(); ++i) {
      check(i);
      count(std::span(looked_at.lines[i].source).subspan(looked_at.lines[i].tag_tokens),
            source_occurrences_);
      count(looked_at.lines[i].target, target_occurrences_);
    }
  }

  const std::vector<HeadName>& names() const { return names_; }

  Sums run(Workers& workers) const {
    Sums total;
    for (size_t begin = 0; begin < looked_at_.lines.size(); begin += most_sentences) {
      std::vector<Sums> found(std::min(most_sentences, looked_at_.lines.size() - begin));
      workers.run(static_cast<int64_t>(found.size()), [&](int64_t index, int) {
        const auto i = static_cast<size_t>(index);
        found[i] = describe(begin + i);
      });
      // In their order, so that the sums do not depend on the workers.
      for (const Sums& sums : found) add(total, sums);
    }
    return total;
  }

 private:
  void check(size_t i) const {
    const EncodedPair& pair = looked_at_.lines[i];
    const auto tokens = static_cast<int64_t>(std::max(pair.source.size(), pair.target.size()));
    const int64_t most = std::min(options_.max_length, looked_at_.max_length);
    require(tokens <= most, "heads: {} {} has {} tokens, but at most {} are looked at",
            looked_at_.line, options_.first + i, tokens, most);
  }

  void count(std::span<const int32_t> ids, Occurrences& occurrences) const {
    for (const int32_t id : ids)
      if (!looked_at_.is_special(id)) ++occurrences[id];
  }

  Sums describe(size_t i) const {
    const Recording recording = looked_at_.record(looked_at_.lines[i]);
    Sums sums = sums_of(recording, names_, source_occurrences_, target_occurrences_);
    if (!options_.gold.empty() && recording.part(AttentionPart::cross).weights.present())
      add_alignment(i, recording, sums);
    return sums;
  }

  void add_alignment(size_t i, const Recording& recording, Sums& sums) const {
    const ParallelText& text = *looked_at_.pairs;
    const std::vector<int64_t> source = words_of(recording.source, text.source_vocabulary,
                                                 looked_at_.lines[i].tag_tokens),
                               target = words_of(recording.target, text.target_vocabulary);
    const GoldLinks& gold = options_.gold[i];
    check_links(i, gold, source, target);
    const auto counts = [&](const Tensor& weights) {
      std::vector<WordLink> links;
      for (const auto& [from, to] : WordAlignment{{word_weights(weights, target, source)}}.links())
        links.push_back({from, to});
      return count_links(links, gold);
    };
    const RecordedPart& cross = recording.part(AttentionPart::cross);
    for (const HeadName& name : names_)
      sums.alignment.push_back(name.part == AttentionPart::cross ? counts(cross.weights_of(name))
                                                                 : AlignmentCounts());
    for (int64_t layer = 1; layer <= cross.weights.shape()[0]; ++layer)
      sums.layers.push_back(counts(mean_of_heads(cross, AttentionPart::cross, layer)));
  }

  void check_links(size_t i, const GoldLinks& gold, const std::vector<int64_t>& source,
                   const std::vector<int64_t>& target) const {
    const auto words = [](const std::vector<int64_t>& of) {
      return of.empty() ? 0 : *std::ranges::max_element(of) + 1;
    };
    for (const WordLink& link : gold.possible)
      require(link.source < words(source) && link.target < words(target),
              "heads: pair {} has {} source and {} target words, but a gold link between words {} "
              "and {}, counted from 1",
              options_.first + i, words(source), words(target), link.source + 1, link.target + 1);
  }

  const LookedAt& looked_at_;
  const HeadTableOptions& options_;
  std::vector<HeadName> names_;
  Occurrences source_occurrences_, target_occurrences_;
};

// Divided by the length of the vector of each layer's heads.
void add_relative_importance(std::vector<DescribedHead>& heads) {
  for (DescribedHead& head : heads) {
    double squares = 0;
    for (const DescribedHead& other : heads)
      if (other.name.part == head.name.part && other.name.layer == head.name.layer)
        squares += *other.importance * *other.importance;
    head.relative_importance = squares == 0 ? 0 : *head.importance / std::sqrt(squares);
  }
}

HeadTable table_of(const std::vector<HeadName>& names, const Sums& sums) {
  require(sums.tokens > 0, "heads: there is no text to look at");
  const auto tokens = static_cast<double>(sums.tokens);
  HeadTable table{.heads = {}, .layers = sums.layers, .tokens = sums.tokens, .cross_entropy = {}};
  if (sums.predicted > 0) table.cross_entropy = -sums.log_probability / tokens;
  for (size_t i = 0; i < names.size(); ++i) {
    DescribedHead head;
    head.name = names[i];
    head.figures = figures_of(sums.heads[i]);
    if (!sums.importance.empty()) head.importance = sums.importance[i] / tokens;
    if (!sums.alignment.empty() && head.name.part == AttentionPart::cross)
      head.alignment = sums.alignment[i];
    const std::optional<double> error_rate =
        head.alignment ? std::optional(head.alignment->error_rate()) : std::nullopt;
    head.role = role_of(head.name.part, head.figures, error_rate);
    table.heads.push_back(head);
  }
  if (!sums.importance.empty()) add_relative_importance(table.heads);
  return table;
}

LookedAt predictions_of(const AttentiveModel& model, std::string_view line,
                        const HeadTableOptions& options) {
  return {.counts = model.head_counts(),
          .max_length = model.max_length(),
          .line = line,
          .is_special = [](int32_t id) { return id == Vocabulary::end; },
          .record =
              [&model, gradients = options.importance](const EncodedPair& pair) {
                return record(model, pair.source, pair.target, {.gradients = gradients});
              }};
}

HeadTable described(const LookedAt& looked_at, Workers& workers, const HeadTableOptions& options) {
  const Describer describer(looked_at, options);
  return table_of(describer.names(), describer.run(workers));
}

// The cross-entropy per token without each of the heads; `score` gives that of a model.
std::vector<double> ablated(const Model& model, const std::function<double(const Model&)>& score) {
  std::vector<double> found;
  for (const HeadName& head : all_heads(model.head_counts()))
    found.push_back(score(*model.with_gates(std::vector{HeadGate{head, 0.0}})));
  return found;
}

}  // namespace

HeadTable describe_heads(const AttentiveModel& model, const ParallelText& text, Workers& workers,
                         const HeadTableOptions& options) {
  require(text.source.size() == text.target.size(), "heads: {} source lines but {} target lines",
          text.source.size(), text.target.size());
  LookedAt looked_at = predictions_of(model, "pair", options);
  looked_at.pairs = &text;
  for (size_t i = 0; i < text.source.size(); ++i) {
    const TagIds& tag = tag_of_line(text.tags, i);
    looked_at.lines.push_back({encoded(text.source[i], text.source_vocabulary, tag),
                               encoded(text.target[i], text.target_vocabulary), tag.size()});
  }
  return described(looked_at, workers, options);
}

HeadTable describe_heads(const AttentiveModel& model, const PlainText& text, Workers& workers,
                         const HeadTableOptions& options) {
  LookedAt looked_at = predictions_of(model, "line", options);
  for (const std::string& line : text.lines)
    looked_at.lines.push_back({{}, encoded(line, text.vocabulary)});
  return described(looked_at, workers, options);
}

HeadTable describe_heads(const EncodingModel& model, const WordPieceText& text, Workers& workers,
                         const HeadTableOptions& options) {
  LookedAt looked_at{
      .counts = model.head_counts(),
      .max_length = model.max_length(),
      .line = "line",
      .is_special = [&](int32_t id) { return text.pieces.frames(id); },
      .record =
          [&](const EncodedPair& pair) {
            return record(model, {pair.source, text.pieces.frames(pair.source.back())});
          }};
  for (const std::string& line : text.lines)
    looked_at.lines.push_back({text.pieces.encode(line), {}});
  return described(looked_at, workers, options);
}

void RecordedHeads::add(const Recording& recording) {
  heed::add(sums_, sums_of(recording, names_, {}, {}));
}

HeadTable RecordedHeads::table() const { return table_of(names_, sums_); }

std::vector<double> ablate_heads(const Model& model, const ParallelText& text, Workers& workers) {
  return ablated(model, [&](const Model& without) {
    double sum = 0;
    int64_t tokens = 0;
    for (const LineScore& score :
         score_lines(without, text.source_vocabulary, text.target_vocabulary, text.source,
                     text.target, workers, {.tags = text.tags})) {
      sum -= score.log_probability;
      tokens += score.tokens;
    }
    require(tokens > 0, "heads: there is no text to look at");
    return sum / static_cast<double>(tokens);
  });
}

std::vector<double> ablate_heads(const Model& model, const PlainText& text, Workers& workers) {
  return ablated(model, [&](const Model& without) {
    return *describe_heads(without, text, workers, {.importance = false}).cross_entropy;
  });
}

}  // namespace heed
