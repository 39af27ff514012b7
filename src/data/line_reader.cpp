#include "heed/data/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

constexpr size_t buffer_size = size_t{1} << 16;
constexpr size_t longest_line = size_t{16} << 20;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteInput> input, std::string name)
    : input_(std::move(input)), name_(std::move(name)), buffer_(buffer_size) {}

// Whether the end of the next line has been read; if so, `searched_` is its position.
bool LineReader::find_end() {
  const char* start = buffer_.data() + searched_;
  const auto* found = static_cast<const char*>(std::memchr(start, '\n', end_ - searched_));
  searched_ = found != nullptr ? static_cast<size_t>(found - buffer_.data()) : end_;
  require(searched_ - begin_ <= longest_line, "{}: line {}: is longer than 16 MiB", name_,
          lines_ + 1);
  return found != nullptr;
}

// False at the end of the text.
bool LineReader::read_more() {
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  searched_ -= std::exchange(begin_, 0);
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t count = finished_ ? 0 : input_->read(std::span(buffer_).subspan(end_));
  end_ += count;
  finished_ = count == 0;
  return !finished_;
}

bool LineReader::is_ready() {
  while (!find_end()) {
    if (finished_) return true;
    if (!input_->is_ready()) return false;
    read_more();
  }
  return true;
}

bool LineReader::next(std::string& line) {
  line.clear();
  while (!find_end() && read_more()) {
  }
  if (begin_ == end_) return false;
  ++lines_;
  line.assign(buffer_.data() + begin_, searched_ - begin_);
  if (line.ends_with('\r')) line.pop_back();
  begin_ = searched_ = std::min(searched_ + 1, end_);
  return true;
}

std::string LineReader::where() const { return fmt::format("{}: line {}", name_, lines_); }

}  // namespace heed
