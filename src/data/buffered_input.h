// An input with lookahead.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/byte_input.h"

namespace heed {

class BufferedInput : public ByteInput {
 public:
  static constexpr size_t size = size_t{1} << 16;

  explicit BufferedInput(std::unique_ptr<ByteInput> input)
      : input_(std::move(input)), buffer_(size) {}

  // The buffered bytes, at least `wanted` unless the input ends before; empty at the end.
  std::string_view peek(size_t wanted = 1) {
    if (end_ - begin_ < wanted) {
      std::copy(buffer_.begin() + static_cast<ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
      end_ -= std::exchange(begin_, 0);
    }
    while (end_ - begin_ < wanted && end_ < size) {
      const size_t count = input_->read(std::span(buffer_).subspan(end_));
      if (count == 0) break;
      end_ += count;
    }
    return {buffer_.data() + begin_, end_ - begin_};
  }

  // Reads whatever is available without waiting, up to the free space, but at least one byte.
  std::string_view peek_ready() {
    std::string_view bytes = peek();
    while (!bytes.empty() && bytes.size() < size && input_->is_ready()) {
      const std::string_view more = peek(bytes.size() + 1);
      if (more.size() == bytes.size()) break;
      bytes = more;
    }
    return bytes;
  }

  // Waits for no more bytes than necessary.
  bool starts_with(std::string_view signature) {
    for (size_t count = 1; count <= signature.size(); ++count)
      if (!peek(count).starts_with(signature.substr(0, count))) return false;
    return true;
  }

  void skip(size_t count) { begin_ += count; }

  size_t read(std::span<char> buffer) override {
    if (begin_ == end_) return input_->read(buffer);
    const std::string_view bytes = peek();
    const size_t count = std::min(bytes.size(), buffer.size());
    std::copy_n(bytes.begin(), count, buffer.begin());
    skip(count);
    return count;
  }

  bool is_ready() override { return begin_ < end_ || input_->is_ready(); }

 private:
  std::unique_ptr<ByteInput> input_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace heed
