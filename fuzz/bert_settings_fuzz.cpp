// Any bytes, as the config.json of a BERT folder, with and without a head: they are refused with an
// Error, or they are settings that come back the same when they are written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "allow_errors.h"
#include "heed/folders/bert_config_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_errors([&] { heed::describes_bert(text); });
  allow_errors([&] {
    const heed::BertConfig config = heed::parse_bert_config(text, "fuzzed");
    if (heed::parse_bert_config(heed::to_json(config), "again") != config) std::abort();
  });
  allow_errors([&] { heed::head_of_bert(text); });
  allow_errors([&] {
    const heed::ClassifierDescription found = heed::parse_classifier_config(text, "fuzzed");
    if (heed::parse_classifier_config(heed::to_json(found), "again") != found) std::abort();
  });
  return 0;
}
