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

#include "heed/autograd/row_gradient.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/tensor/arena_pool.h"
#include "heed/tensor/tensor.h"

namespace heed {

class Tape;

// Where the backward half of an op puts the gradient of an input. If `empty`, it is to be
// overwritten, otherwise added to.
struct GradientBuffer {
  Tensor gradient;
  bool empty;
};

// A value in a computation on a tape. Cheap to copy. Invalid once its tape is cleared.
class Variable {
 public:
  Variable() = default;  // absent, for optional inputs

  bool present() const { return tape_ != nullptr; }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  Type type() const { return value_.type(); }
  Tape& tape() const {
    require(present(), "variable: absent, so it is not on a tape");
    return *tape_;
  }
  bool needs_gradient() const { return node_ >= 0; }
  // For the backward half of an op that does not need the value, so that it need not be kept.
  Variable without_value() const { return Variable(tape_, Tensor(), node_); }

  // The gradient of a watched variable after `backward`; zeros if none arrived.
  Tensor gradient() const;

  // For the backward half of an op. A tensor passed here must not be changed afterwards.
  void add_gradient(const Tensor& gradient) const;
  // The same for kernels that add in place: a tensor of zeros, or of what has arrived so far.
  Tensor gradient_to_add_to() const;
  // The same for kernels that write the whole gradient, without zeroing it first.
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
  ArenaPool* arenas = nullptr;  // memory for the tape; null for memory of its own
};

class Tape {
 public:
  using Backward = std::function<void(const Tensor& gradient)>;

  explicit Tape(TapeOptions options = {});
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // An input without a gradient.
  Variable constant(Tensor value);
  // An input whose gradient is needed. Watching the same memory again gives the same variable, so a
  // parameter that is used in several places collects all its gradients.
  Variable watch(const Tensor& value);
  // From now on, also after `clear`, the gradient of a watched tensor is written to `home`, or
  // added to what is there; the home of one that `backward` does not reach is left as it is. An
  // absent home is for a gradient that nobody wants: watching that tensor gives a constant.
  enum class Home { overwritten, added_to };
  void collect_gradient(const Tensor& watched, Tensor home, Home treatment = Home::overwritten);
  // The rows of a table that an op looks up: what it adds to their gradient goes where
  // `collect_rows` says, or into the table's own gradient if nobody has said anything.
  Variable watch_rows(const Tensor& table);
  // From now on, also after `clear`; an absent place is none. The table's gradient then has only
  // what other ops add to it. The rows must be there: nobody waits for them.
  void collect_rows(const Tensor& table, const RowGradient* place);
  // From now on, also after `clear`, `awaited` is called with a tensor that has a home before
  // anything on this tape uses it; it returns when the tensor's numbers are there.
  using Awaited = std::function<void(const Tensor& watched)>;
  void await_values(Awaited awaited) { awaited_ = std::move(awaited); }
  // The gradient of a watched tensor after `backward`, or an absent tensor if it was not watched.
  Tensor gradient_of(const Tensor& watched) const;
  // Whether an op may have used it, other than by looking up rows that have a place.
  bool is_watched(const Tensor& value) const;
  // Whether it received a gradient.
  bool has_gradient(const Tensor& watched) const;

  // For ops that look up rows: where their gradient goes, or null for the table's own.
  const RowGradient* place_of_rows(const Variable& table) const;

  // For ops: memory, and a result with its gradient function. `backward` receives the gradient of
  // the result and adds to the gradients of the inputs that need one; it is dropped if none does,
  // and after use. Memory that is no longer referenced is reused.
  Tensor allocate(Shape shape, Type type) { return Tensor::uninitialised(shape, type, arena_); }
  Tensor allocate_zeros(Shape shape, Type type);
  Variable record(Tensor value, std::initializer_list<Variable> inputs, Backward backward);
  Variable record(Tensor value, std::span<const Variable> inputs, Backward backward);

  // Propagates gradients from a single number, or from any variable with a gradient of its shape.
  // Once between two clears, because what an op recorded is freed as soon as its gradient has been
  // propagated.
  // `settled` is called with each home as soon as nothing will be added to it any more; homes that
  // get no gradient are left out.
  using Settled = std::function<void(const Tensor& home)>;
  void backward(const Variable& loss, const Settled& settled = nullptr);
  void backward(const Variable& result, const Tensor& gradient, const Settled& settled = nullptr);

  // Forgets everything recorded and frees all values: the start of the next step. The seed names
  // its random stream.
  void clear(uint64_t seed = 0);

  bool recording() const { return recording_; }
  bool training() const { return training_; }
  void set_training(bool training) { training_ = training; }
  // A new stream of random numbers; the n-th call after a clear always returns the same key.
  RandomKey next_key() { return derive_key(key_, ++keys_given_); }
  const Arena& arena() const { return *arena_; }

 private:
  friend class Variable;
  friend class NoGrad;
  struct Node {
    Shape shape;
    Type type;
    Tensor gradient;  // absent until one arrives
    // False if the tensor came from an op, which may have passed it to others, too.
    bool owns_gradient = false;
    Backward backward;   // null for a leaf
    bool spent = false;  // already replayed, and its gradient freed
    Tensor home = {};    // where the gradient goes; absent for anywhere
    Home treatment = Home::overwritten;
    bool used = false;                  // by an op; noted if it has a home
    const RowGradient* rows = nullptr;  // of a table, if this stands for its rows
  };
  // The first op that uses a leaf with a home is the last to add to its gradient.
  struct FirstUse {
    int op, leaf;
  };

  std::shared_ptr<Arena> new_arena() const;
  int add_node(const Tensor& value, Backward backward);
  void await_value(const Tensor& value) const;
  void note_first_uses(int op, std::span<const Variable> inputs);
  void add_gradient(int index, const Tensor& gradient);
  Tensor gradient_to_add_to(int index);
  GradientBuffer gradient_buffer(int index);

  std::shared_ptr<ArenaPool> arenas_;  // or null
  std::shared_ptr<Arena> arena_;
  std::vector<Node> nodes_;
  std::vector<FirstUse> first_uses_;  // in the order of the ops
  std::unordered_map<const void*, Variable> watched_;
  std::unordered_map<const void*, std::pair<Tensor, Home>> homes_;
  std::unordered_map<const void*, const RowGradient*> places_of_rows_;
  Awaited awaited_;
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
