// A pickle of PyTorch, interpreted without Python: values, tensors and storages, and nothing else.
// Pickles can name any function to be called; here nothing is ever called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class PickleKind {
  none,
  truth,
  integer,
  long_integer,  // one of more than 64 bits
  real,
  text,
  bytes,
  tuple,
  list,
  dictionary,
  global,   // a name that a pickle may use: its text is "torch.FloatStorage"
  storage,  // what a tuple says about numbers elsewhere in the file
  tensor,   // what a tuple says about a tensor
};

// "a dictionary", for errors.
std::string_view name_of(PickleKind kind);

struct PickleValue {
  PickleKind kind = PickleKind::none;
  int64_t integer = 0;  // also of a truth value
  double real = 0;
  std::string_view text = {};  // of texts, bytes, globals and long integers, in the parsed bytes
  // Of tuples and lists, and of what a storage or a tensor was made of; keys and values in turns
  // of a dictionary. Numbers of values, because a pickle can nest at any depth and in circles.
  std::vector<uint32_t> items = {};
};

// Any opcode and any name that the files of PyTorch do not need is refused by its name. Memory
// stays a small multiple of the pickle's size.
class Pickle {
 public:
  // Runs the pickle that the bytes begin with, and must outlive. `file` is the name for errors.
  Pickle(std::span<const std::byte> bytes, const std::string& file);

  size_t size() const { return size_; }  // bytes up to the pickle's end
  const PickleValue& root() const { return values_[root_]; }
  const PickleValue& operator[](uint32_t number) const { return values_[number]; }

 private:
  friend class PickleMachine;

  std::vector<PickleValue> values_;
  uint32_t root_ = 0;
  size_t size_ = 0;
};

}  // namespace heed
