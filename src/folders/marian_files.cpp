#include "heed/folders/marian_files.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"
#include "heed/data/byte_input.h"
#include "heed/weights/marian_file.h"

namespace heed::marian {

namespace {

namespace fs = std::filesystem;

// Weights become a little smaller when they are packed, and text several times.
constexpr size_t most_growth = 64;
constexpr size_t largest_settings = 1 << 20;  // bytes; lists of words are longer

bool is_packed(const fs::path& path) { return path.extension() == ".gz"; }

// The first bytes; none of a file that cannot be read.
std::vector<std::byte> front_of(const fs::path& path) {
  std::array<char, 64> buffer;
  try {
    const std::unique_ptr<ByteInput> input = open_bytes(path.string());
    const size_t count = input->read(buffer);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(buffer.data(), count));
    return {bytes.begin(), bytes.end()};
  } catch (const Error&) {
    return {};
  }
}

bool is_weights(const fs::path& path) {
  const std::string name = plain_name(path);
  if (!name.ends_with(".npz") && !name.ends_with(".bin")) return false;
  const std::vector<std::byte> front = front_of(path);
  // What PyTorch saves as *.bin is an archive, as an npz is.
  const bool is_archive =
      front.size() >= 2 && front[0] == std::byte{'P'} && front[1] == std::byte{'K'};
  return name.ends_with(".npz") == is_archive && MarianFile::is_marian(front);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  FolderNames names(folder, error);
  while (const char* name = names.next()) files.push_back(folder / name);
  require(!error, ErrorKind::system, "{}: cannot be read: {}", folder.string(), error.message());
  std::ranges::sort(files);
  return files;
}

// Looks for files of one folder by their names, packed or not.
class Folder {
 public:
  explicit Folder(const fs::path& path) : path_(path), files_(files_in(path)) {}

  const fs::path& path() const { return path_; }
  const std::vector<fs::path>& files() const { return files_; }

  std::optional<fs::path> named(std::string_view name) const {
    for (const fs::path& file : files_)
      if (file.filename() == name || plain_name(file) == name) return file;
    return std::nullopt;
  }
  template <typename Test>
  std::vector<fs::path> which(const Test& test) const {
    std::vector<fs::path> found;
    std::ranges::copy_if(files_, std::back_inserter(found), test);
    return found;
  }
  // Of the files with such a beginning and ending, the only one.
  std::optional<fs::path> only(std::string_view beginning, std::string_view ending) const {
    const std::vector<fs::path> found = which([&](const fs::path& file) {
      const std::string name = plain_name(file);
      return name.starts_with(beginning) && name.ends_with(ending);
    });
    if (found.size() != 1) return std::nullopt;
    return found.front();
  }

 private:
  fs::path path_;
  std::vector<fs::path> files_;
};

// What a decoder's settings call for lies beside them, whatever folder they name.
fs::path beside(const Folder& folder, const std::string& wanted, const MarianSettings& settings) {
  const std::string name = fs::path(wanted).filename().string();
  const std::optional<fs::path> found = folder.named(name);
  require(found.has_value(), "{}: names the file {}, which is not there", settings.file(),
          Quoted{wanted});
  return *found;
}

std::optional<MarianSettings> decoder_settings(const Folder& folder) {
  std::vector<fs::path> candidates;
  for (const char* name : {"decoder.yml", "config.yml", "model.npz.decoder.yml"})
    if (const auto found = folder.named(name)) candidates.push_back(*found);
  std::ranges::copy_if(folder.files(), std::back_inserter(candidates), [](const fs::path& file) {
    const std::string name = plain_name(file);
    return name.ends_with(".decoder.yml") ||
           (name.starts_with("config.") && name.ends_with(".yml"));
  });
  for (const fs::path& file : candidates) {
    std::error_code none;
    if (fs::file_size(file, none) > largest_settings) continue;
    MarianSettings settings = MarianSettings::parse(read_text(file), file.string());
    if (settings.contains("vocabs")) return settings;
  }
  return std::nullopt;
}

fs::path model_file(const Folder& folder, const std::optional<MarianSettings>& decoder) {
  if (decoder && !decoder->list("models").empty()) {
    const std::vector<std::string> models = decoder->list("models");
    require(models.size() == 1,
            "{}: names an ensemble of {} models; convert each of them, and give them all to "
            "`heed translate`",
            decoder->file(), models.size());
    return beside(folder, models.front(), *decoder);
  }
  for (const char* name : {"model.npz", "model.bin"})
    if (const auto found = folder.named(name); found && is_weights(*found)) return *found;
  const std::vector<fs::path> found = folder.which(is_weights);
  require(!found.empty(), "{}: has no model of Marian (*.npz or *.bin)", folder.path().string());
  require(found.size() == 1, "{}: has several models, such as {} and {}; name one of them",
          folder.path().string(), found[0].filename().string(),
          found.size() > 1 ? found[1].filename().string() : "");
  return found.front();
}

// Without decoder settings, vocabularies are found by the names that they usually have.
void find_vocabularies(const Folder& folder, Files& files) {
  const auto both = [&](const std::optional<fs::path>& source,
                        const std::optional<fs::path>& target) {
    if (!source || !target) return false;
    files.source = *source;
    files.target = *target;
    return true;
  };
  for (const std::string ending : {".spm", ".yml", ".json", ".txt"}) {
    if (both(folder.named("source" + ending), folder.named("target" + ending)) && ending == ".spm")
      continue;  // beside a list of words, they only split text
    if (both(folder.only("srcvocab.", ending), folder.only("trgvocab.", ending))) return;
    if (both(folder.named("vocab.src" + ending), folder.named("vocab.trg" + ending))) return;
    if (const auto shared = folder.only("vocab.", ending)) {
      both(shared, shared);
      return;
    }
    if (const auto shared = folder.only("", ".vocab" + ending)) {
      both(shared, shared);
      return;
    }
  }
  if (!files.source.empty()) return;
  const auto spm = folder.only("", ".spm");
  require(both(spm, spm),
          "{}: has no vocabulary that can be told from its name (decoder.yml, "
          "vocab.spm, srcvocab.*.spm and trgvocab.*.spm, vocab.yml)",
          folder.path().string());
}

void find_shortlist(const Folder& folder, Files& files) {
  if (files.decoder && files.decoder->contains("shortlist")) {
    const std::vector<std::string> shortlist = files.decoder->list("shortlist");
    if (!shortlist.empty() && fs::path(plain_name(shortlist.front())).extension() == ".bin")
      if (const auto found = folder.named(fs::path(shortlist.front()).filename().string()))
        files.shortlist = *found;
    return;
  }
  files.shortlist = folder.only("lex.", ".bin");
}

}  // namespace

std::string plain_name(const fs::path& path) {
  return is_packed(path) ? path.stem().string() : path.filename().string();
}

std::string read_text(const fs::path& path) {
  if (!is_packed(path)) return std::string(MappedFile(path).text());
  const size_t most = most_growth * static_cast<size_t>(fs::file_size(path)) + largest_settings;
  const std::unique_ptr<ByteInput> input = open_bytes(path.string());
  return read_all(*input, most, path.string());
}

bool is_model(const fs::path& path) {
  std::error_code none;
  const fs::file_type type = fs::status(path, none).type();
  if (type == fs::file_type::regular) return is_weights(path);
  if (type != fs::file_type::directory) return false;
  if (fs::exists(path / "model.safetensors", none)) return false;
  return std::ranges::any_of(files_in(path), is_weights);
}

Files find_files(const fs::path& path) {
  std::error_code none;
  const bool is_file = fs::is_regular_file(path, none);
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Folder folder(is_file ? parent : path);
  Files files;
  files.decoder = decoder_settings(folder);
  files.model = is_file ? path : model_file(folder, files.decoder);
  if (files.decoder) {
    const std::vector<std::string> vocabularies = files.decoder->list("vocabs");
    require(vocabularies.size() == 2, "{}: {} vocabularies but 2 were expected",
            files.decoder->file(), vocabularies.size());
    files.source = beside(folder, vocabularies[0], *files.decoder);
    files.target = beside(folder, vocabularies[1], *files.decoder);
  } else {
    find_vocabularies(folder, files);
  }
  if (!plain_name(files.source).ends_with(".spm")) {
    files.source_spm = folder.named("source.spm");
    files.target_spm = folder.named("target.spm");
  }
  find_shortlist(folder, files);
  return files;
}

}  // namespace heed::marian
