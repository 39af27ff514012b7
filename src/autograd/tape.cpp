#include "heed/autograd/tape.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

const void* address_of(const Tensor& tensor) {
  return with_type(tensor.type(),
                   [&](auto zero) -> const void* { return tensor.data<decltype(zero)>(); });
}

void write_sum(const Tensor& a, const Tensor& b, Tensor sum) {
  with_type(sum.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::add(a.span<T>(), b.span<T>(), sum.span<T>());
  });
}

}  // namespace

Tensor Variable::gradient() const {
  require(needs_gradient(), "gradient: no gradient is kept for this variable of shape {}", shape());
  const Tape::Node& node = tape_->nodes_[node_];
  require(!node.spent,
          "gradient: this variable of shape {} is the result of an op, whose gradient is not kept",
          shape());
  return node.gradient.present() ? node.gradient : Tensor::zeros(shape(), type());
}

void Variable::add_gradient(const Tensor& gradient) const {
  if (needs_gradient()) tape_->add_gradient(node_, gradient);
}

Tensor Variable::gradient_to_add_to() const {
  assert(needs_gradient());
  return tape_->gradient_to_add_to(node_);
}

GradientBuffer Variable::gradient_buffer() const {
  assert(needs_gradient());
  return tape_->gradient_buffer(node_);
}

Tape::Tape(TapeOptions options)
    : arenas_(options.arenas ? options.arenas->shared_from_this() : nullptr),
      arena_(new_arena()),
      key_(make_key(options.seed)),
      recording_(options.record),
      training_(options.training) {}

std::shared_ptr<Arena> Tape::new_arena() const {
  return arenas_ ? arenas_->borrow() : std::make_shared<Arena>();
}

Variable Tape::constant(Tensor value) { return Variable(this, std::move(value), -1); }

Variable Tape::watch(const Tensor& value) {
  require(value.present(), "watch: an absent tensor has no gradient");
  if (!recording_) {
    await_value(value);
    return constant(value);
  }
  const auto found = watched_.find(address_of(value));
  if (found != watched_.end()) {
    require(found->second.shape() == value.shape(),
            "watch: the same numbers are watched with shapes {} and {}", found->second.shape(),
            value.shape());
    return found->second;
  }
  await_value(value);
  const auto home = homes_.find(address_of(value));
  if (home != homes_.end() && !home->second.first.present()) return constant(value);
  Variable variable(this, value, add_node(value, nullptr));
  if (home != homes_.end()) std::tie(nodes_.back().home, nodes_.back().treatment) = home->second;
  watched_.emplace(address_of(value), variable);
  return variable;
}

Variable Tape::watch_rows(const Tensor& table) {
  const auto place = recording_ ? places_of_rows_.find(address_of(table)) : places_of_rows_.end();
  if (place == places_of_rows_.end()) return watch(table);
  Variable rows(this, table, add_node(table, nullptr));
  nodes_.back().rows = place->second;
  return rows;
}

void Tape::collect_rows(const Tensor& table, const RowGradient* place) {
  if (place == nullptr)
    places_of_rows_.erase(address_of(table));
  else
    places_of_rows_[address_of(table)] = place;
}

const RowGradient* Tape::place_of_rows(const Variable& table) const {
  return table.needs_gradient() ? nodes_[table.node_].rows : nullptr;
}

bool Tape::is_watched(const Tensor& value) const { return watched_.contains(address_of(value)); }

void Tape::await_value(const Tensor& value) const {
  if (!awaited_) return;
  const auto home = homes_.find(address_of(value));
  if (home != homes_.end() && home->second.first.present()) awaited_(value);
}

void Tape::collect_gradient(const Tensor& watched, Tensor home, Home treatment) {
  require(!home.present() || (home.shape() == watched.shape() && home.type() == watched.type()),
          "collect_gradient: a home of shape {} for a gradient of shape {}", home.shape(),
          watched.shape());
  homes_[address_of(watched)] = {std::move(home), treatment};
}

Tensor Tape::gradient_of(const Tensor& watched) const {
  const auto found = watched_.find(address_of(watched));
  return found == watched_.end() ? Tensor() : found->second.gradient();
}

bool Tape::has_gradient(const Tensor& watched) const {
  const auto found = watched_.find(address_of(watched));
  return found != watched_.end() && nodes_[found->second.node_].gradient.present();
}

Tensor Tape::allocate_zeros(Shape shape, Type type) {
  Tensor zeros = allocate(shape, type);
  zeros.fill(0);
  return zeros;
}

Variable Tape::record(Tensor value, std::initializer_list<Variable> inputs, Backward backward) {
  return record(std::move(value), std::span(inputs.begin(), inputs.size()), std::move(backward));
}

Variable Tape::record(Tensor value, std::span<const Variable> inputs, Backward backward) {
  for (const Variable& input : inputs)
    require(!input.needs_gradient() || input.tape_ == this,
            "record: an input of shape {} belongs to another tape", input.shape());
  const bool wanted = recording_ && std::ranges::any_of(inputs, &Variable::needs_gradient);
  if (!wanted) return constant(std::move(value));
  const int node = add_node(value, std::move(backward));
  note_first_uses(node, inputs);
  return Variable(this, std::move(value), node);
}

void Tape::note_first_uses(int op, std::span<const Variable> inputs) {
  for (const Variable& input : inputs) {
    if (!input.needs_gradient()) continue;
    Node& leaf = nodes_[input.node_];
    if (leaf.home.present() && !std::exchange(leaf.used, true))
      first_uses_.push_back({op, input.node_});
  }
}

int Tape::add_node(const Tensor& value, Backward backward) {
  nodes_.push_back({value.shape(), value.type(), Tensor(), false, std::move(backward)});
  return static_cast<int>(nodes_.size()) - 1;
}

void Tape::add_gradient(int index, const Tensor& gradient) {
  Node& node = nodes_[index];
  assert(gradient.shape().elements() == node.shape.elements() && gradient.type() == node.type);
  if (!node.gradient.present() && !node.home.present()) {
    node.gradient = gradient.reshape(node.shape);
    return;
  }
  if (node.gradient.present() && !node.owns_gradient && !node.home.present()) {
    const Tensor given = std::exchange(node.gradient, allocate(node.shape, node.type));
    node.owns_gradient = true;
    write_sum(given, gradient, node.gradient);
    return;
  }
  GradientBuffer buffer = gradient_buffer(index);
  if (buffer.empty) {
    buffer.gradient.copy_from(gradient.reshape(node.shape));
  } else {
    write_sum(buffer.gradient, gradient, buffer.gradient);
  }
}

Tensor Tape::gradient_to_add_to(int index) {
  GradientBuffer buffer = gradient_buffer(index);
  if (buffer.empty) buffer.gradient.fill(0);
  return buffer.gradient;
}

GradientBuffer Tape::gradient_buffer(int index) {
  Node& node = nodes_[index];
  if (node.owns_gradient) return {node.gradient, false};
  const Tensor given = node.gradient;
  node.gradient = node.home.present() ? node.home : allocate(node.shape, node.type);
  node.owns_gradient = true;
  if (given.present()) node.gradient.copy_from(given);
  const bool filled = given.present() || (node.home.present() && node.treatment == Home::added_to);
  return {node.gradient, !filled};
}

void Tape::backward(const Variable& loss, const Settled& settled) {
  require(!loss.present() || loss.value().elements() == 1,
          "backward: a loss is one number, but this variable has shape {}", loss.shape());
  Tensor one = allocate(loss.shape(), loss.type());
  one.fill(1);
  backward(loss, one, settled);
}

void Tape::backward(const Variable& result, const Tensor& gradient, const Settled& settled) {
  require(result.present() && &result.tape() == this,
          "backward: the variable does not belong to this tape");
  require(result.needs_gradient(), "backward: this variable does not depend on a watched one");
  require(gradient.present(), "backward: the gradient is absent");
  require(gradient.shape() == result.shape() && gradient.type() == result.type(),
          "backward: a gradient of shape {} and type {} for a variable of shape {} and type {}",
          gradient.shape(), name_of(gradient.type()), result.shape(), name_of(result.type()));
  require(!std::exchange(replayed_, true), "backward: already called; clear the tape first");
  add_gradient(result.node_, gradient);
  for (int index = result.node_; index >= 0; --index) {
    Node& node = nodes_[index];
    if (!node.backward) continue;
    if (node.gradient.present()) node.backward(node.gradient);
    node.backward = nullptr;
    node.gradient = Tensor();
    node.spent = true;
    for (; !first_uses_.empty() && first_uses_.back().op >= index; first_uses_.pop_back()) {
      const Node& leaf = nodes_[first_uses_.back().leaf];
      if (settled && leaf.gradient.present()) settled(leaf.home);
    }
  }
}

void Tape::clear(uint64_t seed) {
  nodes_.clear();
  first_uses_.clear();
  watched_.clear();
  // Values that outlive the step keep their memory, and with it the arena.
  if (arena_.use_count() == 1)
    arena_->reset();
  else
    arena_ = new_arena();
  key_ = make_key(seed);
  keys_given_ = 0;
  replayed_ = false;
}

}  // namespace heed
