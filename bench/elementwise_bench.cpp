// Cycles per element of the element-wise kernels, on data that fits the caches, for the best
// instruction set of this CPU and for AVX2, which most machines have; and the largest error of exp.
#include <fmt/core.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/activation.h"
#include "heed/kernels/adam.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/embedding.h"
#include "heed/kernels/layer_norm.h"
#include "heed/kernels/softmax.h"
#include "peak.h"

namespace heed::bench {
namespace {

using kernels::Activation;

constexpr size_t width = 512;
constexpr size_t rows = 8;
constexpr size_t size =
    rows * width;  // 16 KB per array: two or three of them stay in the first cache

struct Case {
  std::string name;
  std::function<void()> run;
};

// Arrays start on cache lines, as tensors do.
template <size_t count>
struct alignas(64) Floats : std::array<float, count> {};

Floats<size> random_floats(uint64_t seed) {
  Rng rng(seed);
  Floats<size> values;
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

template <size_t count>
Floats<count> constant_floats(float value) {
  Floats<count> values;
  values.fill(value);
  return values;
}

// What the cases share.
struct Arrays {
  Floats<size> x = random_floats(1), y = random_floats(2), dy = random_floats(3),
               dx = random_floats(4);
  Floats<size> first = constant_floats<size>(0.0f), second = constant_floats<size>(0.0f);
  Floats<width> gain = constant_floats<width>(1.0f), bias = constant_floats<width>(0.1f);
  Floats<width> dgain = constant_floats<width>(0.0f), dbias = constant_floats<width>(0.0f);
  Floats<rows> means = constant_floats<rows>(0.0f),
               inverse_deviations = constant_floats<rows>(1.0f);
  std::array<int32_t, rows> ids = {3, 1, 4, 1, 5, 2, 6, 0};
};

void add_activations(std::vector<Case>& cases, Arrays& a) {
  const std::pair<const char*, Activation> kinds[] = {{"relu", Activation::relu},
                                                      {"tanh", Activation::tanh},
                                                      {"sigmoid", Activation::sigmoid},
                                                      {"gelu", Activation::gelu},
                                                      {"swish", Activation::swish}};
  cases.push_back({"exp", [&] { kernels::exp(a.x, a.y); }});
  for (const auto& [name, kind] : kinds) {
    cases.push_back({name, [&a, k = kind] { kernels::activate(k, a.x, a.y); }});
    cases.push_back({fmt::format("{} backward", name),
                     [&a, k = kind] { kernels::activate_backward(k, a.x, a.dy, a.dx); }});
  }
}

void add_rows(std::vector<Case>& cases, Arrays& a) {
  for (const int64_t columns : {32, 128, 512}) {
    cases.push_back({fmt::format("softmax, {} wide", columns),
                     [&a, columns] { kernels::softmax(a.x, a.y, columns); }});
    cases.push_back({fmt::format("softmax backward, {} wide", columns),
                     [&a, columns] { kernels::softmax_backward(a.x, a.dy, a.dx, columns); }});
  }
  cases.push_back({"layer norm, width 512", [&] {
                     kernels::layer_norm(a.x, a.gain, a.bias, 1e-5f, a.y, a.means,
                                         a.inverse_deviations);
                   }});
  cases.push_back({"layer norm backward, width 512", [&] {
                     kernels::layer_norm_backward(a.x, a.gain, a.means, a.inverse_deviations, a.dy,
                                                  a.dx, a.dgain, a.dbias);
                   }});
  cases.push_back({"add to rows", [&] { kernels::add_to_rows(a.x, a.bias, a.y); }});
  cases.push_back({"sum rows", [&] { kernels::sum_rows(a.x, a.dbias); }});
  cases.push_back({"gather rows", [&] { kernels::gather_rows(a.x, a.ids, width, 2.0f, a.y); }});
  cases.push_back(
      {"scatter-add rows", [&] { kernels::scatter_add_rows(a.x, a.ids, width, 1e-9f, a.y); }});
}

void add_spans(std::vector<Case>& cases, Arrays& a) {
  cases.push_back({"add", [&] { kernels::add(a.x, a.dy, a.y); }});
  cases.push_back({"add scaled", [&] { kernels::add_scaled(1e-9f, a.x, a.y); }});
  cases.push_back({"dot", [&] { a.means[0] = kernels::dot(a.x, a.dy); }});
  cases.push_back({"dropout", [&] { kernels::dropout(a.x, a.y, 0.1, RandomKey{1, 2}); }});
  cases.push_back({"Adam", [&] {
                     kernels::adam_update({.learning_rate = 1e-9}, a.dy, a.first, a.second, a.x);
                   }});
}

// The clock is measured beside each case, because it changes with the load of the machine.
double cycles_per_element(const Case& measured) {
  const int repeats = 20;
  const auto repeat = [&] {
    for (int i = 0; i < repeats; ++i) measured.run();
  };
  const double seconds = best_seconds(300, repeat);
  return seconds * clock_rate() / (repeats * static_cast<double>(size));
}

// Over every 257th float whose exp is a normal float.
double largest_exp_error() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 257) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (value >= -87.33654f && value <= 88.72283f) x.push_back(value);
  }
  std::vector<float> y(x.size());
  kernels::exp(x, y);
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    largest = std::max(largest, std::abs(static_cast<double>(y[i]) - exact) / exact);
  }
  return largest;
}

// One column of the table.
struct Column {
  std::string target;
  std::vector<double> cycles;
  double exp_error;
};

Column measure(const std::vector<Case>& cases, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  std::vector<double> cycles;
  for (const Case& each : cases) cycles.push_back(cycles_per_element(each));
  return {hwy::TargetName(target), cycles, largest_exp_error()};
}

void print_table(const std::vector<Case>& cases, const std::vector<Column>& columns) {
  fmt::print("Element-wise kernels, cycles per element, {} elements in cache\n\n{:32}", size, "");
  for (const Column& column : columns) fmt::print("{:>9}", column.target);
  for (size_t i = 0; i < cases.size(); ++i) {
    fmt::print("\n{:32}", cases[i].name);
    for (const Column& column : columns) fmt::print("{:9.2f}", column.cycles[i]);
  }
  fmt::print("\n{:32}", "largest relative error of exp");
  for (const Column& column : columns) fmt::print("{:9.1e}", column.exp_error);
  fmt::print("\n");
}

void run() {
  const auto arrays = std::make_unique<Arrays>();
  std::vector<Case> cases;
  add_activations(cases, *arrays);
  add_rows(cases, *arrays);
  add_spans(cases, *arrays);

  std::vector<Column> columns;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())  // the best one comes first
    if (columns.empty() || target == HWY_AVX2) columns.push_back(measure(cases, target));
  print_table(cases, columns);
}

}  // namespace
}  // namespace heed::bench

int main() { heed::bench::run(); }
