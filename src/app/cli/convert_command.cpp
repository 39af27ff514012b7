#include "heed/app/cli/convert_command.h"

#include "heed/app/cli/adapter_flag.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/interrupt.h"
#include "heed/folders/adapter_file.h"
#include "heed/runs/conversion.h"

namespace heed {

namespace {

constexpr const char* convert_example =
    R"(Reads a CTranslate2 folder (model.bin, versions 2 to 6; float32, float16, bfloat16, int16 or
int8), a package of Argos Translate (*.argosmodel, or unpacked), a MarianMT folder of Hugging Face
(model.safetensors or pytorch_model.bin), a Llama folder of Hugging Face (with tokenizer.model), a
model of Marian or Bergamot (*.npz or *.bin with its vocabularies: the folder, or the file in it) or
a heed folder, and writes a heed folder. SentencePiece models (*.spm) in a CTranslate2 folder are
copied. Without them, the model reads and writes tokens separated by spaces. The other commands read
all of these as they are; a heed folder loads faster, and is protected by checksums.

  $ heed convert ctranslate2-folder en-de
  $ heed translate --model en-de < text.en > text.de

With --to, it writes a translator for CTranslate2, for Marian or, as a MarianMT folder, for Hugging
Face's library, wherever the model comes from. What these do not have is refused.

  $ heed convert --to ctranslate2 --int8 en-de en-de-ct2
  $ heed convert --to huggingface en-de en-de-hf
  $ heed convert --to marian en-de en-de-marian

Weights are stored as float32, as float16 (--float16, half the bytes) or as int8 (--int8, about a
quarter). A model stored as int8 translates exactly like the original with
`heed translate --int8`.

  $ heed convert --int8 en-de en-de-small

With --adapter, what an adapter has learned (heed train --adapter) is added to the weights.

  $ heed convert --adapter mine/adapter.safetensors en-de en-de-mine

heed's weights remember the settings and vocabularies they were saved with. A folder in which one
of these has changed is refused, because files get damaged or mixed up. If a change is intended,
for example in config.json, --accept-changes writes a new model from the folder as it is.

  $ heed convert --accept-changes edited en-de-edited

A folder of BERT as Hugging Face has it (config.json, model.safetensors, tokenizer.json) becomes one
that others still read; its pooler, and heads for other tasks, are left out. Such a model is used by
`heed embed`, which also reads the original.

  $ heed convert --int8 minilm minilm-small
)";

// One line about a model that was written.
std::string summary(const std::string& to, const ModelFolder& model) {
  const std::string vocabularies =
      std::holds_alternative<LanguageModelConfig>(model.config)
          ? fmt::format("a vocabulary of {}", model.target.size())
          : fmt::format("vocabularies of {} and {}", model.source.size(), model.target.size());
  return fmt::format("{}: {} with {} parameters, {}\n", to, name_of(model.config),
                     count_parameters(*model.model), vocabularies);
}

template <typename Folder>
std::string summary(const std::string& to, const char* kind, const Folder& model) {
  return fmt::format("{}: {} with {} parameters, a vocabulary of {}\n", to, kind,
                     count_parameters(*model.model), model.pieces.size());
}

std::string summary(const std::string& to, const BertFolder& model) {
  return summary(to, "bert", model);
}

std::string summary(const std::string& to, const ClassifierFolder& model) {
  return summary(to, "classifier", model);
}

std::string summary(const std::string& to, const MaskedFolder& model) {
  return summary(to, "masked", model);
}

ModelFormat model_format_named(std::string_view name) {
  if (name == "ctranslate2") return ModelFormat::ctranslate2;
  if (name == "huggingface") return ModelFormat::huggingface;
  if (name == "marian") return ModelFormat::marian;
  return ModelFormat::heed;
}

}  // namespace

ConvertCommand::ConvertCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "convert", "Convert a model from or for another tool, or store one in fewer bits");
  command.add_option("from", from_, "Model folder or package to read")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
  command.add_option("to", to_, "Folder to write; must be new or empty")
      ->option_text("DIR")
      ->check(folder_name())
      ->required();
  CLI::Option* half = command.add_flag("--float16", float16_, "Store the weights as float16");
  command.add_flag("--int8", int8_, "Store the weights as int8")->excludes(half);
  command.add_option("--to", format_, "Write the model for this tool")
      ->option_text("heed|ctranslate2|huggingface|marian")
      ->check(one_of({"heed", "ctranslate2", "huggingface", "marian"}));
  add_adapter_flag(command, adapter_);
  command.add_flag("--accept-changes", accept_changes_, "Accept changed settings and vocabularies");
  command.footer(convert_example);
}

void ConvertCommand::run(const Console& console) const {
  check_any_model(from_);
  check_new_folder(to_);
  require(adapter_.empty() || !is_bert_folder(from_), ErrorKind::usage,
          "{}: is an encoder alone, and only translators have adapters", from_);
  const Changes changes = accept_changes_ ? Changes::accept : Changes::refuse;
  if (is_classifier_folder(from_))
    store(load_classifier_folder(from_, changes), console);
  else if (is_masked_folder(from_))
    store(load_masked_folder(from_, changes), console);
  else if (is_bert_folder(from_))
    store(load_bert_folder(from_, changes), console);
  else
    store(adapted(load_model_folder(from_, changes), adapter_), console);
}

template <typename Folder>
void ConvertCommand::store(Folder model, const Console& console) const {
  model.storage = int8_      ? WeightStorage::int8
                  : float16_ ? WeightStorage::float16
                             : WeightStorage::float32;
  if constexpr (std::is_same_v<Folder, ModelFolder>)
    model.notes.origin = origin_when_stored(model, model.storage);
  // Composed before anything is written, since a folder that is there blocks the next attempt.
  const std::string done = summary(to_, model);
  {
    const InterruptsWait whole;  // half a folder would block it, too
    if constexpr (std::is_same_v<Folder, ModelFolder>) {
      save_new_model(to_, model, model_format_named(format_));
    } else {
      require(format_ == "heed", ErrorKind::usage,
              "{}: is an encoder alone, and only translators can be written for other tools",
              from_);
      save_new_model(to_, model);
    }
  }
  console.err << done;
}

}  // namespace heed
