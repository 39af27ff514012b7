#include "heed/runs/watched_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/json.h"
#include "heed/base/numbers.h"
#include "heed/base/shallow_json.h"
#include "heed/runs/attention_text.h"
#include "heed/weights/file_checksum.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = OrderedJsonValue;

constexpr const char *step_key = "heed.watched", *heads_key = "heed.heads";
constexpr std::string_view name_begins = "step-", name_ends = ".safetensors";

fs::path folder_in(const fs::path& model) { return model / "training" / "attention"; }

fs::path file_of(const fs::path& model, int64_t step) {
  return folder_in(model) / fmt::format("{}{}{}", name_begins, step, name_ends);
}

std::optional<int64_t> step_named(std::string_view name) {
  if (!name.starts_with(name_begins) || !name.ends_with(name_ends)) return {};
  name.remove_prefix(name_begins.size());
  name.remove_suffix(std::min(name.size(), name_ends.size()));
  return parse_number<int64_t>(name);
}

// "2.cross"
std::string array_name(size_t sentence, AttentionPart part) {
  return fmt::format("{}.{}", sentence + 1, name_of(part));
}

Json json_of(const ViewedTokens& tokens) {
  return json_object<Json>(
      {{"text", tokens.text}, {"pieces", tokens.pieces}, {"words", tokens.words}});
}

Json json_of(const WatchedView& watched) {
  const AttentionView& view = watched.view;
  return json_object<Json>({{"given", watched.given},
                            {"log-probability", view.log_probability},
                            {"source", json_of(view.source)},
                            {"target", json_of(view.target)},
                            {"read", json_of(view.read)}});
}

std::string text_of(const WatchedStep& step) {
  Json sentences = Json::array();
  for (const WatchedView& watched : step.sentences) sentences.push_back(json_of(watched));
  return json_object<Json>(
             {{"step", step.step}, {"pairs", step.pairs}, {"sentences", std::move(sentences)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Reads one file; throws what the library of JSON throws for what is not there.
class Reader {
 public:
  explicit Reader(const TensorFile& file) : file_(file) {}

  WatchedStep read() {
    const Json json = metadata(step_key), heads = metadata(heads_key);
    WatchedStep step{.step = json.at("step").get<int64_t>(),
                     .pairs = json.at("pairs").get<int64_t>(),
                     .heads = {},
                     .sentences = {}};
    for (const Json& row : heads) step.heads.push_back(row_of(row));
    for (const Json& sentence : json.at("sentences"))
      step.sentences.push_back(view_of(sentence, step.sentences.size()));
    sum_.require_that_of(file_);
    damaged_unless(!step.sentences.empty(), "no sentence");
    return step;
  }

 private:
  void damaged_unless(bool condition, std::string_view what) const {
    require(condition, "{}: is damaged: {}", file_.file(), what);
  }

  Json metadata(const char* key) {
    const auto found = file_.metadata().find(key);
    require(found != file_.metadata().end(), "{}: is damaged: \"{}\" is missing", file_.file(),
            key);
    sum_.add(found->second);
    Json json = parse_shallow_json<Json>(found->second, file_.file());
    damaged_unless(!json.is_discarded(), "its description is not JSON");
    return json;
  }

  PageRow row_of(const Json& json) const {
    PageRow row{.head = {.part = json.at("part").get<std::string>(),
                         .layer = json.at("layer").get<int64_t>(),
                         .head = json.at("head").get<int64_t>()},
                .role = json.at("role").get<std::string>()};
    for (const auto& [name, value] : json.at("figures").items())
      if (value.is_number()) row.figures.emplace_back(name, value.get<double>());
    return row;
  }

  ViewedTokens tokens_of(const Json& json) const {
    ViewedTokens tokens{.text = json.at("text").get<std::string>(),
                        .pieces = json.at("pieces").get<std::vector<std::string>>(),
                        .words = json.at("words").get<std::vector<int64_t>>()};
    damaged_unless(tokens.pieces.size() == tokens.words.size(), "not a word for each piece");
    return tokens;
  }

  WatchedView view_of(const Json& json, size_t index) {
    WatchedView watched{.given = json.at("given").get<bool>(), .view = {}};
    AttentionView& view = watched.view;
    const Json& found = json.at("log-probability");
    view.log_probability = found.is_number() ? found.get<double>() : -INFINITY;
    view.source = tokens_of(json.at("source"));
    view.target = tokens_of(json.at("target"));
    view.read = tokens_of(json.at("read"));
    for (const AttentionPart part : all_attention_parts) {
      const std::string name = array_name(index, part);
      if (!file_.contains(name)) continue;
      Tensor weights = file_.read_finite(name, Type::float32);
      const Shape& shape = weights.shape();
      damaged_unless(shape.rank() == 4 &&
                         shape[2] == static_cast<int64_t>(view.queries(part).pieces.size()) &&
                         shape[3] == static_cast<int64_t>(view.keys(part).pieces.size()),
                     "the weights do not fit the tokens");
      sum_.add(weights);
      view.recording.part(part).weights = std::move(weights);
    }
    return watched;
  }

  const TensorFile& file_;
  FileChecksum sum_;
};

}  // namespace

WatchedSentence WatchedView::sentence() const {
  WatchedSentence sentence{.source = view.source.text};
  if (given) sentence.target = view.target.text;
  return sentence;
}

HeadCounts WatchedStep::head_counts() const {
  const auto weights = [&](AttentionPart part) -> const Tensor& {
    return sentences.front().view.recording.part(part).weights;
  };
  const auto layers = [&](AttentionPart part) {
    return weights(part).present() ? weights(part).shape()[0] : 0;
  };
  HeadCounts counts{.encoder_layers = layers(AttentionPart::encoder),
                    .decoder_layers = layers(AttentionPart::decoder),
                    .cross_layers = layers(AttentionPart::cross)};
  for (const AttentionPart part : all_attention_parts)
    if (weights(part).present()) counts.heads = weights(part).shape()[1];
  return counts;
}

void save_watched_step(const fs::path& model, const WatchedStep& step) {
  TensorFileWriter writer;
  FileChecksum sum;
  const std::string description = text_of(step), heads = heads_json(step.heads);
  writer.set_metadata(step_key, description);
  writer.set_metadata(heads_key, heads);
  sum.add(description);
  sum.add(heads);
  for (size_t i = 0; i < step.sentences.size(); ++i)
    for (const AttentionPart part : all_attention_parts) {
      const Tensor& weights = step.sentences[i].view.recording.part(part).weights;
      if (weights.present()) sum.add(writer.add_half(array_name(i, part), weights));
    }
  sum.write_to(writer);
  fs::create_directories(folder_in(model));
  writer.save(file_of(model, step.step));
}

WatchedStep load_watched_step(const fs::path& model, int64_t step) {
  const TensorFile file = TensorFile::open(file_of(model, step));
  try {
    return Reader(file).read();
  } catch (const Json::exception& error) {
    fail("{}: is damaged: {}", file.file(), error.what());
  }
}

std::vector<int64_t> watched_steps(const fs::path& model) {
  std::vector<int64_t> steps;
  std::error_code absent;
  FolderNames names(folder_in(model), absent);
  while (const char* name = names.next())
    if (const std::optional<int64_t> step = step_named(name)) steps.push_back(*step);
  std::ranges::sort(steps);
  return steps;
}

void forget_watched_steps(const fs::path& model, int64_t after) {
  const std::vector<int64_t> steps = watched_steps(model);
  for (const int64_t step : steps)
    if (step > after) fs::remove(file_of(model, step));
  if (fs::exists(folder_in(model))) remove_partial_files(folder_in(model));
}

}  // namespace heed
