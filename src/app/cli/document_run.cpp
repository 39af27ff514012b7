#include "heed/app/cli/document_run.h"

#include "heed/app/cli/line_stream.h"
#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/byte_input.h"

namespace heed {

namespace {

constexpr size_t largest_document = size_t{256} << 20;  // bytes

std::string read_document(const DocumentSettings& settings, const Console& console) {
  const std::string name = input_name(settings.input);
  std::unique_ptr<ByteInput> bytes =
      settings.input == "-" ? console.in() : open_file(settings.input);
  const std::unique_ptr<ByteInput> text =
      text_in(std::move(bytes), name, check_unless(settings.forced));
  return read_all(*text, largest_document, name);
}

void report(const DocumentSettings& settings, size_t line, const std::string& source,
            const std::string& translation, const Console& console) {
  console.err << fmt::format("heed: {}: line {}: the placeholders of {} are not those of {}\n",
                             input_name(settings.input), line, quote(source), quote(translation));
}

void report(const DocumentProgress& progress, const Console& console) {
  if (progress.in_parts > 0)
    console.err << fmt::format(
        "heed: {} of {} sentences were too long for the model and were translated in parts (see "
        "--max-source)\n",
        progress.in_parts, progress.sentences);
  if (progress.without_terms > 0)
    console.err << fmt::format(
        "heed: {} of {} translations lack a term of the glossary: they were cut, or the vocabulary "
        "lacks characters\n",
        progress.without_terms, progress.sentences);
  if (progress.cut > 0)
    console.err << fmt::format(
        "heed: {} of {} translations reached the maximum length and were cut (see --max-length)\n",
        progress.cut, progress.sentences);
}

void translate_markup(const DocumentSettings& settings, const Translator& translator,
                      const SearchOptions& search, const Console& console) {
  std::string text = read_document(settings, console);
  if (!is_utf8(text)) {
    console.err << fmt::format("heed: {}: is not UTF-8; invalid bytes became U+FFFD\n",
                               input_name(settings.input));
    text = text_of(characters_of(text));
  }
  Document document(
      std::move(text),
      {.kind = settings.format == DocumentFormat::xml ? MarkupKind::xml : MarkupKind::html,
       .language = settings.po.language,
       .attributes = settings.attributes});
  report(translate(std::span(&document, 1), translator, search), console);
  const FinishedDocument finished = document.finish();
  console.out << finished.text;
  for (const ReportedSentence& sentence : finished.reported)
    report(settings, sentence.line, sentence.source, sentence.translation, console);
}

void translate_po(const DocumentSettings& settings, const Translator& translator,
                  const SearchOptions& search, const Console& console) {
  PoFile file(read_document(settings, console), input_name(settings.input));
  const PoProgress progress = translate(file, settings.po, translator, search);
  console.out << file.text();
  report(progress.sentences, console);
  for (const ReportedMessage& message : progress.reported)
    report(settings, message.line, message.source, message.translation, console);
  console.err << fmt::format("heed: {} of {} messages translated\n", progress.translated,
                             progress.messages);
}

}  // namespace

void translate_document(const DocumentSettings& settings, const Translator& translator,
                        const SearchOptions& search, const Console& console) {
  switch (settings.format) {
    case DocumentFormat::lines:
      fail(ErrorKind::usage, "translate: lines are not a document");
    case DocumentFormat::html:
    case DocumentFormat::xml:
      return translate_markup(settings, translator, search, console);
    case DocumentFormat::po:
      return translate_po(settings, translator, search, console);
  }
}

}  // namespace heed
