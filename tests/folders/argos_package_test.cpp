#include "heed/folders/argos_package.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/folders/ctranslate2_export.h"
#include "round_trip.h"
#include "temporary_folder.h"
#include "zip_maker.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::expect_same_model;
using heed::testing::small_translator;
using heed::testing::TemporaryFolder;
using heed::testing::ZipMaker;

constexpr const char* metadata = R"({"package_version": "1.9", "argos_version": "1.9.0",
  "from_code": "en", "from_name": "English", "to_code": "de", "to_name": "German"})";

// What a package holds, by the names in it.
std::map<std::string, std::string> parts_of(const ModelFolder& model) {
  const TemporaryFolder folder;
  save_ctranslate2_folder(folder.path(""), model);
  std::map<std::string, std::string> parts = {
      {"metadata.json", metadata},
      {"sentencepiece.model", std::string(model.source.plain_bytes())},
      {"README.md", "# en-de"},
      {"stanza/en/tokenize/ewt.pt", "ignored"}};
  for (const char* file : {"model.bin", "config.json", "shared_vocabulary.json"})
    parts[std::string("model/") + file] = folder.text(file);
  return parts;
}

std::string archive_of(const std::map<std::string, std::string>& parts,
                       const std::string& root = "translate-en_de-1_9/") {
  ZipMaker archive;
  archive.add(root.empty() ? "empty/" : root, "");
  for (const auto& [name, bytes] : parts) archive.add(root + name, bytes);
  return archive.bytes();
}

TEST(ArgosPackage, IsReadFromItsArchive) {
  const ModelFolder model = small_translator({});
  const TemporaryFolder folder;
  for (const std::string root : {"translate-en_de-1_9/", ""}) {
    const std::string file = folder.put("a.argosmodel", archive_of(parts_of(model), root));
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
  for (const auto& [name, bytes] : parts_of(model)) {
    std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
    folder.put(name, bytes);
  }
  EXPECT_TRUE(is_argos_package(folder.path("")));
  const ModelFolder found = read_argos_package(folder.path(""));
  expect_same_model(found, model);
  EXPECT_TRUE(found.notes.origin.starts_with("Argos Translate")) << found.notes.origin;
}

TEST(ArgosPackage, RefusesWhatItCannotHonour) {
  const std::map<std::string, std::string> whole = parts_of(small_translator({}));
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    std::map<std::string, std::string> parts = whole;
    parts[name] = bytes;
    if (bytes.empty()) parts.erase(name);
    folder.put("a.argosmodel", archive_of(parts));
    return error_of([&] { read_argos_package(folder.path("a.argosmodel")); });
  };
  const std::string file = folder.path("a.argosmodel");
  EXPECT_EQ(refusal("../../../etc/cron.d/x", "evil"),
            file + ": part \"translate-en_de-1_9/../../../etc/cron.d/x\" leads out of the archive");
  EXPECT_EQ(refusal("bpe.model", "#version: 0.2"),
            file +
                ": splits words by a bpe.model after the tokeniser of Moses, which heed does not "
                "have");
  EXPECT_EQ(refusal("metadata.json", ""),
            file + ": has no metadata.json, so it is not a package of Argos Translate");
  EXPECT_EQ(refusal("metadata.json", R"({"target_prefix": "__de__"})"),
            file +
                "/metadata.json: \"target_prefix\" is \"__de__\" but nothing, as heed starts "
                "translations with nothing, was expected");
  EXPECT_EQ(refusal("sentencepiece.model", ""), file + ": sentencepiece.model is missing");
  EXPECT_TRUE(refusal("model/model.bin", "no").starts_with(file + "/model.bin: "));
}

TEST(ArgosPackage, RefusesBombs) {
  const TemporaryFolder folder;
  ZipMaker archive;
  archive.add("metadata.json", metadata);
  archive.add("model/model.bin", "small", {.more_bytes = 4'000'000'000, .method = 8});
  const std::string file = folder.put("a.argosmodel", archive.bytes());
  EXPECT_EQ(error_of([&] { read_argos_package(file); }),
            file + ": part \"model/model.bin\" takes 5 bytes but would unpack to 4000000005");
}

}  // namespace
}  // namespace heed
