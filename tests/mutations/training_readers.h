// What a run of training keeps in its folder and reads again.
#pragma once

#include <cstring>

#include "heed/base/checksum.h"
#include "heed/data/corpus_store.h"
#include "heed/data/word_vocabulary.h"
#include "heed/runs/recorded_settings.h"
#include "heed/runs/training_curves.h"
#include "heed/runs/training_files.h"
#include "heed/training/trainer.h"
#include "heed/training/training_log.h"
#include "reader.h"

namespace heed::testing {

inline void write_store(const std::string& path, size_t chunk_bytes) {
  CorpusWriter writer(path, chunk_bytes);
  writer.add("a dog runs", "ein Hund läuft");
  writer.add("two cats", "zwei Katzen");
  writer.add("漢字 😀", "a");
  writer.add({"a b c", "b c", "1-0 2-1", 0.5});
  writer.commit();
}

// What is read, and counts that fit it.
inline std::string text_of_store(const std::string& path) {
  const CorpusStore store(path);
  std::string text;
  int64_t pairs = 0, bytes = 0;
  for (int64_t chunk = 0; chunk < store.chunks(); ++chunk) {
    EXPECT_EQ(store.first_pair(chunk), pairs);
    const CorpusChunk read = store.read(chunk);
    for (const PairView& pair : read.pairs)
      text += fmt::format("{}\t{}\t{}\t{}\n", pair.source, pair.target, pair.links, pair.weight);
    pairs += static_cast<int64_t>(read.pairs.size());
    bytes += store.chunk_bytes(chunk);
  }
  EXPECT_EQ(store.pairs(), pairs);
  EXPECT_EQ(store.bytes(), bytes);
  return text;
}

// Writes the checksums of a prepared corpus again, as far as its index can be found.
inline void reseal_store(std::string& bytes) {
  struct Footer {
    uint64_t chunks, checksum;
    char signature[8];
  } footer;
  if (bytes.size() < sizeof(footer)) return;
  const size_t end = bytes.size() - sizeof(footer);
  std::memcpy(&footer, bytes.data() + end, sizeof(footer));
  if (footer.chunks > end / sizeof(ChunkPlace)) return;
  const auto sum = [&](size_t offset, size_t size) {
    return checksum(std::as_bytes(std::span(bytes).subspan(offset, size)));
  };
  const size_t size = footer.chunks * sizeof(ChunkPlace), index = end - size;
  for (size_t at = index; at < end; at += sizeof(ChunkPlace)) {
    ChunkPlace place;
    std::memcpy(&place, bytes.data() + at, sizeof(place));
    if (place.offset > bytes.size() || place.bytes > bytes.size() - place.offset) continue;
    place.checksum = sum(place.offset, place.bytes);
    std::memcpy(bytes.data() + at, &place, sizeof(place));
  }
  footer.checksum = sum(index, size);
  std::memcpy(bytes.data() + end, &footer, sizeof(footer));
}

inline Reader store_reader() {
  return {.name = "CorpusStore",
          .write = [](const TemporaryFolder& folder) { write_store(folder.path("a.pairs"), 32); },
          .files = {"a.pairs"},
          .read =
              [](const TemporaryFolder& folder) {
                static const std::string whole = text_of_store(folder.path("a.pairs"));
                EXPECT_EQ(text_of_store(folder.path("a.pairs")), whole);
              },
          .notices_cuts = true,
          .refused = 0.9};
}

inline Reader resealed_store_reader() {
  Reader reader = store_reader();
  reader.name = "ResealedCorpusStore";
  reader.read = [](const TemporaryFolder& folder) { text_of_store(folder.path("a.pairs")); };
  reader.refused = 0.5;
  reader.reseal = reseal_store;
  return reader;
}

// The state of a run with a model of a few weights. Where the trainer takes it up, its numbers are
// finite, and it finds its place in the corpus.
inline Reader checkpoint_reader() {
  const auto use = [](const TemporaryFolder& folder, const auto& use_trainer) {
    static const std::vector<std::string> words = {"a", "b", "c"};
    static const Vocabulary vocabulary = word_vocabulary(words);
    Rng rng(3);
    const std::unique_ptr<Model> model =
        make_model(RnnConfig{.source_vocabulary = vocabulary.size(),
                             .target_vocabulary = vocabulary.size(),
                             .embedding = 2,
                             .hidden = 2},
                   rng);
    const CorpusStore store(folder.path("a.pairs"));
    TrainingBatches batches(store,
                            std::make_shared<PairExamples>(vocabulary, vocabulary,
                                                           PairExamplesConfig{.max_length = 20}),
                            {.tokens = 20});
    Workers workers(1);
    Trainer trainer({*model, batches, {}, workers}, {.learner = {.ema = 0.9}}, folder.path(""));
    use_trainer(trainer, batches);
  };
  return {.name = "Checkpoint",
          .write =
              [=](const TemporaryFolder& folder) {
                write_store(folder.path("a.pairs"), 1024);
                use(folder, [&](const Trainer& trainer, TrainingBatches&) {
                  save_checkpoint(folder.path("training/state.safetensors"),
                                  trainer.learner().state(),
                                  {.position = {.epoch = 2, .window = 0, .step = 1},
                                   .epochs = 2,
                                   .seconds = 12.5,
                                   .best = 1.25,
                                   .snapshots = {10, 20}});
                });
              },
          .files = {"training/state.safetensors"},
          .read =
              [=](const TemporaryFolder& folder) {
                use(folder, [&](const Trainer& trainer, TrainingBatches& batches) {
                  EXPECT_TRUE(trainer.learner().is_finite());
                  EXPECT_GE(trainer.learner().steps(), 0);
                  EXPECT_GT(batches.next().shards.size(), 0u);
                });
              },
          .notices_cuts = true,
          .refused = 0.9};
}

inline Reader settings_reader() {
  return {.name = "Settings",
          .write =
              [](const TemporaryFolder& folder) {
                save_settings(folder.path("settings.json"),
                              {{"width", "128"}, {"train", "a.en \"ä\".de"}, {"rate", "0.001"}});
              },
          .files = {"settings.json"},
          .read =
              [](const TemporaryFolder& folder) {
                for (const auto& [name, value] : load_settings(folder.path("settings.json")))
                  EXPECT_TRUE(is_utf8(name) && is_utf8(value));
              },
          .notices_cuts = true};
}

inline Reader training_files_reader() {
  return {
      .name = "TrainingFiles",
      .write =
          [](const TemporaryFolder& folder) {
            const FileMark mark = {.size = 1200, .modified = 1700000000, .checksum = 4071};
            save_training_files(folder.path("files.json"),
                                {{mark, std::nullopt}, {}, {mark, mark}});
          },
      .files = {"files.json"},
      .read = [](const TemporaryFolder& folder) { load_training_files(folder.path("files.json")); },
      .notices_cuts = true};
}

inline Reader history_reader() {
  return {.name = "TrainingLog",
          .write =
              [](const TemporaryFolder& folder) {
                Progress progress = {.loss_sum = 31.5, .loss_tokens = 10};
                for (int64_t step = 50; step <= 200; step += 50)
                  append_to_log(folder.path(""), log_line(StepReport{.step = step,
                                                                     .loss = 4.25,
                                                                     .negative_likelihood = 3.5,
                                                                     .learning_rate = 1e-3},
                                                          progress));
                append_to_log(
                    folder.path(""),
                    log_line(Validation{.step = 200,
                                        .cross_entropy = 3.25,
                                        .outputs = OutputScores{.bleu = 12.5, .chrf = 30.25},
                                        .best = true},
                             progress));
              },
          .files = {"training.jsonl"},
          .read =
              [](const TemporaryFolder& folder) {
                EXPECT_TRUE(is_utf8(draw_history(read_history(folder.path("")), "a run")));
              }};
}

inline std::vector<Reader> training_readers() {
  return {store_reader(),    resealed_store_reader(), checkpoint_reader(),
          settings_reader(), training_files_reader(), history_reader()};
}

}  // namespace heed::testing
