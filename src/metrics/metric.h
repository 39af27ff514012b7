// The quality of translations as one number, equal to sacreBLEU 2.6 to the last digit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class Metric {
 public:
  // Counts of a sentence. They are summed over a corpus before the score is computed.
  using Counts = std::vector<double>;

  virtual ~Metric() = default;

  // At least one reference. Bytes that are not UTF-8 count as U+FFFD.
  virtual Counts count(std::string_view hypothesis,
                       std::span<const std::string_view> references) const = 0;

  // In percent, from the sum of the counts.
  virtual double score(const Counts& counts) const = 0;

  // The score as sacreBLEU prints it, "BLEU = 41.02 …", and how it was computed,
  // "nrefs:1|case:mixed|…".
  virtual std::string text(const Counts& counts) const = 0;
  virtual std::string signature(int references) const = 0;
};

// The sum of the counts of hypothesis i against reference i; there are as many of each.
Metric::Counts count_corpus(const Metric& metric, std::span<const std::string> hypotheses,
                            std::span<const std::string> references);

// The score of a corpus with one reference for each sentence.
double corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                    std::span<const std::string> references);

// `more` added to `sum`, which is empty before the first.
void add_counts(Metric::Counts& sum, const Metric::Counts& more);

}  // namespace heed
