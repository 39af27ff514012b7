// Any bytes, as a config.json and as settings that weights remember: they are refused with an
// Error, or they are settings that come back the same when they are written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "allow_errors.h"
#include "heed/folders/config_json.h"
#include "heed/folders/model_seal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_errors([&] {
    const heed::ModelConfig config = heed::parse_model_config(text, "fuzzed");
    const std::string written = heed::to_json(config);
    if (heed::parse_model_config(written, "again") != config) std::abort();
    if (heed::ModelSeal().with_config(written) != heed::ModelSeal({{"config.json", written}}))
      std::abort();
  });
  return 0;
}
