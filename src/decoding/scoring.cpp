#include "heed/decoding/scoring.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "heed/autograd/linear.h"
#include "heed/base/error.h"
#include "heed/kernels/top_k.h"

namespace heed {

namespace {

// Rows of scores over the whole vocabulary in memory at once.
constexpr int64_t most_rows = 256;

// Log-probabilities of the targets, one for each row of scores.
void score_targets(const Tensor& scores, std::span<const int32_t> targets,
                   std::vector<double>& found) {
  const kernels::MatrixView<const float> rows = scores.matrix<float>();
  std::vector<int32_t> best(targets.size());
  std::vector<float> log_probabilities(targets.size());
  kernels::log_softmax_top_k(scores.span<float>(), rows.columns, 1, best, log_probabilities);
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    found.push_back(static_cast<double>(rows(row, targets[i])) -
                    static_cast<double>(rows(row, best[i])) +
                    static_cast<double>(log_probabilities[i]));
    require(std::isfinite(found.back()), "score: the model's scores of a token are not numbers");
  }
}

using Ids = std::vector<int32_t>;

std::vector<Ids> encoded(std::span<const std::string> lines, const Vocabulary& vocabulary,
                         std::span<const TagIds> tags = {}) {
  std::vector<Ids> sentences;
  for (const std::string& line : lines) {
    Ids& ids = sentences.emplace_back(tag_of_line(tags, sentences.size()));
    const Ids own = vocabulary.encode(line);
    ids.insert(ids.end(), own.begin(), own.end());
    ids.push_back(Vocabulary::end);
  }
  return sentences;
}

// Groups pairs of similar length, longest first.
std::vector<std::vector<size_t>> batches_of(const std::vector<Ids>& source,
                                            const std::vector<Ids>& target) {
  constexpr size_t most_tokens = 1024;  // of the longer side
  const auto length = [&](size_t pair) {
    return std::max(source[pair].size(), target[pair].size());
  };
  std::vector<size_t> order(source.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), length);
  std::vector<std::vector<size_t>> batches;
  for (const size_t pair : order) {
    if (batches.empty() ||
        (batches.back().size() + 1) * length(batches.back().front()) > most_tokens)
      batches.emplace_back();
    batches.back().push_back(pair);
  }
  return batches;
}

Batch batch_of(const std::vector<size_t>& pairs, const std::vector<Ids>& source,
               const std::vector<Ids>& target) {
  const auto chosen = [&](const std::vector<Ids>& side) {
    std::vector<Ids> sentences;
    for (const size_t pair : pairs) sentences.push_back(side[pair]);
    return join_sentences(sentences);
  };
  return {chosen(source), chosen(target)};
}

}  // namespace

std::vector<LineScore> score_lines(const PredictingModel& model, const Vocabulary& source,
                                   const Vocabulary& target,
                                   std::span<const std::string> source_lines,
                                   std::span<const std::string> target_lines, Workers& workers,
                                   const ScoringOptions& options) {
  require(source_lines.size() == target_lines.size(), "score: {} source lines but {} target lines",
          source_lines.size(), target_lines.size());
  const std::vector<Ids> source_ids = encoded(source_lines, source, options.tags),
                         target_ids = encoded(target_lines, target);
  for (size_t line = 0; line < source_ids.size(); ++line) {
    const size_t pair = options.first + line;
    const auto tokens =
        static_cast<int64_t>(std::max(source_ids[line].size(), target_ids[line].size()));
    require(tokens <= model.max_length(),
            "score: pair {} has {} tokens, but the model reads at most {}", pair, tokens,
            model.max_length());
    require(tokens <= options.max_length, "score: pair {} has {} tokens, but at most {} are scored",
            pair, tokens, options.max_length);
  }
  const std::vector<std::vector<size_t>> batches = batches_of(source_ids, target_ids);
  std::vector<LineScore> results(source_lines.size());
  workers.run(static_cast<int64_t>(batches.size()), [&](int64_t index, int) {
    const std::vector<size_t>& pairs = batches[index];
    const std::vector<TokenScores> found =
        score_pairs(model, batch_of(pairs, source_ids, target_ids));
    for (size_t i = 0; i < pairs.size(); ++i)
      results[pairs[i]] = {std::accumulate(found[i].begin(), found[i].end(), 0.0),
                           static_cast<int64_t>(found[i].size()),
                           word_scores(found[i], target_ids[pairs[i]], target)};
  });
  return results;
}

std::vector<TextScore> score_texts(const PredictingModel& model, const Vocabulary& vocabulary,
                                   std::span<const std::string> lines, Workers& workers,
                                   const ScoringOptions& options) {
  std::vector<Ids> texts;
  for (const std::string& line : lines) {
    texts.push_back(vocabulary.encode(line));
    const auto tokens = static_cast<int64_t>(texts.back().size());
    const size_t number = options.first + texts.size() - 1;
    require(tokens <= model.max_length(),
            "score: text {} has {} tokens, but the model reads at most {}", number, tokens,
            model.max_length());
    require(tokens <= options.max_length, "score: text {} has {} tokens, but at most {} are scored",
            number, tokens, options.max_length);
  }
  const std::vector<Ids> nothing(texts.size());
  const std::vector<std::vector<size_t>> batches = batches_of(nothing, texts);
  std::vector<TextScore> results(lines.size());
  workers.run(static_cast<int64_t>(batches.size()), [&](int64_t index, int) {
    const std::vector<size_t>& chosen = batches[index];
    std::vector<TokenScores> found = score_pairs(model, batch_of(chosen, nothing, texts));
    for (size_t i = 0; i < chosen.size(); ++i)
      results[chosen[i]] = {texts[chosen[i]], std::move(found[i])};
  });
  return results;
}

namespace {

// What a window that begins there reads first: up to `most` tokens before it, among them the start
// of the text, but not the last, which the window reads as its own first token.
std::vector<int32_t> tokens_before(std::span<const int32_t> ids, size_t begin, size_t most,
                                   int32_t start) {
  if (begin == 0) return {};
  const size_t last = begin - 1, first = last - std::min(last, most);
  std::vector<int32_t> earlier(ids.begin() + first, ids.begin() + last);
  if (earlier.size() < most) earlier.insert(earlier.begin(), start);
  return earlier;
}

}  // namespace

TextScore score_document(const PredictingModel& model, const Vocabulary& vocabulary,
                         std::string_view text, Workers& workers) {
  TextScore result;
  result.ids = vocabulary.encode(text);
  result.ids.push_back(Vocabulary::end);
  const std::span<const int32_t> ids = result.ids;
  const auto context = static_cast<size_t>(std::min(model.max_length(), std::ssize(ids)));
  // A window reads `before` tokens that other windows score, and scores as many as follow.
  const size_t before = context / 2, window = std::max<size_t>(context - before, 1);
  result.tokens.resize(ids.size());
  const size_t windows = (ids.size() + window - 1) / window;
  workers.run(static_cast<int64_t>(windows), [&](int64_t index, int) {
    const size_t begin = static_cast<size_t>(index) * window;
    const size_t end = std::min(begin + window, ids.size());
    const std::vector<int32_t> earlier = tokens_before(ids, begin, before, vocabulary.start());
    const std::vector<int32_t> scored(ids.begin() + begin, ids.begin() + end);
    const Batch batch = {join_sentences(std::span(&earlier, 1)),
                         join_sentences(std::span(&scored, 1)),
                         {begin == 0 ? start_token : ids[begin - 1]}};
    std::ranges::copy(score_pairs(model, batch).front(), result.tokens.begin() + begin);
  });
  return result;
}

std::vector<TokenScores> score_pairs(const PredictingModel& model, const Batch& batch) {
  Tape tape({.record = false});
  const Tensor features = model.features(tape, batch).value();
  const OutputLayer output = model.output_layer();
  const std::span<const int32_t> targets = batch.target.ids;
  std::vector<double> found;
  for (int64_t begin = 0; begin < features.shape()[0]; begin += most_rows) {
    const int64_t end = std::min(begin + most_rows, features.shape()[0]);
    Tape rows({.record = false});  // its memory is free again after each
    const Variable bias = output.bias.present() ? rows.constant(output.bias) : Variable();
    const Variable scores =
        linear(rows.constant(features.slice(begin, end)), rows.constant(output.weight), bias);
    score_targets(scores.value(),
                  targets.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)),
                  found);
  }
  std::vector<TokenScores> sentences;
  for (int64_t s = 0; s < batch.sentences(); ++s)
    sentences.emplace_back(found.begin() + batch.target.layout.begin(s),
                           found.begin() + batch.target.layout.end(s));
  return sentences;
}

std::vector<double> word_scores(const TokenScores& scores, std::span<const int32_t> target_ids,
                                const Vocabulary& target) {
  require(scores.size() == target_ids.size(), "word scores: {} scores for {} tokens", scores.size(),
          target_ids.size());
  const std::vector<bool> starts = target.word_starts(target_ids);
  std::vector<double> words;
  for (size_t i = 0; i < scores.size(); ++i)
    if (words.empty() || target_ids[i] == Vocabulary::end || starts[i])
      words.push_back(scores[i]);
    else
      words.back() += scores[i];
  return words;
}

}  // namespace heed
