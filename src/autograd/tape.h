// Reverse-mode differentiation: ops record how to send gradients back; the tape replays them in
// reverse.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/tensor/arena_pool.h"
#include "heed/tensor/tensor.h"

namespace heed {

class Tape;

// Where the backward half of an op puts the gradient of an input. An empty one holds no numbers
// yet: it is to be overwritten, all others are to be added to.
struct GradientBuffer {
  Tensor gradient;
  bool empty;
};

// A value that took part in a computation on a tape. Cheap to copy. Not to be used once its tape is
// cleared.
class Variable {
 public:
  Variable() = default;  // absent, for optional inputs

  bool present() const { return tape_ != nullptr; }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  Type type() const { return value_.type(); }
  Tape& tape() const {
    require(present(), "variable: it is absent, so it is on no tape");
    return *tape_;
  }
  bool needs_gradient() const { return node_ >= 0; }
  // For the backward half of an op that needs nothing of the value: it need not be kept for it.
  Variable without_value() const { return Variable(tape_, Tensor(), node_); }

  // What `backward` found for a variable that is watched: zeros where no gradient arrived.
  Tensor gradient() const;

  // For the backward half of an op. A tensor that is given away must not be changed afterwards.
  void add_gradient(const Tensor& gradient) const;
  // The same for kernels that add in place: a tensor of zeros, or of what has arrived so far.
  Tensor gradient_to_add_to() const;
  // The same for kernels that write the whole gradient: they need no zeros to begin with.
  GradientBuffer gradient_buffer() const;

 private:
  friend class Tape;
  Variable(Tape* tape, Tensor value, int node)
      : tape_(tape), value_(std::move(value)), node_(node) {}

  Tape* tape_ = nullptr;
  Tensor value_;
  int node_ = -1;
};

struct TapeOptions {
  bool record = true;           // false: values only (see also NoGrad)
  bool training = false;        // dropout drops
  uint64_t seed = 0;            // of everything random on this tape
  ArenaPool* arenas = nullptr;  // which lends the tape its memory; null for memory of its own
};

class Tape {
 public:
  using Backward = std::function<void(const Tensor& gradient)>;

  explicit Tape(TapeOptions options = {});
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // An input without a gradient.
  Variable constant(Tensor value);
  // An input whose gradient is wanted. Watching the same memory again gives the same variable, so a
  // parameter that is used in several places collects all its gradients.
  Variable watch(const Tensor& value);
  // From now on, also after `clear`, the gradient of a watched tensor is collected in `home` rather
  // than in memory that `clear` frees: written over what is there, or added to it. The home of a
  // tensor that `backward` does not reach is left as it is.
  enum class Home { overwritten, added_to };
  void collect_gradient(const Tensor& watched, Tensor home, Home treatment = Home::overwritten);
  // The gradient of a watched tensor after `backward`, or an absent tensor if it was not watched.
  Tensor gradient_of(const Tensor& watched) const;
  // Whether a gradient arrived there.
  bool has_gradient(const Tensor& watched) const;

  // For ops: memory, and the result with the way back. `backward` receives the gradient of the
  // result and adds to the gradients of the inputs that need one; it is dropped when none does, and
  // after use. Memory that nothing refers to any more is used again.
  Tensor allocate(Shape shape, Type type) { return Tensor::uninitialised(shape, type, arena_); }
  Tensor allocate_zeros(Shape shape, Type type);
  Variable record(Tensor value, std::initializer_list<Variable> inputs, Backward backward);
  Variable record(Tensor value, std::span<const Variable> inputs, Backward backward);

  // Sends gradients from a single number, or from any variable with a gradient of its shape. Once
  // between two clears, because what an op recorded is freed as soon as its gradient has been sent
  // on.
  void backward(const Variable& loss);
  void backward(const Variable& result, const Tensor& gradient);

  // Forgets everything recorded and frees all values: the start of the next step. The seed names
  // its random stream.
  void clear(uint64_t seed = 0);

  bool recording() const { return recording_; }
  bool training() const { return training_; }
  void set_training(bool training) { training_ = training; }
  // A new stream of random numbers; the n-th request after a clear gives the same key each time.
  RandomKey next_key() { return derive_key(key_, ++keys_given_); }
  const Arena& arena() const { return *arena_; }

 private:
  friend class Variable;
  friend class NoGrad;
  struct Node {
    Shape shape;
    Type type;
    Tensor gradient;  // absent until one arrives
    bool owns_gradient =
        false;  // false while the tensor was given by an op, which may have given it to others too
    Backward backward;   // null for a leaf
    bool spent = false;  // replayed, and its gradient freed
    Tensor home = {};    // where the gradient is to be; absent for anywhere
    Home treatment = Home::overwritten;
  };

  std::shared_ptr<Arena> new_arena() const;
  int add_node(const Tensor& value, Backward backward);
  void add_gradient(int index, const Tensor& gradient);
  Tensor gradient_to_add_to(int index);
  GradientBuffer gradient_buffer(int index);

  std::shared_ptr<ArenaPool> arenas_;  // or null
  std::shared_ptr<Arena> arena_;
  std::vector<Node> nodes_;
  std::unordered_map<const void*, Variable> watched_;
  std::unordered_map<const void*, std::pair<Tensor, Home>> homes_;
  RandomKey key_;
  uint64_t keys_given_ = 0;
  bool recording_;
  bool training_;
  bool replayed_ = false;
};

// While it lives, the tape computes values only.
class NoGrad {
 public:
  explicit NoGrad(Tape& tape) : tape_(tape), before_(std::exchange(tape.recording_, false)) {}
  ~NoGrad() { tape_.recording_ = before_; }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  Tape& tape_;
  bool before_;
};

}  // namespace heed
