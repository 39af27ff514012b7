// Models: heed's folders, CTranslate2's, vocabularies alone, and the arrays of `heed attend`.
#pragma once

#include <cmath>

#include "ctranslate2_sample.h"
#include "heed/app/cli/attend.h"
#include "heed/data/moses_pieces.h"
#include "heed/data/vocabulary_training.h"
#include "heed/data/word_pieces.h"
#include "heed/data/word_vocabulary.h"
#include "heed/decoding/sentence_vectors.h"
#include "heed/decoding/translator.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/folders/marian_folder.h"
#include "heed/folders/model_folder.h"
#include "marian_mt_folder.h"
#include "marian_sample.h"
#include "marian_shortlist_maker.h"
#include "reader.h"
#include "sample_text.h"
#include "small_bert.h"
#include "small_moses.h"
#include "small_vocabulary.h"
#include "small_word_pieces.h"

namespace heed::testing {

// Text of all kinds goes through it, and what comes out is text again.
inline void use_vocabulary(const Vocabulary& vocabulary) {
  for (const std::string text : {"", "a ba abba", "grüße, 漢字 😀\t\xff x"}) {
    for (const auto& ids : {vocabulary.encode(text), vocabulary.sample(text, 0.5, make_key(1))}) {
      for (const int32_t id : ids) EXPECT_TRUE(id >= 0 && id < vocabulary.size()) << id;
      EXPECT_TRUE(is_utf8(vocabulary.decode(ids)));
    }
    for (const std::string& part : vocabulary.unknown_parts(text))
      EXPECT_NE(text.find(part), text.npos) << printable(part);
  }
  for (int32_t id = 0; id < vocabulary.size(); ++id) EXPECT_TRUE(is_utf8(vocabulary.piece(id)));
}

inline Reader vocabulary_reader(const std::string& name, const std::function<Vocabulary()>& make) {
  return {.name = name,
          .write = [=](const TemporaryFolder& folder) { folder.put("a.spm", make().bytes()); },
          .files = {"a.spm"},
          .read =
              [](const TemporaryFolder& folder) {
                use_vocabulary(Vocabulary::load(folder.path("a.spm")));
              }};
}

inline Vocabulary learnt_vocabulary(VocabularyKind kind) {
  uint64_t next = 0;
  return train_vocabulary({.kind = kind, .size = 60, .byte_fallback = false},
                          [&](std::string& sentence) {
                            sentence = made_up_sentence(next);
                            return next++ < 100;
                          });
}

inline Vocabulary vocabulary_of_words() {
  const std::vector<std::string> words = {"a", "ba", "abba", "grüße"};
  return word_vocabulary(words);
}

// With tokens of its own, as MarianMT has it.
inline Vocabulary vocabulary_with_tokens() {
  const std::vector<std::string> tokens = {"</s>", "<unk>", ">>fra<<", "\u2581a", "b", "<pad>"};
  return learnt_vocabulary(VocabularyKind::unigram).with_tokens(tokens);
}

// Any text can be split with the merges, and put together again.
inline Reader bpe_reader() {
  return {
      .name = "BpeMerges",
      .write = [](const TemporaryFolder& folder) { folder.put("bpe.model", small_moses().merges); },
      .files = {"bpe.model"},
      .read =
          [](const TemporaryFolder& folder) {
            const MosesPieces pieces(
                {.language = "en", .prefixes = {}, .merges = folder.text("bpe.model")}, "a");
            for (const std::string text : {"", "bako, ten", "grüße, 漢字 😀\t\xff x"}) {
              std::vector<std::string> found;
              for (const MosesPieces::Piece& piece : pieces.split(text)) {
                EXPECT_TRUE(piece.range.begin < piece.range.end);
                EXPECT_LE(piece.range.end, text.size());
                found.push_back(piece.text);
              }
              EXPECT_TRUE(is_utf8(pieces.join(found).text));
            }
          },
      .refused = 0.2};
}

inline void write_model(const TemporaryFolder& folder, WeightStorage storage) {
  ModelConfig config = TransformerConfig{
      .encoder_layers = 1, .decoder_layers = 1, .width = 32, .ffn = 48, .heads = 2};
  set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
  Rng rng(7);
  save_model_folder(folder.path(""), {config, make_model(config, rng), small_vocabulary(),
                                      small_vocabulary(), storage});
}

inline Reader model_reader(const std::string& name, WeightStorage storage) {
  return {.name = name,
          .write = [=](const TemporaryFolder& folder) { write_model(folder, storage); },
          .files = {"model.safetensors", "config.json", "source.spm", "vocab.json"},
          .read = [](const TemporaryFolder& folder) { load_model_folder(folder.path("")); },
          .refused = 0.9};
}

// Other tools write no checksums, so that more damage goes unnoticed. It translates, whatever that
// means, or says why not.
inline Reader foreign_model_reader() {
  return {.name = "ModelWithoutChecksums",
          .write =
              [](const TemporaryFolder& folder) {
                const std::vector<std::string> words = {"a", "bb", "ccc"};
                const Vocabulary vocabulary = word_vocabulary(words);
                ModelConfig config = TransformerConfig{
                    .encoder_layers = 1, .decoder_layers = 1, .width = 4, .ffn = 4, .heads = 2};
                set_vocabularies(config, vocabulary.size(), vocabulary.size());
                Rng rng(7);
                save_model_folder(folder.path(""),
                                  {config, make_model(config, rng), vocabulary, vocabulary});
                replace_metadata(folder.path("model.safetensors"), {});
              },
          .files = {"model.safetensors", "config.json", "source.spm"},
          .read =
              [](const TemporaryFolder& folder) {
                const std::vector<std::string> lines = {"a bb ccc", "", "x"};
                const Translator translator = Translator::load(folder.path(""), {.threads = 1});
                for (const std::string& line : translator.translate(lines, {.beam = 2}))
                  expect_text(line);
              },
          .refused = 0.1};
}

inline Reader ctranslate2_reader() {
  return {.name = "CTranslate2",
          .write = [](const TemporaryFolder& folder) { ctranslate2_sample::write_folder(folder); },
          .files = {"model.bin", "source_vocabulary.txt"},
          .read = [](const TemporaryFolder& folder) { read_ctranslate2_folder(folder.path("")); },
          .refused = 0.2};
}

// Newer versions keep their words and settings as JSON.
inline Reader ctranslate2_json_reader() {
  return {.name = "CTranslate2WithJson",
          .write =
              [](const TemporaryFolder& folder) {
                ctranslate2_sample::write_folder(folder);
                folder.put("source_vocabulary.json",
                           R"(["<blank>", "<s>", "</s>", "a", "\u00e4", "c", "d"])");
                folder.put("config.json", R"({"add_source_bos": false, "add_source_eos": true,
 "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<blank>", "layer_norm_epsilon": null})");
              },
          .files = {"source_vocabulary.json", "config.json"},
          .read = [](const TemporaryFolder& folder) { read_ctranslate2_folder(folder.path("")); },
          .refused = 0.2};
}

inline Reader marian_reader(const std::string& name, bool binary) {
  const std::string file = binary ? "model.bin" : "model.npz";
  return {
      .name = name,
      .write =
          [=](const TemporaryFolder& folder) {
            marian_sample::write_folder(folder, marian_sample::ssru(), binary);
            folder.put("lex.s2t.bin", marian_shortlist_bytes(1, {0, 0, 0, 2, 2, 3, 3}, {4, 5, 2}));
          },
      .files = {file, "vocab.yml", "decoder.yml", "lex.s2t.bin"},
      .read = [=](const TemporaryFolder& folder) { read_marian_model(folder.path(file)); },
      .refused = 0.2};
}

// As others write it, without checksums. It gives a text a vector, or says why not.
inline Reader bert_reader() {
  return {.name = "Bert",
          .write =
              [](const TemporaryFolder& folder) {
                BertConfig config = small_bert_config();
                config.layers = 1;
                config.width = config.ffn = 4;
                save_bert_folder(folder.path(""), small_bert(5, config));
                replace_metadata(folder.path("model.safetensors"), {});
              },
          .files = {"model.safetensors", "config.json", "tokenizer.json"},
          .read =
              [](const TemporaryFolder& folder) {
                const BertFolder bert = load_bert_folder(folder.path(""));
                Workers workers(1);
                const std::vector<std::string> texts = {"the playing", ""};
                for (const SentenceVector& one :
                     SentenceEncoder(*bert.model, bert.pieces).encode(texts, workers))
                  for (const float x : one.vector) EXPECT_TRUE(std::isfinite(x));
              },
          .refused = 0.2};
}

// As Hugging Face has it, with weights that PyTorch has saved.
inline Reader marian_mt_reader(const std::string& name, WeightForm form) {
  return {.name = name,
          .write =
              [=](const TemporaryFolder& folder) {
                const MarianMtFolder made("shared", form);
                for (const auto& entry : std::filesystem::directory_iterator(made.path()))
                  std::filesystem::copy_file(entry.path(),
                                             folder.path(entry.path().filename().string()));
              },
          .files = {"pytorch_model.bin", "config.json", "vocab.json", "source.spm",
                    "generation_config.json"},
          .read =
              [](const TemporaryFolder& folder) {
                const std::vector<std::string> lines = {"ab ca", "", ">>xx<< x"};
                const Translator translator = Translator::load(folder.path(""), {.threads = 1});
                for (const std::string& line : translator.translate(lines, {.beam = 2}))
                  expect_text(line);
              },
          .refused = 0.1};
}

inline Reader attend_reader() {
  return {.name = "AttendInput",
          .write =
              [](const TemporaryFolder& folder) {
                TensorFileWriter writer;
                writer.add("queries", random_tensor({2, 3, 4}, 1));
                writer.add("keys", random_tensor({2, 5, 4}, 2));
                writer.add("values", random_tensor({2, 5, 2}, 3));
                writer.add("output.gradient", random_tensor({2, 3, 2}, 4));
                writer.add_integers("valid_lengths", {2}, {5, 2});
                writer.add_booleans("mask", {3, 5}, std::vector<uint8_t>(15, 1));
                writer.save(folder.path("input.safetensors"));
              },
          .files = {"input.safetensors"},
          .read =
              [](const TemporaryFolder& folder) {
                const AttendOptions options = {.memory_limit = 1e7};
                const std::string name = folder.path("input.safetensors");
                const AttendInput input = read_attend_input(TensorFile::open(name), options);
                const AttendResult result = run_attend(input, options, name);
                for (int64_t i = 0; i < result.output.elements(); ++i)
                  EXPECT_TRUE(std::isfinite(result.output[i]));
                for (const auto& [array, gradient] : result.gradients)
                  for (int64_t i = 0; i < gradient.elements(); ++i)
                    EXPECT_TRUE(std::isfinite(gradient[i])) << array;
              },
          .notices_cuts = true,
          .refused = 0.2};
}

// Text of all kinds goes through it, too.
inline Reader word_piece_reader() {
  return {.name = "WordPieces",
          .write =
              [](const TemporaryFolder& folder) {
                folder.put("tokenizer.json", small_tokenizer_json());
              },
          .files = {"tokenizer.json"},
          .read =
              [](const TemporaryFolder& folder) {
                const WordPieces pieces = WordPieces::load(folder.path("tokenizer.json"));
                for (const std::string text :
                     {"", "the [MASK] playing", "gr\u00fc\u00dfe, \u6f22\u5b57 \U0001F600\t\xff x"})
                  for (const int32_t id : pieces.encode(text))
                    EXPECT_TRUE(is_utf8(pieces.piece(id)));
              },
          .notices_cuts = true,
          .refused = 0.2};
}

inline std::vector<Reader> vocabulary_readers() {
  return {vocabulary_reader("UnigramVocabulary",
                            [] { return learnt_vocabulary(VocabularyKind::unigram); }),
          vocabulary_reader("BpeVocabulary", [] { return learnt_vocabulary(VocabularyKind::bpe); }),
          vocabulary_reader("WordVocabulary", vocabulary_of_words),
          vocabulary_reader("VocabularyWithTokens", vocabulary_with_tokens),
          vocabulary_reader("MosesVocabulary", [] { return small_moses_vocabulary(); }),
          bpe_reader(),
          word_piece_reader()};
}

inline std::vector<Reader> small_model_readers() {
  return {foreign_model_reader(),
          ctranslate2_reader(),
          ctranslate2_json_reader(),
          bert_reader(),
          marian_mt_reader("MarianMt", WeightForm::zip),
          marian_mt_reader("MarianMtOld", WeightForm::old),
          attend_reader(),
          marian_reader("MarianNpz", false),
          marian_reader("MarianBinary", true)};
}

inline std::vector<Reader> large_model_readers() {
  return {model_reader("Float32Model", WeightStorage::float32),
          model_reader("Float16Model", WeightStorage::float16),
          model_reader("Int8Model", WeightStorage::int8)};
}

}  // namespace heed::testing
