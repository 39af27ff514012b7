#include "heed/runs/training_folder.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/corpus.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/presets.h"
#include "heed/runs/training_claim.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

fs::path train_pairs(const TrainingSettings& settings) {
  return settings.folder / "training" / "train.pairs";
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, " "));
}

void write_corpus(const TrainingSettings& settings, const std::vector<std::string>& files,
                  const fs::path& to, const Announce& announce) {
  if (fs::exists(to)) return;
  announce(fmt::format("reading {}", joined(files)));
  CorpusInput input = {.files = files,
                       .source = settings.from,
                       .target = settings.to,
                       .max_characters = settings.max_characters};
  if (!settings.format.empty()) input.format = format_named(settings.format);
  const CorpusReport report = prepare_corpus(input, to);
  const std::string reasons = report.reasons();
  announce(fmt::format("{} sentence pairs{}", report.kept,
                       reasons.empty() ? "" : ", dropped: " + reasons));
}

// Holds out some pairs, chosen by their position alone, for validation.
void split_corpus(const TrainingSettings& settings, const fs::path& all, const fs::path& train,
                  const fs::path& valid) {
  if (fs::exists(train)) return;
  const CorpusStore store(all);
  const int64_t wanted = std::min(settings.held_out, std::max<int64_t>(1, store.pairs() / 20));
  require(store.pairs() >= 2, "{}: one sentence pair is not enough for training and validation",
          joined(settings.train));
  CorpusWriter train_writer(train), valid_writer(valid);
  const RandomKey key = derive_key(make_key(settings.seed), 0x76616c6964);
  int64_t index = 0, taken = 0;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    const CorpusChunk pairs = store.read(chunk);
    for (const PairView& pair : pairs.pairs) {
      // All remaining pairs are equally likely to be taken.
      const double left = static_cast<double>(store.pairs() - index),
                   missing = static_cast<double>(wanted - taken);
      const bool take =
          Rng(derive_key(key, static_cast<uint64_t>(index++))).uniform() * left < missing;
      taken += take;
      (take ? valid_writer : train_writer).add(pair.source, pair.target);
    }
  }
  valid_writer.commit();
  train_writer.commit();
}

void prepare_corpora(const TrainingSettings& settings, const Announce& announce) {
  const fs::path folder = settings.folder / "training";
  const fs::path train = folder / "train.pairs", valid = folder / "valid.pairs",
                 all = folder / "all.pairs";
  if (!settings.valid.empty()) {
    // The small one first, so that its errors show up before the large one is read.
    write_corpus(settings, settings.valid, valid, announce);
    write_corpus(settings, settings.train, train, announce);
    return;
  }
  if (!fs::exists(train)) write_corpus(settings, settings.train, all, announce);
  split_corpus(settings, all, train, valid);
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

Vocabularies make_vocabularies(const TrainingSettings& settings, const CorpusStore& store,
                               const Announce& announce) {
  if (!settings.vocabulary_files.empty()) {
    require(settings.vocabulary_files.size() <= 2,
            "train: {} vocabulary files but one or two were expected",
            settings.vocabulary_files.size());
    return {Vocabulary::load(settings.vocabulary_files.front()),
            Vocabulary::load(settings.vocabulary_files.back())};
  }
  announce("learning the vocabulary");
  VocabularyConfig config = settings.vocabulary;
  config.seed = settings.seed;
  if (!settings.separate) {
    const Vocabulary joint = train_vocabulary(config, sentences_of(store, Side::both));
    return {joint, joint};
  }
  return {train_vocabulary(config, sentences_of(store, Side::source)),
          train_vocabulary(config, sentences_of(store, Side::target))};
}

// Learns the vocabularies and writes the description of the model.
void describe_model(const TrainingSettings& settings, const CorpusStore& train, ModelConfig model,
                    const Announce& announce) {
  const Vocabularies words = make_vocabularies(settings, train, announce);
  set_vocabularies(model, words.source.size(), words.target.size());
  check(model);  // before it is written
  save_model_description(settings.folder, model, words.source, words.target);
}

// Adds the lengths of the corpus, which may have changed, to those in the description.
void note_lengths(const TrainingSettings& settings, const CorpusStore& train) {
  const fs::path description = settings.folder / "config.json";
  const Vocabulary source = Vocabulary::load(settings.folder / "source.spm"),
                   target = Vocabulary::load(settings.folder / "target.spm");
  const TrainedLengths noted = load_trained_lengths(description);
  TrainedLengths all = noted;
  all.add(measure_lengths(train, source, target, settings.max_length));
  if (all == noted) return;
  const std::string text = to_json(load_model_config(description), all);
  // The weights first: a run killed between the two steps comes back here.
  accept_config(settings.folder, text);
  write_file_atomically(description, text);
}

}  // namespace

PreparedTraining prepare_training(const TrainingSettings& settings, const Announce& tell) {
  const Announce announce = tell ? tell : [](const std::string&) {};
  require(!settings.train.empty(), ErrorKind::usage,
          "train: files of sentence pairs were expected");
  require(!settings.folder.empty(), ErrorKind::usage, "train: a folder for the model was expected");
  refuse_impossible_settings(settings);
  LockFile lock = claim_folder(settings);
  prepare_corpora(settings, announce);
  const CorpusStore train(train_pairs(settings));
  // The description is written last, so if it exists, it is complete.
  if (!fs::exists(settings.folder / "config.json"))
    describe_model(settings, train, chosen_preset(settings, train.pairs()).model, announce);
  note_lengths(settings, train);
  PreparedTraining prepared = open_prepared(settings);
  prepared.lock = std::move(lock);
  return prepared;
}

PreparedTraining open_prepared(const TrainingSettings& settings) {
  auto train = std::make_unique<CorpusStore>(train_pairs(settings));
  auto valid = std::make_unique<CorpusStore>(settings.folder / "training" / "valid.pairs");
  const LearnerConfig learner = chosen_preset(settings, train->pairs()).learner;
  ModelDescription found = load_model_description(settings.folder);
  return {{},
          std::move(train),
          std::move(valid),
          std::move(found.source),
          std::move(found.target),
          found.config,
          learner,
          found.lengths};
}

}  // namespace heed
