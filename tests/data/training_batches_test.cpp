#include "heed/data/training_batches.h"

#include <gtest/gtest.h>

#include <map>

#include "error_of.h"
#include "heed/data/vocabulary_training.h"
#include "sample_text.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentence;
using testing::TemporaryFolder;

constexpr uint64_t pairs_in_corpus = 1500;

std::string source_of(uint64_t i) { return made_up_sentence(i); }
std::string target_of(uint64_t i) { return made_up_sentence(i + 1'000'000); }

Vocabulary make_vocabulary() {
  return train_vocabulary({.kind = VocabularyKind::bpe, .size = 400},
                          [next = uint64_t{0}](std::string& sentence) mutable {
                            sentence = source_of(next++);
                            return next < 1000;
                          });
}

// A corpus of several chunks, and its vocabulary.
struct Corpus {
  Corpus() {
    CorpusWriter writer(folder.path("corpus"), 50'000);
    for (uint64_t i = 0; i < pairs_in_corpus; ++i) writer.add(source_of(i), target_of(i));
    writer.commit();
    store = std::make_unique<CorpusStore>(folder.path("corpus"));
  }

  TrainingBatches batches(const BatchConfig& config, const PairExamplesConfig& pairs = {}) const {
    return {*store, maker(pairs), config};
  }
  std::shared_ptr<const ExampleMaker> maker(const PairExamplesConfig& pairs = {}) const {
    return std::make_shared<PairExamples>(vocabulary, vocabulary, pairs);
  }

  TemporaryFolder folder;
  Vocabulary vocabulary = make_vocabulary();
  std::unique_ptr<CorpusStore> store;
};

const Corpus& corpus() {
  static const Corpus made;
  return made;
}

// What a step holds, as one list of numbers.
std::vector<int64_t> content(const StepBatch& step) {
  std::vector<int64_t> numbers = {step.epoch,       step.last_of_epoch, step.left_out,
                                  step.after.epoch, step.after.window,  step.after.step};
  for (const Batch& batch : step.shards)
    for (const TokenBatch* side : {&batch.source, &batch.target}) {
      numbers.insert(numbers.end(), side->layout.offsets().begin(), side->layout.offsets().end());
      numbers.insert(numbers.end(), side->ids.begin(), side->ids.end());
    }
  return numbers;
}

struct Case {
  BatchConfig steps;
  PairExamplesConfig pairs = {};
};

// With one window and with several; with and without sampling.
std::vector<Case> cases() {
  return {
      {{.tokens = 400}},
      {{.tokens = 400}, {.source_sampling = 0.1, .target_sampling = 0.1}},
      {{.tokens = 400, .shards = 3, .group_by_length = false, .window_bytes = 150'000, .seed = 5}},
      {{.tokens = 400, .window_bytes = 1}, {.target_sampling = 0.1}}};
}

TEST(TrainingBatches, AnEpochHasEveryPairOnce) {
  for (const auto& [config, pairs] : cases()) {
    std::map<std::pair<std::string, std::string>, int> expected, seen;
    for (uint64_t i = 0; i < pairs_in_corpus; ++i) ++expected[{source_of(i), target_of(i)}];
    TrainingBatches batches = corpus().batches(config, pairs);
    for (bool last = false; !last;) {
      const StepBatch step = batches.next();
      last = step.last_of_epoch;
      EXPECT_EQ(step.shards.size(), static_cast<size_t>(config.shards));
      EXPECT_EQ(step.epoch, 0);
      EXPECT_EQ(step.left_out, 0);
      int64_t tokens = 0;
      for (const Batch& batch : step.shards)
        for (int64_t i = 0; i < batch.sentences(); ++i) {
          ++seen[{corpus().vocabulary.decode(batch.source.sentence(i)),
                  corpus().vocabulary.decode(batch.target.sentence(i))}];
          tokens += std::max(batch.source.layout.length(i), batch.target.layout.length(i));
        }
      EXPECT_LE(tokens, config.tokens);
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(batches.position(), (CorpusPosition{1, 0, 0}));
  }
}

TEST(TrainingBatches, SeekingGivesTheStepsOfAnUndisturbedRun) {
  for (const auto& [config, pairs] : cases()) {
    std::vector<std::vector<int64_t>> undisturbed;
    std::vector<CorpusPosition> positions;
    TrainingBatches batches = corpus().batches(config, pairs);
    while (batches.position().epoch < 2) {
      positions.push_back(batches.position());
      undisturbed.push_back(content(batches.next()));
    }
    ASSERT_GT(undisturbed.size(), 100u);
    Rng rng(1);
    for (int i = 0; i < 6; ++i) {
      const size_t start = rng.below(undisturbed.size() - 10);
      TrainingBatches again = corpus().batches(config, pairs);
      if (i % 2 == 1) again.next();
      again.seek(positions[start]);
      EXPECT_EQ(again.position(), positions[start]);
      for (size_t step = start; step < start + 10; ++step)
        ASSERT_EQ(content(again.next()), undisturbed[step]);
    }
  }
}

// The sources of the text that is mixed in are all the same.
const std::string mixed_source = source_of(7'000'000);
class MixedIn {
 public:
  MixedIn() {
    CorpusWriter writer(folder_.path("mixed"), 500);
    for (uint64_t i = 0; i < 200; ++i) writer.add(mixed_source, target_of(i));
    writer.commit();
    store_ = std::make_unique<CorpusStore>(folder_.path("mixed"));
  }

  BatchConfig config(double share, int64_t window_bytes = 1 << 26) const {
    return {
        .tokens = 400, .window_bytes = window_bytes, .mixed = store_.get(), .mixed_share = share};
  }

  // The targets that came with it in an epoch, and how many others there were.
  struct Seen {
    std::vector<std::string> targets = {};
    int others = 0;
  };
  static Seen epoch_of(TrainingBatches& batches) {
    Seen seen;
    for (bool last = false; !last;) {
      const StepBatch step = batches.next();
      last = step.last_of_epoch;
      for (const Batch& batch : step.shards)
        for (int64_t s = 0; s < batch.sentences(); ++s) {
          const auto text = [&](const TokenBatch& side) {
            return corpus().vocabulary.decode(
                std::span(side.ids).subspan(static_cast<size_t>(side.layout.begin(s)),
                                            static_cast<size_t>(side.layout.length(s))));
          };
          if (text(batch.source) == mixed_source)
            seen.targets.push_back(text(batch.target));
          else
            ++seen.others;
        }
    }
    return seen;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST(TrainingBatches, MixInAShareThatIsDrawnAnewEachEpoch) {
  const MixedIn mixed;
  for (const int64_t window_bytes : {int64_t{1} << 26, int64_t{60'000}}) {
    TrainingBatches batches = corpus().batches(mixed.config(0.1, window_bytes));
    const MixedIn::Seen first = MixedIn::epoch_of(batches), second = MixedIn::epoch_of(batches);
    EXPECT_EQ(first.others, static_cast<int>(pairs_in_corpus));
    // A tenth of all is a ninth of the others; each window rounds.
    EXPECT_NEAR(static_cast<double>(first.targets.size()), pairs_in_corpus / 9.0, 10);
    EXPECT_NE(first.targets, second.targets);
  }
  // More than there is: some come twice.
  TrainingBatches most = corpus().batches(mixed.config(0.5));
  EXPECT_EQ(MixedIn::epoch_of(most).targets.size(), pairs_in_corpus);
}

TEST(TrainingBatches, MixTheSameTextWhenTheyGoOn) {
  const MixedIn mixed;
  TrainingBatches whole = corpus().batches(mixed.config(0.3, 60'000));
  for (int step = 0; step < 40; ++step) {
    const CorpusPosition place = whole.position();
    const StepBatch expected = whole.next();
    if (step % 7 != 0) continue;
    TrainingBatches other = corpus().batches(mixed.config(0.3, 60'000));
    other.seek(place);
    EXPECT_EQ(content(other.next()), content(expected)) << step;
  }
}

TEST(TrainingBatches, RefuseToMixInNothingOrAll) {
  const MixedIn mixed;
  for (const double share : {0.0, 1.0, -0.1, 2.0})
    EXPECT_NE(error_of([&] { corpus().batches(mixed.config(share)); }).find("share"),
              std::string::npos);
}

TEST(TrainingBatches, EpochsAndSeedsDiffer) {
  for (auto [config, pairs] : cases()) {
    TrainingBatches batches = corpus().batches(config, pairs);
    const std::vector<int32_t> first = batches.next().shards[0].source.ids;
    batches.seek({1, 0, 0});
    EXPECT_NE(batches.next().shards[0].source.ids, first);
    config.seed += 1;
    EXPECT_NE(corpus().batches(config, pairs).next().shards[0].source.ids, first);
  }
}

TEST(TrainingBatches, SmallWindowsAreSeveral) {
  TrainingBatches batches = corpus().batches({.tokens = 400, .window_bytes = 1});
  int64_t windows = 0;
  while (batches.position().epoch == 0)
    windows = std::max(windows, batches.next().after.window + 1);
  EXPECT_GE(windows, 3);
  EXPECT_LE(windows, corpus().store->chunks());
}

TEST(TrainingBatches, LongPairsAreLeftOutAndCounted) {
  TrainingBatches batches = corpus().batches({.tokens = 400}, {.max_length = 20});
  int64_t left_out = 0, kept = 0;
  while (batches.position().epoch == 0) {
    const StepBatch step = batches.next();
    left_out += step.left_out;
    for (const Batch& batch : step.shards) {
      kept += batch.sentences();
      EXPECT_LE(batch.source.layout.longest(), 20);
      EXPECT_LE(batch.target.layout.longest(), 20);
    }
  }
  EXPECT_GT(left_out, 100);
  EXPECT_EQ(left_out + kept, static_cast<int64_t>(pairs_in_corpus));
}

TEST(TrainingBatches, WindowsWithoutStepsAreSkipped) {
  const TemporaryFolder folder;
  CorpusWriter writer(folder.path("corpus"), 1);
  // A chunk for each pair, of which only the second is short enough.
  std::string huge;
  for (uint64_t i = 0; i < 50; ++i) huge += source_of(i);
  for (const std::string& source : {huge, std::string("ko"), huge}) writer.add(source, "ba");
  writer.commit();
  const CorpusStore store(folder.path("corpus"));
  TrainingBatches batches(store, corpus().maker({.max_length = 50}), {.window_bytes = 1});
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    const StepBatch step = batches.next();
    EXPECT_EQ(step.epoch, epoch);
    EXPECT_TRUE(step.last_of_epoch);
    EXPECT_EQ(corpus().vocabulary.decode(step.shards[0].source.sentence(0)), "ko");
  }
}

TEST(TrainingBatches, ImpossibleSettingsAreErrors) {
  const auto sentence = [](const BatchConfig& config, const PairExamplesConfig& pairs = {}) {
    return error_of([&] { corpus().batches(config, pairs).next(); });
  };
  EXPECT_EQ(sentence({.tokens = 100}, {.max_length = 200}),
            "batches: a step of 100 tokens is smaller than a sentence, which may have 200");
  EXPECT_EQ(sentence({.shards = 0}), "batches: 0 shards but at least 1 was expected");
  EXPECT_EQ(sentence({}, {.max_length = 1}),
            "batches: sentences of at most 1 tokens but at least 2 were expected");
  EXPECT_EQ(sentence({.window_bytes = 0}),
            "batches: windows of 0 bytes but at least 1 was expected");
  EXPECT_EQ(sentence({.window_bytes = 150'000}, {.max_length = 2}),
            "batches: no pair of the corpus has at most 2 tokens on each side");
  TrainingBatches batches = corpus().batches({});
  EXPECT_EQ(error_of([&] {
              batches.seek({0, -1, 0});
            }),
            "batches: epoch 0, window -1, step 0 is not a position in a corpus");
}

TEST(TrainingBatches, APlaceAfterTheEndIsTheNextBeginning) {
  const BatchConfig two_windows{.window_bytes = (corpus().store->bytes() + 1) / 2};
  TrainingBatches batches = corpus().batches(two_windows);
  batches.seek({3, 0, 100000});
  EXPECT_EQ(batches.next().after, (CorpusPosition{3, 1, 1}));
  batches.seek({3, 1, 100000});
  EXPECT_EQ(batches.next().after, (CorpusPosition{4, 0, 1}));
  batches.seek({3, 100, 7});
  EXPECT_EQ(batches.next().after, (CorpusPosition{4, 0, 1}));
}

TEST(TrainingBatches, AnEmptyCorpusIsAnError) {
  const TemporaryFolder folder;
  CorpusWriter(folder.path("corpus")).commit();
  const CorpusStore store(folder.path("corpus"));
  EXPECT_EQ(error_of([&] { TrainingBatches(store, corpus().maker(), {}); }),
            "batches: the corpus is empty");
}

TEST(TrainingBatches, DamageFoundInTheBackgroundIsAnErrorOfNext) {
  const TemporaryFolder folder;
  std::string bytes = corpus().folder.text("corpus");
  bytes[bytes.size() / 2] ^= 1;
  const CorpusStore store(folder.put("corpus", bytes));
  TrainingBatches batches(store, corpus().maker(), {});
  EXPECT_EQ(error_of([&] { batches.next(); }),
            folder.path("corpus") + ": the prepared corpus is damaged");
}

}  // namespace
}  // namespace heed
