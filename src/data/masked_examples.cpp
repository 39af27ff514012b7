#include "heed/data/masked_examples.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/text_corpus.h"

namespace heed {

namespace {

int32_t mask_of(const WordPieces& pieces) {
  const std::optional<int32_t> mask = pieces.find("[MASK]");
  require(mask.has_value(), "masked training: the word pieces have no [MASK]");
  return *mask;
}

}  // namespace

MaskedExamples::MaskedExamples(WordPieces pieces, const MaskedExamplesConfig& config)
    : pieces_(std::move(pieces)), config_(config), mask_(mask_of(pieces_)) {
  const std::vector<int32_t> one = {mask_}, framed = pieces_.framed(one);
  before_ = static_cast<size_t>(std::ranges::find(framed, mask_) - framed.begin());
  const auto frame = static_cast<int64_t>(framed.size()) - 1;
  require(config.context_length > frame,
          "masked training: a context of {} tokens but at least {} were expected",
          config.context_length, frame + 1);
  require(config.share > 0 && config.share <= 1,
          "masked training: a share of {} but more than 0 and at most 1 was expected",
          config.share);
  window_ = static_cast<size_t>(config.context_length - frame);
}

void MaskedExamples::add_window(std::span<const int32_t> ids, Rng& rng,
                                EncodedExamples& examples) const {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < ids.size(); ++i)
    if (rng.uniform() < config_.share) chosen.push_back(i);
  if (chosen.empty()) chosen.push_back(rng.below(ids.size()));
  std::vector<int32_t> source = pieces_.framed(ids), target, places;
  for (const size_t i : chosen) {
    target.push_back(ids[i]);
    places.push_back(static_cast<int32_t>(before_ + i));
    const double dice = rng.uniform();
    int32_t& shown = source[before_ + i];
    if (dice < 0.8)
      shown = mask_;
    else if (dice < 0.9)
      shown = static_cast<int32_t>(rng.below(static_cast<uint64_t>(pieces_.size())));
  }
  examples.add({.source = source, .target = target, .places = places});
}

bool MaskedExamples::add(const PairView& entry, RandomKey key, EncodedExamples& examples) const {
  Rng rng(key);
  const std::string_view text = text_part(entry).text;
  constexpr uint64_t stream = 1;  // the key itself is that of the windows and the masks
  const std::vector<int32_t> ids =
      config_.sampling == 0 ? pieces_.encode_unframed(text)
                            : pieces_.sample_unframed(text, {.dropout = config_.sampling,
                                                             .key = derive_key(key, stream)});
  // Documents that fit are not cut; others are cut at other places in each epoch.
  size_t window = config_.varies && ids.size() > window_ ? 1 + rng.below(window_) : window_;
  for (size_t begin = 0; begin < ids.size(); begin += window, window = window_) {
    window = std::min(window, ids.size() - begin);
    add_window(std::span(ids).subspan(begin, window), rng, examples);
  }
  return true;
}

}  // namespace heed
