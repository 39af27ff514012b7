// Multi-head attention equals torch.nn.MultiheadAttention with the same parameters: output, weights
// of each head and their average, and all gradients. tests/golden/multi_head.py defines what is
// expected.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "every_target.h"
#include "golden.h"
#include "heed/attention/multi_head.h"

namespace heed {
namespace {

using testing::close_to_golden;
using testing::values_of;

enum class Kind { self, cross };
enum class Batch { dense, ragged };
using Case = std::tuple<Kind, int64_t, Batch>;

std::string name_of(Kind kind) { return kind == Kind::self ? "self" : "cross"; }
std::string name_of(Batch batch) { return batch == Batch::dense ? "dense" : "ragged"; }

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const auto& [kind, heads, batch] = info.param;
  return fmt::format("{}_{}_{}", name_of(kind), heads == 1 ? "one_head" : "four_heads",
                     name_of(batch));
}

// (batch, heads, queries, keys) -> (batch, queries, keys)
Tensor average_of_heads(const Tensor& weights) {
  const Shape& shape = weights.shape();
  Tensor average = Tensor::zeros({shape[0], shape[2], shape[3]}, weights.type());
  const int64_t matrix = shape[2] * shape[3];
  with_type(weights.type(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < weights.elements(); ++i) {
      const int64_t sequence = i / (shape[1] * matrix);
      average.data<T>()[sequence * matrix + i % matrix] +=
          weights.data<T>()[i] / static_cast<T>(shape[1]);
    }
  });
  return average;
}

class GoldenMultiHead : public ::testing::TestWithParam<Case> {
 protected:
  Kind kind() const { return std::get<Kind>(GetParam()); }
  int64_t heads() const { return std::get<int64_t>(GetParam()); }
  Batch batch() const { return std::get<Batch>(GetParam()); }

  std::string of_layer(std::string_view name) const {
    return fmt::format("{}.{}.{}", name_of(kind()), heads(), name);
  }
  std::string of_batch(std::string_view name) const {
    return of_layer(fmt::format("{}.{}", name_of(batch()), name));
  }

  // PyTorch keeps the three projections of equal inputs in one array, and always their three
  // biases.
  std::string projection_array(std::string_view projection, std::string_view part) const {
    if (projection == "out_proj") return fmt::format("out_proj.{}", part);
    if (part == "bias") return "in_proj_bias";
    return kind() == Kind::self ? "in_proj_weight" : fmt::format("{}_weight", projection);
  }

  // The part of PyTorch's array that is the parameter "q_proj.weight" and the like.
  Tensor parameter_part(const std::string& parameter, const Tensor& array) const {
    const int64_t third = parameter[0] == 'q' ? 0 : parameter[0] == 'k' ? 1 : 2;
    if (parameter.starts_with("out") || (kind() == Kind::cross && parameter.ends_with("weight")))
      return array;
    const int64_t rows = array.shape()[0] / 3;
    return array.slice(third * rows, (third + 1) * rows);
  }

  std::string golden_name(const std::string& parameter) const {
    const size_t dot = parameter.find('.');
    return projection_array(parameter.substr(0, dot), parameter.substr(dot + 1));
  }

  MultiHeadAttention make_layer(Type type) const {
    Rng rng(1);
    MultiHeadConfig config{.width = 12, .heads = heads()};
    if (kind() == Kind::cross) config.key_inputs = 7, config.value_inputs = 10;
    MultiHeadAttention layer(config, rng);
    layer.visit_parameters({}, [&](const std::string& name, Tensor& value) {
      const Tensor part = parameter_part(name, golden_.read(of_layer(golden_name(name)), type));
      ASSERT_EQ(part.shape(), value.shape()) << name;
      value = part.clone();
    });
    return layer;
  }

  MultiHeadInputs make_inputs(Tape& tape, Type type) const {
    MultiHeadInputs inputs{.want_weights = true};
    inputs.queries = tape.watch(golden_.read(of_batch("queries"), type));
    if (kind() == Kind::cross) {
      inputs.keys = tape.watch(golden_.read(of_batch("keys"), type));
      inputs.values = tape.watch(golden_.read(of_batch("values"), type));
    }
    inputs.mask.causal = kind() == Kind::self;
    const std::vector<int64_t> query_lengths = golden_.read_integers("query_lengths");
    const std::vector<int64_t> key_lengths =
        kind() == Kind::self ? query_lengths : golden_.read_integers("key_lengths");
    if (batch() == Batch::ragged) {
      inputs.query_layout = Ragged(query_lengths);
      inputs.key_layout = Ragged(key_lengths);
    } else {
      inputs.mask.valid_lengths = key_lengths;
    }
    return inputs;
  }

  void expect_golden(std::string_view what, const Tensor& actual) const {
    EXPECT_TRUE(close_to_golden(actual, golden_.read(of_batch(what), Type::float64))) << what;
  }

  // Compares PyTorch's arrays whole: the gradient of the key bias is nothing but rounding, since
  // softmax ignores what all keys share, so it has no size of its own to compare by.
  void expect_parameter_gradients(MultiHeadAttention& layer, const Tape& tape, Type type) const {
    std::map<std::string, std::vector<double>> gradients;
    layer.visit_parameters({}, [&](const std::string& name, Tensor& value) {
      const std::vector<double> part = values_of(tape.gradient_of(value));
      std::vector<double>& whole = gradients[golden_name(name)];
      whole.insert(whole.end(), part.begin(), part.end());
    });
    for (const auto& [name, gradient] : gradients) {
      const Tensor golden = golden_.read(of_batch(name + ".gradient"), Type::float64);
      EXPECT_TRUE(close_to_golden(gradient, golden, type)) << name;
    }
  }

  void run(Type type) {
    MultiHeadAttention layer = make_layer(type);
    Tape tape;
    const MultiHeadInputs inputs = make_inputs(tape, type);
    const Attended attended = layer(inputs);
    tape.backward(attended.output, golden_.read(of_batch("output.gradient"), type));

    expect_golden("output", attended.output.value());
    expect_golden("weights", attended.weights);
    expect_golden("average_weights", average_of_heads(attended.weights));
    expect_golden("queries.gradient", inputs.queries.gradient());
    if (kind() == Kind::cross) {
      expect_golden("keys.gradient", inputs.keys.gradient());
      expect_golden("values.gradient", inputs.values.gradient());
    }
    expect_parameter_gradients(layer, tape, type);
  }

  TensorFile golden_ = testing::open_golden("multi_head");
};

TEST_P(GoldenMultiHead, InFloat32) {
  testing::for_every_target([&] { run(Type::float32); });
}
TEST_P(GoldenMultiHead, InFloat64) { run(Type::float64); }

INSTANTIATE_TEST_SUITE_P(All, GoldenMultiHead,
                         ::testing::Combine(::testing::Values(Kind::self, Kind::cross),
                                            ::testing::Values<int64_t>(1, 4),
                                            ::testing::Values(Batch::dense, Batch::ragged)),
                         case_name);

}  // namespace
}  // namespace heed
