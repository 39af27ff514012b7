#include "heed/base/communicator.h"

#include <algorithm>
#include <cstdint>

namespace heed {

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
