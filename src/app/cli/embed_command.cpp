#include "heed/app/cli/embed_command.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/text_chunks.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/decoding/sentence_vectors.h"
#include "heed/folders/bert_folder.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

constexpr const char* embed_example =
    R"(Reads texts from standard input, one per line, and gives each a vector of length 1. The dot
product of two vectors tells how alike their texts are. --output writes one safetensors file with
the array "embeddings" (lines, width); --json writes an object per line with "ids", "pieces" and
"embedding". Texts that are longer than the model reads lose their end, which is reported. An empty
line has a vector, too. The model is a folder of BERT as Hugging Face has it (config.json,
model.safetensors, tokenizer.json), or what `heed convert` made of one.

  $ heed embed --model minilm --output captions.safetensors < captions.txt
  $ heed embed --model minilm --json < captions.txt | jq -c .pieces
)";

SentencePooling pooling_named(const std::string& name) {
  if (name == "max") return SentencePooling::max;
  return name == "first" ? SentencePooling::first : SentencePooling::mean;
}

// The shortest text of a float that reads back as the same, which JSON libraries give for doubles.
std::string json_line(const SentenceVector& text, const WordPieces& pieces) {
  std::vector<std::string> spelt;
  for (const int32_t id : text.ids) spelt.push_back(pieces.piece(id));
  return fmt::format("{{\"ids\":[{}],\"pieces\":{},\"embedding\":[{}]}}\n",
                     fmt::join(text.ids, ","), JsonValue(spelt).dump(),
                     fmt::join(text.vector, ","));
}

}  // namespace

EmbedCommand::EmbedCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("embed", "Turn texts into vectors with an encoder");
  command.add_option("--model", model_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
  CLI::Option* output = command.add_option("--output", output_, "Write a safetensors file")
                            ->option_text("FILE")
                            ->check(file_name());
  CLI::Option* json = command.add_flag("--json", json_, "Write one JSON object per line");
  json->excludes(output);
  command
      .add_option("--pooling", pooling_,
                  "How the tokens of a text become one vector (default: mean)")
      ->option_text("mean|max|first")
      ->check(one_of({"mean", "max", "first"}));
  command.add_flag("--int8", int8_, "Compute with 8-bit integers");
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--force", forced_, "Read texts even if they do not look like text");
  command.footer(embed_example);
  command.callback([output, json] {
    if (output->count() + json->count() == 0)
      throw CLI::RequiredError("One of --output and --json");
  });
}

void EmbedCommand::run(const Console& console) const {
  TextLines lines = open_lines(console, "-", forced_);
  const BertFolder folder = load_bert_folder(model_);
  const bool integers = int8_ || folder.storage == WeightStorage::int8;
  const SentenceEncoder encoder(*folder.model, folder.pieces,
                                {.pooling = pooling_named(pooling_),
                                 .precision = integers ? Precision::int8 : Precision::float32});
  Workers workers(threads_ > 0 ? threads_ : core_count());
  int64_t cut = 0;
  std::vector<float> all;
  while (true) {
    const std::vector<std::string> texts = next_chunk(lines);
    if (texts.empty()) break;
    for (const SentenceVector& text : encoder.encode(texts, workers)) {
      cut += text.cut;
      if (json_)
        console.out << json_line(text, encoder.pieces());
      else
        all.insert(all.end(), text.vector.begin(), text.vector.end());
    }
    console.out.flush();
  }
  if (!json_) {
    TensorFileWriter writer;
    writer.add("embeddings", Tensor::copy_of({lines.counts().lines, encoder.width()},
                                             std::span<const float>(all)));
    writer.save(output_);
  }
  report_texts(console, lines.counts(), cut, folder.model->max_length());
}

}  // namespace heed
