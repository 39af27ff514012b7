#include "heed/data/line_reader.h"

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

bool LineReader::refill() {
  begin_ = 0;
  end_ = input_->read(buffer_);
  return end_ > 0;
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (begin_ == end_ && !refill()) return false;
  ++lines_;
  do {
    const char* start = buffer_.data() + begin_;
    const auto* stop = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const size_t count = stop != nullptr ? static_cast<size_t>(stop - start) : end_ - begin_;
    require(line.size() + count <= longest_line, "{}: is longer than 16 MiB", where());
    line.append(start, count);
    begin_ += count;
    if (stop != nullptr) {
      ++begin_;
      break;
    }
  } while (refill());
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string LineReader::where() const { return fmt::format("{}: line {}", name_, lines_); }

}  // namespace heed
