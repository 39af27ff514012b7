#include "heed/app/cli/unfinished_translation.h"

#include <nlohmann/json.hpp>

#include "heed/app/cli/output_stream.h"
#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

fs::path with(fs::path path, const char* ending) { return path += ending; }

uint32_t checksum_of(std::string_view text, uint32_t before) {
  return checksum(std::as_bytes(std::span(text)), before);
}

std::string header_of(const std::string& identity) {
  return nlohmann::json{{"translation", identity}}.dump() + '\n';
}

std::string line_of(const TranslationState& state) {
  const nlohmann::json fields = {state.lines,
                                 state.source,
                                 state.bytes,
                                 state.text,
                                 state.counts.in_parts,
                                 state.counts.cut,
                                 state.counts.unaligned,
                                 state.counts.without_terms};
  return fields.dump() + '\n';
}

// Nothing if it is not complete.
std::optional<TranslationState> state_in(std::string_view line) {
  const nlohmann::json fields = nlohmann::json::parse(line, nullptr, false);
  if (!fields.is_array() || fields.size() != 8) return {};
  for (const nlohmann::json& field : fields)
    if (!field.is_number_unsigned()) return {};
  return TranslationState{.lines = fields[0],
                          .source = fields[1],
                          .bytes = fields[2],
                          .text = fields[3],
                          .counts = {.lines = {},
                                     .translations = fields[0],
                                     .in_parts = fields[4],
                                     .cut = fields[5],
                                     .without_terms = fields[7],
                                     .unaligned = fields[6]}};
}

}  // namespace

UnfinishedTranslation::UnfinishedTranslation(const fs::path& output, const std::string& identity)
    : output_(output),
      text_file_(with(output, ".unfinished")),
      journal_(with(output, ".journal")),
      lock_(LockFile::hold(journal_)) {
  require(lock_.has_value(), "{}: another program is writing it", output.string());
  const std::string header = header_of(identity);
  if (fs::exists(text_file_))
    go_on(header);
  else
    begin(header);
}

UnfinishedTranslation::~UnfinishedTranslation() {
  if (state_.lines == 0) remove();
}

void UnfinishedTranslation::go_on(const std::string& header) {
  const MappedFile journal(journal_);
  // The header is there before the text.
  require(journal.text().starts_with(header),
          "{}: begun with another model, other flags or another instruction set; remove it to "
          "begin anew",
          name());
  const MappedFile text(text_file_);
  size_t begin = header.size();
  for (size_t end = 0; (end = journal.text().find('\n', begin)) != std::string_view::npos;
       begin = end + 1) {
    const auto next = state_in(journal.text().substr(begin, end - begin));
    if (!next || next->bytes < state_.bytes ||
        static_cast<size_t>(next->bytes) > text.text().size())
      break;
    const auto added = text.text().substr(static_cast<size_t>(state_.bytes),
                                          static_cast<size_t>(next->bytes - state_.bytes));
    if (checksum_of(added, state_.text) != next->text) break;
    state_ = *next;
  }
  fs::resize_file(journal_, begin);
  fs::resize_file(text_file_, static_cast<uintmax_t>(state_.bytes));
}

void UnfinishedTranslation::begin(const std::string& header) {
  fs::resize_file(journal_, 0);
  append_to_file(journal_, header);
  append_to_file(text_file_, "");
}

void UnfinishedTranslation::add(const TranslatedChunk& chunk, uint32_t source) {
  append_to_file(text_file_, chunk.text);
  state_.lines += chunk.counts.translations;
  state_.source = source;
  state_.bytes += static_cast<int64_t>(chunk.text.size());
  state_.text = checksum_of(chunk.text, state_.text);
  state_.counts.add(chunk.counts);
  append_to_file(journal_, line_of(state_));
}

void UnfinishedTranslation::finish() {
  OutputStream out(output_);
  constexpr size_t piece = size_t{1} << 20;
  {
    const MappedFile text(text_file_);
    for (size_t begin = 0; begin < text.text().size(); begin += piece)
      out << text.text().substr(begin, piece);
  }
  out.commit();
  remove();
}

void UnfinishedTranslation::remove() noexcept {
  std::error_code ignored;
  // In this order: a journal without a text is no translation that could be continued.
  fs::remove(text_file_, ignored);
  fs::remove(journal_, ignored);
}

}  // namespace heed
