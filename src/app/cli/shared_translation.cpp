#include "heed/app/cli/shared_translation.h"

#include <deque>
#include <set>

#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/prefix_lines.h"
#include "heed/app/cli/translation_progress.h"
#include "heed/app/cli/unfinished_translation.h"
#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/work_queue.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// Enough to keep the threads of a rank busy, and few enough to be spread evenly.
constexpr size_t chunk_lines = 256;
constexpr size_t chunk_bytes = size_t{1} << 16;

uint32_t checksum_with_end(const std::string& line, uint32_t before) {
  const uint32_t sum = checksum(std::as_bytes(std::span(line)), before);
  return checksum(std::as_bytes(std::span("\n", 1)), sum);
}

// The input, cut into chunks.
class ChunkReader {
 public:
  ChunkReader(const SharedTranslation& settings, const Vocabulary& vocabulary,
              const Console& console)
      : lines_(open_lines(console, settings.input, settings.forced)),
        has_prefixes_(!settings.prefixes.empty()),
        prefixes_(console, settings.prefixes, settings.forced),
        check_(settings.prefixes, vocabulary, settings.strict, console.err) {}

  // Past lines that are translated. An Error if their checksum is another; `what` was made of them.
  void skip(const TranslationState& state, const std::string& what) {
    for (std::string line; read_ < state.lines && lines_.next(line); ++read_)
      note(line, prefixes_.next());
    check_.skip(read_);
    require(read_ == state.lines && source_ == state.source,
            "{}: not the text of which {} was made; remove that to begin anew", lines_.name(),
            what);
  }

  std::optional<TranslationChunk> next() {
    TranslationChunk chunk = {.first = read_, .lines = {}, .prefixes = {}};
    size_t bytes = 0;
    // A first line is worth waiting for.
    while (chunk.lines.empty() ||
           (chunk.lines.size() < chunk_lines && bytes < chunk_bytes && is_ready())) {
      std::string line;
      if (!lines_.next(line)) break;
      std::string prefix = prefixes_.next();
      check_.look_at(prefix);
      note(line, prefix);
      ++read_;
      bytes += line.size();
      chunk.lines.push_back(std::move(line));
      if (has_prefixes_) chunk.prefixes.push_back(std::move(prefix));
    }
    if (chunk.lines.empty()) return {};
    return chunk;
  }

  bool is_ready() { return lines_.is_ready(); }
  uint32_t source() const { return source_; }  // checksum of all lines so far
  const LineCounts& counts() const { return lines_.counts(); }
  void check_end(std::ostream& err) { prefixes_.check_end(err); }

 private:
  void note(const std::string& line, const std::string& prefix) {
    source_ = checksum_with_end(line, source_);
    if (has_prefixes_) source_ = checksum_with_end(prefix, source_);
  }

  TextLines lines_;
  bool has_prefixes_;
  PrefixLines prefixes_;
  PrefixCheck check_;
  int64_t read_ = 0;
  uint32_t source_ = 0;
};

std::string work_on(const std::string& task, const SharedTranslation& settings,
                    const Translator& translator) {
  return packed(translate_chunk(unpack_chunk(task), translator, settings.search, settings.format));
}

// Whether something can be kept beside it.
bool is_plain_file(const std::string& output) {
  return output != "-" && !is_standard_output(output) &&
         (!fs::exists(output) || fs::is_regular_file(output));
}

}  // namespace

TranslationCounts lead_translation(const SharedTranslation& settings, const Translator& translator,
                                   Communicator& ranks, const Console& console) {
  ChunkReader reader(settings, translator.target_vocabulary(), console);
  std::optional<UnfinishedTranslation> unfinished;
  std::optional<OutputStream> direct;
  if (is_plain_file(settings.output)) {
    unfinished.emplace(settings.output, settings.identity);
    reader.skip(unfinished->state(), unfinished->name());
  } else if (settings.output != "-") {
    direct.emplace(settings.output);
  }
  std::ostream& out = direct ? *direct : console.out;
  TranslationCounts counts;
  TranslationProgress progress(console);
  struct Dealt {
    std::vector<std::string> lines;
    uint32_t source = 0;
  };
  std::deque<Dealt> dealt;
  share_work(ranks,
             {.next = [&]() -> std::optional<std::string> {
                std::optional<TranslationChunk> chunk = reader.next();
                if (!chunk) return {};
                const std::string task = packed(*chunk);
                dealt.push_back({std::move(chunk->lines), reader.source()});
                return task;
              },
              .is_ready = [&] { return reader.is_ready(); },
              .work = [&](const std::string& task) { return work_on(task, settings, translator); },
              .take =
                  [&](const std::string& result) {
                    const TranslatedChunk chunk = unpack_translated(result);
                    if (unfinished)
                      unfinished->add(chunk, dealt.front().source);
                    else
                      out << chunk.text << std::flush;
                    counts.add(chunk.counts);
                    progress.add(dealt.front().lines);
                    dealt.pop_front();
                  }});
  reader.check_end(console.err);
  if (unfinished) {
    counts = unfinished->state().counts;
    unfinished->finish();
  }
  if (direct) direct->commit();
  counts.lines = reader.counts();
  return counts;
}

void join_translation(const SharedTranslation& settings, const Translator& translator,
                      Communicator& ranks) {
  SharedWork work;
  work.work = [&](const std::string& task) { return work_on(task, settings, translator); };
  share_work(ranks, work);
}

uint32_t checksum_of_model(const fs::path& folder) {
  const std::set<std::string> irrelevant = {".svg", ".jsonl", ".html"};
  uint32_t sum = 0;
  for (const fs::path& file : entries_of(folder)) {
    if (!fs::is_regular_file(file) || irrelevant.contains(file.extension())) continue;
    sum = checksum_with_end(file.filename(), sum);
    sum = checksum(MappedFile(file).bytes(), sum);
  }
  return sum;
}

}  // namespace heed
