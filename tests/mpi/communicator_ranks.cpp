// Run by mpirun: every message that the ranks exchange must arrive. Says at rank 0 how many checks
// failed.
#include <cstdio>
#include <numeric>

#include "heed/app/mpi/mpi_communicator.h"

namespace heed {
namespace {

int failures = 0;

void check(bool holds, const char* what, const Communicator& ranks) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: %s\n", ranks.rank(), ranks.size(), what);
}

// Short and long ones to everybody, two at a time.
void check_exchange(Communicator& ranks, size_t length) {
  const auto numbers = [&](int from, int to, int which) {
    std::vector<int> all(length);
    std::iota(all.begin(), all.end(), from * 1000 + to * 10 + which);
    return all;
  };
  std::vector<std::vector<int>> sent, received;
  std::vector<OutgoingMessage> out;
  std::vector<IncomingMessage> in;
  for (int other = 0; other < ranks.size(); ++other)
    for (int which = 0; which < 2 && other != ranks.rank(); ++which) {
      sent.push_back(numbers(ranks.rank(), other, which));
      received.emplace_back(length);
      // Moving a vector leaves its numbers where they are.
      out.push_back({other, std::as_bytes(std::span(sent.back()))});
      in.push_back({other, std::as_writable_bytes(std::span(received.back()))});
    }
  ranks.exchange(out, in);
  for (size_t i = 0; i < received.size(); ++i)
    check(received[i] == numbers(in[i].from, ranks.rank(), static_cast<int>(i % 2)),
          "another message was received", ranks);
}

void check_gather(Communicator& ranks, size_t length) {
  std::vector<double> expected(length), list(length, -1);
  std::iota(expected.begin(), expected.end(), 0.5);
  const Range share = share_of(static_cast<int64_t>(length), ranks);
  std::copy(expected.begin() + share.begin, expected.begin() + share.end,
            list.begin() + share.begin);
  gather_shares<double>(ranks, list);
  check(list == expected, "another list was gathered", ranks);
}

void check_all(MpiCommunicator& ranks) {
  for (const size_t length : {1, 100, 1 << 20}) check_exchange(ranks, length);
  for (const size_t length : {0, 1, 7, 1 << 20}) check_gather(ranks, length);
  check(of_first(ranks, ranks.rank() + 3) == 3, "the first said something else", ranks);
  check(text_of_first(ranks, ranks.is_first() ? "a text" : "") == "a text", "another text", ranks);
  check(!holds_everywhere(ranks, ranks.rank() > 0), "a lie was believed", ranks);
  const std::string mine(static_cast<size_t>(ranks.rank()), 'x');
  const std::vector<std::string> texts = ranks.gather_texts(mine);
  for (size_t rank = 0; rank < texts.size(); ++rank)
    check(texts[rank] == std::string(rank, 'x'), "another text was gathered", ranks);
  check(ranks.cores() >= 1, "no cores", ranks);
  check(ranks.host(ranks.size() - 1) == ranks.host(0), "another host", ranks);
}

}  // namespace
}  // namespace heed

int main() {
  const heed::MpiSession session;
  heed::MpiCommunicator ranks;
  heed::check_all(ranks);
  const bool well = heed::holds_everywhere(ranks, heed::failures == 0);
  if (ranks.is_first()) std::fprintf(stderr, "%d ranks: %s\n", ranks.size(), well ? "well" : "ill");
  return well ? 0 : 1;
}
