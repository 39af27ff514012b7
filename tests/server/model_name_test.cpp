// Models, glossaries and adapters as the command line names them.
#include "heed/server/model_name.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

std::vector<NamedFolder> two_models() {
  return {named_folder("models/en-de"), named_folder("en-de-x-law=models/en-de")};
}

TEST(ModelName, LanguagesAreThoseInFrontOrAtTheEndOfTheFolder) {
  EXPECT_EQ(two_models()[0].languages, (LanguagePair{"en", "de"}));
  EXPECT_EQ(two_models()[1].languages, (LanguagePair{"en", "de-x-law"}));
  EXPECT_EQ(two_models()[1].folder, "models/en-de");
}

TEST(ModelName, AFileIsForTheModelOfItsLanguages) {
  std::vector<NamedFolder> models = two_models();
  add_adapter("en-de-x-law=law.safetensors", models);
  add_glossary("en-de=terms.tsv", models);
  add_tag("en-de-x-law=legal", models);
  EXPECT_EQ(models[0].adapter, "");
  EXPECT_EQ(models[0].glossary, "terms.tsv");
  EXPECT_EQ(models[1].adapter, "law.safetensors");
  EXPECT_EQ(models[1].glossary, "");
  EXPECT_EQ(models[0].tag, "");
  EXPECT_EQ(models[1].tag, "legal");
}

TEST(ModelName, AFileForTheOnlyModelNeedsNoLanguages) {
  std::vector<NamedFolder> models = {named_folder("models/en-de")};
  add_adapter("rank=8.safetensors", models);
  EXPECT_EQ(models[0].adapter, "rank=8.safetensors");
}

TEST(ModelName, AFileWithoutAModelIsRefused) {
  std::vector<NamedFolder> models = two_models();
  EXPECT_EQ(error_of([&] { add_adapter("law", models); }),
            "serve: \"law\" does not say which of the models it is for; name its languages, as in "
            "--adapter en-de=law");
  EXPECT_EQ(error_of([&] { add_glossary("en-fr=terms", models); }),
            "serve: the glossary \"en-fr=terms\" is for en-fr, but there is no such model");
  add_adapter("en-de=one", models);
  EXPECT_EQ(error_of([&] { add_adapter("en-de=two", models); }),
            "serve: more than one adapter for en-de");
}

}  // namespace
}  // namespace heed
