#include "heed/decoding/translator.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/ensemble.h"
#include "heed/decoding/folder_translator.h"
#include "heed/decoding/long_lines.h"
#include "heed/decoding/scheduler.h"
#include "heed/decoding/text_links.h"

namespace heed {

namespace {

// A line, or a part of one that is too long.
struct Part {
  std::vector<int32_t> ids;            // with the sentence's end
  std::vector<FoundTerm> terms = {};   // of the glossary
  std::vector<TextRange> pieces = {};  // bytes of the text that has the terms
  std::vector<Translation> best = {};  // what becomes of it
  std::exception_ptr error = nullptr;
  size_t same_as = 0;  // the first part with these ids, which has the translations
};

// A line whose parts are being translated.
struct PendingLine {
  std::shared_ptr<const SearchOptions> options;
  std::vector<int32_t> prefix;  // of the first part
  TagIds tag;                   // in front of every part
  std::stop_token stop;
  Deadline deadline;
  std::function<void(TranslationResult)> done;
  std::vector<Part> parts;
  // If links are wanted: the line, where its pieces are in it, and what the target's pieces mean.
  std::string text = {};
  std::vector<TextRange> pieces = {};
  std::optional<Vocabulary> target = {};
  std::atomic<size_t> left = 0;  // parts that are not done
};

// One more part of a line that had `parts` so far.
void append(Translation& line, const Translation& part, int parts) {
  line.text += ' ';
  for (const auto side : {&TextLinks::of_target, &TextLinks::of_source})
    for (TextLink link : part.links.*side) {
      link.target.begin += line.text.size();
      link.target.end += line.text.size();
      (line.links.*side).push_back(link);
    }
  line.text += part.text;
  Hypothesis& whole = line.hypothesis;
  whole.ids.insert(whole.ids.end(), part.hypothesis.ids.begin(), part.hypothesis.ids.end());
  whole.score = (whole.score * parts + part.hypothesis.score) / (parts + 1);
  whole.log_probability += part.hypothesis.log_probability;
  whole.cut = whole.cut || part.hypothesis.cut;
  line.parts = parts + 1;
  line.missing.insert(line.missing.end(), part.missing.begin(), part.missing.end());
  whole.attention = {};
  line.alignment.parts.insert(line.alignment.parts.end(), part.alignment.parts.begin(),
                              part.alignment.parts.end());
}

// Links between the line and the translation of one of its parts, of these pieces.
void link(Translation& part, const PendingLine& line, size_t first, size_t pieces) {
  const Hypothesis& found = part.hypothesis;
  if (!found.attention.present()) return;
  part.links = link_texts(found.attention, line.text, std::span(line.pieces).subspan(first, pieces),
                          part.text, line.target->decoded_ranges(found.ids));
}

// The r-th best translation of a line consists of the r-th best ones of its parts.
TranslationResult joined_parts(const PendingLine& pending) {
  const std::vector<Part>& parts = pending.parts;
  for (const Part& part : parts)
    if (part.error) return {{}, part.error};
  std::vector<Translation> line;
  size_t first = 0;  // source piece of the part
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<Translation> best = parts[parts[i].same_as].best;
    const size_t pieces = parts[i].ids.size() - 1;
    if (first + pieces <= pending.pieces.size())
      for (Translation& translation : best) link(translation, pending, first, pieces);
    first += pieces;
    if (i == 0) {
      line = std::move(best);
      continue;
    }
    line.resize(std::min(line.size(), best.size()));
    for (size_t rank = 0; rank < line.size(); ++rank)
      append(line[rank], best[rank], static_cast<int>(i));
  }
  return {std::move(line)};
}

// The same for a thread that has nobody to throw to.
TranslationResult result_of(const PendingLine& line) noexcept {
  try {
    return joined_parts(line);
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

// Of attention: what went to the tag is no part of the source.
Tensor without_first_columns(const Tensor& weights, int64_t columns) {
  const int64_t rows = weights.shape()[0], kept = weights.shape()[1] - columns;
  Tensor result = Tensor::uninitialised({rows, kept});
  for (int64_t row = 0; row < rows; ++row)
    std::ranges::copy(weights.row<float>(row).subspan(static_cast<size_t>(columns)),
                      result.row<float>(row).begin());
  return result;
}

size_t count_missing(const std::vector<Translation>& translations) {
  size_t terms = 0;
  for (const Translation& translation : translations) terms += translation.missing.size();
  return terms;
}

}  // namespace

class Translator::Engine {
 public:
  Engine(std::shared_ptr<const Generator> model, Vocabulary source, Vocabulary target,
         const TranslatorOptions& options);

  // The parts of a line as tasks; `done` gets what they become together. None for a line without a
  // word.
  std::vector<SentenceTask> tasks_of(TranslationRequest request,
                                     std::function<void(TranslationResult)> done);
  void submit(std::vector<SentenceTask> tasks) { scheduler_.submit(std::move(tasks)); }
  void work_until(const std::function<bool()>& is_done) { scheduler_.work_until(is_done); }

  const Vocabulary& source() const { return source_; }
  const Vocabulary& target() const { return target_; }
  const SearchDefaults& search() const { return options_.search; }
  const SourceTags& tags() const { return tags_; }

 private:
  int64_t longest_part(const TagIds& tag) const;
  // More tokens than those that the shortlist has for the source.
  std::vector<int32_t> candidates_of(std::span<const int32_t> source,
                                     std::span<const int32_t> more) const;
  void find_terms(PendingLine& line, const std::string& text) const;
  // A part is first translated as it is, and once more where it then lacks terms.
  enum class Round { free, with_terms };
  SentenceTask task_of(const std::shared_ptr<PendingLine>& line, size_t part, Round round);
  void finish(const std::shared_ptr<PendingLine>& line, size_t part, Round round,
              std::vector<Hypothesis> found, std::exception_ptr error) noexcept;
  bool try_with_terms(const std::shared_ptr<PendingLine>& line, size_t part);
  RequiredTerms terms_of(const Part& part) const;
  std::vector<Part> parts_of(const std::string& text, const PendingLine& line) const;
  std::shared_ptr<const SearchOptions> completed(SearchOptions options) const;
  std::vector<Translation> translations_of(const Part& part, std::vector<Hypothesis> found) const;

  Vocabulary source_, target_;
  TranslatorOptions options_;
  SourceTags tags_;
  std::shared_ptr<const WordBorders> borders_;  // of the target; null without a glossary
  int64_t max_length_;                          // that the model can read and write
  Scheduler scheduler_;
};

Translator::Engine::Engine(std::shared_ptr<const Generator> model, Vocabulary source,
                           Vocabulary target, const TranslatorOptions& options)
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      tags_(source_, options.tags),
      max_length_(model->max_length()),
      scheduler_(std::move(model), {.start = target_.start(), .end = Vocabulary::end},
                 {.threads = options.threads, .capacity = options.batch_tokens}) {
  const int64_t most = options.max_source.value_or(1);
  require(most >= 1, ErrorKind::usage,
          "translator: a maximum source length of {} but at least 1 was expected", most);
  tags_.ids_of(options.tag);  // an Error if there is no such tag
  if (options.glossary) borders_ = std::make_shared<const WordBorders>(word_borders_of(target_));
}

// A part has its end as well, and the tag in front of it.
int64_t Translator::Engine::longest_part(const TagIds& tag) const {
  const int64_t most = max_length_ - 1 - std::ssize(tag);
  require(tag.empty() || most >= 1,
          "translator: a tag of {} tokens, but the model reads at most {}", tag.size(),
          max_length_);
  return std::min(options_.max_source.value_or(options_.lengths.longest_line()), most);
}

std::shared_ptr<const SearchOptions> Translator::Engine::completed(SearchOptions options) const {
  check(options);
  options.forbidden.push_back(target_.start());
  const SearchDefaults& search = options_.search;
  if (search.never_unknown) options.forbidden.push_back(Vocabulary::unknown);
  options.narrowing = search.narrowing;
  options.word_penalty = search.word_penalty;
  if (search.max_ratio > 0 && !options.max_length && !options.max_ratio)
    options.max_ratio = search.max_ratio;
  if (options.attention.layer == 0 && options.attention.head == 0)
    options.attention = {static_cast<int>(search.alignment_layer),
                         static_cast<int>(search.alignment_head)};
  options.lengths = options_.lengths;
  options.context_length = max_length_;
  return std::make_shared<const SearchOptions>(std::move(options));
}

std::vector<Translation> Translator::Engine::translations_of(const Part& part,
                                                             std::vector<Hypothesis> found) const {
  std::vector<Translation> translations;
  for (Hypothesis& hypothesis : found) {
    Translation translation = {target_.decode(hypothesis.ids), std::move(hypothesis)};
    const Hypothesis& kept = translation.hypothesis;
    if (kept.attention.present())
      translation.alignment = align_words(kept.attention, part.ids, source_, kept.ids, target_);
    for (const FoundTerm& found_term : part.terms)
      if (!options_.glossary->is_translated(found_term.term, translation.text))
        translation.missing.push_back(found_term.term);
    translations.push_back(std::move(translation));
  }
  return translations;
}

// A translation is a function of its source, so parts that are equal are translated once: a long
// word of one letter has thousands of them. The first differs if it begins with a prefix.
std::vector<Part> Translator::Engine::parts_of(const std::string& text,
                                               const PendingLine& line) const {
  std::vector<Part> parts;
  std::map<std::vector<int32_t>, size_t> seen;
  for (std::vector<int32_t>& ids :
       cut_line(source_.encode(text), source_, longest_part(line.tag))) {
    ids.push_back(Vocabulary::end);
    const size_t place = parts.size();
    const bool is_free = place > 0 || line.prefix.empty();
    parts.push_back({.ids = std::move(ids), .same_as = place});
    if (is_free) parts.back().same_as = seen.emplace(parts.back().ids, place).first->second;
  }
  return parts;
}

std::vector<int32_t> Translator::Engine::candidates_of(std::span<const int32_t> source,
                                                       std::span<const int32_t> more) const {
  if (!options_.shortlist) return {};
  return options_.shortlist->candidates(source, more);
}

void Translator::Engine::find_terms(PendingLine& line, const std::string& text) const {
  if (!options_.glossary) return;
  for (Part& part : line.parts) {
    const std::string own = line.parts.size() == 1 ? text : source_.decode(part.ids);
    part.terms = options_.glossary->terms_in(own);
    if (!part.terms.empty()) part.pieces = source_.encoded_ranges(own);
    // A part of a line may be split in another way than the whole.
    if (part.pieces.size() + 1 != part.ids.size()) part.pieces.clear();
    // The model reads the tag first, which stands for no bytes.
    if (!part.pieces.empty())
      part.pieces.insert(part.pieces.begin(), line.tag.size(), TextRange{0, 0});
  }
}

RequiredTerms Translator::Engine::terms_of(const Part& part) const {
  return required_terms(*options_.glossary, part.terms, part.pieces, target_, borders_);
}

SentenceTask Translator::Engine::task_of(const std::shared_ptr<PendingLine>& line, size_t part,
                                         Round round) {
  const Part& own = line->parts[part];
  Request request = {.source = line->tag, .options = line->options};
  request.source.insert(request.source.end(), own.ids.begin(), own.ids.end());
  if (part == 0) request.prefix = line->prefix;
  if (round == Round::with_terms) {
    request.terms = terms_of(own);
    SearchOptions looking = *line->options;
    looking.want_attention = true;
    request.options = std::make_shared<const SearchOptions>(std::move(looking));
  }
  std::vector<int32_t> more = request.terms.all_ids();
  more.insert(more.end(), request.prefix.begin(), request.prefix.end());
  request.candidates = candidates_of(own.ids, more);
  return {.request = std::move(request),
          .done =
              [this, line, part, round](std::vector<Hypothesis> found, std::exception_ptr error) {
                finish(line, part, round, std::move(found), std::move(error));
              },
          .stop = line->stop,
          .deadline = line->deadline};
}

void Translator::Engine::finish(const std::shared_ptr<PendingLine>& line, size_t part, Round round,
                                std::vector<Hypothesis> found, std::exception_ptr error) noexcept {
  Part& own = line->parts[part];
  own.error = std::move(error);
  if (!line->options->want_attention)
    for (Hypothesis& hypothesis : found) hypothesis.attention = {};
  try {
    for (Hypothesis& hypothesis : found)
      if (hypothesis.attention.present() && !line->tag.empty())
        hypothesis.attention = without_first_columns(hypothesis.attention, std::ssize(line->tag));
    std::vector<Translation> best = translations_of(own, std::move(found));
    if (!own.error && (round == Round::free || count_missing(best) < count_missing(own.best)))
      own.best = std::move(best);
    if (!own.error && round == Round::free && try_with_terms(line, part)) return;
  } catch (...) {
    own.error = std::current_exception();
  }
  if (--line->left == 0) line->done(result_of(*line));
}

// False if that is not necessary, or in vain.
bool Translator::Engine::try_with_terms(const std::shared_ptr<PendingLine>& line, size_t part) {
  const Part& own = line->parts[part];
  const SearchOptions& options = *line->options;
  if (options.sampling || options.branch) return false;
  if (count_missing(own.best) == 0 || terms_of(own).empty()) return false;
  std::vector<SentenceTask> once_more;
  once_more.push_back(task_of(line, part, Round::with_terms));
  scheduler_.submit(std::move(once_more));
  return true;
}

std::vector<SentenceTask> Translator::Engine::tasks_of(
    TranslationRequest request, std::function<void(TranslationResult)> done) {
  request.options.want_attention = request.options.want_attention || request.want_links;
  const auto line = std::make_shared<PendingLine>();
  line->options = completed(std::move(request.options));
  line->prefix = target_.encode(request.prefix);
  line->tag = tags_.ids_of(request.tag.empty() ? options_.tag : request.tag);
  line->stop = std::move(request.stop);
  line->deadline = request.deadline;
  line->done = std::move(done);
  require(static_cast<int64_t>(line->prefix.size()) < max_length_,
          "translator: a prefix of {} tokens, but the model writes at most {}", line->prefix.size(),
          max_length_);
  line->parts = parts_of(request.text, *line);
  find_terms(*line, request.text);
  if (request.want_links) {
    line->pieces = source_.encoded_ranges(request.text);
    size_t pieces = 0;
    for (const Part& part : line->parts) pieces += part.ids.size() - 1;
    if (pieces != line->pieces.size()) line->pieces.clear();
    line->target = target_;
    line->text = std::move(request.text);
  }
  std::vector<SentenceTask> tasks;
  for (size_t part = 0; part < line->parts.size(); ++part)
    if (line->parts[part].same_as == part) tasks.push_back(task_of(line, part, Round::free));
  line->left = tasks.size();
  return tasks;
}

Translator::Translator(std::shared_ptr<const Generator> model, Vocabulary source, Vocabulary target,
                       const TranslatorOptions& options)
    : engine_(std::make_unique<Engine>(std::move(model), std::move(source), std::move(target),
                                       options)) {}

Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

Translator Translator::load(const std::filesystem::path& folder, const TranslatorOptions& options) {
  return make_translator(load_model_folder(folder), options, folder);
}

Translator Translator::load(std::span<const std::filesystem::path> folders,
                            const TranslatorOptions& options) {
  require(!folders.empty(), ErrorKind::usage, "translator: there is no model");
  if (folders.size() == 1) return load(folders[0], options);
  std::vector<std::shared_ptr<const Generator>> models;
  std::optional<Vocabulary> source, target;
  TranslatorOptions chosen;  // those of the first, with the lengths of all
  for (const std::filesystem::path& folder : folders) {
    const ModelFolder loaded = load_model_folder(folder);
    const TranslatorOptions own = options_for(loaded, options, folder);
    if (!source) source = loaded.source, target = loaded.target, chosen = own;
    require(source->bytes() == loaded.source.bytes() && target->bytes() == loaded.target.bytes(),
            ErrorKind::usage,
            "{}: its vocabularies differ from those of {}, so they cannot form an ensemble",
            folder.string(), folders[0].string());
    require(chosen.tags == own.tags, ErrorKind::usage,
            "{}: its tags differ from those of {}, so they cannot form an ensemble",
            folder.string(), folders[0].string());
    if (!models.empty()) chosen.lengths.add(own.lengths);
    models.push_back(loaded.model->prepare(own.precision));
  }
  return {std::make_shared<Ensemble>(std::move(models)), *source, *target, chosen};
}

std::future<std::vector<Translation>> Translator::submit(TranslationRequest request) const {
  const auto promise = std::make_shared<std::promise<std::vector<Translation>>>();
  std::vector<TranslationRequest> requests;
  requests.push_back(std::move(request));
  submit(std::move(requests), [promise](size_t, TranslationResult result) {
    if (result.error)
      promise->set_exception(result.error);
    else
      promise->set_value(std::move(result.translations));
  });
  return promise->get_future();
}

void Translator::submit(std::vector<TranslationRequest> requests, const Done& done) const {
  std::vector<SentenceTask> all;
  std::vector<size_t> without_words;
  for (size_t line = 0; line < requests.size(); ++line) {
    std::vector<SentenceTask> tasks = engine_->tasks_of(
        std::move(requests[line]),
        [done, line](TranslationResult result) { done(line, std::move(result)); });
    if (tasks.empty()) without_words.push_back(line);
    std::ranges::move(tasks, std::back_inserter(all));
  }
  engine_->submit(std::move(all));
  for (const size_t line : without_words) done(line, {});
}

void Translator::work_until(const std::function<bool()>& is_done) const {
  engine_->work_until(is_done);
}

std::vector<std::string> Translator::translate(std::span<const std::string> lines,
                                               const SearchOptions& options) const {
  std::vector<std::string> best;
  for (std::vector<Translation>& ranked : translate_n_best(lines, options))
    best.push_back(ranked.empty() ? std::string() : std::move(ranked.front().text));
  return best;
}

std::vector<std::string> Translator::translate(std::span<const std::string> lines) const {
  return translate(lines, usual_search(search_defaults()));
}

std::vector<std::vector<Translation>> Translator::translate_n_best(
    std::span<const std::string> lines, const SearchOptions& options,
    std::span<const std::string> prefixes) const {
  require(prefixes.empty() || prefixes.size() == lines.size(), ErrorKind::usage,
          "translator: {} prefixes for {} lines", prefixes.size(), lines.size());
  std::vector<TranslationRequest> requests;
  for (size_t i = 0; i < lines.size(); ++i)
    requests.push_back({.text = lines[i],
                        .options = options,
                        .prefix = prefixes.empty() ? std::string() : prefixes[i]});
  return translate_n_best(std::move(requests));
}

std::vector<std::vector<Translation>> Translator::translate_n_best(
    std::vector<TranslationRequest> requests) const {
  std::vector<TranslationResult> results(requests.size());
  // Shared, so that the last to count down need not be done with it when this thread goes on.
  const auto left = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(requests.size()));
  submit(std::move(requests), [&results, left](size_t line, TranslationResult result) {
    results[line] = std::move(result);
    left->count_down();
  });
  work_until([&] { return left->try_wait(); });
  left->wait();
  std::vector<std::vector<Translation>> translations;
  for (TranslationResult& result : results) {
    if (result.error) std::rethrow_exception(result.error);
    translations.push_back(std::move(result.translations));
  }
  return translations;
}

const SearchDefaults& Translator::search_defaults() const { return engine_->search(); }
const SourceTags& Translator::tags() const { return engine_->tags(); }
const Vocabulary& Translator::source_vocabulary() const { return engine_->source(); }
const Vocabulary& Translator::target_vocabulary() const { return engine_->target(); }

}  // namespace heed
