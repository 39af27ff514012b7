// Model files as attackers write them, after what has been found in other loaders. Each is refused
// with one sentence, by a process that may not take more memory than the file justifies.
//
// The classes, and where each was found:
//   lengths of strings and headers that lie   CVE-2024-23496 (GGUF: gguf_fread_str)
//   counts of arrays that lie                 CVE-2024-21836, -23605 (GGUF: n_tensors, n_kv)
//   shapes whose product overflows            CVE-2024-21802 (GGUF: info->ne)
//   arrays of strings longer than the file    CVE-2024-21825 (GGUF: arrays of strings)
//   model.bin whose sizes are believed        OpenNMT/CTranslate2#2068
//   overlaps, holes, duplicates, extra data   the audit of safetensors by Trail of Bits
//   nesting that exhausts the stack           CWE-674, in JSON readers of all kinds
#include <gtest/gtest.h>

#include <functional>

#include "ctranslate2_sample.h"
#include "heed/base/checksum.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/folders/model_folder.h"
#include "heed/weights/tensor_file.h"
#include "in_child.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::CTranslate2Maker;
using testing::error_in_child;
using testing::small_vocabulary;
using testing::TemporaryFolder;
namespace sample = testing::ctranslate2_sample;

// For a process that reads a file of this many bytes: some for the program itself, and a small
// multiple.
size_t allowed_memory(size_t file_bytes) { return (size_t{24} << 20) + 20 * file_bytes; }

struct Attack {
  const char* name;
  std::function<void(const TemporaryFolder&)> write;
  const char* expected;  // a part of the sentence
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

std::string named(const ::testing::TestParamInfo<Attack>& test) { return test.param.name; }

std::string refusal(const TemporaryFolder& folder, const std::function<void()>& load) {
  size_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return error_in_child(allowed_memory(bytes), load);
}

void expect_refused(const Attack& attack, const TemporaryFolder& folder,
                    const std::function<void()>& load) {
  const std::string said = refusal(folder, load);
  EXPECT_NE(said.find(attack.expected), std::string::npos) << said;
  EXPECT_FALSE(said.starts_with("(")) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_LT(said.size(), 2000u);
}

std::string little_endian(uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// A folder of heed whose weights are replaced.
class HostileHeedModelTest : public ::testing::TestWithParam<Attack> {};

ModelConfig small_config() {
  ModelConfig config = TransformerConfig{
      .encoder_layers = 1, .decoder_layers = 1, .width = 8, .ffn = 12, .heads = 2};
  set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
  return config;
}

void write_good_folder(const TemporaryFolder& folder) {
  Rng rng(7);
  const ModelConfig config = small_config();
  save_model_description(folder.path(""), config, small_vocabulary(), small_vocabulary());
  save_weights(folder.path(""), parameters_of(*make_model(config, rng)));
}

TEST(HostileModels, AGoodFolderLoadsWithTheSameMemory) {
  const TemporaryFolder folder;
  write_good_folder(folder);
  EXPECT_EQ(refusal(folder, [&] { load_model_folder(folder.path("")); }), "(nothing was thrown)");
}

TEST_P(HostileHeedModelTest, IsRefused) {
  const TemporaryFolder folder;
  write_good_folder(folder);
  GetParam().write(folder);
  expect_refused(GetParam(), folder, [&] { load_model_folder(folder.path("")); });
}

// Weights with this header and this many bytes after it; no fewer than the settings suggest.
Attack header(const char* name, const std::string& json, size_t data, const char* expected) {
  return {name,
          [=](const TemporaryFolder& folder) {
            folder.put("model.safetensors",
                       little_endian(json.size()) + json + std::string(data, '\0'));
          },
          expected};
}

Attack weights_text(const char* name, const std::string& bytes, const char* expected) {
  return {name, [=](const TemporaryFolder& folder) { folder.put("model.safetensors", bytes); },
          expected};
}

// A good folder whose file `file` has `from` replaced.
Attack replaced(const char* name, const char* file, const std::string& from, const std::string& to,
                const char* expected) {
  return {name,
          [=](const TemporaryFolder& folder) {
            std::string text = folder.text(file);
            const size_t place = text.rfind(from);
            ASSERT_NE(place, std::string::npos);
            folder.put(file, text.replace(place, from.size(), to));
          },
          expected};
}

// heed's own metadata with a matching checksum: an attacker can compute one.
Attack metadata(const char* name, const std::string& config, const char* expected) {
  return {name,
          [=](const TemporaryFolder& folder) {
            Metadata entries = {{"heed.checksum", "crc32:00000000"}, {"heed.config", config}};
            ModelSeal().write_to(entries);
            replace_metadata(folder.path("model.safetensors"), entries);
          },
          expected};
}

std::string one_array(const std::string& shape, const std::string& offsets,
                      const char* type = "F32") {
  return R"({"model.shared.weight":{"dtype":")" + std::string(type) + R"(","shape":)" + shape +
         R"(,"data_offsets":)" + offsets + "}}";
}

std::string many_arrays(size_t count) {
  std::string json = "{";
  for (size_t i = 0; i < count; ++i)
    json += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[0],"data_offsets":[8000,8000]}})",
                        i > 0 ? "," : "", i);
  return json + R"(,"a":{"dtype":"F32","shape":[2000],"data_offsets":[0,8000]}})";
}

std::string shape_of_rank(int rank) {
  std::string sizes = "[2000";
  for (int axis = 1; axis < rank; ++axis) sizes += ",1";
  return sizes + "]";
}

constexpr size_t enough = 8000;  // bytes, so that the settings alone do not refuse the file

INSTANTIATE_TEST_SUITE_P(
    Safetensors, HostileHeedModelTest,
    ::testing::Values(
        // Lying lengths, CVE-2024-23496.
        weights_text("HeaderOfAllBytesThereAre",
                     little_endian(~uint64_t{0}) + std::string(enough, ' '),
                     "at most 100000000 are allowed"),
        weights_text("NegativeHeaderLength",
                     little_endian(uint64_t{1} << 63) + std::string(enough, ' '),
                     "at most 100000000 are allowed"),
        weights_text("HeaderBeyondTheEnd", little_endian(99'999'999) + std::string(enough, ' '),
                     "header of 99999999 bytes but only 8000 follow"),
        weights_text("EmptyHeader", little_endian(0) + std::string(enough, ' '),
                     "the header begins with"),
        // Overflowing shapes, CVE-2024-21802.
        header("ShapeTooLargeForAnyInteger",
               one_array("[4294967296,4294967296,4294967296]", "[0,8000]"), enough,
               "cannot have the shape (4294967296, 4294967296, 4294967296)"),
        header("ProductWrapsAroundToZero", one_array("[4611686018427387904,4]", "[0,0]"), 0,
               "cannot have the shape"),
        header("BytesWrapAroundToZero", one_array("[4611686018427387904]", "[0,0]"), 0,
               "cannot have the shape"),
        header("ZeroHidesAnOverflow",
               one_array("[0,4611686018427387904,4611686018427387904]", "[0,0]"), 0,
               "cannot have the shape"),
        header("NegativeSize", one_array("[-1,8]", "[0,8000]"), enough, "a negative number"),
        header("NegativeOffset", one_array("[2000]", "[-8000,0]"), enough, "a negative number"),
        header("OffsetTooLargeForSigns", one_array("[2000]", "[0,18446744073709551615]"), enough,
               "a number that is no size"),
        header("NumberTooLargeForAnyInteger", one_array("[99999999999999999999999]", "[0,8000]"),
               enough, "a number that is no size"),
        header("FractionOfASize", one_array("[1.5]", "[0,8000]"), enough,
               "a number that is no size"),
        // The audit of safetensors: bytes of two arrays, of none, and after them all.
        header("Overlap",
               R"({"a":{"dtype":"F32","shape":[1500],"data_offsets":[0,6000]},)"
               R"("b":{"dtype":"F32","shape":[1000],"data_offsets":[4000,8000]}})",
               enough, "begins at byte 4000 of the data but the arrays before it end at 6000"),
        header("Hole",
               R"({"a":{"dtype":"F32","shape":[500],"data_offsets":[0,2000]},)"
               R"("b":{"dtype":"F32","shape":[500],"data_offsets":[6000,8000]}})",
               enough, "begins at byte 6000 of the data but the arrays before it end at 2000"),
        header("TrailingData", one_array("[10]", "[0,40]"), enough,
               "its arrays take 40 bytes but 8000 follow the header"),
        header("DataBeyondTheEnd", one_array("[1000000]", "[0,4000000]"), enough,
               "its arrays take 4000000 bytes but 8000 follow the header"),
        header("EndBeforeBegin", one_array("[2000]", "[8000,0]"), enough,
               "begins at byte 8000 of the data but ends at 0"),
        header("DuplicateName",
               R"({"a":{"dtype":"F32","shape":[2000],"data_offsets":[0,8000]},)"
               R"("a":{"dtype":"F32","shape":[0],"data_offsets":[8000,8000]}})",
               enough, "is described twice"),
        header("DuplicateMetadata", R"({"__metadata__":{"a":"b","a":"c"}})", 0, "is given twice"),
        header("DuplicateField",
               R"({"a":{"dtype":"F32","dtype":"F16","shape":[2000],"data_offsets":[0,8000]}})",
               enough, "has its \"dtype\" twice"),
        header("UnknownType", one_array("[2000]", "[0,8000]", "F33"), enough, "unknown type"),
        header("Rank255", one_array(shape_of_rank(255), "[0,8000]"), enough, "255 axes"),
        header("NotUtf8",
               "{\"a\xff\":{\"dtype\":\"F32\",\"shape\":[2000],\"data_offsets\":[0,8000]}}", enough,
               "not valid JSON"),
        header("NulInsideOfTheHeader",
               one_array("[2000]", "[0,8000]") + std::string(1, '\0') + "anything else", enough,
               "not valid JSON"),
        header("NulInAName",
               R"({"model.shared.weight\u0000":{"dtype":"F32","shape":[2000],)"
               R"("data_offsets":[0,8000]}})",
               enough, "array \"model.shared.weight\" is missing"),
        header("PathAsAName",
               R"({"../../../etc/passwd":{"dtype":"F32","shape":[2000],)"
               R"("data_offsets":[0,8000]}})",
               enough, "is missing"),
        // Counts that lie, CVE-2024-21836: here a count is what is there.
        header("ManyArraysOfNothing", many_arrays(50'000), enough, "is missing"),
        // Exhausted stacks, CWE-674.
        header("NestedHeader", R"({"a":)" + nested(1'000'000) + "}", enough,
               "but an object was expected"),
        header("NestedShape", one_array(nested(1'000'000), "[0,8000]"), enough, "in its shape"),
        header("NestedMetadata", R"({"__metadata__":{"a":)" + nested(1'000'000) + "}}", 0,
               "but a string was expected"),
        metadata("NestedSettingsWithAFittingChecksum", nested(1'000'000), "nests deeper"),
        metadata("SettingsThatAreNone", "7", "no settings of heed"),
        metadata("SettingsThatAreNoJson", "{\"heed\":", "no settings of heed")),
    named);

INSTANTIATE_TEST_SUITE_P(
    Settings, HostileHeedModelTest,
    ::testing::Values(
        replaced("NestedFile", "config.json", "{", nested(1'000'000) + "{", "nests deeper"),
        replaced("NestedSetting", "config.json", "\"heads\": 2", "\"heads\": " + nested(1'000'000),
                 "nests deeper"),
        replaced("SmallNestedSetting", "config.json", "\"heads\": 2", "\"heads\": " + nested(10),
                 "\"heads\" is"),
        replaced("HugeWidth", "config.json", "\"width\": 8", "\"width\": 268435456", "are too few"),
        replaced("HugeLayers", "config.json", "\"encoder-layers\": 1",
                 "\"encoder-layers\": 268435456", "are too few"),
        replaced("NegativeHeads", "config.json", "\"heads\": 2", "\"heads\": -2",
                 "a number from 0"),
        replaced("NoHeads", "config.json", "\"heads\": 2", "\"heads\": 0", "0 heads do not divide"),
        replaced("HugeNumber", "config.json", "\"heads\": 2", "\"heads\": 18446744073709551615",
                 "a number from 0"),
        replaced("InfiniteDropout", "config.json", "\"dropout\": 0.1", "\"dropout\": 1e999",
                 "not a JSON object"),
        // A piece that claims to be longer than the file, CVE-2024-21825.
        Attack{"PieceBeyondTheEnd",
               [](const TemporaryFolder& folder) {
                 folder.put("source.spm", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
               },
               "is not a SentencePiece model"},
        Attack{"NumberWithoutEnd",
               [](const TemporaryFolder& folder) {
                 folder.put("source.spm", std::string(64, '\xff'));
               },
               "is not a SentencePiece model"}),
    named);

// A folder of CTranslate2 whose model.bin is replaced.
class HostileCTranslate2ModelTest : public ::testing::TestWithParam<Attack> {};

TEST_P(HostileCTranslate2ModelTest, IsRefused) {
  const TemporaryFolder folder;
  sample::write_folder(folder);
  GetParam().write(folder);
  expect_refused(GetParam(), folder, [&] { read_ctranslate2_folder(folder.path("")); });
}

TEST(HostileModels, AGoodFolderOfCTranslate2LoadsWithTheSameMemory) {
  const TemporaryFolder folder;
  sample::write_folder(folder);
  EXPECT_EQ(refusal(folder, [&] { read_ctranslate2_folder(folder.path("")); }),
            "(nothing was thrown)");
}

Attack binary(const char* name, CTranslate2Maker maker, const char* expected) {
  return {name,
          [=](const TemporaryFolder& folder) {
            folder.put("model.bin", CTranslate2Maker(maker).bytes());
          },
          expected};
}

// A file that claims to have this many arrays.
CTranslate2Maker arrays(uint32_t count) {
  CTranslate2Maker maker;
  maker.integer(count);
  return maker;
}

// The sample with an array put in place of another, or a number changed.
Attack changed(const char* name, const std::string& array, const Tensor& value,
               const char* expected, int16_t heads = 2) {
  return {name,
          [=](const TemporaryFolder& folder) {
            sample::Arrays all = sample::some_arrays();
            if (!array.empty()) all[array] = value;
            sample::write_model(folder, all, heads);
          },
          expected};
}

CTranslate2Maker aliases(const std::vector<std::pair<const char*, const char*>>& pairs,
                         uint32_t count) {
  CTranslate2Maker maker = arrays(1);
  maker.array<float>("original", {1}, 0, {1.0f}).integer(count);
  for (const auto& [alias, original] : pairs) maker.text(alias).text(original);
  return maker;
}

INSTANTIATE_TEST_SUITE_P(
    Binary, HostileCTranslate2ModelTest,
    ::testing::Values(
        // Sizes that are believed, OpenNMT/CTranslate2#2068; counts that lie, CVE-2024-21836 and
        // -23605.
        binary("CountsFourBillionArrays", arrays(~uint32_t{0}), "are left"),
        binary("NameBeyondTheEnd", arrays(1).integer(uint16_t{65535}),
               "needs 65535 bytes but 0 are left"),
        binary("NameOfNothing", arrays(1).integer(uint16_t{0}), "does not end with a NUL"),
        binary("NameWithoutEnd", arrays(1).integer(uint16_t{1}).integer('a'),
               "does not end with a NUL"),
        binary("NulInAName", arrays(1).text(std::string_view("a\0b", 3)), "is not text"),
        binary("NameThatIsNotUtf8", arrays(1).text("\xff\xfe"), "is not text"),
        binary("Rank255", arrays(1).text("a").integer(uint8_t{255}), "has 255 axes"),
        binary("TypeOutOfRange",
               arrays(1).text("a").integer(uint8_t{0}).integer(uint8_t{255}).integer(uint32_t{4}),
               "has type 255 but 0 to 5 was expected"),
        // Overflowing shapes, CVE-2024-21802.
        binary("ShapeTooLargeForAnyInteger",
               arrays(1)
                   .text("a")
                   .integer(uint8_t{3})
                   .integer(~uint32_t{0})
                   .integer(~uint32_t{0})
                   .integer(~uint32_t{0})
                   .integer(uint8_t{0})
                   .integer(uint32_t{4}),
               "is too large"),
        binary("BytesWrapAroundToFour",
               arrays(1)
                   .text("a")
                   .integer(uint8_t{2})
                   .integer(uint32_t{0x80000000})
                   .integer(uint32_t{0x80000000})
                   .integer(uint8_t{0})
                   .integer(uint32_t{0}),
               "has 0 bytes"),
        binary("DataBeyondTheEnd",
               arrays(1)
                   .text("a")
                   .integer(uint8_t{1})
                   .integer(uint32_t{0x3FFFFFFF})
                   .integer(uint8_t{0})
                   .integer(uint32_t{0xFFFFFFFC}),
               "but 0 are left"),
        binary("LengthOfAnotherShape", arrays(1).array<float>("a", {2}, 0, {1.0f}), "has 4 bytes"),
        binary("DuplicateName",
               arrays(2).array<float>("a", {1}, 0, {1}).array<float>("a", {1}, 0, {2}),
               "occurs twice"),
        binary("TrailingData", arrays(0).integer(uint32_t{0}).integer(uint32_t{7}),
               "are left at the end"),
        binary("AliasOfItself", aliases({{"a", "a"}}, 1), "array \"a\" is missing"),
        binary("AliasesInACircle", aliases({{"a", "b"}, {"b", "a"}}, 2), "array \"b\" is missing"),
        binary("AliasOverAnArray", aliases({{"original", "original"}}, 1), "occurs twice"),
        binary("CountsFourBillionAliases", aliases({{"a", "original"}}, ~uint32_t{0}), "are left"),
        // Arrays that are what the reader does not expect.
        changed("NoHeads", "", {}, "0 heads do not divide", 0),
        changed("NegativeHeads", "", {}, "-7 heads do not divide", -7),
        changed("TableThatIsANumber", "encoder/embeddings/weight", Tensor::zeros({}),
                "encoder/embeddings/weight"),
        changed("TableOfNoWords", "decoder/embeddings/weight", Tensor::zeros({0, sample::width}),
                "decoder/embeddings/weight"),
        changed("TableOfThreeAxes", "decoder/embeddings/weight",
                Tensor::zeros({sample::target_words, sample::width, 1}),
                "decoder/embeddings/weight"),
        changed("TableOfNoWidth", "decoder/embeddings/weight",
                Tensor::zeros({sample::target_words, 0}), "decoder"),
        changed("BiasThatIsANumber", "decoder/projection/bias", Tensor::zeros({}),
                "decoder/projection/bias"),
        changed("LayerThatIsANumber", "encoder/layer_0/ffn/linear_0/weight", Tensor::zeros({}),
                "linear_0"),
        changed("PositionsThatAreANumber", "encoder/position_encodings/encodings",
                Tensor::zeros({}), "encoder/position_encodings/encodings"),
        changed("PositionsOfAnotherWidth", "encoder/position_encodings/encodings",
                Tensor::zeros({4, sample::width - 1}), "encoder/position_encodings/encodings"),
        changed("PositionsOfNoLength", "encoder/position_encodings/encodings",
                Tensor::zeros({0, sample::width}), "encoder/position_encodings/encodings"),
        // Sizes that the reader multiplies by others of its own.
        Attack{"EnormousWidth",
               [](const TemporaryFolder& folder) {
                 sample::Arrays all = sample::some_arrays();
                 all["encoder/embeddings/weight"] = Tensor::zeros({sample::source_words, 100'000});
                 all["decoder/embeddings/weight"] = Tensor::zeros({sample::target_words, 100'000});
                 all["decoder/projection/weight"] = all["decoder/embeddings/weight"];
                 sample::write_model(folder, all, 2);
               },
               "are too few for 2 and 2 layers of width 100000"},
        Attack{"ManyLayersOfNothing",
               [](const TemporaryFolder& folder) {
                 sample::Arrays all = sample::some_arrays();
                 all["encoder/layer_0/ffn/linear_0/weight"] =
                     Tensor::zeros({1'000'000, sample::width});
                 for (int i = 2; i < 2000; ++i)
                   all[fmt::format("decoder/layer_{}/self_attention/linear_0/weight", i)] =
                       Tensor::zeros({0});
                 sample::write_model(folder, all, 2);
               },
               "are too few for 2 and 2000 layers"},
        changed("InfiniteWeight", "encoder/layer_norm/gamma",
                Tensor::full({sample::width}, std::numeric_limits<double>::infinity()),
                "finite numbers were expected")),
    named);

INSTANTIATE_TEST_SUITE_P(
    Words, HostileCTranslate2ModelTest,
    ::testing::Values(Attack{"NestedVocabulary",
                             [](const TemporaryFolder& folder) {
                               folder.put("source_vocabulary.json", nested(1'000'000));
                             },
                             "nests deeper"},
                      Attack{"NestedToken",
                             [](const TemporaryFolder& folder) {
                               folder.put("source_vocabulary.json", "[\"a\", " + nested(10) + "]");
                             },
                             "is not a token"},
                      Attack{"NestedSetting",
                             [](const TemporaryFolder& folder) {
                               folder.put("config.json",
                                          "{\"eos_token\": " + nested(1'000'000) + "}");
                             },
                             "nests deeper"},
                      Attack{"VocabularyThatWasCut",
                             [](const TemporaryFolder& folder) {
                               folder.put("source_vocabulary.txt", "<blank>\n<s>\n</s>\na\nb\n");
                             },
                             "has 7 rows but the vocabulary has 5 tokens"},
                      Attack{"VocabularyOfNothing",
                             [](const TemporaryFolder& folder) {
                               folder.put("source_vocabulary.txt", "");
                             },
                             "the vocabulary has 0 tokens"}),
    named);

}  // namespace
}  // namespace heed
