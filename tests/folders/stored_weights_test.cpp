#include "heed/folders/stored_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/models/int8_rounding.h"
#include "heed/models/model_config.h"
#include "heed/weights/tensor_file.h"
#include "temporary_folder.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;

class StoredWeightsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Model> model(uint64_t seed) const {
    Rng rng(seed);
    return make_model(TransformerConfig{.source_vocabulary = 500,
                                        .target_vocabulary = 500,
                                        .encoder_layers = 1,
                                        .decoder_layers = 1,
                                        .width = 64,
                                        .ffn = 128,
                                        .heads = 2},
                      rng);
  }

  uintmax_t save(WeightStorage storage) {
    save_weights(folder.path(""), parameters_of(*saved), storage);
    return std::filesystem::file_size(folder.path("model.safetensors"));
  }

  std::vector<Parameter> load() const {
    const std::unique_ptr<Model> other = model(2);
    load_weights(folder.path(""), *other);
    return parameters_of(*other);
  }

  testing::TemporaryFolder folder;
  std::unique_ptr<Model> saved = model(1);
};

TEST_F(StoredWeightsTest, HalfTheSizeAndAQuarter) {
  const auto whole = static_cast<double>(save(WeightStorage::float32));
  EXPECT_EQ(load_weights(folder.path(""), *model(2)), WeightStorage::float32);
  EXPECT_LT(static_cast<double>(save(WeightStorage::float16)), 0.55 * whole);
  EXPECT_EQ(load_weights(folder.path(""), *model(2)), WeightStorage::float16);
  EXPECT_LT(static_cast<double>(save(WeightStorage::int8)), 0.32 * whole);
  EXPECT_EQ(load_weights(folder.path(""), *model(2)), WeightStorage::int8);
}

TEST_F(StoredWeightsTest, ComeBackAsWellAsTheyCouldBeStored) {
  const std::vector<Parameter> before = parameters_of(*saved);
  for (const auto& [storage, error] : {std::pair{WeightStorage::float32, 0.0},
                                       {WeightStorage::float16, 0x1p-11},
                                       {WeightStorage::int8, 0.5 / 127}}) {
    save(storage);
    const std::vector<Parameter> after = load();
    ASSERT_EQ(after.size(), before.size());
    for (size_t i = 0; i < before.size(); ++i) {
      double largest = 0;
      for (const double value : values_of(before[i].value))
        largest = std::max(largest, std::abs(value));
      EXPECT_TRUE(
          close(values_of(after[i].value), values_of(before[i].value), 0, error * largest * 1.001))
          << before[i].name;
    }
  }
}

// Converting twice changes nothing.
TEST_F(StoredWeightsTest, IntegersStayWhatTheyAre) {
  save(WeightStorage::int8);
  const std::string bytes = folder.text("model.safetensors");
  load_weights(folder.path(""), *saved);
  save(WeightStorage::int8);
  EXPECT_TRUE(folder.text("model.safetensors") == bytes);
}

TEST_F(StoredWeightsTest, RoundedWeightsAreThoseThatWouldBeStored) {
  save(WeightStorage::int8);
  round_to_int8(*saved);
  const std::vector<Parameter> rounded = parameters_of(*saved), stored = load();
  ASSERT_EQ(rounded.size(), stored.size());
  for (size_t i = 0; i < rounded.size(); ++i)
    EXPECT_EQ(values_of(rounded[i].value), values_of(stored[i].value)) << rounded[i].name;
}

// Integers have no way to say it, so their scales do.
TEST_F(StoredWeightsTest, AWeightThatIsNoNumberIsNotLost) {
  saved->visit_parameters({}, [](const std::string& name, Tensor& value) {
    if (name == "model.shared.weight") value.span<float>()[0] = std::nanf("");
  });
  save(WeightStorage::int8);
  EXPECT_TRUE(error_of([&] { load(); })
                  .ends_with("array \"model.shared.weight.scale\" holds nan at (0) but finite "
                             "numbers were expected"))
      << error_of([&] { load(); });
}

TEST_F(StoredWeightsTest, NamesWhatIsWrong) {
  const auto complaint = [&] {
    const std::string sentence = error_of([&] { load(); });
    return sentence.substr(sentence.find("model.safetensors"));
  };
  save(WeightStorage::int8);
  std::string bytes = folder.text("model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder.put("model.safetensors", bytes);
  EXPECT_TRUE(complaint().starts_with("model.safetensors: damaged: the checksum is crc32:"))
      << complaint();

  TensorFileWriter writer;
  for (const Parameter& parameter : parameters_of(*saved))
    if (parameter.name == "model.shared.weight")
      writer.add_int8(parameter.name, parameter.value.shape(),
                      std::vector<int8_t>(static_cast<size_t>(parameter.value.elements())));
    else
      writer.add(parameter.name, parameter.value);
  writer.save(folder.path("model.safetensors"));
  EXPECT_EQ(complaint(),
            "model.safetensors: array \"model.shared.weight\" needs an array "
            "\"model.shared.weight.scale\" "
            "of shape (500) beside it");
  EXPECT_EQ(
      error_of([&] {
        const Tensor large = Tensor::full({2, 64}, 1e6);
        save_weights(folder.path(""), std::vector<Parameter>{{"a", large}}, WeightStorage::float16);
      }),
      "array \"a\" holds 1000000 at (0, 0), which float16 cannot hold");
}

}  // namespace
}  // namespace heed
