// Every op of attention through the gradient checker, as those of autograd are. An op that is
// missing from the table fails `CoversEveryOpOfTheHeaders`: add its cases to `every_case`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "heed/attention/attend.h"
#include "heed/attention/attentive_recurrence.h"
#include "heed/attention/head_gates.h"
#include "heed/attention/link_loss.h"
#include "heed/attention/pooling.h"
#include "heed/attention/positions.h"
#include "heed/attention/recorder.h"
#include "joined.h"
#include "op_suite.h"
#include "paths.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::Inputs;
using testing::joined;
using testing::OpCase;
using testing::OpTable;
using testing::random_tensor;

// One sequence is empty, and one has a single token.
const Ragged layout({3, 0, 4, 1});

void add_positions_and_pooling(OpTable& table) {
  const Tensor x = random_tensor({layout.tokens(), 4}, 1);
  table.add("add_positions", "ragged", {x, random_tensor({6, 4}, 2)},
            [](const Inputs& in) { return add_positions(in[0], layout, in[1]); });
  for (const int64_t heads : {1, 2})
    table.add("rotate", fmt::format("{} heads", heads), {x},
              [heads](const Inputs& in) { return rotate(in[0], layout, heads); });
  table.add("mean_pooling", "ragged", {x},
            [](const Inputs& in) { return mean_pooling(in[0], layout); });
  table.add("max_pooling", "ragged", {x},
            [](const Inputs& in) { return max_pooling(in[0], layout); });
  const Ragged filled({3, 4, 1});
  table.add("first_pooling", "ragged", {x},
            [filled](const Inputs& in) { return first_pooling(in[0], filled); });
  table.add("learned_pooling", "ragged", {x, random_tensor({4}, 2)},
            [](const Inputs& in) { return learned_pooling(in[0], layout, in[1]); });
}

void add_looking(OpTable& table) {
  const Tensor x = random_tensor({layout.tokens(), 4}, 1);
  table.add("keep_gradient", "", {x},
            [](const Inputs& in) { return keep_gradient(in[0], std::make_shared<Tensor>()); });
  table.add("scale_heads", "one off", {x}, [](const Inputs& in) {
    return scale_heads(in[0], {0.5, 0});
  });
}

// The parameters of a score for queries and keys of width 4.
std::vector<Tensor> parameters_of(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::bilinear:
      return {random_tensor({4, 4}, 4)};
    case ScoreKind::additive:
      return {random_tensor({3, 4}, 4), random_tensor({3, 4}, 5), random_tensor({3}, 6)};
    case ScoreKind::gaussian:
      return {Tensor::full({1}, 1.5)};
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      return {};
  }
  __builtin_unreachable();
}

Score score_of(ScoreKind kind, const Inputs& in, size_t first) {
  return make_score(kind, std::span(in).subspan(first));
}

void add_scores(OpTable& table) {
  const std::vector<Tensor> operands = {random_tensor({layout.tokens(), 4}, 1),
                                        random_tensor({layout.tokens(), 4}, 2),
                                        random_tensor({layout.tokens(), 4}, 3)};
  for (const ScoreKind kind : {ScoreKind::dot, ScoreKind::scaled_dot, ScoreKind::bilinear,
                               ScoreKind::additive, ScoreKind::cosine, ScoreKind::gaussian}) {
    const std::vector<Tensor> parameters = parameters_of(kind);
    std::vector<Tensor> all = operands;
    all.insert(all.end(), parameters.begin(), parameters.end());
    for (const bool causal : {false, true})
      table.add("attend", fmt::format("{}{}", name_of(kind), causal ? ", causal" : ""), all,
                [=](const Inputs& in) {
                  return attend({.queries = in[0],
                                 .keys = in[1],
                                 .values = in[2],
                                 .score = score_of(kind, in, 3),
                                 .mask = {.causal = causal},
                                 .query_layout = layout,
                                 .key_layout = layout})
                      .output;
                });
    all.erase(all.begin() + 2);
    table.add("prepare", std::string(name_of(kind)), all, [=](const Inputs& in) {
      const PreparedScore prepared = prepare(score_of(kind, in, 2), in[0], in[1]);
      std::vector<Variable> parts = {prepared.queries, prepared.keys};
      for (const Variable& part : {prepared.vector, prepared.bandwidth})
        if (part.present()) parts.push_back(part);
      return joined(parts);
    });
  }
  table.add("attend", "two heads, distances and dropout",
            {operands[0], operands[1], operands[2], random_tensor({2, 5}, 7)},
            [](const Inputs& in) {
              return attend({.queries = in[0],
                             .keys = in[1],
                             .values = in[2],
                             .mask = {.distance_bias = relative_bias(in[3])},
                             .heads = 2,
                             .dropout = 0.25,
                             .query_layout = layout,
                             .key_layout = layout})
                  .output;
            });
}

// Its weights are no variables; attentive_recurrence_test checks their gradients.
void add_attentive_recurrence(OpTable& table) {
  const Ragged target({2, 3}), source({3, 1});
  const int64_t hidden = 2, context = 3, inputs = 2, gates = gates_of(RecurrentKind::gru) * hidden;
  table.add(
      "recur_attentively", "GRU, dot",
      {random_tensor({target.tokens(), inputs}, 1), random_tensor({2, hidden}, 2),
       random_tensor({source.tokens(), hidden}, 3), random_tensor({source.tokens(), context}, 4)},
      [=](const Inputs& in) {
        const Type type = in[0].type();
        const RecurrentWeights layer = {
            .input_weight = random_tensor({gates, context + inputs}, 5).to(type),
            .hidden_weight = random_tensor({gates, hidden}, 6).to(type),
            .input_bias = random_tensor({gates}, 7).to(type),
            .hidden_bias = random_tensor({gates}, 8).to(type)};
        return recur_attentively({.x = in[0],
                                  .hidden = {in[1]},
                                  .cells = {},
                                  .keys = in[2],
                                  .values = in[3],
                                  .source = source,
                                  .weights = {.kind = RecurrentKind::gru, .layers = {layer}}},
                                 std::make_shared<const TimeSteps>(target));
      });
}

void add_links(OpTable& table) {
  const std::vector<float> shares = {0.5, 1, 2, 0.25};
  const std::vector<TokenLink> links = {{0, 0}, {0, 2}, {3, 3}, {7, 0}};
  for (const int64_t kv_heads : {1, 2})
    table.add(
        "link_loss", fmt::format("{} KV heads", kv_heads),
        {random_tensor({layout.tokens(), 6}, 1), random_tensor({layout.tokens(), 3 * kv_heads}, 2)},
        [=](const Inputs& in) {
          return link_loss(in[0], in[1],
                           {.query_layout = layout,
                            .key_layout = layout,
                            .head = 1,
                            .heads = 2,
                            .kv_heads = kv_heads},
                           links, shares);
        });
}

}  // namespace

std::vector<OpCase> testing::every_case() {
  OpTable table;
  add_positions_and_pooling(table);
  add_scores(table);
  add_attentive_recurrence(table);
  add_looking(table);
  add_links(table);
  return table.take();
}

namespace testing {

INSTANTIATE_TEST_SUITE_P(Attention, EveryOp, ::testing::ValuesIn(every_op()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace testing

namespace {

TEST(EveryOpTable, CoversEveryOpOfTheHeaders) {
  EXPECT_EQ(testing::ops_of("attention"), testing::every_op());
}

// Wherever else an op were recorded, no table would cover it.
TEST(EveryOpTable, OpsLiveInAutogradAndAttention) {
  std::set<std::string> rooms;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::source_folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const bool records = text.find("tape().record(") != text.npos ||
                         text.find("tape.record(") != text.npos ||
                         text.find("tape->record(") != text.npos;
    if (records)
      rooms.insert(
          std::filesystem::relative(entry.path(), testing::source_folder).begin()->string());
  }
  EXPECT_EQ(rooms, (std::set<std::string>{"attention", "autograd"}));
}

}  // namespace
}  // namespace heed
