#include "heed/base/communicator.h"

#include <algorithm>
#include <cstdint>

namespace heed {

void ArrivedLetters::add(LetterBox box, Letter letter) {
  const std::lock_guard lock(mutex_);
  boxes_[box].push_back(std::move(letter));
}

std::optional<Letter> ArrivedLetters::next(LetterBox box) {
  const std::lock_guard lock(mutex_);
  std::deque<Letter>& waiting = boxes_[box];
  if (waiting.empty()) return {};
  Letter letter = std::move(waiting.front());
  waiting.pop_front();
  return letter;
}

Communicator& alone() {
  static SoloCommunicator communicator;
  return communicator;
}

std::string text_of_first(Communicator& ranks, std::string text) {
  text.resize(of_first(ranks, text.size()));
  ranks.broadcast(0, std::as_writable_bytes(std::span(text)));
  return text;
}

bool holds_everywhere(Communicator& ranks, bool here) {
  std::vector<uint8_t> answers(static_cast<size_t>(ranks.size()));
  answers[static_cast<size_t>(ranks.rank())] = here;
  gather_shares<uint8_t>(ranks, answers);
  return std::ranges::all_of(answers, [](uint8_t answer) { return answer != 0; });
}

}  // namespace heed
