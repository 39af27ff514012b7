#include "heed/training/weight_arrival.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "error_of.h"
#include "heed/base/error.h"
#include "heed/training/flat_blocks.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;

using Numbers = std::vector<float>;

// After an update, every number is that of its owner.
void update(Numbers& weights, const Communicator& ranks, float value) {
  const Ownership ownership(static_cast<int64_t>(weights.size()), ranks);
  for (const Ownership::Block& block : ownership.blocks())
    std::ranges::fill(part_of(std::span(weights), block.numbers), value);
}

TEST(WeightArrival, IsCompleteUntilSomethingIsExpected) {
  Numbers weights(100);
  WeightArrival arrival(weights, alone());
  EXPECT_TRUE(arrival.is_complete());
  arrival.expect();
  EXPECT_TRUE(arrival.is_complete());  // nobody else has anything
  arrival.wait_for({0, 100});
}

TEST(WeightArrival, CompletesTheWeights) {
  for (const int64_t size : {int64_t{16}, 150 * block_size + 48})
    for (const int count : {2, 3, 5})
      run_ranks(count, [&](ThreadCommunicator& ranks) {
        Numbers weights(static_cast<size_t>(size));
        WeightArrival arrival(weights, ranks);
        for (const float value : {1.0f, 2.0f}) {
          update(weights, ranks, value);
          arrival.expect();
          EXPECT_FALSE(arrival.is_complete());
          arrival.receive(Waiting::busily);
          EXPECT_TRUE(arrival.is_complete());
          EXPECT_EQ(weights, Numbers(weights.size(), value));
        }
      });
}

// Who waits for the front of the array need not wait for its end.
TEST(WeightArrival, ComesFromTheFront) {
  const int64_t size = 300 * block_size;
  run_ranks(2, [&](ThreadCommunicator& ranks) {
    Numbers weights(static_cast<size_t>(size));
    WeightArrival arrival(weights, ranks);
    update(weights, ranks, 1);
    arrival.expect();
    std::thread receiver([&] {
      // The other rank sends its stripes one after the other.
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      arrival.receive(Waiting::beside_work);
    });
    for (const int64_t end : {int64_t{1}, 64 * block_size, 65 * block_size, size}) {
      arrival.wait_for({end - 1, end});
      EXPECT_EQ(Numbers(weights.begin(), weights.begin() + end),
                Numbers(static_cast<size_t>(end), 1));
    }
    receiver.join();
  });
}

// What the ranks need first comes first, and does not change while the rest comes.
TEST(WeightArrival, BringsWhatIsNeededBeforeAllOthers) {
  const int64_t size = 300 * block_size;
  const std::vector<Range> tables = {{0, 200 * block_size}};
  std::vector<std::vector<Range>> needs(3);
  for (int64_t rank = 0; rank < 3; ++rank)
    for (int64_t row = rank; row < 2000; row += 3 + rank)
      needs[static_cast<size_t>(rank)].push_back({1600 * row, 1600 * row + 100});
  run_ranks(3, [&](ThreadCommunicator& ranks) {
    Numbers weights(static_cast<size_t>(size));
    WeightArrival arrival(weights, ranks, tables);
    arrival.wait_for_needs();  // nothing is expected yet
    for (const float value : {1.0f, 2.0f}) {
      update(weights, ranks, value);
      arrival.expect();
      std::thread receiver([&] { arrival.receive(Waiting::beside_work, needs); });
      arrival.wait_for_needs();
      // As a pass reads them while the rest arrives; the thread sanitizer looks on.
      for (const Range& need : needs[static_cast<size_t>(ranks.rank())]) {
        const std::span<const float> row = part_of(std::span<const float>(weights), need);
        EXPECT_EQ(Numbers(row.begin(), row.end()), Numbers(row.size(), value));
      }
      arrival.wait_for({200 * block_size, size});
      receiver.join();
      EXPECT_EQ(weights, Numbers(weights.size(), value));
    }
  });
}

// The whole of a table is what passes use last.
TEST(WeightArrival, BringsTablesLast) {
  const int64_t size = 300 * block_size;
  const std::vector<Range> tables = {{0, 200 * block_size}};
  run_ranks(2, [&](ThreadCommunicator& ranks) {
    Numbers weights(static_cast<size_t>(size));
    WeightArrival arrival(weights, ranks, tables);
    update(weights, ranks, 1);
    arrival.expect();
    std::thread receiver([&] { arrival.receive(Waiting::beside_work); });
    arrival.wait_for({0, 1});
    EXPECT_EQ(Numbers(weights.begin() + 200 * block_size, weights.end()),
              Numbers(static_cast<size_t>(100 * block_size), 1));
    receiver.join();
  });
}

// Ranks whose network is gone.
class CutOff : public SoloCommunicator {
 public:
  int size() const override { return 2; }
  using Communicator::exchange;
  void exchange(std::span<const OutgoingMessage>, std::span<const IncomingMessage>,
                Waiting) override {
    fail("the network is gone");
  }
};

TEST(WeightArrival, WhoeverWaitsLearnsOfAFailure) {
  CutOff ranks;
  Numbers weights(100);
  WeightArrival arrival(weights, ranks);
  arrival.expect();
  EXPECT_EQ(error_of([&] { arrival.receive(Waiting::busily); }), "the network is gone");
  EXPECT_EQ(error_of([&] { arrival.wait_for({0, 1}); }), "the network is gone");
}

}  // namespace
}  // namespace heed
