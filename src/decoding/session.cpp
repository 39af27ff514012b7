#include "heed/decoding/session.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

std::optional<AttentionChoice> wanted_attention(const SentenceSearch& search) {
  const SearchOptions& options = *search.request().options;
  if (!options.want_attention) return std::nullopt;
  return options.attention;
}

bool same_choice(const std::optional<AttentionChoice>& a, const std::optional<AttentionChoice>& b) {
  if (!a || !b) return !a && !b;
  return a->layer == b->layer && a->head == b->head;
}

}  // namespace

Session::Session(const Generator& model, const SentenceBounds& bounds)
    : model_(model), bounds_(bounds) {}

Session::Id Session::add(Request request) {
  if (!request.candidates.empty()) {
    if (!decoder_) decoder_ = model_.make_decoder();
    if (!decoder_->scores_candidates()) request.candidates.clear();
  }
  const int64_t most = model_.max_length();
  require(static_cast<int64_t>(request.prefix.size()) < most,
          "search: a prefix of {} tokens, but the model writes at most {}", request.prefix.size(),
          most);
  if (request.options != nullptr && request.options->context_length > most) {
    SearchOptions bounded = *request.options;
    bounded.context_length = most;
    request.options = std::make_shared<const SearchOptions>(std::move(bounded));
  }
  newcomers_.push_back({next_id_, make_search(std::move(request), bounds_)});
  return next_id_++;
}

void Session::cancel(Id id) {
  std::erase_if(newcomers_, [&](const Sentence& sentence) { return sentence.id == id; });
  for (Sentence& sentence : sentences_)
    if (sentence.id == id) sentence.search = nullptr;
}

int64_t Session::sentences() const {
  const auto going_on = std::ranges::count_if(
      sentences_, [](const Sentence& sentence) { return sentence.search != nullptr; });
  return going_on + static_cast<int64_t>(newcomers_.size());
}

int64_t Session::rows() const {
  int64_t count = 0;
  for (const auto* list : {&sentences_, &newcomers_})
    for (const Sentence& sentence : *list)
      if (sentence.search) count += static_cast<int64_t>(sentence.search->rows().size());
  return count;
}

void Session::step() {
  try {
    take_step();
  } catch (...) {
    // Nobody knows what the decoder has done of the step.
    sentences_.clear();
    newcomers_.clear();
    finished_.clear();
    decoder_ = nullptr;
    throw;
  }
}

void Session::take_step() {
  if (!decoder_) decoder_ = model_.make_decoder();
  select_rows(0);
  encode_newcomers();
  if (sentences_.empty()) return;
  Tensor scores = decoder_->step(next_tokens());
  const Tensor attention = decoder_->attention();
  int64_t row = 0;
  for (Sentence& sentence : sentences_) {
    const int64_t end = row + sentence.rows;
    const bool looks = attention.present() && wanted_attention(*sentence.search);
    kernels::MatrixView<float> own = scores.slice(row, end).matrix<float>();
    const auto candidates = static_cast<int64_t>(sentence.search->request().candidates.size());
    if (candidates > 0) own.columns = candidates;
    try {
      sentence.search->advance(own, looks ? attention.slice(row, end).matrix<float>()
                                          : kernels::MatrixView<const float>{});
    } catch (const Error&) {
      finish(sentence, std::current_exception());
    }
    if (sentence.search && sentence.search->rows().empty()) finish(sentence);
    row = end;
  }
}

void Session::finish(Sentence& sentence, std::exception_ptr error) {
  finished_.push_back({sentence.id, {}, error});
  if (!error) finished_.back().hypotheses = sentence.search->take_results();
  sentence.search = nullptr;
}

// Brings the decoder's rows into the order of the searches, without those that have left. Sentences
// before the first that is named have their rows already.
void Session::select_rows(size_t first_sentence) {
  std::vector<int64_t> from;
  int64_t rows = 0;
  for (size_t i = 0; i < sentences_.size(); ++i) {
    Sentence& sentence = sentences_[i];
    const auto next =
        sentence.search ? std::span(sentence.search->rows()) : std::span<const NextRow>();
    for (size_t row = 0; row < next.size(); ++row)
      from.push_back(rows + (i < first_sentence ? static_cast<int64_t>(row) : next[row].from));
    rows += std::exchange(sentence.rows, static_cast<int64_t>(next.size()));
  }
  std::erase_if(sentences_, [](const Sentence& sentence) { return !sentence.search; });
  // Often nobody changes places, in greedy search always: then a decoder need not move its memory.
  const bool unchanged = static_cast<int64_t>(from.size()) == rows &&
                         std::ranges::is_sorted(from) &&
                         std::ranges::adjacent_find(from) == from.end();
  if (!unchanged) decoder_->select(from);
}

// Those with the same wish for attention go through the encoder together.
void Session::encode_newcomers() {
  if (newcomers_.empty()) return;
  const size_t settled = sentences_.size();
  std::vector<Sentence> joining = std::exchange(newcomers_, {});
  for (size_t begin = 0, end = 0; begin < joining.size(); begin = end) {
    const std::optional<AttentionChoice> attention = wanted_attention(*joining[begin].search);
    while (end < joining.size() && same_choice(wanted_attention(*joining[end].search), attention))
      ++end;
    encode(std::span(joining).subspan(begin, end - begin));
  }
  select_rows(settled);  // some begin with several rows
}

void Session::encode(std::span<Sentence> joining) {
  std::vector<std::vector<int32_t>> sources;
  for (const Sentence& sentence : joining) sources.push_back(sentence.search->request().source);
  const bool limits = std::ranges::any_of(joining, [](const Sentence& sentence) {
    return !sentence.search->request().candidates.empty();
  });
  std::vector<std::vector<int32_t>> candidates;
  for (const Sentence& sentence : joining)
    if (limits) candidates.push_back(sentence.search->request().candidates);
  try {
    decoder_->set_candidates(candidates);
    decoder_->add(join_sentences(sources), wanted_attention(*joining.front().search));
    std::ranges::move(joining, std::back_inserter(sentences_));
  } catch (const Error&) {
    // One of them does not suit the model: which one shows when each goes by itself.
    if (joining.size() == 1) return finish(joining.front(), std::current_exception());
    for (size_t i = 0; i < joining.size(); ++i) encode(joining.subspan(i, 1));
  }
}

std::vector<int32_t> Session::next_tokens() const {
  std::vector<int32_t> tokens;
  for (const Sentence& sentence : sentences_)
    for (const NextRow& row : sentence.search->rows()) tokens.push_back(row.token);
  return tokens;
}

std::vector<Session::Finished> Session::take_finished() { return std::exchange(finished_, {}); }

std::vector<std::vector<Hypothesis>> search_translations(const Generator& model,
                                                         const TokenBatch& source,
                                                         const SentenceBounds& bounds,
                                                         const SearchOptions& options,
                                                         TargetPrefixes prefixes) {
  const auto sentences = static_cast<size_t>(source.layout.sequences());
  require(prefixes.empty() || prefixes.size() == sentences, "search: {} prefixes for {} sentences",
          prefixes.size(), sentences);
  const auto shared = std::make_shared<const SearchOptions>(options);
  Session session(model, bounds);
  for (size_t i = 0; i < sentences; ++i) {
    const std::span<const int32_t> ids = source.sentence(static_cast<int64_t>(i));
    session.add({.source = {ids.begin(), ids.end()},
                 .options = shared,
                 .prefix = prefixes.empty() ? std::vector<int32_t>() : prefixes[i]});
  }
  std::vector<std::vector<Hypothesis>> results(sentences);
  while (!session.empty()) {
    session.step();
    for (Session::Finished& finished : session.take_finished()) {
      if (finished.error) std::rethrow_exception(finished.error);
      results[finished.id] = std::move(finished.hypotheses);
    }
  }
  return results;
}

}  // namespace heed
