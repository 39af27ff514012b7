// Memory grows with the length of a sequence, not with its square: causal self-attention over
// 65,536 tokens with 8 heads of 64, forward and backward, in less than 1.5 GB. A separate program,
// because it reads the peak memory of the whole process, and a slow one: about 15 TFLOP.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "close.h"
#include "heed/attention/attend.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::random_tensor;

constexpr int64_t tokens = 65'536, heads = 8, width = 64;
constexpr double limit = 1.5e9;  // bytes

// The most memory that this process has held at once, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return 1024.0 * kibibytes;
  }
  return std::nan("");
}

const float* row_of(const Tensor& x, int64_t head, int64_t token) {
  return x.data<float>() + (head * tokens + token) * width;
}

double dot(const float* a, const float* b) {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += static_cast<double>(a[c]) * b[c];
  return sum;
}

// One row of the output, by its definition.
std::vector<double> expected_row(const Tensor& q, const Tensor& k, const Tensor& v, int64_t head,
                                 int64_t token) {
  std::vector<double> row(width);
  double sum = 0;
  for (int64_t j = 0; j <= token; ++j) {
    const double weight =
        std::exp(dot(row_of(q, head, token), row_of(k, head, j)) / std::sqrt(double{width}));
    sum += weight;
    for (size_t c = 0; c < row.size(); ++c) row[c] += weight * row_of(v, head, j)[c];
  }
  for (double& element : row) element /= sum;
  return row;
}

// Σ over the tokens of one head.
std::vector<double> column_sums(const Tensor& x, int64_t head) {
  std::vector<double> sums(width);
  for (int64_t t = 0; t < tokens; ++t)
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += row_of(x, head, t)[c];
  return sums;
}

TEST(LongSequence, FitsLittleMemory) {
  const Shape shape{1, heads, tokens, width};
  const Tensor q = random_tensor(shape, 1), k = random_tensor(shape, 2),
               v = random_tensor(shape, 3), gradient = random_tensor(shape, 4);
  Tape tape;
  const Attended attended = attend({.queries = tape.watch(q),
                                    .keys = tape.watch(k),
                                    .values = tape.watch(v),
                                    .mask = {.causal = true}});
  tape.backward(attended.output, gradient);
  EXPECT_LT(peak_memory(), limit);

  for (const int64_t token : {int64_t{0}, int64_t{1}, int64_t{12'345}, tokens - 1})
    for (const int64_t head : {int64_t{0}, heads - 1}) {
      const float* row = row_of(attended.output.value(), head, token);
      EXPECT_TRUE(testing::close(std::vector<float>(row, row + width),
                                 expected_row(q, k, v, head, token), 1e-4, 1e-5))
          << "head " << head << ", token " << token;
    }

  // Weights sum to one, so the gradients of the values sum to those of the outputs; and queries and
  // keys enter the scores in the same way, so that Σ q·dq = Σ ds s = Σ k·dk.
  for (int64_t head = 0; head < heads; ++head) {
    EXPECT_TRUE(testing::close(column_sums(tape.gradient_of(v), head), column_sums(gradient, head),
                               1e-4, 0.1))
        << "head " << head;
    double by_queries = 0, by_keys = 0;
    for (int64_t t = 0; t < tokens; ++t) {
      by_queries += dot(row_of(q, head, t), row_of(tape.gradient_of(q), head, t));
      by_keys += dot(row_of(k, head, t), row_of(tape.gradient_of(k), head, t));
    }
    EXPECT_NEAR(by_queries, by_keys, 1e-3 * std::abs(by_queries) + 0.1) << "head " << head;
  }
}

}  // namespace
}  // namespace heed
