// Any bytes, as the config.json of a Llama folder and, after a zero byte, as the header of its
// model.safetensors: the folder is refused with an Error, or its settings come back the same when
// they are written as heed's own and read again. Its tokenizer and its weights are always the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "allow_errors.h"
#include "heed/base/files.h"
#include "heed/folders/huggingface_llama.h"
#include "llama_folder.h"

namespace {

using heed::testing::LlamaFolder;

struct Weights {
  std::string header, numbers;

  std::string file(std::string_view other_header) const {
    const uint64_t length = other_header.size();
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    return bytes.append(other_header) + numbers;
  }
};

Weights weights_of(const LlamaFolder& folder) {
  const heed::MappedFile file(folder.path() / "model.safetensors");
  uint64_t length = 0;
  std::memcpy(&length, file.text().data(), sizeof(length));
  return {std::string(file.text().substr(sizeof(length), length)),
          std::string(file.text().substr(sizeof(length) + length))};
}

void put(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const LlamaFolder folder;
  static const Weights weights = weights_of(folder);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t zero = text.find('\0');
  put(folder.path() / "config.json", text.substr(0, zero));
  put(folder.path() / "model.safetensors",
      weights.file(zero == text.npos ? std::string_view(weights.header) : text.substr(zero + 1)));
  allow_errors([&] { heed::is_huggingface_folder(folder.path()); });
  allow_errors([&] {
    const heed::ModelFolder found = heed::read_llama_folder(folder.path());
    if (heed::parse_model_config(heed::to_json(found.config), "again") != found.config)
      std::abort();
  });
  return 0;
}
