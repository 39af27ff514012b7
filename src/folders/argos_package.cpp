#include "heed/folders/argos_package.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"
#include "heed/data/moses_prefixes.h"
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
                                 {"bpe.model", "bpe.model"},
                                 {"model/model.bin", "model.bin"},
                                 {"model/config.json", "config.json"},
                                 {"model/shared_vocabulary.json", "shared_vocabulary.json"},
                                 {"model/shared_vocabulary.txt", "shared_vocabulary.txt"},
                                 {"model/source_vocabulary.json", "source_vocabulary.json"},
                                 {"model/source_vocabulary.txt", "source_vocabulary.txt"},
                                 {"model/target_vocabulary.json", "target_vocabulary.json"},
                                 {"model/target_vocabulary.txt", "target_vocabulary.txt"},
                                 {"model/vmap.txt", "vmap.txt"}};

// Abbreviations, which Argos Translate has elsewhere: nonbreaking_prefixes/nonbreaking_prefix.en.
constexpr const char* prefixes_folder = "nonbreaking_prefixes";
constexpr std::string_view prefixes_name = "nonbreaking_prefix.";

// Under which name a part is unpacked, if at all.
std::string unpacked_name(const std::string& name) {
  for (const PackagePart& part : parts)
    if (name == part.name) return part.unpacked;
  const fs::path path(name);
  const std::string own = path.filename().string();
  return path.parent_path() == prefixes_folder && own.starts_with(prefixes_name) ? own : "";
}

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
    FolderNames(path_, ignored).remove_files();
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
  for (const std::string& name : archive.names()) {
    const std::string unpacked =
        name.starts_with(root) ? unpacked_name(name.substr(root.size())) : "";
    if (!unpacked.empty()) write_file_atomically(to / unpacked, archive.read(name));
  }
}

void link(const fs::path& package, const fs::path& to) {
  const fs::path whole = fs::absolute(package);
  std::error_code error;
  std::vector<std::string> names;
  for (const PackagePart& part : parts) names.emplace_back(part.name);
  FolderNames lists(whole / prefixes_folder, error);
  while (const char* name = lists.next())
    names.push_back((fs::path(prefixes_folder) / name).string());
  for (const std::string& name : names) {
    const std::string unpacked = unpacked_name(name);
    if (unpacked.empty() || !fs::exists(whole / name, error)) continue;
    fs::create_symlink(whole / name, to / unpacked, error);
    require(!error, ErrorKind::system, "{}: {}", (to / unpacked).string(), error.message());
  }
}

MosesSettings moses_settings(const fs::path& folder, const std::string& language) {
  MosesSettings settings = {.language = language,
                            .prefixes = moses::own_prefixes(language),
                            .merges = std::string(MappedFile(folder / "bpe.model").text())};
  const fs::path list = folder / (std::string(prefixes_name) + language);
  std::error_code ignored;
  if (language.find('/') == language.npos && fs::exists(list, ignored))
    settings.prefixes = moses::parse_prefixes(MappedFile(list).text(), list.string());
  return settings;
}

// Nothing for a package with a SentencePiece model, which goes before a bpe.model.
std::optional<MosesSides> moses_sides(const fs::path& folder, const Languages& languages) {
  std::error_code ignored;
  if (fs::exists(folder / "sentencepiece.spm", ignored)) return std::nullopt;
  require(fs::exists(folder / "bpe.model", ignored),
          "{}: has neither sentencepiece.model nor bpe.model", folder.string());
  return MosesSides{.name = (folder / "bpe.model").string(),
                    .source = moses_settings(folder, languages.source),
                    .target = moses_settings(folder, languages.target)};
}

ModelFolder read_unpacked(const fs::path& folder) {
  const HuggingFaceSettings metadata(folder / "metadata.json");
  metadata.expect_text("type", "translate");
  if (!metadata.text("target_prefix", "").empty())
    metadata.refuse("target_prefix", "nothing, as heed starts translations with nothing,");
  const Languages languages = {metadata.text("from_code", ""), metadata.text("to_code", "")};
  ModelFolder model = read_ctranslate2_folder(folder, moses_sides(folder, languages));
  model.languages = languages;
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
