#include "heed/runs/conversion.h"

#include <gtest/gtest.h>

#include "ctranslate2_sample.h"
#include "error_of.h"
#include "round_trip.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;

TEST(Conversion, MakesAFolderOfHeedFromOneOfAnotherTool) {
  const TemporaryFolder files, from;
  testing::ctranslate2_sample::write_folder(from);
  const std::string to = files.path("new/model");
  save_new_model(to, load_model_folder(from.path("")));
  EXPECT_EQ(load_model_folder(to).config, load_model_folder(from.path("")).config);
}

TEST(Conversion, NotesWhatWasDoneToAModel) {
  ModelFolder model = heed::testing::small_translator({});
  EXPECT_EQ(origin_when_stored(model, WeightStorage::float32), "");
  EXPECT_EQ(origin_when_stored(model, WeightStorage::int8), "heed; stored as int8");
  model.notes.origin = "Marian v1.12";
  EXPECT_EQ(origin_when_stored(model, WeightStorage::float32), "Marian v1.12");
  model.notes.origin = origin_when_stored(model, WeightStorage::float16);
  EXPECT_EQ(model.notes.origin, "Marian v1.12; stored as float16");
  EXPECT_EQ(origin_when_stored(model, WeightStorage::float16), model.notes.origin);
}

TEST(Conversion, TakesNoFolderThatHoldsSomething) {
  const TemporaryFolder files;
  files.put("letter.txt", "Dear");
  EXPECT_EQ(error_of([&] { check_new_folder(files.path("")); }),
            files.path("") + ": already exists and is not an empty folder");
  EXPECT_EQ(error_of([&] { check_new_folder(files.path("new")); }), "(nothing was thrown)");
}

}  // namespace
}  // namespace heed
