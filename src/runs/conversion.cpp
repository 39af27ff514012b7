#include "heed/runs/conversion.h"

#include <optional>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/folder.h"
#include "heed/folders/argos_package.h"
#include "heed/folders/ctranslate2_export.h"
#include "heed/folders/huggingface_export.h"
#include "heed/folders/marian_export.h"
#include "heed/folders/marian_folder.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

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

// If save() fails, nothing is left of the folder.
template <typename Save>
void save_new(const fs::path& to, const Save& save) {
  check_new_folder(to);
  NewFolder folder(to);
  save();
  folder.keep();
}

}  // namespace

void check_new_folder(const fs::path& to) {
  const fs::file_type type = type_of(to);
  std::error_code error;
  const bool usable =
      type == fs::file_type::not_found ||
      (type == fs::file_type::directory && FolderNames(to, error).next() == nullptr);
  require(!error, "{}: cannot be read: {}", to.string(), error.message());
  require(usable, "{}: already exists and is not an empty folder", to.string());
}

std::string origin_when_stored(const ModelFolder& model, WeightStorage storage) {
  const std::string& before = model.notes.origin;
  const std::string step = fmt::format("; stored as {}", name_of(storage));
  if (storage == WeightStorage::float32 || before.ends_with(step)) return before;
  return (before.empty() ? "heed" : before) + step;
}

void check_fits(const ModelFolder& model, ModelFormat format) {
  switch (format) {
    case ModelFormat::heed:
      return;
    case ModelFormat::ctranslate2:
      return check_fits_ctranslate2(model);
    case ModelFormat::huggingface:
      return check_fits_marian_mt(model);
    case ModelFormat::marian:
      return check_fits_marian(model);
  }
  __builtin_unreachable();
}

void save_new_model(const fs::path& to, const ModelFolder& model, ModelFormat format) {
  check_fits(model, format);
  save_new(to, [&] {
    switch (format) {
      case ModelFormat::heed:
        return save_model_folder(to, model);
      case ModelFormat::ctranslate2:
        return save_ctranslate2_folder(to, model);
      case ModelFormat::huggingface:
        return save_marian_mt_folder(to, model);
      case ModelFormat::marian:
        return save_marian_folder(to, model);
    }
  });
}

void save_new_model(const fs::path& to, const BertFolder& model) {
  save_new(to, [&] { save_bert_folder(to, model); });
}

void save_new_model(const fs::path& to, const ClassifierFolder& model) {
  save_new(to, [&] { save_classifier_folder(to, model); });
}

void save_new_model(const fs::path& to, const MaskedFolder& model) {
  save_new(to, [&] { save_masked_folder(to, model); });
}

}  // namespace heed
