#include "heed/runs/attention_watch.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/head_table.h"
#include "heed/runs/attention_text.h"

namespace heed {

AttentionWatch::AttentionWatch(std::vector<WatchedSentence> sentences,
                               const CorpusStore& validation, Vocabulary source, Vocabulary target,
                               const Model& model, const WatchOptions& options)
    : sentences_(std::move(sentences)),
      source_(std::move(source)),
      target_(std::move(target)),
      options_(options) {
  require(!all_heads(model.head_counts()).empty(), ErrorKind::usage,
          "--watch: this model has no attention to look at");
  options_.max_length = std::min(options_.max_length, model.max_length());
  for (const WatchedSentence& sentence : sentences_) {
    check(sentence.source, source_, sentence.where + ": the sentence to watch");
    if (sentence.target) check(*sentence.target, target_, sentence.where + ": the translation");
  }
  choose_pairs(validation);
}

int64_t AttentionWatch::tokens_of(const std::string& line, const Vocabulary& vocabulary) const {
  return static_cast<int64_t>(vocabulary.encode(line).size()) + 1;
}

void AttentionWatch::check(const std::string& line, const Vocabulary& vocabulary,
                           const std::string& where) const {
  const int64_t tokens = tokens_of(line, vocabulary);
  require(tokens > 1, "{} has no word that the model can read", where);
  require(tokens <= options_.max_length,
          "{} has {} tokens with its end, but the model takes at most {}", where, tokens,
          options_.max_length);
}

void AttentionWatch::choose_pairs(const CorpusStore& validation) {
  const SourceTags tags(source_, options_.tags);
  const auto fits = [&](std::string_view line, const Vocabulary& vocabulary, const TagIds& tag) {
    return tokens_of(std::string(line), vocabulary) + std::ssize(tag) <= options_.max_length;
  };
  for (int64_t chunk = 0; chunk < validation.chunks(); ++chunk)
    for (const PairView& pair : validation.read(chunk).pairs) {
      if (static_cast<int>(sources_.size()) == options_.pairs) return;
      const TagIds& tag = tags.ids_of(pair.tag);
      if (!fits(pair.source, source_, tag) || !fits(pair.target, target_, {})) continue;
      tags_.push_back(tag);
      sources_.emplace_back(pair.source);
      references_.emplace_back(pair.target);
    }
}

WatchedStep AttentionWatch::look(const Model& model, int64_t step, Workers& workers) const {
  const ModelFolder folder{.config = {},
                           .model = model.with_gates({}),
                           .source = source_,
                           .target = target_,
                           .lengths = options_.lengths,
                           .notes = {.tags = options_.tags}};
  const AttentionViewer viewer(folder, {.beam = options_.beam, .max_length = options_.max_length});
  WatchedStep seen{.step = step,
                   .pairs = static_cast<int64_t>(sources_.size()),
                   .heads = page_rows(describe_heads(
                       model, {source_, target_, sources_, references_, tags_}, workers)),
                   .sentences = {}};
  for (const WatchedSentence& sentence : sentences_)
    seen.sentences.push_back({.given = sentence.target.has_value(),
                              .view = sentence.target
                                          ? viewer.look_at(sentence.source, *sentence.target)
                                          : viewer.find(sentence.source).front()});
  return seen;
}

}  // namespace heed
