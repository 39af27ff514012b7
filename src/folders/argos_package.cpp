#include "heed/folders/argos_package.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/folders/ctranslate2_folder.h"
#include "heed/folders/huggingface_settings.h"
#include "heed/weights/zip_file.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

// In a package, and under which name CTranslate2's reader finds them. All others are left where
// they are: splitters of sentences, licences.
struct PackagePart {
  const char* name;
  const char* unpacked;
};

constexpr PackagePart parts[] = {{"metadata.json", "metadata.json"},
                                 {"sentencepiece.model", "sentencepiece.spm"},
                                 {"model/model.bin", "model.bin"},
                                 {"model/config.json", "config.json"},
                                 {"model/shared_vocabulary.json", "shared_vocabulary.json"},
                                 {"model/shared_vocabulary.txt", "shared_vocabulary.txt"},
                                 {"model/source_vocabulary.json", "source_vocabulary.json"},
                                 {"model/source_vocabulary.txt", "source_vocabulary.txt"},
                                 {"model/target_vocabulary.json", "target_vocabulary.json"},
                                 {"model/target_vocabulary.txt", "target_vocabulary.txt"},
                                 {"model/vmap.txt", "vmap.txt"}};

// A folder that lasts as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "heed-argos-XXXXXX").string();
    const char* made = ::mkdtemp(name.data());
    require(made != nullptr, ErrorKind::system, "{}: cannot be created", name);
    path_ = made;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    for (const PackagePart& part : parts) fs::remove(path_ / part.unpacked, ignored);
    fs::remove(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Argos Translate unpacks archives as they are, so that such a name would write anywhere.
void check_names(const ZipFile& archive) {
  for (const std::string& name : archive.names()) {
    const fs::path path(name);
    const bool leads_out =
        path.is_absolute() || name.find('\\') != name.npos ||
        std::ranges::any_of(path, [](const fs::path& step) { return step == ".."; });
    require(!leads_out, "{}: part {} leads out of the archive", archive.file(), Quoted{name});
  }
}

// "translate-en_de-1_9/" or nothing.
std::string root_of(const ZipFile& archive) {
  constexpr std::string_view metadata = "metadata.json";
  std::string found;
  bool is_found = false;
  for (const std::string& name : archive.names()) {
    if (!name.ends_with(metadata)) continue;
    const std::string root = name.substr(0, name.size() - metadata.size());
    if (std::ranges::count(root, '/') != (root.empty() ? 0 : 1) ||
        (!root.empty() && root.back() != '/'))
      continue;
    require(!is_found, "{}: has more than one metadata.json", archive.file());
    found = root, is_found = true;
  }
  require(is_found, "{}: has no metadata.json, so it is not a package of Argos Translate",
          archive.file());
  return found;
}

void unpack(const fs::path& package, const fs::path& to) {
  const ZipFile archive = ZipFile::open(package);
  check_names(archive);
  const std::string root = root_of(archive);
  require(!archive.contains(root + "bpe.model"),
          "{}: splits words by a bpe.model after the tokeniser of Moses, which heed does not have",
          package.string());
  for (const PackagePart& part : parts)
    if (const std::string name = root + part.name; archive.contains(name))
      write_file_atomically(to / part.unpacked, archive.read(name));
}

void link(const fs::path& package, const fs::path& to) {
  const fs::path whole = fs::absolute(package);
  std::error_code error;
  require(!fs::exists(whole / "bpe.model", error),
          "{}: splits words by a bpe.model after the tokeniser of Moses, which heed does not have",
          package.string());
  for (const PackagePart& part : parts) {
    if (!fs::exists(whole / part.name, error)) continue;
    fs::create_symlink(whole / part.name, to / part.unpacked, error);
    require(!error, ErrorKind::system, "{}: {}", (to / part.unpacked).string(), error.message());
  }
}

ModelFolder read_unpacked(const fs::path& folder) {
  const HuggingFaceSettings metadata(folder / "metadata.json");
  metadata.expect_text("type", "translate");
  if (!metadata.text("target_prefix", "").empty())
    metadata.refuse("target_prefix", "nothing, as heed starts translations with nothing,");
  std::error_code ignored;
  require(fs::exists(folder / "sentencepiece.spm", ignored), "{}: sentencepiece.model is missing",
          folder.string());
  ModelFolder model = read_ctranslate2_folder(folder);
  model.languages = {metadata.text("from_code", ""), metadata.text("to_code", "")};
  const std::string version = metadata.text("package_version", "");
  model.notes.origin =
      version.empty() ? fmt::format("Argos Translate, {}", model.notes.origin)
                      : fmt::format("Argos Translate {}, {}", quote(version), model.notes.origin);
  return model;
}

// Errors name the package, not where it was unpacked to.
std::string with_package_name(std::string sentence, const fs::path& unpacked,
                              const fs::path& package) {
  const std::string from = unpacked.string();
  for (size_t at = 0; (at = sentence.find(from, at)) != sentence.npos;)
    sentence.replace(at, from.size(), package.string());
  return sentence;
}

}  // namespace

bool is_argos_package(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fs::exists(path / "metadata.json", ignored) &&
           fs::exists(path / "model" / "model.bin", ignored);
  std::array<char, 4> begin{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(begin.data(), begin.size()) || !begins_like_zip(std::as_bytes(std::span(begin))))
    return false;
  // Other tools have archives, too.
  try {
    return std::ranges::any_of(ZipFile::open(path).names(), [](const std::string& name) {
      return name.ends_with("metadata.json");
    });
  } catch (const Error&) {
    return path.extension() == ".argosmodel";
  }
}

ModelFolder read_argos_package(const fs::path& path) {
  const TemporaryFolder folder;
  try {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      link(path, folder.path());
    else
      unpack(path, folder.path());
    return read_unpacked(folder.path());
  } catch (const Error& error) {
    throw Error(with_package_name(error.what(), folder.path(), path),
                error.kind() == ErrorKind::input ? ErrorKind::model : error.kind());
  }
}

}  // namespace heed
