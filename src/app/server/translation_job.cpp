#include "heed/server/translation_job.h"

#include <algorithm>
#include <mutex>
#include <span>

#include "heed/base/error.h"

namespace heed {

namespace {

// The link whose range on one side begins with, or holds, this place; null if there is none.
const TextLink* link_at(const std::vector<TextLink>& links, TextRange TextLink::*side,
                        size_t place) {
  const auto found = std::ranges::find_if(links, [&](const TextLink& link) {
    return (link.*side).begin <= place && place < (link.*side).end;
  });
  return found == links.end() ? nullptr : &*found;
}

// A sentence of one of the documents, in this round.
struct RunningSentence {
  size_t document;
  bool needs_links;
  SentenceResult result;
};

class RunningJob : public std::enable_shared_from_this<RunningJob> {
 public:
  RunningJob(TranslationJob job, std::function<void(JobResult)> done)
      : job_(std::move(job)), done_(std::move(done)), texts_(job_.texts.size()) {
    for (const auto& model : job_.path)
      variants_.push_back(
          model->variant(&model == &job_.path.back() ? job_.without : std::vector<HeadName>()));
    for (size_t i = 0; i < job_.texts.size(); ++i)
      if (variants_.empty())
        texts_[i].text = std::move(job_.texts[i]);
      else
        documents_.emplace_back(std::move(job_.texts[i]), job_.document);
  }

  // Sentences whose placeholders did not come through are translated once more, so there may be
  // several rounds.
  void start_round() {
    sentences_.clear();
    for (size_t i = 0; i < documents_.size(); ++i)
      for (const PendingSentence& pending : documents_[i].pending())
        sentences_.push_back({i, pending.needs_links || job_.wants_links, {pending.text}});
    if (sentences_.empty()) return finish();
    pass(0);
  }

 private:
  // Through the models from number `model` on.
  void pass(size_t model) {
    const bool is_last = model + 1 == variants_.size();
    std::vector<TranslationRequest> requests;
    for (const RunningSentence& sentence : sentences_)
      requests.push_back({.text = model == 0 ? sentence.result.source : sentence.result.pivot,
                          .options = is_last ? job_.search : job_.path[model]->usual_search(),
                          .prefix = is_last ? job_.prefix : std::string(),
                          .tag = is_last ? job_.tag : std::string(),
                          .want_links = sentence.needs_links,
                          .stop = job_.stop,
                          .deadline = job_.deadline});
    left_ = requests.size();
    arrived_.assign(requests.size(), false);
    next_ = 0;
    variants_[model]->translator->submit(
        std::move(requests),
        [self = shared_from_this(), model, is_last](size_t line, TranslationResult result) {
          self->take(line, std::move(result), model, is_last);
        });
  }

  void take(size_t line, TranslationResult result, size_t model, bool is_last) noexcept {
    bool all = false;
    try {
      const std::lock_guard lock(mutex_);
      if (result.error && !error_) error_ = result.error;
      store(sentences_[line].result, std::move(result.translations), is_last);
      arrived_[line] = true;
      all = --left_ == 0;
      if (is_last && job_.seen && is_first_round_ && !error_)
        for (; next_ < arrived_.size() && arrived_[next_]; ++next_)
          job_.seen(sentences_[next_].document, sentences_[next_].result);
    } catch (...) {
      error_ = std::current_exception();
    }
    if (!all) return;
    try {
      if (error_) return finish();
      is_last ? end_round() : pass(model + 1);
    } catch (...) {
      error_ = std::current_exception();
      finish();
    }
  }

  void store(SentenceResult& sentence, std::vector<Translation> translations, bool is_last) const {
    if (!is_last) {
      if (translations.empty()) return;
      sentence.pivot = std::move(translations.front().text);
      sentence.pivot_links = std::move(translations.front().links);
      return;
    }
    if (variants_.size() > 1)
      for (Translation& translation : translations)
        translation.links = composed(sentence.pivot_links, translation.links);
    sentence.best = std::move(translations);
  }

  void end_round() {
    size_t first = 0;
    for (size_t i = 0; i < documents_.size(); ++i) {
      const size_t count = documents_[i].pending().size();
      const std::span<RunningSentence> own(sentences_.data() + first, count);
      first += count;
      if (is_first_round_) add_alternatives(i, own);
      documents_[i].take(ranked(own, 0));
      if (is_first_round_)
        for (RunningSentence& sentence : own)
          texts_[i].sentences.push_back(std::move(sentence.result));
    }
    is_first_round_ = false;
    start_round();
  }

  // Those that need no second round.
  void add_alternatives(size_t text, std::span<const RunningSentence> sentences) {
    size_t most = 0;
    for (const RunningSentence& sentence : sentences)
      most = std::max(most, sentence.result.best.size());
    for (size_t rank = 1; rank < most; ++rank) {
      Document other = documents_[text];
      other.take(ranked(sentences, rank));
      if (other.pending().empty()) texts_[text].alternatives.push_back(other.finish().text);
    }
  }

  // Of each sentence the translation of this rank, or its last one.
  static std::vector<TranslatedSentence> ranked(std::span<const RunningSentence> sentences,
                                                size_t rank) {
    std::vector<TranslatedSentence> chosen;
    for (const RunningSentence& sentence : sentences) {
      const std::vector<Translation>& best = sentence.result.best;
      if (best.empty()) {
        chosen.emplace_back();
      } else {
        const Translation& own = best[std::min(rank, best.size() - 1)];
        chosen.push_back({own.text, own.links});
      }
    }
    return chosen;
  }

  void finish() noexcept {
    JobResult result{{}, error_};
    try {
      if (!error_) result.texts = finished();
    } catch (...) {
      result.error = std::current_exception();
    }
    // A thread of the translator may keep this object for a while; nothing waits for that.
    const std::function<void(JobResult)> done = std::move(done_);
    variants_.clear();
    job_ = {};
    documents_.clear();
    done(std::move(result));
  }

  std::vector<TranslatedText> finished() {
    for (size_t i = 0; i < documents_.size(); ++i) {
      FinishedDocument document = documents_[i].finish();
      TranslatedText& text = texts_[i];
      text.text = std::move(document.text);
      text.reported = std::move(document.reported);
      std::vector<std::string> different;
      for (std::string& other : text.alternatives)
        if (other != text.text && std::ranges::find(different, other) == different.end())
          different.push_back(std::move(other));
      text.alternatives = std::move(different);
    }
    return std::move(texts_);
  }

  TranslationJob job_;
  std::function<void(JobResult)> done_;
  std::vector<TranslatedText> texts_;
  std::vector<Document> documents_;
  std::vector<std::shared_ptr<const ModelVariant>> variants_;

  // Of the round. What the mutex guards is touched by several threads only between pass and the
  // last sentence.
  std::mutex mutex_;
  std::vector<RunningSentence> sentences_;
  std::vector<bool> arrived_;
  size_t left_ = 0, next_ = 0;
  bool is_first_round_ = true;
  std::exception_ptr error_;
};

}  // namespace

void start_job(TranslationJob job, std::function<void(JobResult)> done) {
  std::make_shared<RunningJob>(std::move(job), std::move(done))->start_round();
}

TextLinks composed(const TextLinks& first, const TextLinks& second) {
  TextLinks links;
  for (const TextLink& link : second.of_target)
    if (const TextLink* before = link_at(first.of_target, &TextLink::target, link.source.begin))
      links.of_target.push_back({before->source, link.target});
  for (const TextLink& link : first.of_source)
    if (const TextLink* after = link_at(second.of_source, &TextLink::source, link.target.begin))
      links.of_source.push_back({link.source, after->target});
  return links;
}

}  // namespace heed
