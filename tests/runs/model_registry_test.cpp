#include "heed/runs/model_registry.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "heed/folders/model_folder.h"
#include "round_trip.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using heed::testing::TemporaryFolder;

// Sets a variable of the environment for as long as the object lasts.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(ModelRegistry, IsInTheUsersDataFolder) {
  const Environment home("HOME", "/home/someone");
  {
    const Environment data("XDG_DATA_HOME", "/data");
    EXPECT_EQ(models_folder(), "/data/heed");
  }
  for (const char* not_absolute : {"", "data"}) {
    const Environment data("XDG_DATA_HOME", not_absolute);
    EXPECT_EQ(models_folder(), "/home/someone/.local/share/heed");
  }
}

TEST(ModelRegistry, FindsAModelByItsName) {
  const TemporaryFolder data;
  const Environment variable("XDG_DATA_HOME", data.path(""));
  const std::string kept = (models_folder() / "kept-one").string();
  fs::create_directories(kept);
  EXPECT_EQ(find_model("kept-one"), kept);
  EXPECT_EQ(find_model("./kept-one"), "./kept-one");  // a path is what it says
  EXPECT_EQ(find_model("missing"), "missing");
  EXPECT_EQ(find_model(""), "");
  EXPECT_EQ(find_model(".."), "..");
  // What is here comes first.
  const fs::path before = fs::current_path();
  fs::create_directories(data.path("here/kept-one"));
  fs::current_path(data.path("here"));
  EXPECT_EQ(find_model("kept-one"), "kept-one");
  fs::current_path(before);
}

TEST(ModelRegistry, ListsWholeModelsAndBrokenOnes) {
  const TemporaryFolder folder;
  const auto save = [&](const std::string& name) {
    fs::create_directories(folder.path(name));
    ModelFolder model = heed::testing::small_translator({});
    model.languages = {"en", "de"};
    model.notes.origin = "elsewhere";
    save_model_folder(folder.path(name), model);
  };
  save("b-card");
  folder.put("b-card/README.md", "---\nlanguage: de\nlicense: cc-by-4.0\n---\n# A model\n");
  save("c-file");
  folder.put("c-file/LICENSE", "\n  MIT License\n\nCopyright\n");
  fs::create_directories(folder.path("a-broken"));
  folder.put("a-broken/config.json", "{}");
  fs::create_directories(folder.path("other"));
  folder.put("other/notes.txt", "nothing");
  const fs::path folders[] = {folder.path("")};
  const std::vector<ListedModel> models = list_models(folders);
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(models[0].name, "a-broken");
  EXPECT_NE(models[0].broken, "");
  EXPECT_EQ(models[1].name, "b-card");
  EXPECT_EQ(models[1].broken, "");
  EXPECT_EQ(models[1].licence, "cc-by-4.0");
  EXPECT_EQ(models[1].source_language, "en");
  EXPECT_EQ(models[1].target_language, "de");
  EXPECT_EQ(models[1].origin, "elsewhere");
  EXPECT_EQ(models[1].storage, "float32");
  EXPECT_GT(models[1].parameters, 0);
  EXPECT_GT(models[1].bytes, fs::file_size(folder.path("b-card/model.safetensors")));
  EXPECT_EQ(models[2].licence, "MIT License");
  // A model that is named itself.
  const fs::path one[] = {folder.path("c-file/")};
  ASSERT_EQ(list_models(one).size(), 1u);
  EXPECT_EQ(list_models(one)[0].name, "c-file");
}

}  // namespace
}  // namespace heed
