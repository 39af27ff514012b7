#include "heed/autograd/tape.h"
#include "heed/autograd/layout.h"
#include "heed/autograd/linear.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;
using Values = std::vector<double>;

// An op of two inputs whose backward half the test chooses.
Variable record_sum(const Variable& a, const Variable& b, Tape::Backward backward) {
  return a.tape().record(add(a, b).value(), {a, b}, std::move(backward));
}

TEST(Variable, IsAbsentUntilATapeMakesIt) {
  const Variable absent;
  EXPECT_FALSE(absent.present());
  EXPECT_FALSE(absent.needs_gradient());
  EXPECT_FALSE(absent.value().present());
  EXPECT_EQ(error_of([&] { (void)absent.tape(); }), "variable: absent, so it is not on a tape");
}

TEST(Variable, DropsGradientsThatItDoesNotNeed) {
  Tape tape;
  const Variable x = tape.constant(Tensor::of({2}, {1, 2}));
  x.add_gradient(Tensor::of({2}, {1, 1}));
  EXPECT_EQ(error_of([&] { (void)x.gradient(); }),
            "gradient: no gradient is kept for this variable of shape (2)");
}

TEST(Tape, KeepsConstantsWithoutGradients) {
  Tape tape;
  const Variable x = tape.constant(Tensor::of({2}, {1, 2}));
  EXPECT_TRUE(x.present());
  EXPECT_FALSE(x.needs_gradient());
  EXPECT_EQ(&x.tape(), &tape);
  EXPECT_EQ(x.shape(), Shape{2});
  EXPECT_EQ(x.type(), Type::float32);
  EXPECT_EQ(values_of(x.value()), (Values{1, 2}));
}

TEST(Tape, FindsTheGradientOfWhatItWatches) {
  Tape tape;
  const Tensor weights = Tensor::of({2}, {3, 4});
  const Variable x = tape.watch(weights);
  EXPECT_TRUE(x.needs_gradient());
  tape.backward(sum(multiply(x, tape.constant(Tensor::of({2}, {5, 6})))));
  EXPECT_EQ(values_of(x.gradient()), (Values{5, 6}));
  EXPECT_EQ(values_of(tape.gradient_of(weights)), (Values{5, 6}));
}

TEST(Tape, KeepsTheGradientsOfWhatIsWatchedOnly) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2}, {3, 4}));
  const Variable y = scale(x, 10);
  const Variable z = multiply(y, y);
  tape.backward(sum(z));
  EXPECT_EQ(values_of(x.gradient()), (Values{600, 800}));
  EXPECT_EQ(
      error_of([&] { (void)y.gradient(); }),
      "gradient: this variable of shape (2) is the result of an op, whose gradient is not kept");
}

TEST(Tape, GivesZerosWhereNoGradientArrives) {
  Tape tape;
  const Tensor unused = Tensor::of({2}, {1, 2});
  const Variable x = tape.watch(unused);
  tape.backward(sum(tape.watch(Tensor::of({1}, {3}))));
  EXPECT_EQ(values_of(x.gradient()), (Values{0, 0}));
  EXPECT_EQ(values_of(tape.gradient_of(unused)), (Values{0, 0}));
}

TEST(Tape, HasNoGradientOfWhatItNeverSaw) {
  Tape tape;
  EXPECT_FALSE(tape.gradient_of(Tensor::zeros({2})).present());
  EXPECT_FALSE(tape.gradient_of(Tensor()).present());
}

TEST(Tape, CollectsAllGradientsOfATensorThatIsWatchedTwice) {
  Tape tape;
  const Tensor weights = Tensor::of({2}, {3, 4});
  const Tensor same_numbers = weights;
  const Variable first = tape.watch(weights);
  const Variable second = tape.watch(same_numbers);
  tape.backward(sum(add(scale(first, 2), scale(second, 5))));
  EXPECT_EQ(values_of(first.gradient()), (Values{7, 7}));
  EXPECT_EQ(values_of(second.gradient()), (Values{7, 7}));
  EXPECT_EQ(values_of(tape.gradient_of(weights)), (Values{7, 7}));
}

TEST(Tape, KeepsEqualTensorsInDifferentMemoryApart) {
  Tape tape;
  const Variable a = tape.watch(Tensor::of({1}, {3}));
  const Variable b = tape.watch(Tensor::of({1}, {3}));
  tape.backward(sum(add(scale(a, 2), scale(b, 5))));
  EXPECT_EQ(values_of(a.gradient()), Values{2});
  EXPECT_EQ(values_of(b.gradient()), Values{5});
}

TEST(Tape, RefusesToWatchTheSameNumbersInTwoShapes) {
  Tape tape;
  const Tensor weights = Tensor::zeros({2, 3});
  (void)tape.watch(weights);
  EXPECT_EQ(error_of([&] { (void)tape.watch(weights.reshape({6})); }),
            "watch: the same numbers are watched with shapes (2, 3) and (6)");
}

TEST(Tape, RefusesToWatchNothing) {
  Tape tape;
  EXPECT_EQ(error_of([&] { (void)tape.watch(Tensor()); }),
            "watch: an absent tensor has no gradient");
}

TEST(Tape, ForgetsTheWayBackWhenNoInputNeedsIt) {
  Tape tape;
  const auto held = std::make_shared<int>(0);
  const Variable x = tape.constant(Tensor::zeros({1}));
  const Variable y = tape.record(Tensor::zeros({1}), {x, Variable()}, [held](const Tensor&) {});
  EXPECT_FALSE(y.needs_gradient());
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Tape, RecordsTheWayBackWhenOneInputNeedsIt) {
  Tape tape;
  const auto held = std::make_shared<int>(0);
  const Variable x = tape.watch(Tensor::zeros({1}));
  const Variable y = tape.record(Tensor::zeros({1}), {Variable(), x}, [held](const Tensor&) {});
  EXPECT_TRUE(y.needs_gradient());
  EXPECT_EQ(held.use_count(), 2);
  tape.clear();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Tape, RefusesInputsOfAnotherTape) {
  Tape tape, other;
  const Variable x = tape.watch(Tensor::zeros({2}));
  const Variable elsewhere = other.watch(Tensor::zeros({2}));
  EXPECT_EQ(error_of([&] { (void)add(x, elsewhere); }),
            "record: an input of shape (2) belongs to another tape");
  EXPECT_NO_THROW((void)add(x, other.constant(Tensor::zeros({2}))));
}

TEST(Tape, SendsAnyGradientOfTheResultsShape) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2}, {3, 4}));
  const Tensor gradient = Tensor::of({2}, {10, 100});
  tape.backward(multiply(x, x), gradient);
  EXPECT_EQ(values_of(x.gradient()), (Values{60, 800}));
  EXPECT_EQ(values_of(gradient), (Values{10, 100}));
}

TEST(Tape, SendsAGradientFromALeaf) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({1}, {3}));
  tape.backward(x);
  EXPECT_EQ(values_of(x.gradient()), Values{1});
}

TEST(Tape, LeavesWhatWasRecordedAfterTheLossAlone) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({1}, {3}));
  const Variable loss = scale(x, 2);
  const Variable later = scale(loss, 100);
  tape.backward(loss);
  EXPECT_EQ(values_of(x.gradient()), Values{2});
  EXPECT_EQ(values_of(later.gradient()), Values{0});
}

TEST(Tape, RefusesALossThatIsNotOneNumber) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2}));
  EXPECT_EQ(error_of([&] { tape.backward(x); }),
            "backward: a loss is one number, but this variable has shape (2)");
  EXPECT_NO_THROW(tape.backward(tape.watch(Tensor::zeros({1, 1}))));
}

TEST(Tape, RefusesAGradientThatDoesNotFitTheResult) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2}));
  EXPECT_EQ(error_of([&] { tape.backward(x, Tensor::zeros({3})); }),
            "backward: a gradient of shape (3) and type float32 for a variable of shape (2) and "
            "type float32");
  EXPECT_EQ(error_of([&] { tape.backward(x, Tensor::zeros({2}, Type::float64)); }),
            "backward: a gradient of shape (2) and type float64 for a variable of shape (2) and "
            "type float32");
  EXPECT_EQ(error_of([&] { tape.backward(tape.watch(Tensor::zeros({})), Tensor()); }),
            "backward: the gradient is absent");
}

TEST(Tape, RefusesVariablesThatItCannotFollow) {
  Tape tape, other;
  EXPECT_EQ(error_of([&] { tape.backward(Variable()); }),
            "backward: the variable does not belong to this tape");
  EXPECT_EQ(error_of([&] { tape.backward(other.watch(Tensor::zeros({}))); }),
            "backward: the variable does not belong to this tape");
  EXPECT_EQ(error_of([&] { tape.backward(tape.constant(Tensor::zeros({}))); }),
            "backward: this variable does not depend on a watched one");
}

TEST(Tape, IsReplayedOnceBetweenTwoClears) {
  Tape tape;
  const Tensor weights = Tensor::of({}, {3});
  const Variable loss = scale(tape.watch(weights), 2);
  tape.backward(loss);
  EXPECT_EQ(error_of([&] { tape.backward(loss); }),
            "backward: already called; clear the tape first");
  EXPECT_EQ(values_of(tape.gradient_of(weights)), Values{2});
  tape.clear();
  tape.backward(scale(tape.watch(weights), 5));
  EXPECT_EQ(values_of(tape.gradient_of(weights)), Values{5});
}

TEST(Tape, StillReplaysAfterARefusedRequest) {
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2}));
  EXPECT_THROW(tape.backward(x), Error);
  EXPECT_NO_THROW(tape.backward(sum(x)));
}

TEST(Tape, ForgetsEverythingWhenItIsCleared) {
  Tape tape;
  const Tensor weights = Tensor::of({2}, {3, 4});
  tape.backward(sum(tape.watch(weights)));
  EXPECT_GT(tape.arena().used(), 0u);
  tape.clear();
  EXPECT_EQ(tape.arena().used(), 0u);
  EXPECT_FALSE(tape.gradient_of(weights).present());
  EXPECT_EQ(values_of(tape.watch(weights.reshape({2, 1})).gradient()), (Values{0, 0}));
}

TEST(Tape, UsesTheSameMemoryForEveryStep) {
  Tape tape;
  const Tensor weights = testing::random_tensor({300, 1000}, 1);
  const auto run_step = [&] {
    const Variable x = tape.watch(weights);
    tape.backward(mean(multiply(add(x, x), scale(x, 2))));
    tape.clear();
  };
  run_step();
  const size_t capacity = tape.arena().capacity();
  for (int step = 0; step < 3; ++step) {
    run_step();
    EXPECT_EQ(tape.arena().capacity(), capacity);
  }
}

TEST(Tape, AllocatesFromItsArena) {
  Tape tape;
  const Tensor held = tape.allocate({3}, Type::float64);
  EXPECT_EQ(held.type(), Type::float64);
  EXPECT_EQ(values_of(tape.allocate_zeros({3}, Type::float32)), (Values{0, 0, 0}));
  EXPECT_EQ(tape.arena().used(), 128u);
}

// A chain of ops that do not need their inputs for the backward pass: two values and two gradients
// are enough, however long it is.
TEST(Tape, UsesTheMemoryAgainOfWhatNothingRefersTo) {
  Tape tape;
  Variable x = tape.watch(Tensor::full({1000}, 1));
  for (int i = 0; i < 50; ++i) x = scale(x, 2);
  tape.backward(sum(x));
  EXPECT_LT(tape.arena().used(), 5u * 4096);
}

TEST(Tape, LeavesValuesAloneThatAreHeldWhenItIsCleared) {
  Tape tape;
  const Tensor held = scale(tape.watch(Tensor::of({2}, {3, 4})), 10).value();
  tape.clear();
  const Variable other = scale(tape.watch(Tensor::of({2}, {5, 6})), 10);
  EXPECT_EQ(values_of(held), (Values{30, 40}));
  EXPECT_EQ(values_of(other.value()), (Values{50, 60}));
}

TEST(Tape, ValuesOutliveIt) {
  Tensor held;
  {
    Tape tape;
    held = scale(tape.watch(Tensor::of({2}, {3, 4})), 10).value();
  }
  EXPECT_EQ(values_of(held), (Values{30, 40}));
}

TEST(Tape, DropsOnlyInTraining) {
  Tape tape({.training = true});
  EXPECT_TRUE(tape.training());
  tape.set_training(false);
  EXPECT_FALSE(tape.training());
  EXPECT_FALSE(Tape().training());
}

TEST(Tape, GivesTheSameKeysForTheSameSeed) {
  Tape tape({.seed = 7});
  const RandomKey first = tape.next_key();
  const RandomKey second = tape.next_key();
  EXPECT_NE(first, second);
  tape.clear(7);
  EXPECT_EQ(tape.next_key(), first);
  EXPECT_EQ(tape.next_key(), second);
  tape.clear(8);
  EXPECT_NE(tape.next_key(), first);
}

TEST(NoGrad, ComputesValuesOnlyWhileItLives) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2}, {3, 4}));
  {
    const NoGrad values_only(tape);
    EXPECT_FALSE(tape.recording());
    const Variable y = scale(x, 2);
    EXPECT_EQ(values_of(y.value()), (Values{6, 8}));
    EXPECT_FALSE(y.needs_gradient());
    EXPECT_FALSE(tape.watch(Tensor::zeros({1})).needs_gradient());
    { const NoGrad nested(tape); }
    EXPECT_FALSE(tape.recording());
  }
  EXPECT_TRUE(tape.recording());
  EXPECT_TRUE(scale(x, 2).needs_gradient());
}

TEST(NoGrad, EndsWithAnException) {
  Tape tape;
  try {
    const NoGrad values_only(tape);
    throw std::runtime_error("");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(tape.recording());
}

TEST(NoGrad, CutsTheGradient) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({}, {3}));
  const Variable frozen = [&] {
    const NoGrad values_only(tape);
    return scale(x, 2);
  }();
  tape.backward(multiply(x, frozen));
  EXPECT_EQ(values_of(x.gradient()), Values{6});
}

TEST(Tape, RecordsNothingWhenAskedNotTo) {
  Tape tape({.record = false});
  EXPECT_FALSE(tape.recording());
  EXPECT_FALSE(scale(tape.watch(Tensor::zeros({1})), 2).needs_gradient());
}

// An op may give one tensor to several inputs. What one of them collects later must not reach the
// others.
class SharedGradient : public ::testing::Test {
 protected:
  Tape tape;
  Variable a = tape.watch(Tensor::of({2}, {1, 2}));
  Variable b = tape.watch(Tensor::of({2}, {3, 4}));
  Tensor shared = Tensor::of({2}, {10, 20});
};

TEST_F(SharedGradient, IsNotChangedByALaterSum) {
  // Replayed from the end: the second op gives first, the first op's gradients come on top.
  const Variable early = add(scale(a, 1), scale(b, 2));
  const Variable late = record_sum(a, b, [this](const Tensor&) {
    a.add_gradient(shared);
    b.add_gradient(shared);
  });
  tape.backward(sum(add(early, late)));
  EXPECT_EQ(values_of(a.gradient()), (Values{11, 21}));
  EXPECT_EQ(values_of(b.gradient()), (Values{12, 22}));
  EXPECT_EQ(values_of(shared), (Values{10, 20}));
}

TEST_F(SharedGradient, IsNotChangedByAddingInPlace) {
  const Variable early = record_sum(a, b, [this](const Tensor& dy) {
    Tensor sum_of_a = a.gradient_to_add_to();
    for (float& element : sum_of_a.span<float>()) element += 1;
    b.add_gradient(dy);
  });
  const Variable late = record_sum(a, b, [this](const Tensor&) {
    a.add_gradient(shared);
    b.add_gradient(shared);
  });
  tape.backward(sum(add(early, late)));
  EXPECT_EQ(values_of(a.gradient()), (Values{11, 21}));
  EXPECT_EQ(values_of(b.gradient()), (Values{11, 21}));
  EXPECT_EQ(values_of(shared), (Values{10, 20}));
}

TEST_F(SharedGradient, IsCountedTwiceWhenBothInputsAreOne) {
  tape.backward(sum(record_sum(a, a, [this](const Tensor&) {
    a.add_gradient(shared);
    a.add_gradient(shared);
  })));
  EXPECT_EQ(values_of(a.gradient()), (Values{20, 40}));
  EXPECT_EQ(values_of(shared), (Values{10, 20}));
}

TEST_F(SharedGradient, PassesThroughSumsUnchanged) {
  // add() passes its own gradient to both operands, reshaped or not; each then collects more.
  const Variable x = add(a, b);
  tape.backward(sum(add(add(x, a), add(x, b))));
  EXPECT_EQ(values_of(a.gradient()), (Values{3, 3}));
  EXPECT_EQ(values_of(b.gradient()), (Values{3, 3}));
}

TEST_F(SharedGradient, StartsFromZerosWhenNothingHasArrived) {
  tape.backward(sum(record_sum(a, b, [this](const Tensor&) {
    EXPECT_EQ(values_of(a.gradient_to_add_to()), (Values{0, 0}));
    a.gradient_to_add_to().fill(5);
    EXPECT_EQ(values_of(a.gradient_to_add_to()), (Values{5, 5}));
  })));
  EXPECT_EQ(values_of(a.gradient()), (Values{5, 5}));
  EXPECT_EQ(values_of(b.gradient()), (Values{0, 0}));
}

TEST(Tape, CollectsGradientsAtHome) {
  const Tensor x = Tensor::of({2}, {1, 2}), unused = Tensor::of({1}, {5});
  Tensor home = Tensor::full({2}, 7), unused_home = Tensor::full({1}, 7);
  Tape tape;
  tape.collect_gradient(x, home);
  tape.collect_gradient(unused, unused_home);
  for (int step = 0; step < 2; ++step) {
    tape.clear();
    (void)tape.watch(unused);
    const Variable v = tape.watch(x);
    tape.backward(sum(add(scale(v, 3), v)));
    EXPECT_EQ(values_of(home), (std::vector<double>{4, 4}));
    EXPECT_EQ(values_of(unused_home), (std::vector<double>{7}));
  }
  tape.collect_gradient(x, home, Tape::Home::added_to);
  tape.clear();
  tape.backward(
      sum(linear(tape.constant(Tensor::of({1, 2}, {5, 6})), reshape(tape.watch(x), {1, 2}))));
  EXPECT_EQ(values_of(home), (std::vector<double>{9, 10}));
}

TEST(Tape, WaitsForWhatHasAHomeBeforeItIsUsed) {
  const Tensor with_home = Tensor::of({2}, {1, 2}), frozen = Tensor::of({2}, {3, 4}),
               other = Tensor::of({2}, {5, 6});
  Tape tape;
  tape.collect_gradient(with_home, Tensor::zeros({2}));
  tape.collect_gradient(frozen, Tensor());
  int awaited = 0;
  tape.await_values([&](const Tensor& value) {
    EXPECT_EQ(value.data<float>(), with_home.data<float>());
    ++awaited;
  });
  for (int step = 1; step <= 2; ++step) {
    tape.clear();
    for (const Tensor* value : {&with_home, &frozen, &other, &with_home}) (void)tape.watch(*value);
    EXPECT_EQ(awaited, step);
  }
  const NoGrad values_only(tape);
  tape.clear();
  (void)tape.watch(with_home);
  EXPECT_EQ(awaited, 3);
}

// Each home with what is in it then: it must not change afterwards.
TEST(Tape, TellsWhichHomesAreSettled) {
  const Tensor first = Tensor::of({2}, {1, 2}), both = Tensor::of({2}, {3, 4}),
               last = Tensor::of({2}, {5, 6}), unused = Tensor::of({2}, {7, 8});
  Tensor homes[] = {Tensor::zeros({2}), Tensor::zeros({2}), Tensor::zeros({2}), Tensor::zeros({2})};
  Tape tape;
  const Tensor* const watched[] = {&first, &both, &last, &unused};
  for (size_t i = 0; i < 4; ++i) tape.collect_gradient(*watched[i], homes[i]);
  for (int step = 0; step < 2; ++step) {
    tape.clear();
    (void)scale(tape.watch(unused), 2);
    Variable x = multiply(tape.watch(first), tape.watch(both));
    x = multiply(x, tape.watch(both));
    x = add(x, tape.watch(last));
    std::vector<size_t> order;
    std::vector<Values> then;
    tape.backward(sum(x), [&](const Tensor& home) {
      for (size_t i = 0; i < 4; ++i)
        if (home.data<float>() == homes[i].data<float>()) order.push_back(i);
      then.push_back(values_of(home));
    });
    ASSERT_EQ(order.size(), 3u);
    EXPECT_EQ(order[0], 2u);
    EXPECT_EQ(order[1] + order[2], 1u);
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(then[i], values_of(homes[order[i]]));
    EXPECT_EQ(values_of(homes[1]), (Values{6, 16}));
  }
}

}  // namespace
}  // namespace heed
