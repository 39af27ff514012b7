#include "heed/base/communicator.h"

#include <gtest/gtest.h>

#include <numeric>

#include "error_of.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;

TEST(Communicator, AloneKeepsWhatItHas) {
  Communicator& ranks = alone();
  EXPECT_TRUE(ranks.is_first());
  EXPECT_EQ(ranks.size(), 1);
  EXPECT_EQ(of_first(ranks, 7), 7);
  EXPECT_EQ(text_of_first(ranks, "text"), "text");
  EXPECT_TRUE(holds_everywhere(ranks, true));
  EXPECT_FALSE(holds_everywhere(ranks, false));
  std::vector<int> list = {1, 2, 3};
  gather_shares<int>(ranks, list);
  EXPECT_EQ(list, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(share_of(5, ranks), (Range{0, 5}));
}

TEST(Communicator, WhatTheFirstSaysHoldsForAll) {
  for (int count = 1; count <= 5; ++count)
    run_ranks(count, [&](Communicator& ranks) {
      EXPECT_EQ(of_first(ranks, ranks.rank() + 40), 40);
      EXPECT_EQ(text_of_first(ranks, std::string(static_cast<size_t>(3 - ranks.rank() % 3), 'x')),
                "xxx");
      EXPECT_EQ(text_of_first(ranks, ranks.is_first() ? "" : "mine"), "");
      for (int against = 0; against < count; ++against)
        EXPECT_FALSE(holds_everywhere(ranks, ranks.rank() != against));
      EXPECT_TRUE(holds_everywhere(ranks, true));
    });
}

TEST(Communicator, SharesMakeAWholeList) {
  for (const int count : {1, 2, 3, 8})
    for (const size_t length : {0, 1, 5, 24})
      run_ranks(count, [&](Communicator& ranks) {
        std::vector<int> expected(length), list(length, -1);
        std::iota(expected.begin(), expected.end(), 0);
        const Range share = share_of(static_cast<int64_t>(length), ranks);
        std::copy(expected.begin() + share.begin, expected.begin() + share.end,
                  list.begin() + share.begin);
        gather_shares<int>(ranks, list);
        EXPECT_EQ(list, expected);
      });
}

TEST(ThreadCommunicator, MessagesArriveInOrder) {
  run_ranks(3, [](Communicator& ranks) {
    const std::vector<int> mine = {10 * ranks.rank(), 10 * ranks.rank() + 1};
    std::vector<int> theirs(4);
    std::vector<OutgoingMessage> out;
    std::vector<IncomingMessage> in;
    size_t place = 0;
    for (int other = 0; other < 3; ++other)
      for (size_t i = 0; i < 2 && other != ranks.rank(); ++i) {
        out.push_back({other, std::as_bytes(std::span(mine).subspan(i, 1))});
        in.push_back({other, std::as_writable_bytes(std::span(theirs).subspan(place++, 1))});
      }
    ranks.exchange(out, in);
    const int a = ranks.rank() == 0 ? 10 : 0, b = ranks.rank() == 2 ? 10 : 20;
    EXPECT_EQ(theirs, (std::vector<int>{a, a + 1, b, b + 1}));
  });
}

TEST(ThreadCommunicator, OneFailureEndsAllRanks) {
  EXPECT_EQ(error_of([] {
              run_ranks(3, [](Communicator& ranks) {
                if (ranks.rank() == 1) fail("rank 1 failed");
                holds_everywhere(ranks, true);
              });
            }),
            "rank 1 failed");
  EXPECT_EQ(error_of([] {
              run_ranks(2, [](Communicator& ranks) {
                if (ranks.is_first()) of_first(ranks, 1);
              });
            }),
            "a message was sent that nobody received");
}

}  // namespace
}  // namespace heed
