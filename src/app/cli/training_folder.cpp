#include "heed/app/cli/training_folder.h"

#include <algorithm>

#include "heed/app/cli/field_text.h"
#include "heed/app/cli/train_presets.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/corpus.h"
#include "heed/models/model_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " ")); }

// The settings that decide what a run ends with. Threads and budgets do not.
Settings settings_of(const TrainOptions& o) {
  Settings settings = {{"train", joined(o.train)},
                       {"valid", joined(o.valid)},
                       {"preset", o.preset.empty() ? "by size" : o.preset},
                       {"vocabulary", fmt::format("{}", o.vocabulary.size)},
                       {"vocabulary-kind", text_of_field(o.vocabulary.kind)},
                       {"separate-vocabularies", fmt::format("{}", o.separate)},
                       {"vocabulary-files", joined(o.vocabulary_files)},
                       {"tokenised", fmt::format("{}", o.vocabulary.tokenised)},
                       {"sampling", o.sampling ? fmt::format("{}", *o.sampling) : "none"},
                       {"batch", fmt::format("{}", o.batch_tokens)},
                       {"memory", fmt::format("{}", o.memory)},
                       {"longest", fmt::format("{}", o.longest)},
                       {"shards", fmt::format("{}", o.trainer.shards)},
                       {"accumulate", fmt::format("{}", o.trainer.accumulate)},
                       {"validate-every", fmt::format("{}", o.trainer.validate_every)},
                       {"criterion", std::string(name_of(o.trainer.criterion))},
                       {"average-last", fmt::format("{}", o.trainer.average_last)},
                       {"valid-beam", fmt::format("{}", o.valid_beam)},
                       {"valid-lines", fmt::format("{}", o.valid_lines)},
                       {"seed", fmt::format("{}", o.trainer.learner.seed)}};
  settings.insert(o.model.begin(), o.model.end());
  settings.insert(o.learning.begin(), o.learning.end());
  return settings;
}

// What was prepared for other settings, by a run that did not come to its first step.
void discard_preparation(const fs::path& folder) {
  for (const char* name : {"all.pairs", "train.pairs", "valid.pairs"}) fs::remove(folder / "training" / name);
}

void claim_folder(const TrainOptions& options) {
  const fs::path file = options.folder / "training" / "settings.json";
  const Settings now = settings_of(options);
  if (fs::exists(file)) {
    const std::vector<std::string> changed = changed_settings(load_settings(file), now);
    const bool begun = fs::exists(options.folder / "config.json");
    require(changed.empty() || !begun || options.change_settings,
            "{}: the run was begun with other settings: {}; --override goes on with the new ones",
            options.folder.string(), fmt::join(changed, ", "));
    if (!changed.empty() && !begun) discard_preparation(options.folder);
  } else {
    require(!fs::exists(options.folder) || (fs::is_directory(options.folder) && fs::is_empty(options.folder)),
            "{}: not an empty folder, and not one of a run that could go on", options.folder.string());
    std::error_code error;
    fs::create_directories(options.folder / "training", error);
    require(!error, "{}: cannot be made: {}", options.folder.string(), error.message());
  }
  save_settings(file, now);
}

void write_corpus(const TrainOptions& options, const std::vector<std::string>& files, const fs::path& to,
                  const Announce& announce) {
  if (fs::exists(to)) return;
  announce(fmt::format("reading {}", joined(files)));
  CorpusInput input = {
      .files = files, .source = options.from, .target = options.to, .longest = options.longest_characters};
  if (!options.format.empty()) input.format = format_named(options.format);
  const CorpusReport report = prepare_corpus(input, to);
  const std::string reasons = report.reasons();
  announce(fmt::format("{} sentence pairs{}", report.kept, reasons.empty() ? "" : ", dropped: " + reasons));
}

// Some pairs, chosen by their place alone, are held out to validate with.
void split_corpus(const TrainOptions& options, const fs::path& all, const fs::path& train,
                  const fs::path& valid) {
  if (fs::exists(train)) return;
  const CorpusStore store(all);
  const int64_t wanted = std::min(options.held_out, std::max<int64_t>(1, store.pairs() / 20));
  require(store.pairs() >= 2, "{}: one sentence pair alone cannot be learnt from and validated with",
          joined(options.train));
  CorpusWriter train_writer(train), valid_writer(valid);
  const RandomKey key = derive_key(make_key(options.trainer.learner.seed), 0x76616c6964);
  int64_t index = 0, taken = 0;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    const CorpusChunk pairs = store.read(chunk);
    for (const PairView& pair : pairs.pairs) {
      // Of those that are left, each is as likely to be taken as any other.
      const double left = static_cast<double>(store.pairs() - index),
                   missing = static_cast<double>(wanted - taken);
      const bool take = Rng(derive_key(key, static_cast<uint64_t>(index++))).uniform() * left < missing;
      taken += take;
      (take ? valid_writer : train_writer).add(pair.source, pair.target);
    }
  }
  valid_writer.commit();
  train_writer.commit();
}

void prepare_corpora(const TrainOptions& options, const Announce& announce) {
  const fs::path folder = options.folder / "training";
  const fs::path train = folder / "train.pairs", valid = folder / "valid.pairs", all = folder / "all.pairs";
  if (!options.valid.empty()) {
    write_corpus(options, options.train, train, announce);
    write_corpus(options, options.valid, valid, announce);
    return;
  }
  if (!fs::exists(train)) write_corpus(options, options.train, all, announce);
  split_corpus(options, all, train, valid);
  fs::remove(all);
}

enum class Side { source, target, both };

// The sentences of one side or of both, one after the other.
SentenceSource sentences_of(const CorpusStore& store, Side side) {
  struct Place {
    int64_t chunk = 0;
    CorpusChunk pairs;
    size_t next = 0;
  };
  const size_t per_pair = side == Side::both ? 2 : 1;
  return [&store, side, per_pair, place = std::make_shared<Place>()](std::string& sentence) {
    while (place->next == per_pair * place->pairs.pairs.size()) {
      if (place->chunk == store.chunks()) return false;
      place->pairs = store.read(place->chunk++);
      place->next = 0;
    }
    const PairView& pair = place->pairs.pairs[place->next / per_pair];
    const bool source = side == Side::source || (side == Side::both && place->next % 2 == 0);
    sentence = source ? pair.source : pair.target;
    ++place->next;
    return true;
  };
}

struct Vocabularies {
  Vocabulary source, target;
};

Vocabularies make_vocabularies(const TrainOptions& options, const CorpusStore& store,
                               const Announce& announce) {
  if (!options.vocabulary_files.empty()) {
    require(options.vocabulary_files.size() <= 2, "train: {} vocabulary files but one or two were expected",
            options.vocabulary_files.size());
    return {Vocabulary::load(options.vocabulary_files.front()),
            Vocabulary::load(options.vocabulary_files.back())};
  }
  announce("learning the vocabulary");
  if (!options.separate) {
    const Vocabulary joint = train_vocabulary(options.vocabulary, sentences_of(store, Side::both));
    return {joint, joint};
  }
  return {train_vocabulary(options.vocabulary, sentences_of(store, Side::source)),
          train_vocabulary(options.vocabulary, sentences_of(store, Side::target))};
}

// Takes what was given out of the settings that the command line names; what is left fits no model of this
// kind.
template <typename Config>
void apply(std::map<std::string, std::string> given, Config& config, std::string_view what) {
  visit_fields(config, [&](const char* name, auto& field, const char*) {
    const auto found = given.find(name);
    if (found == given.end()) return;
    set_field(name, found->second, field);
    given.erase(found);
  });
  require(given.empty(), "--{} is no setting of {}", given.empty() ? "" : given.begin()->first, what);
}

Preset chosen_preset(const TrainOptions& options, int64_t pairs) {
  Preset preset = preset_of(options.preset.empty() ? preset_for(pairs) : options.preset);
  std::visit(
      [&](auto& config) { apply(options.model, config, fmt::format("the model {}", name_of(preset.model))); },
      preset.model);
  apply(options.learning, preset.learner, "training");
  preset.learner.seed = options.trainer.learner.seed;
  if (preset.learner.schedule.steps == 0) preset.learner.schedule.steps = options.trainer.steps;
  return preset;
}

// Before hours are spent on a large corpus. The sizes of the vocabularies are not known yet; any will do.
void refuse_impossible_settings(const TrainOptions& options) {
  Preset preset = chosen_preset(options, 0);
  set_vocabularies(preset.model, 8, 8);
  Rng rng(0);
  (void)make_model(preset.model, rng);
}

}  // namespace

PreparedTraining prepare_training(const TrainOptions& options, const Announce& announce) {
  refuse_impossible_settings(options);
  claim_folder(options);
  prepare_corpora(options, announce);
  auto train = std::make_unique<CorpusStore>(options.folder / "training" / "train.pairs");
  auto valid = std::make_unique<CorpusStore>(options.folder / "training" / "valid.pairs");
  Preset preset = chosen_preset(options, train->pairs());
  const fs::path config_file = options.folder / "config.json";
  // The description is written last of all, so it is complete where it is there.
  if (fs::exists(config_file)) {
    Vocabulary source = Vocabulary::load(options.folder / "source.spm");
    Vocabulary target = Vocabulary::load(options.folder / "target.spm");
    const MappedFile file(config_file);
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    return {std::move(train),
            std::move(valid),
            std::move(source),
            std::move(target),
            parse_model_config(text, config_file.string()),
            preset.learner};
  }
  Vocabularies words = make_vocabularies(options, *train, announce);
  set_vocabularies(preset.model, words.source.size(), words.target.size());
  Rng rng(0);
  (void)make_model(preset.model, rng);  // refuses settings that do not fit, before they are written
  save_model_description(options.folder, preset.model, words.source, words.target);
  return {std::move(train), std::move(valid), words.source, words.target, preset.model, preset.learner};
}

}  // namespace heed
