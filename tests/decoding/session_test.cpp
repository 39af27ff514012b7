#include "heed/decoding/session.h"

#include <gtest/gtest.h>

#include <map>

#include "chain_model.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::ChainDecoder;
using testing::ChainModel;
using testing::error_of;

using Ids = std::vector<int32_t>;

constexpr int64_t vocabulary = 9;
constexpr SentenceBounds bounds = {.start = vocabulary - 1, .end = 0};

std::shared_ptr<const SearchOptions> shared(const SearchOptions& options) {
  return std::make_shared<const SearchOptions>(options);
}

// Every kind of wish, on sentences of different lengths.
std::vector<Request> different_requests() {
  std::vector<Request> requests;
  for (int32_t i = 0; i < 24; ++i) {
    Ids source(static_cast<size_t>(1 + i * 5 % 7), 1 + i % 7);
    source.push_back(bounds.end);
    SearchOptions options{.beam = 1 + i % 5, .n_best = 1 + i % 2, .max_length = 3 + i};
    options.n_best = std::min(options.n_best, options.beam);
    if (i % 3 == 0) options.want_attention = true, options.attention.head = i % 2;
    if (i % 4 == 0) options.no_repeat_ngram = 2;
    if (i % 5 == 0)
      options.sampling = Sampling{.seed = static_cast<uint64_t>(i)}, options.n_best = 3;
    if (i % 6 == 0) options.min_length = 3;
    const Ids prefix = i % 7 == 0 ? Ids{2, 3} : Ids{};
    requests.push_back({.source = source, .options = shared(options), .prefix = prefix});
  }
  return requests;
}

// All digits of everything that was found.
std::string text_of(const std::vector<Hypothesis>& found) {
  std::string text;
  for (const Hypothesis& hypothesis : found) {
    text += fmt::format("{} {:a} {:a} {}", fmt::join(hypothesis.ids, " "), hypothesis.score,
                        hypothesis.log_probability, hypothesis.cut);
    if (hypothesis.attention.present())
      text += fmt::format(" {:a}", fmt::join(hypothesis.attention.span<float>(), " "));
    text += '\n';
  }
  return text;
}

std::string alone(const Generator& model, const Request& request) {
  Session session(model, bounds);
  session.add(request);
  while (!session.empty()) session.step();
  return text_of(session.take_finished().front().hypotheses);
}

TEST(Session, SentencesJoinAndLeaveWithoutATrace) {
  const ChainModel model(vocabulary);
  const std::vector<Request> requests = different_requests();
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    Rng rng(seed);
    Session session(model, bounds);
    std::map<Session::Id, size_t> joined;
    std::map<size_t, std::string> found;
    for (size_t next = 0; next < requests.size() || !session.empty();) {
      for (uint64_t count = rng.below(4); count > 0 && next < requests.size(); --count, ++next)
        joined[session.add(requests[next])] = next;
      session.step();
      for (const Session::Finished& finished : session.take_finished())
        found[joined.at(finished.id)] = text_of(finished.hypotheses);
    }
    ASSERT_EQ(found.size(), requests.size());
    for (size_t i = 0; i < requests.size(); ++i)
      EXPECT_EQ(found[i], alone(model, requests[i])) << "request " << i;
  }
}

TEST(Session, ThoseThatAreCancelledLeaveWithoutATrace) {
  const ChainModel model(vocabulary);
  const std::vector<Request> requests = different_requests();
  Session session(model, bounds);
  std::vector<Session::Id> ids;
  for (const Request& request : requests) ids.push_back(session.add(request));
  session.cancel(ids[1]);  // before it has begun
  session.step();
  for (size_t i = 0; i < ids.size(); i += 3) session.cancel(ids[i]);
  EXPECT_LT(session.sentences(), static_cast<int64_t>(requests.size()) - 7);
  std::map<Session::Id, std::string> found;
  while (!session.empty()) session.step();
  for (const Session::Finished& finished : session.take_finished())
    found[finished.id] = text_of(finished.hypotheses);
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool cancelled = i == 1 || i % 3 == 0;
    // One whose first step was its last is done before it is cancelled.
    if (cancelled && i != 1 && found.contains(ids[i])) continue;
    EXPECT_EQ(found.contains(ids[i]), !cancelled) << i;
    if (!cancelled) {
      EXPECT_EQ(found[ids[i]], alone(model, requests[i])) << i;
    }
  }
  session.cancel(12345);  // nobody
}

TEST(Session, CountsWhatIsGoingOn) {
  const ChainModel model(vocabulary);
  Session session(model, bounds);
  EXPECT_TRUE(session.empty());
  EXPECT_EQ(session.rows(), 0);
  session.add({.source = {1, 0}, .options = shared({.n_best = 4, .sampling = Sampling{}})});
  session.add({.source = {1, 0}, .options = shared({.beam = 3})});
  EXPECT_EQ(session.sentences(), 2);
  EXPECT_EQ(session.rows(), 5);
  session.step();
  EXPECT_FALSE(session.empty());
  while (!session.empty()) session.step();
  EXPECT_EQ(session.rows(), 0);
  session.step();  // with nothing to do
  EXPECT_EQ(session.take_finished().size(), 2u);
  EXPECT_TRUE(session.take_finished().empty());
}

// A model that cannot read the word 7, gives no numbers after the word 6, and runs out of memory
// at the word 5.
class FaultyModel : public ChainModel {
 public:
  using ChainModel::ChainModel;

  std::unique_ptr<Decoder> make_decoder() const override {
    class Faulty : public ChainDecoder {
     public:
      using ChainDecoder::ChainDecoder;
      void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override {
        for (const int32_t id : source.ids) require(id != 7, "a word that nobody can read");
        ChainDecoder::add(source, attention);
        for (int64_t i = 0; i < source.layout.sequences(); ++i)
          first_words_.push_back(source.sentence(i)[0]);
      }
      Tensor step(std::span<const int32_t> tokens) override {
        Tensor scores = ChainDecoder::step(tokens);
        for (size_t i = 0; i < first_words_.size(); ++i) {
          if (first_words_[i] == 5) throw std::bad_alloc();
          if (first_words_[i] == 6)
            scores.slice(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1)
                .fill(std::numeric_limits<double>::quiet_NaN());
        }
        return scores;
      }
      void select(std::span<const int64_t> from) override {
        ChainDecoder::select(from);
        std::vector<int32_t> kept;
        for (const int64_t row : from) kept.push_back(first_words_[static_cast<size_t>(row)]);
        first_words_ = kept;
      }

     private:
      std::vector<int32_t> first_words_;
    };
    return std::make_unique<Faulty>(*this);
  }
};

std::string error_in(const Session::Finished& finished) {
  return finished.error ? error_of([&] { std::rethrow_exception(finished.error); }) : "";
}

TEST(Session, WhatFailsForOneSentenceEndsThatSentence) {
  const FaultyModel model(vocabulary);
  const auto options = shared({.beam = 2, .max_length = 4});
  Session session(model, bounds);
  std::map<Session::Id, int32_t> words;
  for (const int32_t word : {1, 7, 2, 6, 3})
    words[session.add({.source = {word, 0}, .options = options})] = word;
  while (!session.empty()) session.step();
  std::map<int32_t, std::string> errors;
  for (const Session::Finished& finished : session.take_finished())
    errors[words.at(finished.id)] = error_in(finished);
  EXPECT_EQ(errors, (std::map<int32_t, std::string>{
                        {1, ""},
                        {2, ""},
                        {3, ""},
                        {6, "beam search: the model's scores of the next token are not numbers"},
                        {7, "a word that nobody can read"}}));
}

TEST(Session, WhatFailsForAllEndsAllAndTheSessionGoesOn) {
  const FaultyModel model(vocabulary);
  const auto options = shared({.beam = 2, .max_length = 4});
  Session session(model, bounds);
  for (const int32_t word : {1, 5, 2}) session.add({.source = {word, 0}, .options = options});
  EXPECT_THROW(session.step(), std::bad_alloc);
  EXPECT_TRUE(session.empty());
  session.add({.source = {1, 0}, .options = options});
  while (!session.empty()) session.step();
  const auto finished = session.take_finished();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(text_of(finished[0].hypotheses),
            alone(ChainModel(vocabulary), {.source = {1, 0}, .options = options}));
}

TEST(Session, RefusesWhatCannotBe) {
  const ChainModel model(vocabulary);
  Session session(model, bounds);
  EXPECT_EQ(error_of([&] {
              session.add({.source = {1, 0}, .options = nullptr});
            }),
            "search: no options were given");
  EXPECT_EQ(error_of([&] {
              session.add({.source = {1, 0}, .options = shared({.beam = 0})});
            }),
            "beam search: a beam of 0, but it must be at least 1");
  EXPECT_TRUE(session.empty());
}

}  // namespace
}  // namespace heed
