// An encoder inside of a program: which of some texts is most like another.
//
//   similar_texts FOLDER TEXT OTHER...
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "heed/heed.h"

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("similar_texts FOLDER TEXT OTHER...\n", stderr);
    return 2;
  }
  try {
    const heed::BertFolder folder = heed::load_bert_folder(arguments[1]);
    const heed::SentenceEncoder encoder(*folder.model, folder.pieces);
    const std::vector<std::string> texts(arguments + 2, arguments + count);
    heed::Workers workers(heed::core_count());
    const std::vector<heed::SentenceVector> vectors = encoder.encode(texts, workers);

    // Vectors have length 1: their dot product is the cosine of the angle between them.
    std::vector<std::pair<double, std::string>> found;
    for (size_t i = 1; i < texts.size(); ++i)
      found.emplace_back(std::inner_product(vectors[0].vector.begin(), vectors[0].vector.end(),
                                            vectors[i].vector.begin(), 0.0),
                         texts[i]);
    std::ranges::stable_sort(found, std::ranges::greater(), [](const auto& f) { return f.first; });
    for (const auto& [likeness, text] : found) std::printf("%.3f %s\n", likeness, text.c_str());
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
