#include "heed/runs/attention_view.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/folder_translator.h"

namespace heed {

namespace {

Translator translator_for(const Model& model, const ModelFolder& folder, int64_t max_length) {
  const TranslatorOptions options = options_for(folder, {.max_source = max_length}, "the model");
  return {model.prepare(options.precision), folder.source, folder.target, options};
}

bool has_words(const std::string& line) {
  return line.find_first_not_of(" \t\r\n") != std::string::npos;
}

}  // namespace

SearchOptions search_for(const ViewOptions& options, const SearchDefaults& defaults) {
  SearchOptions search = usual_search(defaults);
  search.beam = options.beam.value_or(search.beam);
  search.n_best = std::min(options.most, search.beam);
  return search;
}

std::vector<HeadGate> switched_off(const std::vector<HeadName>& heads) {
  std::vector<HeadGate> gates;
  for (const HeadName& head : heads) gates.push_back({.head = head, .gate = 0.0});
  return gates;
}

std::unique_ptr<Model> without_heads(const Model& model, const std::vector<HeadName>& heads) {
  std::unique_ptr<Model> gated = model.with_gates(switched_off(heads));
  require(!all_heads(gated->head_counts()).empty(), ErrorKind::model,
          "attention: this model has no attention to look at");
  return gated;
}

double AttentionView::score() const {
  return log_probability / static_cast<double>(target.pieces.size());
}

const ViewedTokens& AttentionView::queries(AttentionPart part) const {
  return part == AttentionPart::encoder ? source : target;
}

const ViewedTokens& AttentionView::keys(AttentionPart part) const {
  return part == AttentionPart::decoder ? read : source;
}

AttentionViewer::AttentionViewer(const ModelFolder& folder, const ViewOptions& options)
    : AttentionViewer(folder, without_heads(*folder.model, options.without), nullptr, options) {
  if (!is_language_model_)
    translator_ = std::make_shared<const Translator>(translator_for(*model_, folder, max_length_));
}

AttentionViewer::AttentionViewer(const ModelFolder& folder, std::shared_ptr<const Model> model,
                                 std::shared_ptr<const Translator> translator, ViewOptions options)
    : options_(std::move(options)),
      model_(std::move(model)),
      source_(folder.source),
      target_(folder.target),
      lengths_(folder.lengths),
      tag_(options_.tag.empty() ? TagIds() : tags_of(folder).ids_of(options_.tag)),
      is_language_model_(model_->head_counts().is_decoder_alone()),
      max_length_(std::min(options_.max_length, model_->max_length())),
      translator_(std::move(translator)) {}

std::vector<int32_t> AttentionViewer::encoded(const std::string& line, const Vocabulary& vocabulary,
                                              const std::string& what, const TagIds& tag) const {
  std::vector<int32_t> ids = tag;
  if (has_words(line)) {
    const std::vector<int32_t> own = vocabulary.encode(line);
    ids.insert(ids.end(), own.begin(), own.end());
  }
  ids.push_back(Vocabulary::end);
  const auto tokens = static_cast<int64_t>(ids.size());
  require(tokens <= max_length_, "attention: {} has {} tokens with its end, but at most {} {}",
          what, tokens, max_length_,
          max_length_ < options_.max_length ? "fit into the model" : "are looked at");
  return ids;
}

std::vector<int32_t> AttentionViewer::encoded_source(const std::string& line, size_t number) const {
  std::vector<int32_t> ids = encoded(line, source_, fmt::format("line {}", number), tag_);
  const TokenBatch batch{ids, Ragged({static_cast<int64_t>(ids.size())})};
  require(!model_->readable(batch).ids.empty(),
          "attention: line {} is empty, so there is nothing to look at", number);
  return ids;
}

AttentionView AttentionViewer::view(const std::string& source, std::vector<int32_t> source_ids,
                                    const std::string& target, std::vector<int32_t> target_ids,
                                    const RecordOptions& wanted) const {
  AttentionView view;
  view.recording = record(*model_, source_ids, target_ids, wanted);
  const Recording& recording = view.recording;
  view.source = viewed_tokens(source, recording.source, source_, tag_.size());
  view.target = viewed_tokens(target, recording.target, target_);
  view.read = viewed_tokens(target, recording.read, target_);
  if (is_language_model_) view.read.pieces.front() = "<s>";
  view.log_probability =
      std::accumulate(recording.log_probabilities.begin(), recording.log_probabilities.end(), 0.0);
  return view;
}

std::vector<AttentionView> AttentionViewer::find(const std::string& source, size_t number) const {
  if (is_language_model_)
    return {
        view("", {}, source, encoded(source, source_, fmt::format("line {}", number)), wanted())};
  if (!has_words(source)) return {look_at(source, "", number)};
  const std::vector<int32_t> ids = encoded_source(source, number);
  std::vector<TranslationRequest> requests(1);
  requests.front().text = source;
  requests.front().tag = options_.tag;
  requests.front().options = search_for(options_, translator_->search_defaults());
  const std::vector<std::vector<Translation>> found =
      translator_->translate_n_best(std::move(requests));
  std::vector<AttentionView> views;
  for (const Translation& translation : found.front()) {
    std::vector<int32_t> target = translation.hypothesis.ids;
    // A translation that was cut may have no space for its end in the model.
    if (static_cast<int64_t>(target.size()) >= model_->max_length())
      target.resize(static_cast<size_t>(model_->max_length()) - 1);
    target.push_back(Vocabulary::end);
    views.push_back(view(source, ids, translation.text, std::move(target),
                         views.empty() ? wanted() : RecordOptions()));
  }
  if (views.empty()) views.push_back(look_at(source, "", number));
  return views;
}

AttentionView AttentionViewer::look_at(const std::string& source, const std::string& target,
                                       size_t number) const {
  require(!is_language_model_, ErrorKind::usage,
          "attention: a language model reads one text, so there is no translation to look at");
  std::vector<int32_t> source_ids = encoded_source(source, number);
  std::vector<int32_t> target_ids =
      encoded(target, target_, fmt::format("the translation of line {}", number));
  return view(source, std::move(source_ids), target, std::move(target_ids), wanted());
}

RecordOptions AttentionViewer::wanted() const {
  return {.norms = options_.norms, .gradients = options_.gradients};
}

bool AttentionViewer::is_unusually_long(const std::string& source) const {
  return !is_language_model_ &&
         static_cast<int64_t>(source_.encode(source).size()) > lengths_.longest_line();
}

}  // namespace heed
