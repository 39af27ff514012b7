#include "heed/app/cli/convert_command.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/models/ctranslate2_folder.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Reads folders of CTranslate2 (model.bin, versions 2 to 6; float32, float16, bfloat16, int16 or int8) and folders of
heed, and writes a folder of heed. SentencePiece models (*.spm) in a folder of CTranslate2 go along; without them, the
model takes and gives tokens separated by spaces.

  $ heed convert ctranslate2-folder en-de
  $ heed translate --model en-de < text.en > text.de

Weights are stored as float32, in half as many bytes with --float16, or in about a quarter with --int8. A model that is
stored as int8 is also computed with integers.

  $ heed convert --int8 en-de en-de-small
)";

}  // namespace

ConvertCommand::ConvertCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("convert", "Turn a model of another tool into one of heed, or a smaller one");
  command.add_option("from", from_, "Folder of the model to read")->option_text("FROM")->required();
  command.add_option("to", to_, "Folder to write; must be new or empty")->option_text("TO")->required();
  CLI::Option* half = command.add_flag("--float16", float16_, "Store the weights as float16");
  command.add_flag("--int8", int8_, "Store the weights as integers of 8 bits")->excludes(half);
  command.footer(worked_example);
}

// Leaves nothing behind where that fails.
void ConvertCommand::write(const ModelFolder& folder) const {
  std::filesystem::create_directories(to_);
  try {
    save_weights(to_, parameters_of(*folder.model),
                 int8_      ? WeightStorage::int8
                 : float16_ ? WeightStorage::float16
                            : WeightStorage::float32);
    save_model_description(to_, folder.config, folder.source, folder.target, folder.lengths);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(to_, ignored);
    throw;
  }
}

void ConvertCommand::run(const Console& console) const {
  const bool is_foreign = is_ctranslate2_folder(from_);
  require(is_foreign || std::filesystem::exists(std::filesystem::path(from_) / "config.json"),
          "{}: neither model.bin nor config.json is there, so this is no folder of CTranslate2 or heed",
          from_);
  require(
      !std::filesystem::exists(to_) || (std::filesystem::is_directory(to_) && std::filesystem::is_empty(to_)),
      "{}: is there and is no empty folder", to_);
  const ModelFolder folder = is_foreign ? read_ctranslate2_folder(from_) : load_model_folder(from_);
  write(folder);
  console.err << fmt::format("{}: {} of {} parameters, vocabularies of {} and {}\n", to_,
                             name_of(folder.config), count_parameters(*folder.model), folder.source.size(),
                             folder.target.size());
}

}  // namespace heed
