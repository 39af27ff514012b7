#include "heed/app/cli/translate_command.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <set>

#include "heed/app/cli/adapter_flag.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/prefix_lines.h"
#include "heed/app/cli/shared_translation.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/tag_flag.h"
#include "heed/app/cli/translation_progress.h"
#include "heed/base/error.h"
#include "heed/base/workers.h"
#include "heed/decoding/folder_translator.h"
#include "heed/folders/adapter_file.h"
#include "heed/kernels/instruction_set.h"

namespace heed {

namespace {

constexpr const char* translate_example =
    R"(Reads lines from standard input and writes one translation per line to standard output, in
the same order and as soon as possible. --input and --output name files instead; the output file
appears once it is complete. Input may be compressed with gzip or zstd, and so is output whose name
ends in .gz or .zst. An empty line stays empty.
Bytes that are not UTF-8 become U+FFFD; lines with such bytes are counted on standard error.

  $ heed translate --model en-de < text.en > text.de
  $ heed translate --model en-de --input text.en --output text.de

--nbest N writes up to N lines per input line, in the format of Moses and Marian: line number,
translation and score, separated by " ||| ". --alignment adds " ||| " and the alignment at the end
of a line: for pharaoh, pairs of a source word and the target word aligned to it, counted from 0;
for soft, the attention weights of each target word over all source words.

--sample draws random translations instead of searching. The samples of a line depend only on the
line and the seed.

  $ heed translate --model en-de --sample --top-k 10 --nbest 5 < text.en

--glossary names a file that says how terms are translated, a term and its translation in a line,
separated by a tab. Forms of either stand between "|"; one of the target's appears for any of the
source's.

  house|houses	Haus|Hauses|Häuser

--tag chooses one of the tags that a model has (heed inspect lists them), which it reads in front of
each line: those that it was trained with (heed train --tags), or the languages of a model that
translates into several, where fra is short for >>fra<<.

  $ heed translate --model en-de --tag legal < contract.en > contract.de

--format reads a whole document instead of lines: HTML or XML, whose tags come back around the words
that the model aligned to theirs, or a PO file of gettext, whose messages without a translation get
one, marked as fuzzy. Placeholders such as {name}, %s and addresses stay as they are; where one got
lost, standard error has the line.

  $ heed translate --model en-de --format html < page.en.html > page.de.html
  $ heed translate --model en-de --format po --input de.po --output de.po
)";

constexpr int most_tokens = 100000;

bool is_ready(const std::future<std::vector<Translation>>& result) {
  return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

TranslateCommand::TranslateCommand(CLI::App& program)
    : command_(*program.add_subcommand("translate", "Translate lines with a trained model")) {
  CLI::App& command = command_;
  command.add_option("--model", models_, "Model folder; repeat for an ensemble")
      ->option_text("DIR")
      ->transform(model_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--input", input_, "File to translate (default: -, standard input)")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--output", output_, "File to write (default: -, standard output)")
      ->option_text("FILE")
      ->check(file_name());
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
  add_search_flags(command);
  add_sampling_flags(command);
  add_document_flags(command);
  command.add_flag("--scores", format_.scores, "Write the score and a tab before each translation");
  command
      .add_option_function<std::string>(
          "--alignment",
          [this](const std::string& name) {
            format_.alignment = name == "soft" ? AlignmentFormat::soft : AlignmentFormat::pharaoh;
          },
          "Write word alignments, taken from the attention weights")
      ->option_text("pharaoh|soft")
      ->check(one_of({"pharaoh", "soft"}));
  command
      .add_option("--attention-layer", search_.attention.layer,
                  "Decoder layer for alignments, from 1 (default: its own or the last)")
      ->option_text("N")
      ->check(between(1, 1000));
  command
      .add_option("--attention-head", search_.attention.head,
                  "Attention head for alignments, from 1 (default: its own or the mean)")
      ->option_text("N")
      ->check(between(1, 1000));
  command.add_flag("--json", format_.json, "Write one JSON object per line");
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, most_threads));
  command.add_flag("--int8", int8_,
                   "Compute with 8-bit weights: faster, with nearly the same results");
  add_adapter_flag(command, adapter_);
  add_tag_flag(command, tag_);
  command.add_flag("--shortlist", shortlist_,
                   "Score only the words that the model's shortlist has for a line: faster");
  command.footer(translate_example);
  command.parse_complete_callback([this] { check_usage(); });
}

void TranslateCommand::add_search_flags(CLI::App& command) {
  command
      .add_option("--beam", search_.beam, "Beam size (default: the model's own or 5; 1 is greedy)")
      ->option_text("N")
      ->check(between(1, widest_beam));
  command
      .add_option("--length-penalty", search_.length_penalty,
                  "Rank by log-probability / length^P (default: the model's own, or 1)")
      ->option_text("P")
      ->check(between(0.0, 10.0));
  command
      .add_option("--nbest", n_best_,
                  "Write the N best translations (at most a given --beam) or N samples")
      ->option_text("N")
      ->check(between(1, widest_beam));
  command
      .add_option("--min-length", search_.min_length,
                  "Minimum tokens of a translation (default: 1)")
      ->option_text("N")
      ->check(between(0, most_tokens));
  command
      .add_option("--max-length", search_.max_length,
                  "Maximum tokens of a translation (default: by the lengths in training)")
      ->option_text("N")
      ->check(between(1, most_tokens));
  command.add_option("--max-ratio", search_.max_ratio, "Maximum target tokens per source token")
      ->option_text("X")
      ->check(between(1e-3, 1e6));
  command
      .add_option("--max-source", max_source_,
                  "Translate longer lines in parts (default: by the lengths in training)")
      ->option_text("N")
      ->check(between(1, most_tokens));
  command
      .add_option("--no-repeat-ngram", search_.no_repeat_ngram,
                  "Never repeat a sequence of N tokens")
      ->option_text("N")
      ->check(between(1, most_tokens));
  command
      .add_option("--repetition-penalty", search_.repetition_penalty,
                  "Values above 1 make tokens that already occurred less likely")
      ->option_text("P")
      ->check(between(1e-3, 1e3));
  command
      .add_option("--prefix", prefixes_, "File with the prefix of each translation, one per line")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_option("--glossary", glossary_,
                  "File of terms, each with a tab and its prescribed translation")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_flag("--strict", strict_,
                "Fail instead of warn if the vocabulary lacks a character of a prefix")
      ->needs("--prefix");
}

void TranslateCommand::add_sampling_flags(CLI::App& command) {
  command.add_flag("--sample", samples_, "Sample translations at random instead of searching")
      ->excludes("--beam")
      ->excludes("--glossary");
  const auto option = [&](const char* name, const char* value_name, auto& value, const char* what,
                          auto range) {
    command.add_option(name, value, what)->option_text(value_name)->check(range)->needs("--sample");
  };
  option("--temperature", "X", sampling_.temperature,
         "Sampling temperature; below 1 favours likely tokens", between(1e-3, 1e3));
  option("--top-k", "K", sampling_.top_k, "Sample from the K likeliest tokens",
         between(1, 1000000));
  option("--top-p", "X", sampling_.top_p,
         "Sample from the likeliest tokens that together have this probability",
         between(1e-6, 1.0));
  command.add_option("--seed", sampling_.seed, "Random seed of the samples")
      ->option_text("N")
      ->check(at_least(uint64_t{0}))
      ->needs("--sample");
}

void TranslateCommand::add_document_flags(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--format",
          [this](const std::string& name) {
            document_.format = name == "html"  ? DocumentFormat::html
                               : name == "xml" ? DocumentFormat::xml
                               : name == "po"  ? DocumentFormat::po
                                               : DocumentFormat::lines;
          },
          "What the input is (default: text, translated line by line)")
      ->option_text("text|html|xml|po")
      ->check(one_of({"text", "html", "xml", "po"}));
  command
      .add_option("--language", document_.po.language,
                  "Language of the document, such as en: where its sentences end")
      ->option_text("CODE")
      ->needs("--format");
  command
      .add_flag("--attributes", document_.attributes,
                "HTML: also translate what people read in attributes: alt, title, …")
      ->needs("--format");
  CLI::Option* again = command
                           .add_option_function<std::string>(
                               "--retranslate",
                               [this](const std::string& name) {
                                 document_.po.choice =
                                     name == "all" ? PoChoice::all : PoChoice::fuzzy;
                               },
                               "PO: translate messages again that are fuzzy, or all messages")
                           ->option_text("fuzzy|all")
                           ->check(one_of({"fuzzy", "all"}))
                           ->needs("--format");
  command
      .add_flag_callback(
          "--only-missing", [this] { document_.po.choice = PoChoice::missing; },
          "PO: translate only messages without a translation (the default)")
      ->needs("--format")
      ->excludes(again);
  command
      .add_flag_callback(
          "--no-fuzzy", [this] { document_.po.mark = FuzzyMark::not_set; },
          "PO: do not mark translations as fuzzy; programs use them at once")
      ->needs("--format");
}

// Some flags are about lines, some about one format.
void TranslateCommand::check_document_usage() const {
  const bool is_document = document_.format != DocumentFormat::lines;
  for (const char* name : {"--nbest", "--scores", "--alignment", "--json", "--prefix"})
    if (is_document && command_.get_option(name)->count() > 0)
      throw CLI::ValidationError(
          fmt::format("{}: is for lines, but --format names a document", name));
  for (const char* name : {"--attention-layer", "--attention-head"})
    if (!is_document && format_.alignment == AlignmentFormat::none &&
        command_.get_option(name)->count() > 0)
      throw CLI::RequiresError(name, "--alignment");
  for (const char* name : {"--retranslate", "--only-missing", "--no-fuzzy"})
    if (document_.format != DocumentFormat::po && command_.get_option(name)->count() > 0)
      throw CLI::ValidationError(fmt::format("{}: is only for --format po", name));
  if (document_.format != DocumentFormat::html && document_.attributes)
    throw CLI::ValidationError("--attributes: is only for --format html");
}

void TranslateCommand::check_usage() {
  check_document_usage();
  document_.input = input_;
  document_.forced = forced_;
  check_one_reads_standard_input(std::vector<FileFlag>{
      {"--input", input_}, {"--prefix", prefixes_}, {"--glossary", glossary_}});
  if (samples_) search_.sampling = sampling_;
  if (search_.max_length && search_.min_length > *search_.max_length)
    throw CLI::ValidationError(fmt::format("--min-length: {} tokens, but --max-length is {}",
                                           search_.min_length, *search_.max_length));
  if (command_.count("--beam") > 0 && n_best_ > search_.beam)
    throw CLI::ValidationError(
        fmt::format("--nbest: {} translations, but the beam is {}", n_best_, search_.beam));
  search_.n_best = std::max(1, n_best_);
  search_.want_attention = format_.alignment != AlignmentFormat::none;
  format_.n_best = n_best_ > 0;
}

// Where the flags leave it open, as the model's makers search with it.
SearchOptions TranslateCommand::search_with(const Translator& translator) const {
  SearchOptions search = search_;
  const SearchOptions usual = usual_search(translator.search_defaults());
  if (command_.count("--beam") == 0) search.beam = std::max(usual.beam, search.n_best);
  if (command_.count("--length-penalty") == 0) search.length_penalty = usual.length_penalty;
  return search;
}

TranslationCounts TranslateCommand::translate_lines(const Translator& translator, TextLines& lines,
                                                    const Console& console) const {
  TranslationCounts counts;
  PrefixLines prefixes(console, prefixes_, forced_);
  PrefixCheck check(prefixes_, translator.target_vocabulary(), strict_, console.err);
  TranslationProgress progress(console);
  const SearchOptions search = search_with(translator);
  const auto begin = [&](const std::string& line) -> PendingLine {
    std::string beginning = prefixes.next();
    check.look_at(beginning);
    const auto result = std::make_shared<std::future<std::vector<Translation>>>(
        translator.submit({.text = line, .options = search, .prefix = std::move(beginning)}));
    return {.is_done = [=] { return is_ready(*result); },
            .take =
                [=, &counts, &translator, this] {
                  translator.work_until([&] { return is_ready(*result); });
                  const std::vector<Translation> ranked = result->get();
                  const int64_t number = counts.translations;
                  counts.add(ranked, format_);
                  return translation_text(ranked, number, line, format_);
                }};
  };
  pass_lines(lines, console.out, begin,
             [&](std::span<const std::string> written) { progress.add(written); });
  prefixes.check_end(console.err);
  counts.lines = lines.counts();
  return counts;
}

void TranslateCommand::run(const Console& console) const {
  const bool from_file = input_ != "-";
  const bool is_document = document_.format != DocumentFormat::lines;
  std::optional<TextLines> lines;
  if (!is_document) lines = open_lines(console, input_, forced_);
  std::optional<OutputStream> output;
  if (output_ != "-") output.emplace(output_);
  Console chosen = {.out = output ? *output : console.out,
                    .err = console.err,
                    .style = console.style,
                    .in = console.in,
                    .in_is_terminal = !from_file && console.in_is_terminal,
                    .out_is_terminal = !output && console.out_is_terminal,
                    .err_is_terminal = console.err_is_terminal,
                    .err_columns = console.err_columns,
                    .in_bytes = from_file ? known_size(input_) : console.in_bytes,
                    .ask_err_columns = console.ask_err_columns};
  if (is_document) {
    const Translator translator = load(core_count());
    translate_document(document_, translator, search_with(translator), chosen);
    if (output) output->commit();
    return;
  }
  const TranslationCounts counts = translate(*lines, chosen);
  if (output) output->commit();
  report(counts, console);
}

TranslationCounts TranslateCommand::translate(TextLines& lines, const Console& console) const {
  return translate_lines(load(core_count()), lines, console);
}

Translator TranslateCommand::load(int cores) const {
  const TranslatorOptions options = {.threads = threads_ > 0 ? threads_ : cores,
                                     .max_source = max_source_,
                                     .tag = tag_,
                                     .use_shortlist = shortlist_,
                                     .glossary = read_glossary(),
                                     .precision = int8_ ? Precision::int8 : Precision::float32};
  if (adapter_.empty()) return Translator::load(models_, options);
  require(models_.size() == 1, ErrorKind::usage,
          "--adapter: it belongs to one model, but there are {}", models_.size());
  return make_translator(load_adapted(models_.front(), adapter_), options, models_.front());
}

std::shared_ptr<const Glossary> TranslateCommand::read_glossary() const {
  if (glossary_.empty()) return nullptr;
  return std::make_shared<const Glossary>(Glossary::load(glossary_));
}

void TranslateCommand::run_on(Communicator& ranks, const Console& console) const {
  require(document_.format == DocumentFormat::lines, ErrorKind::usage,
          "--format: documents are translated on one machine; leave out mpirun");
  const Translator translator = load(ranks.cores());
  const SharedTranslation settings = {.input = input_,
                                      .output = output_,
                                      .prefixes = prefixes_,
                                      .forced = forced_,
                                      .strict = strict_,
                                      .search = search_with(translator),
                                      .format = format_,
                                      .identity = identity()};
  if (ranks.is_first())
    report(lead_translation(settings, translator, ranks, console), console);
  else
    join_translation(settings, translator, ranks);
}

// What the translations depend on, besides the lines.
std::string TranslateCommand::identity() const {
  const std::set<std::string> irrelevant = {"--input", "--output", "--force", "--threads",
                                            "--model", "--prefix", "--strict"};
  std::string text = kernels::instruction_set();
  for (const std::filesystem::path& model : models_)
    text += fmt::format(" {:08x}", checksum_of_model(model));
  if (const auto glossary = read_glossary()) text += fmt::format(" {:08x}", glossary->checksum());
  for (const CLI::Option* option : command_.get_options())
    if (option->count() > 0 && !irrelevant.contains(option->get_name()))
      text += fmt::format(" {} {}", option->get_name(), fmt::join(option->results(), " "));
  return text;
}

void TranslateCommand::report(const TranslationCounts& counts, const Console& console) const {
  const auto say = [&](int64_t count, std::string_view what) {
    if (count > 0)
      console.err << fmt::format("heed: {} of {} {}\n", count, counts.lines.lines, what);
  };
  say(counts.lines.not_utf8, "lines were not UTF-8; invalid bytes became U+FFFD");
  say(counts.in_parts,
      "lines were too long for the model and were translated in parts (see --max-source)");
  say(counts.unaligned,
      "lines have too many words for soft alignments, which are left out (see --alignment "
      "pharaoh)");
  say(counts.without_terms,
      "translations lack a term of the glossary: they were cut, or the vocabulary lacks "
      "characters");
  say(counts.cut, "translations reached the maximum length and were cut (see --max-length)");
}

}  // namespace heed
