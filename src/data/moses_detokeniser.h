// Words to text: what Moses's tokeniser has taken apart is put together again.
#pragma once

#include <string_view>

#include "heed/data/traced_text.h"

namespace heed::moses {

// What MosesDetokenizer of sacremoses makes of words with spaces between them, except that it looks
// at the words before a Czech number where sacremoses looks at the end of the sentence.
TracedText detokenised(const TracedText& words, std::string_view language);

}  // namespace heed::moses
