#include "heed/decoding/growing_text.h"

#include <algorithm>
#include <utility>

namespace heed {

namespace {

// What SentencePiece writes for bytes that are no character, or not yet.
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The longest end of `text` that a stop text begins with.
size_t stop_begun_by(std::string_view text, std::span<const std::string> stops) {
  size_t longest = 0;
  for (const std::string& stop : stops)
    for (size_t size = std::min(text.size(), stop.size() - 1); size > longest; --size)
      if (text.ends_with(std::string_view(stop).substr(0, size))) longest = size;
  return longest;
}

}  // namespace

std::string text_after(const Vocabulary& vocabulary, std::span<const int32_t> prompt,
                       std::span<const int32_t> ids) {
  std::vector<int32_t> all(prompt.begin(), prompt.end());
  const std::string before = vocabulary.decode(all);
  all.insert(all.end(), ids.begin(), ids.end());
  return vocabulary.decode(all).substr(before.size());
}

std::optional<size_t> find_stop(std::string_view text, std::span<const std::string> stops) {
  size_t first = text.npos;
  for (const std::string& stop : stops) first = std::min(first, text.find(stop));
  return first == text.npos ? std::nullopt : std::optional(first);
}

GrowingText::GrowingText(Vocabulary vocabulary, std::vector<int32_t> prompt,
                         std::vector<std::string> stops)
    : vocabulary_(std::move(vocabulary)), prompt_(std::move(prompt)), stops_(std::move(stops)) {}

bool GrowingText::add(int32_t token) {
  ids_.push_back(token);
  text_ = text_after(vocabulary_, prompt_, ids_);
  if (const std::optional<size_t> stop = find_stop(text_, stops_)) {
    text_.resize(*stop);
    stopped_ = true;
  }
  return !stopped_;
}

std::string GrowingText::take_settled() {
  size_t end = text_.size();
  while (std::string_view(text_).substr(0, end).ends_with(replacement)) end -= replacement.size();
  return take_up_to(end - stop_begun_by(std::string_view(text_).substr(0, end), stops_));
}

std::string GrowingText::take_rest() { return take_up_to(text_.size()); }

std::string GrowingText::take_up_to(size_t end) {
  if (end <= taken_) return {};
  const size_t begin = std::exchange(taken_, end);
  return text_.substr(begin, end - begin);
}

}  // namespace heed
