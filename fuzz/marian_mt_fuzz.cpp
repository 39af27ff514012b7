// Any bytes, as the config.json of a MarianMT folder and, after a zero byte, as its vocab.json: the
// folder is refused with an Error, or its settings come back the same when they are written as
// heed's own and read again. Its SentencePiece models and weights are always the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "allow_errors.h"
#include "heed/folders/huggingface_marian.h"
#include "marian_mt_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::testing::MarianMtFolder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t zero = text.find('\0');
  folder.folder().put("config.json", text.substr(0, zero));
  if (zero == text.npos)
    folder.restore("vocab.json");
  else
    folder.folder().put("vocab.json", text.substr(zero + 1));
  allow_errors([&] { heed::is_marian_mt_folder(folder.path()); });
  allow_errors([&] {
    const heed::ModelFolder found = heed::read_marian_mt_folder(folder.path());
    if (heed::parse_model_config(heed::to_json(found.config), "again") != found.config)
      std::abort();
  });
  return 0;
}
