#include "heed/app/cli/translation_chunk.h"

#include <nlohmann/json.hpp>

namespace heed {

namespace {

std::string bytes_of(const nlohmann::json& fields) {
  std::string bytes;
  nlohmann::json::to_msgpack(fields, bytes);
  return bytes;
}

}  // namespace

std::string packed(const TranslationChunk& chunk) {
  return bytes_of({chunk.first, chunk.lines, chunk.prefixes});
}

std::string packed(const TranslatedChunk& chunk) {
  const TranslationCounts& counts = chunk.counts;
  return bytes_of({chunk.text, counts.translations, counts.in_parts, counts.cut, counts.unaligned,
                   counts.without_terms});
}

TranslationChunk unpack_chunk(const std::string& letter) {
  const nlohmann::json fields = nlohmann::json::from_msgpack(letter);
  return {.first = fields.at(0), .lines = fields.at(1), .prefixes = fields.at(2)};
}

TranslatedChunk unpack_translated(const std::string& letter) {
  const nlohmann::json fields = nlohmann::json::from_msgpack(letter);
  return {.text = fields.at(0),
          .counts = {.lines = {},
                     .translations = fields.at(1),
                     .in_parts = fields.at(2),
                     .cut = fields.at(3),
                     .without_terms = fields.at(5),
                     .unaligned = fields.at(4)}};
}

TranslatedChunk translate_chunk(const TranslationChunk& chunk, const Translator& translator,
                                const SearchOptions& search, const TranslationFormat& format) {
  TranslatedChunk translated;
  const auto all = translator.translate_n_best(chunk.lines, search, chunk.prefixes);
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t number = chunk.first + translated.counts.translations;
    translated.counts.add(all[i], format);
    translated.text += translation_text(all[i], number, chunk.lines[i], format) + '\n';
  }
  return translated;
}

}  // namespace heed
