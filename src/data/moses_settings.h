// How text becomes pieces for models that were trained with Moses's tokeniser and byte-pair
// encoding.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct MosesSettings {
  std::string language;               // its code, such as "en"
  std::vector<std::string> prefixes;  // see moses_prefixes.h
  std::string merges;                 // see bpe_merges.h
};

}  // namespace heed
