// Models whose files were damaged at random: each is refused with one sentence or loads, and none
// takes more memory than its size justifies. A separate program, because it reads the peak memory
// of the whole process, and a slow one; best under the address sanitizer. HEED_MUTATIONS says how
// many (100,000 for each reader).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ctranslate2_sample.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/models/ctranslate2_folder.h"
#include "heed/models/model_folder.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::small_vocabulary;
using testing::TemporaryFolder;

int mutations() {
  const char* count = std::getenv("HEED_MUTATIONS");
  return count == nullptr ? 100'000 : std::atoi(count);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// One change of the kinds that damage and malice make.
void mutate(std::string& bytes, Rng& rng) {
  const auto place = [&] { return static_cast<size_t>(rng.below(bytes.size())); };
  const auto overwrite = [&](const void* from, size_t size) {
    const size_t at = place();
    bytes.replace(at, std::min(size, bytes.size() - at), static_cast<const char*>(from),
                  std::min(size, bytes.size() - at));
  };
  if (bytes.empty()) return;
  switch (rng.below(7)) {
    case 0:  // a bit
      bytes[place()] ^= static_cast<char>(1 << rng.below(8));
      break;
    case 1:  // a byte
      bytes[place()] = static_cast<char>(rng.below(256));
      break;
    case 2: {  // a size that is too large, too small, or negative
      const std::vector<uint64_t> sizes = {
          0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, ~uint64_t{0}, uint64_t{1} << 40};
      const uint64_t size = sizes[rng.below(sizes.size())];
      overwrite(&size, size_t{1} << rng.below(4));
      break;
    }
    case 3:  // the end is missing
      bytes.resize(place());
      break;
    case 4:  // a part is missing
      bytes.erase(place(), 1 + rng.below(16));
      break;
    case 5: {  // a part occurs twice
      const std::string part = bytes.substr(place(), 1 + rng.below(32));
      bytes.insert(place(), part);
      break;
    }
    default:  // a digit of a text
      for (size_t i = place(), tries = 0; tries < 200; ++tries, i = (i + 1) % bytes.size())
        if (bytes[i] >= '0' && bytes[i] <= '9') {
          bytes[i] = static_cast<char>('0' + rng.below(10));
          break;
        }
  }
}

template <typename Load>
void load_mutated(const TemporaryFolder& folder, const std::vector<std::string>& names, Load load) {
  std::vector<std::string> originals;
  size_t largest = 0;
  for (const std::string& name : names) {
    originals.push_back(folder.text(name));
    largest = std::max(largest, originals.back().size());
  }
  load();
  [[maybe_unused]] const double before = peak_megabytes();
  Rng rng(11);
  int refused = 0;
  for (int i = 0; i < mutations(); ++i) {
    const size_t file = rng.below(names.size());
    std::string bytes = originals[file];
    for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) mutate(bytes, rng);
    folder.put(names[file], bytes);
    try {
      load();
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    folder.put(names[file], originals[file]);
  }
  // Some changes do no harm, such as those to the description in a header; most do.
  EXPECT_GT(refused, mutations() / 4);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(peak_megabytes() - before, 64 + 2e-6 * static_cast<double>(largest));
#endif
}

TEST(MutatedModels, OfHeed) {
  for (const WeightStorage storage : {WeightStorage::float32, WeightStorage::int8}) {
    const TemporaryFolder folder;
    ModelConfig config = TransformerConfig{
        .encoder_layers = 1, .decoder_layers = 1, .width = 32, .ffn = 48, .heads = 2};
    set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
    Rng rng(7);
    save_model_description(folder.path(""), config, small_vocabulary(), small_vocabulary());
    save_weights(folder.path(""), parameters_of(*make_model(config, rng)), storage);
    load_mutated(folder, {"model.safetensors", "config.json", "source.spm"},
                 [&] { load_model_folder(folder.path("")); });
  }
}

TEST(MutatedModels, OfCTranslate2) {
  const TemporaryFolder folder;
  testing::ctranslate2_sample::write_folder(folder);
  load_mutated(folder, {"model.bin", "source_vocabulary.txt"},
               [&] { read_ctranslate2_folder(folder.path("")); });
}

}  // namespace
}  // namespace heed
