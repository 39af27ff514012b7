#include "heed/data/example_maker.h"

#include "heed/base/error.h"
#include "heed/data/token_links.h"

namespace heed {

namespace {

enum Side : uint64_t { source_side, target_side };

std::vector<int32_t> encode(const Vocabulary& vocabulary, std::string_view text,
                            const std::optional<double>& alpha, RandomKey key) {
  return alpha ? vocabulary.sample(text, *alpha, key) : vocabulary.encode(text);
}

}  // namespace

PairExamples::PairExamples(Vocabulary source, Vocabulary target, PairExamplesConfig config)
    : source_(std::move(source)), target_(std::move(target)), config_(std::move(config)) {
  require(config_.max_length >= 2,
          "batches: sentences of at most {} tokens but at least 2 were expected",
          config_.max_length);
  require(!config_.with_links || !varies(), "batches: links do not go together with sampling");
}

bool PairExamples::add(const PairView& entry, RandomKey key, EncodedExamples& examples) const {
  // Without the end of the sentence.
  const auto longest = static_cast<size_t>(config_.max_length - 1);
  const TagIds& tag = config_.tags.ids_of(entry.tag);
  auto source =
      encode(source_, entry.source, config_.source_sampling, derive_key(key, source_side));
  source.insert(source.begin(), tag.begin(), tag.end());
  const auto target =
      encode(target_, entry.target, config_.target_sampling, derive_key(key, target_side));
  if (source.size() > longest || target.size() > longest) return false;
  std::vector<TokenLink> links;
  if (config_.with_links && !entry.links.empty()) links = token_links(entry, source_, target_);
  for (TokenLink& link : links) link.source += static_cast<int32_t>(tag.size());
  examples.add_pair(source, target, links, entry.weight);
  return true;
}

}  // namespace heed
