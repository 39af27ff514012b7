#include "heed/app/cli/prefix_lines.h"

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

PrefixLines::PrefixLines(const Console& console, const std::string& path, bool forced) {
  if (!path.empty()) file_.emplace(open_lines(console, path, forced));
}

std::string PrefixLines::next() {
  std::string line;
  require(!file_ || file_->next(line), "{}: fewer lines than the input",
          file_ ? file_->name() : "");
  return line;
}

void PrefixLines::check_end(std::ostream& err) {
  if (!file_) return;
  require(file_->next(1).empty(), "{}: more lines than the input", file_->name());
  const LineCounts& counts = file_->counts();
  if (counts.not_utf8 > 0)
    err << fmt::format("heed: {}: {} of {} lines were not UTF-8; what was not became U+FFFD\n",
                       file_->name(), counts.not_utf8, counts.lines);
}

void PrefixCheck::look_at(const std::string& prefix) {
  ++line_;
  const std::vector<std::string> parts = vocabulary_.unknown_parts(prefix);
  if (parts.empty()) return;
  std::string quoted;
  for (const std::string& part : parts) quoted += (quoted.empty() ? "" : ", ") + quote(part);
  const std::string sentence = fmt::format(
      "{}: line {}: the model's vocabulary lacks {}, so a translation cannot begin with it", name_,
      line_, shorten(quoted, 200));
  require(!strict_, "{}", sentence);
  err_ << fmt::format("heed: {}; it is left out\n", sentence);
}

}  // namespace heed
