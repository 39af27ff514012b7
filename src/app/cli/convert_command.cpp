#include "heed/app/cli/convert_command.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/models/ctranslate2_folder.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Reads folders of CTranslate2 (model.bin, versions 2 to 6; float32, float16, bfloat16, int16 or int8) and writes a
folder of heed, with the weights as float32. SentencePiece models (*.spm) in the folder go along; without them, the model takes
and gives tokens separated by spaces.

  $ heed convert ctranslate2-folder en-de
  $ heed translate --model en-de < text.en > text.de
)";

}  // namespace

ConvertCommand::ConvertCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("convert", "Turn a model of another tool into one of heed");
  command.add_option("from", from_, "Folder of the model to read")->option_text("FROM")->required();
  command.add_option("to", to_, "Folder to write; must be new or empty")->option_text("TO")->required();
  command.footer(worked_example);
}

void ConvertCommand::run(const Console& console) const {
  require(is_ctranslate2_folder(from_), "{}: no model.bin, so this is no folder of CTranslate2", from_);
  require(!std::filesystem::exists(to_) || std::filesystem::is_empty(to_), "{}: is there and not empty", to_);
  const ModelFolder folder = read_ctranslate2_folder(from_);
  std::filesystem::create_directories(to_);
  save_model_description(to_, folder.config, folder.source, folder.target);
  save_weights(to_, parameters_of(*folder.model));
  console.err << fmt::format("{}: {} of {} parameters, vocabularies of {} and {}\n", to_,
                             name_of(folder.config), count_parameters(*folder.model), folder.source.size(),
                             folder.target.size());
}

}  // namespace heed
