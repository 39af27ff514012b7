#include "heed/app/cli/line_stream.h"

#include <deque>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/text.h"

namespace heed {

bool TextLines::next(std::string& line) {
  if (!reader_.next(line)) return false;
  ++counts_.lines;
  if (!is_utf8(line)) {
    ++counts_.not_utf8;
    line = text_of(characters_of(line));
  }
  return true;
}

std::vector<std::string> TextLines::next(size_t most) {
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most && next(line);) lines.push_back(std::move(line));
  return lines;
}

TextCheck check_unless(bool forced) {
  return {.refuse = !forced, .advice = "; --force reads it anyway"};
}

TextLines open_lines(const Console& console, const std::string& path, bool forced) {
  std::unique_ptr<ByteInput> bytes = path == "-" ? console.in() : open_file(path);
  const std::string name = input_name(path);
  return TextLines(LineReader(text_in(std::move(bytes), name, check_unless(forced)), name));
}

namespace {

// Lines on their way from the input to the output.
class LinePipe {
 public:
  LinePipe(TextLines& in, std::ostream& out, const LineLimits& limits)
      : in_(in), out_(out), limits_(limits) {}

  // As many lines as may be pending and need no waiting; the first one is worth waiting for.
  void begin(const std::function<PendingLine(const std::string& line)>& begin) {
    while (lines_.empty() || (has_room() && in_.is_ready())) {
      std::string line;
      if (!in_.next(line)) return;
      pending_.push_back(begin(line));
      bytes_ += line.size();
      lines_.push_back(std::move(line));
    }
  }

  bool empty() const { return lines_.empty(); }

  // Waits for the first, and writes it with those after it that are done.
  std::vector<std::string> write() {
    std::vector<std::string> written;
    do {
      out_ << pending_.front().take() << '\n';
      bytes_ -= lines_.front().size();
      written.push_back(std::move(lines_.front()));
      lines_.pop_front();
      pending_.pop_front();
    } while (!lines_.empty() && pending_.front().is_done());
    out_.flush();
    return written;
  }

 private:
  bool has_room() const { return lines_.size() < limits_.lines && bytes_ < limits_.bytes; }

  TextLines& in_;
  std::ostream& out_;
  LineLimits limits_;
  std::deque<std::string> lines_;
  std::deque<PendingLine> pending_;
  size_t bytes_ = 0;
};

}  // namespace

void pass_lines(TextLines& in, std::ostream& out,
                const std::function<PendingLine(const std::string& line)>& begin,
                const std::function<void(std::span<const std::string> lines)>& wrote,
                const LineLimits& limits) {
  LinePipe pipe(in, out, limits);
  while (out) {
    pipe.begin(begin);
    if (pipe.empty()) return;
    const std::vector<std::string> written = pipe.write();
    if (wrote) wrote(written);
  }
}

}  // namespace heed
