// What the C interface gives back of translations.
#pragma once

#include <memory>
#include <vector>

#include "heed/api/c.h"
#include "heed/decoding/translator.h"

// For each line its translations, with what pointers are handed out to.
struct heed_result {
  struct Item {
    heed::Translation translation;
    std::vector<heed_link> links;
  };
  std::vector<std::vector<Item>> lines;
};

namespace heed::api {

// Throws the error of the first line that has one.
std::unique_ptr<heed_result> make_result(std::vector<TranslationResult> lines);

}  // namespace heed::api
