// The text of a continuation as its tokens come, and the texts that end it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// The text that ids spell after a prompt. A text of its own would lose the space that its first
// word begins with.
std::string text_after(const Vocabulary& vocabulary, std::span<const int32_t> prompt,
                       std::span<const int32_t> ids);

// Where the first of the stop texts begins; none if there is none.
std::optional<size_t> find_stop(std::string_view text, std::span<const std::string> stops);

class GrowingText {
 public:
  // The prompt's ids may begin with the start token.
  GrowingText(Vocabulary vocabulary, std::vector<int32_t> prompt, std::vector<std::string> stops);

  // One more token; says whether the text goes on, that is, has not met a stop text.
  bool add(int32_t token);

  // What has come since the last call and will not change: whole characters that no stop text
  // begins with. At the end, all the rest.
  std::string take_settled();
  std::string take_rest();

  const std::string& text() const { return text_; }  // up to the stop text
  bool stopped() const { return stopped_; }

 private:
  std::string take_up_to(size_t end);

  Vocabulary vocabulary_;
  std::vector<int32_t> prompt_, ids_;
  std::vector<std::string> stops_;
  std::string text_;
  size_t taken_ = 0;
  bool stopped_ = false;
};

}  // namespace heed
