#include "heed/runs/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

const NamedLines hypotheses{"out", {"the cat sat on the mat", "a b c d"}};
const std::vector<NamedLines> one_reference = {{"test", {"the cat is on the mat", "a b c d e f"}}};
const double corpus_bleu = 100 * std::exp(-0.2) * std::pow(0.9 * 0.75 * 0.5 * 0.25, 0.25);
constexpr std::array bleu_and_accuracy = {MetricKind::bleu, MetricKind::accuracy};

TEST(Evaluation, OfACorpus) {
  const auto found = evaluate(hypotheses, one_reference, bleu_and_accuracy, {}, false);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, corpus_bleu, 1e-10);
  EXPECT_TRUE(found[0].sentence_scores.empty());
  EXPECT_EQ(
      to_text(found),
      "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 44.13 90.0/75.0/50.0/25.0 "
      "(BP = 0.819 ratio = 0.833 hyp_len = 10 ref_len = 12)\n"
      "accuracy|nrefs:1|case:mixed = 0.00 (0 of 2)\n");
  const std::string json = to_json(found);
  EXPECT_EQ(json.rfind("{\"bleu\":{\"score\":44.12", 0), 0u) << json;
  EXPECT_NE(
      json.find("\"signature\":\"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\"},"
                "\"accuracy\":{\"score\":0.0,\"signature\":\"nrefs:1|case:mixed\"}}\n"),
      std::string::npos)
      << json;
}

TEST(Evaluation, OfSentences) {
  const auto found = evaluate(hypotheses, one_reference, bleu_and_accuracy, {}, true);
  EXPECT_EQ(to_text(found), "37.99\t0.00\n60.65\t0.00\n");
  EXPECT_NE(
      to_json(found).find("\"accuracy\":{\"score\":0.0,\"signature\":\"nrefs:1|case:mixed\","
                          "\"sentences\":[0.0,0.0],\"sentence_signature\":\"nrefs:1|case:mixed\"}"),
      std::string::npos);
  EXPECT_EQ(found[0].sentence_signature,
            "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0");
  // The score of the corpus is still computed as for a corpus.
  EXPECT_NEAR(found[0].score, corpus_bleu, 1e-10);
}

TEST(Evaluation, SeveralReferencesAndOptions) {
  std::vector<NamedLines> references = one_reference;
  references.push_back({"more", {"THE CAT SAT ON THE MAT", "x"}});
  const auto found = evaluate(hypotheses, references, bleu_and_accuracy,
                              {.tokeniser = Tokeniser::none, .lowercase = true}, false);
  EXPECT_EQ(found[1].score, 50);
  EXPECT_EQ(found[0].signature, "nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0");
}

TEST(Evaluation, SaysWhatIsWrong) {
  const std::vector<NamedLines> three = {{"test", {"a", "b", "c"}}};
  EXPECT_EQ(error_of([&] { evaluate(hypotheses, three, bleu_and_accuracy, {}, false); }),
            "test: 3 lines but out has 2");
  EXPECT_EQ(error_of([&] {
              evaluate({"out", {}}, three, bleu_and_accuracy, {}, false);
            }),
            "out: has no lines");
}

}  // namespace
}  // namespace heed
