#include "heed/decoding/translator.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/beam_search.h"
#include "heed/decoding/ensemble.h"
#include "heed/decoding/long_lines.h"
#include "heed/decoding/sampling.h"
#include "heed/models/model_folder.h"

namespace heed {

namespace {

// A line, or a part of one that is too long.
struct Part {
  size_t line;
  std::vector<int32_t> ids;            // with the sentence's end
  std::vector<int32_t> prefix = {};    // what its translation begins with
  std::vector<Translation> best = {};  // what becomes of it
  const Part* same = nullptr;          // one before that is equal, and has the translations
};

using PartBatch = std::span<Part* const>;

std::vector<Part> parts_of(std::span<const std::string> lines, const Vocabulary& vocabulary,
                           int64_t longest) {
  std::vector<Part> parts;
  for (size_t line = 0; line < lines.size(); ++line)
    for (std::vector<int32_t>& ids :
         cut_line(vocabulary.encode(lines[line]), vocabulary, longest)) {
      ids.push_back(Vocabulary::end);
      parts.push_back({line, std::move(ids)});
    }
  return parts;
}

// Without those that are equal to one before: a translation is a function of its source, and a
// long word of one letter has thousands of equal parts.
std::vector<Part*> distinct(std::vector<Part>& parts) {
  const auto key = [](const Part* part) { return std::tie(part->ids, part->prefix); };
  const auto less = [&](const Part* a, const Part* b) { return key(a) < key(b); };
  std::set<const Part*, decltype(less)> seen(less);
  std::vector<Part*> found;
  for (Part& part : parts) {
    const auto [place, is_new] = seen.insert(&part);
    if (is_new)
      found.push_back(&part);
    else
      part.same = *place;
  }
  return found;
}

// The longest first: so the work that a thread may be left with at the end is short.
void sort_by_length(std::vector<Part*>& parts) {
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const Part* part) { return part->ids.size(); });
}

// Of at most so many tokens, but at least one part.
std::vector<PartBatch> batches_of(PartBatch parts, int64_t tokens) {
  std::vector<PartBatch> batches;
  size_t begin = 0;
  int64_t size = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto more = static_cast<int64_t>(parts[i]->ids.size());
    if (i > begin && size + more > tokens) {
      batches.push_back(parts.subspan(begin, i - begin));
      begin = i;
      size = 0;
    }
    size += more;
  }
  if (begin < parts.size()) batches.push_back(parts.subspan(begin));
  return batches;
}

// The first part of each line begins with the line's prefix.
void set_prefixes(std::vector<Part>& parts, std::span<const std::string> prefixes,
                  const Vocabulary& vocabulary, int64_t longest) {
  for (size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i - 1].line != parts[i].line) {
      parts[i].prefix = vocabulary.encode(prefixes[parts[i].line]);
      require(static_cast<int64_t>(parts[i].prefix.size()) < longest,
              "translator: a prefix of {} tokens, but the model writes at most {}",
              parts[i].prefix.size(), longest);
    }
}

void translate_batch(PartBatch batch, const Model& model, const Vocabulary& source,
                     const Vocabulary& target, const SearchOptions& options) {
  std::vector<std::vector<int32_t>> sentences, prefixes;
  for (const Part* part : batch) {
    sentences.push_back(part->ids);
    prefixes.push_back(part->prefix);
  }
  const SentenceBounds bounds{.start = target.start(), .end = Vocabulary::end};
  const auto search = options.sampling ? sample_translations : beam_search;
  auto ranked = search(model, join_sentences(sentences), bounds, options, prefixes);
  for (size_t i = 0; i < batch.size(); ++i)
    for (Hypothesis& hypothesis : ranked[i]) {
      Translation translation = {target.decode(hypothesis.ids), std::move(hypothesis)};
      const Hypothesis& found = translation.hypothesis;
      if (found.attention.present())
        translation.alignment =
            align_words(found.attention, batch[i]->ids, source, found.ids, target);
      batch[i]->best.push_back(std::move(translation));
    }
}

// One more part of a line that had `parts` so far.
void append(Translation& line, const Translation& part, int parts) {
  line.text += ' ';
  line.text += part.text;
  Hypothesis& whole = line.hypothesis;
  whole.ids.insert(whole.ids.end(), part.hypothesis.ids.begin(), part.hypothesis.ids.end());
  whole.score = (whole.score * parts + part.hypothesis.score) / (parts + 1);
  whole.log_probability += part.hypothesis.log_probability;
  whole.cut = whole.cut || part.hypothesis.cut;
  line.parts = parts + 1;
  whole.attention = {};
  line.alignment.parts.insert(line.alignment.parts.end(), part.alignment.parts.begin(),
                              part.alignment.parts.end());
}

// The r-th best translation of a line consists of the r-th best ones of its parts.
std::vector<std::vector<Translation>> joined_lines(const std::vector<Part>& parts, size_t lines) {
  std::vector<std::vector<Translation>> result(lines);
  std::vector<int> parts_before(lines, 0);
  for (const Part& part : parts) {
    const std::vector<Translation>& best = part.same != nullptr ? part.same->best : part.best;
    std::vector<Translation>& line = result[part.line];
    const int before = parts_before[part.line]++;
    if (before == 0) {
      line = best;
      continue;
    }
    line.resize(std::min(line.size(), best.size()));
    for (size_t rank = 0; rank < line.size(); ++rank) append(line[rank], best[rank], before);
  }
  return result;
}

}  // namespace

Translator::Translator(std::shared_ptr<const Model> model, Vocabulary source, Vocabulary target,
                       const TranslatorOptions& options)
    : model_(std::move(model)),
      source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      workers_(options.threads) {
  require(options.batch_tokens >= 1,
          "translator: batches of {} tokens, but they must have at least 1", options.batch_tokens);
  require(options.max_source.value_or(1) >= 1,
          "translator: lines of at most {} tokens, but they must be allowed 1",
          *options.max_source);
}

Translator Translator::load(const std::filesystem::path& folder, const TranslatorOptions& options) {
  return load(std::span(&folder, 1), options);
}

Translator Translator::load(std::span<const std::filesystem::path> folders,
                            const TranslatorOptions& options) {
  require(!folders.empty(), "translator: there is no model");
  std::vector<std::unique_ptr<Model>> models;
  std::optional<Vocabulary> source, target;
  TranslatorOptions chosen = options;
  for (const std::filesystem::path& folder : folders) {
    ModelFolder loaded = load_model_folder(folder);
    loaded.model->make_ready(loaded.storage == WeightStorage::int8 ? Precision::int8
                                                                   : options.precision);
    if (!source) source = loaded.source, target = loaded.target;
    require(source->bytes() == loaded.source.bytes() && target->bytes() == loaded.target.bytes(),
            "{}: its vocabularies are not those of {}, so they cannot translate together",
            folder.string(), folders[0].string());
    chosen.lengths.add(loaded.lengths);
    models.push_back(std::move(loaded.model));
  }
  std::shared_ptr<const Model> model;
  if (models.size() == 1)
    model = std::move(models[0]);
  else
    model = std::make_shared<Ensemble>(std::move(models));
  return Translator(std::move(model), *source, *target, chosen);
}

std::vector<std::string> Translator::translate(std::span<const std::string> lines,
                                               const SearchOptions& options) const {
  std::vector<std::string> best;
  for (std::vector<Translation>& ranked : translate_n_best(lines, options))
    best.push_back(ranked.empty() ? std::string() : std::move(ranked.front().text));
  return best;
}

// Fewer sentences at once where each has very many hypotheses.
int64_t Translator::batch_tokens(const SearchOptions& search) const {
  constexpr int64_t usual_hypotheses = 8;
  const int64_t hypotheses = search.sampling ? search.n_best : search.beam;
  return std::max<int64_t>(
      1, options_.batch_tokens * usual_hypotheses / std::max(usual_hypotheses, hypotheses));
}

// A part has its end as well.
int64_t Translator::longest_part() const {
  return std::min(options_.max_source.value_or(options_.lengths.longest_line()),
                  model_->longest() - 1);
}

std::vector<std::vector<Translation>> Translator::translate_n_best(
    std::span<const std::string> lines, const SearchOptions& options,
    std::span<const std::string> prefixes) const {
  require(prefixes.empty() || prefixes.size() == lines.size(),
          "translator: {} prefixes for {} lines", prefixes.size(), lines.size());
  SearchOptions search = options;
  search.forbidden.push_back(target_.start());
  search.lengths = options_.lengths;
  search.positions = model_->longest();
  std::vector<Part> parts = parts_of(lines, source_, longest_part());
  if (!prefixes.empty()) set_prefixes(parts, prefixes, target_, model_->longest());
  std::vector<Part*> translated = distinct(parts);
  sort_by_length(translated);
  const std::vector<PartBatch> batches = batches_of(translated, batch_tokens(search));
  {
    const std::lock_guard lock(mutex_);
    workers_.run(static_cast<int64_t>(batches.size()), [&](int64_t batch, int) {
      translate_batch(batches[static_cast<size_t>(batch)], *model_, source_, target_, search);
    });
  }
  return joined_lines(parts, lines.size());
}

}  // namespace heed
