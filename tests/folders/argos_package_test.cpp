#include "heed/folders/argos_package.h"

#include <gtest/gtest.h>

#include "argos_sample.h"
#include "error_of.h"
#include "heed/data/word_vocabulary.h"
#include "round_trip.h"
#include "small_moses.h"
#include "temporary_folder.h"
#include "zip_maker.h"

namespace heed {
namespace {

using heed::testing::argos_archive;
using heed::testing::argos_metadata;
using heed::testing::argos_parts;
using heed::testing::error_of;
using heed::testing::expect_same_model;
using heed::testing::small_moses;
using heed::testing::small_moses_vocabulary;
using heed::testing::small_translator;
using heed::testing::SmallMoses;
using heed::testing::TemporaryFolder;
using heed::testing::ZipMaker;

TEST(ArgosPackage, IsReadFromItsArchive) {
  const ModelFolder model = small_translator({});
  const TemporaryFolder folder;
  for (const std::string root : {"translate-en_de-1_9/", ""}) {
    const std::string file = folder.put("a.argosmodel", argos_archive(argos_parts(model), root));
    EXPECT_TRUE(is_argos_package(file));
    const ModelFolder read = read_argos_package(file);
    expect_same_model(read, model);
    EXPECT_EQ(read.languages, (Languages{"en", "de"}));
    expect_same_model(load_model_folder(file), model);
  }
}

TEST(ArgosPackage, OtherArchivesAreNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(is_argos_package(folder.put("a.npz", ZipMaker().add("w.npy", "1").bytes())));
  EXPECT_FALSE(is_argos_package(folder.put("b.bin", "text")));
  EXPECT_FALSE(is_argos_package(folder.path("c")));
}

TEST(ArgosPackage, IsReadFromItsFolder) {
  const ModelFolder model = small_translator({});
  const TemporaryFolder folder;
  EXPECT_FALSE(is_argos_package(folder.path("")));
  for (const auto& [name, bytes] : argos_parts(model)) {
    std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
    folder.put(name, bytes);
  }
  EXPECT_TRUE(is_argos_package(folder.path("")));
  const ModelFolder found = read_argos_package(folder.path(""));
  expect_same_model(found, model);
  EXPECT_TRUE(found.notes.origin.starts_with("Argos Translate")) << found.notes.origin;
}

TEST(ArgosPackage, RefusesWhatItCannotHonour) {
  const std::map<std::string, std::string> whole = argos_parts(small_translator({}));
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    std::map<std::string, std::string> parts = whole;
    parts[name] = bytes;
    if (bytes.empty()) parts.erase(name);
    folder.put("a.argosmodel", argos_archive(parts));
    return error_of([&] { read_argos_package(folder.path("a.argosmodel")); });
  };
  const std::string file = folder.path("a.argosmodel");
  EXPECT_EQ(refusal("../../../etc/cron.d/x", "evil"),
            file + ": part \"translate-en_de-1_9/../../../etc/cron.d/x\" leads out of the archive");
  EXPECT_EQ(refusal("metadata.json", ""),
            file + ": has no metadata.json, so it is not a package of Argos Translate");
  EXPECT_EQ(refusal("metadata.json", R"({"target_prefix": "__de__"})"),
            file +
                "/metadata.json: \"target_prefix\" is \"__de__\" but nothing, as heed starts "
                "translations with nothing, was expected");
  EXPECT_EQ(refusal("sentencepiece.model", ""),
            file + ": has neither sentencepiece.model nor bpe.model");
  EXPECT_TRUE(refusal("model/model.bin", "no").starts_with(file + "/model.bin: "));
}

// The same network with a bpe.model in place of the SentencePiece model.
std::map<std::string, std::string> parts_with_bpe() {
  const SmallMoses small = small_moses();
  std::map<std::string, std::string> parts =
      argos_parts(small_translator({}, word_vocabulary(small.tokens)));
  parts.erase("sentencepiece.model");
  parts["bpe.model"] = small.merges;
  return parts;
}

TEST(ArgosPackage, IsReadWithABpeModel) {
  const TemporaryFolder folder;
  const std::string file = folder.put("a.argosmodel", argos_archive(parts_with_bpe()));
  const ModelFolder read = read_argos_package(file);
  expect_same_model(read, small_translator({}, small_moses_vocabulary()));
  EXPECT_EQ(read.languages, (Languages{"en", "de"}));
  const std::string text = "bako, ten “mül”.";
  EXPECT_EQ(read.source.decode(read.source.encode(text)), "bako, ten \"mül.\"");
  // English has quotes after full stops, German before them.
  EXPECT_NE(read.source.encode(text), read.target.encode(text));
}

TEST(ArgosPackage, WithABpeModelIsTheSameInAFolderOfHeed) {
  const TemporaryFolder folder;
  const ModelFolder read =
      load_model_folder(folder.put("a.argosmodel", argos_archive(parts_with_bpe())));
  std::filesystem::create_directory(folder.path("en-de"));
  save_model_folder(folder.path("en-de"), read);
  const ModelFolder again = load_model_folder(folder.path("en-de"));
  expect_same_model(again, read);
  EXPECT_EQ(again.source.bytes(), read.source.bytes());
  EXPECT_EQ(again.target.bytes(), read.target.bytes());
  EXPECT_EQ(again.source.encode("Bako, ba. ko"), read.source.encode("Bako, ba. ko"));
}

// As in Argos Translate, which does not look at it then.
TEST(ArgosPackage, ASentencePieceModelGoesBeforeABpeModel) {
  const ModelFolder model = small_translator({});
  std::map<std::string, std::string> parts = argos_parts(model);
  parts["bpe.model"] = "not a list of merges";
  const TemporaryFolder folder;
  expect_same_model(read_argos_package(folder.put("a.argosmodel", argos_archive(parts))), model);
}

TEST(ArgosPackage, MayHaveAbbreviationsOfItsOwn) {
  const TemporaryFolder folder;
  std::map<std::string, std::string> parts = parts_with_bpe();
  const auto pieces = [](const ModelFolder& model) {
    std::vector<std::string> found;
    for (const int32_t id : model.source.encode("ba. Ko")) found.push_back(model.source.piece(id));
    return found;
  };
  const std::string without = folder.put("a.argosmodel", argos_archive(parts));
  const std::vector<std::string> apart = {"ba", ".", "<unk>", "o"};
  EXPECT_EQ(pieces(read_argos_package(without)), apart);
  parts["nonbreaking_prefixes/nonbreaking_prefix.en"] = "# titles\nba\n";
  const std::vector<std::string> together = {"ba@@", ".", "<unk>", "o"};
  const std::string with = folder.put("b.argosmodel", argos_archive(parts));
  EXPECT_EQ(pieces(read_argos_package(with)), together);
  for (const auto& [name, bytes] : parts) {
    const std::filesystem::path path = folder.path("package/" + name);
    std::filesystem::create_directories(path.parent_path());
    folder.put("package/" + name, bytes);
  }
  EXPECT_EQ(pieces(read_argos_package(folder.path("package"))), together);
}

TEST(ArgosPackage, RefusesABpeModelThatIsNone) {
  const TemporaryFolder folder;
  const std::string file = folder.path("a.argosmodel");
  const auto refusal = [&](const std::string& bytes) {
    std::map<std::string, std::string> parts = parts_with_bpe();
    parts["bpe.model"] = bytes;
    folder.put("a.argosmodel", argos_archive(parts));
    return error_of([&] { read_argos_package(file); });
  };
  EXPECT_EQ(refusal("#version: 0.2\na b\nab\n"),
            file +
                "/bpe.model: line 3 is \"ab\", but two symbols with a space between them were "
                "expected");
  EXPECT_EQ(refusal("#version: 3.0\na b\n"),
            file + "/bpe.model: is of version \"3\", but 0.1 or 0.2 was expected");
  EXPECT_EQ(refusal("\xff \xfe\n"), file + "/bpe.model: is not UTF-8");
  EXPECT_EQ(refusal("#version: 0.2\n"), file + "/bpe.model: has no merges");
  EXPECT_EQ(refusal(""), file +
                             "/bpe.model: is empty, but merges of byte-pair encoding were "
                             "expected");
}

// Their formats have no place for it.
TEST(ArgosPackage, WithABpeModelIsNotWrittenForOtherTools) {
  const ModelFolder model = small_translator({}, small_moses_vocabulary());
  const TemporaryFolder folder;
  const std::string why =
      " no place for how text is split by Moses's tokeniser and byte-pair "
      "encoding";
  EXPECT_EQ(error_of([&] { save_ctranslate2_folder(folder.path(""), model); }),
            "CTranslate2's Transformers have" + why);
}

TEST(ArgosPackage, RefusesBombs) {
  const TemporaryFolder folder;
  ZipMaker archive;
  archive.add("metadata.json", argos_metadata);
  archive.add("model/model.bin", "small", {.more_bytes = 4'000'000'000, .method = 8});
  const std::string file = folder.put("a.argosmodel", archive.bytes());
  EXPECT_EQ(error_of([&] { read_argos_package(file); }),
            file + ": part \"model/model.bin\" takes 5 bytes but would unpack to 4000000005");
}

}  // namespace
}  // namespace heed
