#include "heed/app/cli/convert_command.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/interrupt.h"
#include "heed/base/error.h"
#include "heed/base/folder.h"
#include "heed/folders/ctranslate2_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr const char* worked_example =
    R"(Reads a CTranslate2 folder (model.bin, versions 2 to 6; float32, float16, bfloat16, int16 or
int8) or a heed folder, and writes a heed folder. SentencePiece models (*.spm) in a CTranslate2
folder are copied. Without them, the model reads and writes tokens separated by spaces.

  $ heed convert ctranslate2-folder en-de
  $ heed translate --model en-de < text.en > text.de

Weights are stored as float32, as float16 (--float16, half the bytes) or as int8 (--int8, about a
quarter). A model stored as int8 translates exactly like the original with
`heed translate --int8`.

  $ heed convert --int8 en-de en-de-small

heed's weights remember the settings and vocabularies they were saved with. A folder in which one
of these has changed is refused, because files get damaged or mixed up. If a change is intended,
for example in config.json, --accept-changes writes a new model from the folder as it is.

  $ heed convert --accept-changes edited en-de-edited
)";

// A path that does not exist is not an error; one that cannot be examined is.
fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  require(type != fs::file_type::none, "{}: cannot be read: {}", path.string(), error.message());
  return type;
}

// A new or empty folder to write to. Unless keep() is called, everything in it is removed again.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& path) {
    for (fs::path missing = path; !missing.empty() && type_of(missing) == fs::file_type::not_found;
         missing = missing.parent_path())
      made_.push_back(missing);
    try {
      create(path);
    } catch (...) {
      remove_made();
      throw;
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    if (kept_) return;
    names_->remove_files();
    remove_made();
  }

  void keep() { kept_ = true; }

 private:
  void create(const fs::path& path) {
    std::error_code error, other;
    const bool is_there = fs::create_directories(path, error) || fs::is_directory(path, other);
    if (is_there) names_.emplace(path, error);
    require(!error, "{}: cannot be created: {}", path.string(), error.message());
  }

  // Folders that someone else has put files into stay.
  void remove_made() const {
    std::error_code ignored;
    for (const fs::path& folder : made_) fs::remove(folder, ignored);
  }

  std::optional<FolderNames> names_;
  std::vector<fs::path> made_;  // the innermost first
  bool kept_ = false;
};

void check_from(const fs::path& from) {
  const fs::file_type type = type_of(from);
  require(type != fs::file_type::not_found, "{}: no such folder", from.string());
  require(type == fs::file_type::directory, "{}: is a file, but a folder was expected",
          from.string());
  require(type_of(from / "model.bin") != fs::file_type::not_found ||
              type_of(from / "config.json") != fs::file_type::not_found,
          "{}: has neither model.bin nor config.json, so it is not a model folder of CTranslate2 "
          "or heed",
          from.string());
}

// Before the model is read, which may take a while.
void check_to(const fs::path& to) {
  const fs::file_type type = type_of(to);
  std::error_code error;
  const bool usable =
      type == fs::file_type::not_found ||
      (type == fs::file_type::directory && FolderNames(to, error).next() == nullptr);
  require(!error, "{}: cannot be read: {}", to.string(), error.message());
  require(usable, "{}: already exists and is not an empty folder", to.string());
}

}  // namespace

ConvertCommand::ConvertCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "convert", "Convert a model from another tool, or store one in fewer bits");
  command.add_option("from", from_, "Model folder to read")
      ->option_text("FROM")
      ->check(folder_name())
      ->required();
  command.add_option("to", to_, "Folder to write; must be new or empty")
      ->option_text("TO")
      ->check(folder_name())
      ->required();
  CLI::Option* half = command.add_flag("--float16", float16_, "Store the weights as float16");
  command.add_flag("--int8", int8_, "Store the weights as int8")->excludes(half);
  command.add_flag("--accept-changes", accept_changes_, "Accept changed settings and vocabularies");
  command.footer(worked_example);
}

ModelFolder ConvertCommand::read() const {
  if (is_ctranslate2_folder(from_)) return read_ctranslate2_folder(from_);
  return load_model_folder(from_, accept_changes_ ? Changes::accept : Changes::refuse);
}

void ConvertCommand::run(const Console& console) const {
  check_from(from_);
  check_to(to_);
  ModelFolder model = read();
  model.storage = int8_      ? WeightStorage::int8
                  : float16_ ? WeightStorage::float16
                             : WeightStorage::float32;
  {
    const InterruptsWait whole;  // half a folder would block the next attempt
    NewFolder folder{fs::path(to_)};
    save_model_folder(to_, model);
    folder.keep();
  }
  console.err << fmt::format("{}: {} with {} parameters, vocabularies of {} and {}\n", to_,
                             name_of(model.config), count_parameters(*model.model),
                             model.source.size(), model.target.size());
}

}  // namespace heed
