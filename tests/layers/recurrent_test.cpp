#include "heed/layers/recurrent.h"

#include "heed/base/error.h"
#include "heed/layers/gru.h"
#include "heed/layers/lstm.h"
#include "heed/weights/tensor_file.h"
#include "layer_checks.h"
#include "paths.h"

namespace heed {
namespace {

using heed::testing::check_layer;
using heed::testing::close_tensors;
using heed::testing::joined;
using heed::testing::random_tensor;

template <typename Network>
class RecurrentNetwork : public ::testing::Test {
 protected:
  static constexpr bool lstm = std::is_same_v<Network, Lstm>;

  static Network make(const RecurrentConfig& config, uint64_t seed = 1) {
    Rng rng(seed);
    return Network(config, rng);
  }
};
using Networks = ::testing::Types<Gru, Lstm>;
TYPED_TEST_SUITE(RecurrentNetwork, Networks);

Variable all_of(const RecurrentResult& result) {
  std::vector<Variable> parts{result.outputs};
  parts.insert(parts.end(), result.last.hidden.begin(), result.last.hidden.end());
  parts.insert(parts.end(), result.last.cells.begin(), result.last.cells.end());
  return joined(parts);
}

// The states of all layers and directions, (states, sequences, hidden) in the golden files.
std::vector<Variable> split_states(Tape& tape, const Tensor& states) {
  std::vector<Variable> variables;
  for (int64_t i = 0; i < states.shape()[0]; ++i)
    variables.push_back(
        tape.watch(states.slice(i, i + 1).reshape({states.shape()[1], states.shape()[2]})));
  return variables;
}

class GoldenCase {
 public:
  GoldenCase(const TensorFile& file, std::string name, Type type)
      : file_(file), name_(std::move(name)), type_(type) {}

  Tensor input(const std::string& array) const { return file_.read(name_ + "." + array, type_); }
  bool has(const std::string& array) const { return file_.contains(name_ + "." + array); }
  Ragged layout() const { return Ragged(file_.read_integers(name_ + ".lengths")); }

  // Those of all results, in the order of `all_of`.
  Tensor result_gradients(bool lstm) const {
    Tape tape;
    std::vector<Variable> parts;
    for (const char* array : {"outputs.gradient", "last_hidden.gradient"})
      parts.push_back(tape.constant(input(array)));
    if (lstm) parts.push_back(tape.constant(input("last_cells.gradient")));
    return joined(parts).value().clone();
  }

  void expect(const Tensor& found, const std::string& array) const {
    const Tensor expected = file_.read(name_ + "." + array, Type::float64);
    const bool exact = type_ == Type::float64;
    EXPECT_TRUE(close_tensors(found.reshape(expected.shape()), expected, exact ? 1e-11 : 1e-5,
                              exact ? 1e-12 : 1e-6))
        << array;
  }
  void expect_states(const std::vector<Variable>& found, const std::string& array) const {
    expect(joined(found).value(), array);
  }
  void expect_gradients(const std::vector<Variable>& found, const std::string& array) const {
    if (found.empty()) return;
    std::vector<Variable> gradients;
    for (const Variable& state : found)
      gradients.push_back(state.tape().constant(state.gradient()));
    expect_states(gradients, array + ".gradient");
  }

 private:
  const TensorFile& file_;
  std::string name_;
  Type type_;
};

template <typename Network>
void expect_golden(Network network, const GoldenCase& golden, bool lstm) {
  network.visit_parameters(
      "parameter", [&](const std::string& name, Tensor& value) { value = golden.input(name); });
  Tape tape;
  const Variable x = tape.watch(golden.input("x"));
  RecurrentState initial;
  if (golden.has("hidden")) initial.hidden = split_states(tape, golden.input("hidden"));
  if (golden.has("cells")) initial.cells = split_states(tape, golden.input("cells"));

  const RecurrentResult result = network(x, golden.layout(), initial);
  golden.expect(result.outputs.value(), "outputs");
  golden.expect_states(result.last.hidden, "last_hidden");
  if (lstm) golden.expect_states(result.last.cells, "last_cells");

  tape.backward(all_of(result), golden.result_gradients(lstm));
  golden.expect(x.gradient(), "x.gradient");
  golden.expect_gradients(initial.hidden, "hidden");
  golden.expect_gradients(initial.cells, "cells");
  for (const Parameter& parameter : parameters_of(network, "parameter"))
    golden.expect(tape.gradient_of(parameter.value), parameter.name + ".gradient");
}

TYPED_TEST(RecurrentNetwork, EqualsPyTorch) {
  const TensorFile file =
      TensorFile::open(this->lstm ? std::string(testing::golden_folder) + "/lstm.safetensors"
                                  : std::string(testing::golden_folder) + "/gru.safetensors");
  for (const int layers : {1, 2})
    for (const bool both : {false, true})
      for (const Type type : {Type::float32, Type::float64}) {
        const std::string name = fmt::format("{}_{}", layers, both ? "both" : "one");
        SCOPED_TRACE(fmt::format("{} {}", name, name_of(type)));
        const int64_t inputs = file.shape(name + ".x")[1];
        const int64_t hidden = file.shape(name + ".parameter.weight_hh_l0")[1];
        expect_golden(
            this->make(
                {.inputs = inputs, .hidden = hidden, .layers = layers, .bidirectional = both}),
            GoldenCase(file, name, type), this->lstm);
      }
}

TYPED_TEST(RecurrentNetwork, GradientsThroughLayersDirectionsAndDropout) {
  auto network =
      this->make({.inputs = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dropout = 0.3});
  const Ragged layout({2, 0, 3});
  const GradientCheckResult result = check_layer(network, {random_tensor({5, 2}, 2)},
                                                 [&](Tape&, const std::vector<Variable>& inputs) {
                                                   return all_of(network(inputs[0], layout));
                                                 },
                                                 {.tape = {.training = true, .seed = 5}});
  EXPECT_TRUE(result.passed) << result.complaint;
}

TYPED_TEST(RecurrentNetwork, StepByStepGivesWhatTheWholeSequenceGives) {
  auto network = this->make({.inputs = 4, .hidden = 5, .layers = 2});
  const int64_t sequences = 3, length = 4;
  const Tensor x = random_tensor({sequences, length, 4}, 2);
  Tape tape;
  const RecurrentResult whole = network(tape.constant(x.reshape({sequences * length, 4})),
                                        Ragged(std::vector<int64_t>(sequences, length)));
  RecurrentState state;
  for (int64_t step = 0; step < length; ++step) {
    Tensor rows = Tensor::uninitialised({sequences, 4});
    for (int64_t s = 0; s < sequences; ++s)
      rows.slice(s, s + 1).copy_from(x.slice(s, s + 1).reshape({length, 4}).slice(step, step + 1));
    state = network.step(tape.constant(rows), state);
    for (int64_t s = 0; s < sequences; ++s)
      EXPECT_TRUE(close_tensors(
          state.hidden.back().value().slice(s, s + 1),
          whole.outputs.value().slice(s * length + step, s * length + step + 1), 1e-6, 1e-7));
  }
  EXPECT_EQ(state.cells.size(), this->lstm ? 2u : 0u);
  EXPECT_TRUE(close_tensors(state.hidden[0].value(), whole.last.hidden[0].value(), 1e-6, 1e-7));
}

TYPED_TEST(RecurrentNetwork, StepsAreTrainable) {
  auto network = this->make({.inputs = 3, .hidden = 3, .layers = 2});
  const GradientCheckResult result = check_layer(
      network, {random_tensor({2, 3}, 2)}, [&](Tape&, const std::vector<Variable>& inputs) {
        RecurrentState state = network.step(inputs[0], {});
        // As in a decoder, the next input depends on the state.
        state = network.step(state.hidden.back(), state);
        return state.hidden.back();
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TYPED_TEST(RecurrentNetwork, DropoutActsBetweenLayersAndOnlyInTraining) {
  const RecurrentConfig one_layer{.inputs = 3, .hidden = 4, .dropout = 0.5};
  RecurrentConfig two_layers = one_layer;
  two_layers.layers = 2;
  const Tensor x = random_tensor({6, 3}, 2);
  const auto outputs = [&](const RecurrentConfig& config, bool training) {
    Tape tape({.training = training, .seed = 1});
    return this->make(config)(tape.constant(x), Ragged({4, 2})).outputs.value().clone();
  };
  EXPECT_TRUE(close_tensors(outputs(one_layer, true), outputs(one_layer, false), 0, 0));
  EXPECT_FALSE(close_tensors(outputs(two_layers, true), outputs(two_layers, false), 1e-3, 1e-3));
}

TYPED_TEST(RecurrentNetwork, HasPyTorchsNamesAndRange) {
  auto network = this->make({.inputs = 3, .hidden = 4, .layers = 2, .bidirectional = true});
  const std::vector<Parameter> parameters = parameters_of(network, "encoder");
  ASSERT_EQ(parameters.size(), 16u);
  EXPECT_EQ(parameters[0].name, "encoder.weight_ih_l0");
  EXPECT_EQ(parameters[1].name, "encoder.weight_hh_l0");
  EXPECT_EQ(parameters[2].name, "encoder.bias_ih_l0");
  EXPECT_EQ(parameters[3].name, "encoder.bias_hh_l0");
  EXPECT_EQ(parameters[4].name, "encoder.weight_ih_l0_reverse");
  EXPECT_EQ(parameters[15].name, "encoder.bias_hh_l1_reverse");
  const int64_t rows = this->lstm ? 16 : 12;
  EXPECT_EQ(parameters[8].value.shape(), (Shape{rows, 8}));
  for (const Parameter& parameter : parameters)
    for (const float number : parameter.value.template span<float>())
      EXPECT_LE(std::abs(number), 0.5f);
}

TYPED_TEST(RecurrentNetwork, RefusesWhatCannotBe) {
  EXPECT_THROW(this->make({.inputs = 0, .hidden = 4}), Error);
  EXPECT_THROW(this->make({.inputs = 3, .hidden = 4, .layers = 0}), Error);
  EXPECT_THROW(this->make({.inputs = 3, .hidden = 4, .dropout = 1.0}), Error);
  auto network = this->make({.inputs = 3, .hidden = 4, .bidirectional = true});
  Tape tape;
  const Variable x = tape.constant(random_tensor({5, 3}, 1));
  const Variable state = tape.constant(random_tensor({1, 4}, 1));
  EXPECT_THROW(network(x, Ragged({4})), Error);
  EXPECT_THROW(network(x, Ragged({5}), {.hidden = {state}, .cells = {}}), Error);
  EXPECT_THROW(network.step(x, {}), Error);
  const Variable wide = tape.constant(random_tensor({5, 7}, 1));
  EXPECT_THROW(network(wide, Ragged({5})), Error);
}

TEST(Gru, RefusesCells) {
  Rng rng(1);
  const Gru network({.inputs = 3, .hidden = 4}, rng);
  Tape tape;
  const Variable x = tape.constant(random_tensor({5, 3}, 1)),
                 state = tape.constant(random_tensor({1, 4}, 1));
  EXPECT_THROW(network(x, Ragged({5}), {.hidden = {state}, .cells = {state}}), Error);
}

}  // namespace
}  // namespace heed
