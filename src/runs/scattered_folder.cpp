#include "heed/runs/scattered_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr size_t piece_size = size_t{1} << 20;
// The model that a run has started from, if it did not start anew.
constexpr const char* start_folder = "training/pretrained";

// Whether this rank sees the folder of rank 0, not just one of the same name: there is a file with
// a name that nobody else can have chosen.
bool sees_folder(const fs::path& folder, Communicator& ranks) {
  std::random_device random;
  const std::string name =
      text_of_first(ranks, fmt::format("seen-{:08x}{:08x}", random(), random()));
  const fs::path mark = folder / "training" / name;
  if (ranks.is_first()) write_file_atomically(mark, "");
  of_first(ranks, true);  // it is there
  std::error_code error;
  const bool sees = fs::exists(mark, error);
  // Nobody looks for it any more.
  holds_everywhere(ranks, sees);
  if (ranks.is_first()) fs::remove(mark, error);
  return sees;
}

// What a rank needs besides weights, which it is sent, by paths from the folder.
std::vector<std::string> needed_files(const fs::path& folder) {
  std::vector<std::string> names = {"training/train.pairs", "training/valid.pairs"};
  for (const fs::path& file : entries_of(folder)) {
    const std::string name = file.filename().string();
    if (fs::is_regular_file(file) && !name.ends_with(".safetensors") && name != "training.jsonl" &&
        name != "curves.svg" && !is_partial_file(name))
      names.push_back(name);
  }
  for (const char* other : {"training/mixed.pairs", "training/general.pairs"})
    if (fs::exists(folder / other)) names.emplace_back(other);
  for (const fs::path& file : entries_of(folder / start_folder))
    names.push_back((fs::path(start_folder) / file.filename()).string());
  std::ranges::sort(names);
  return names;
}

// "SIZE NAME" on a line each.
std::string list_of_files(const fs::path& folder) {
  std::string list;
  for (const std::string& name : needed_files(folder))
    list += fmt::format("{} {}\n", fs::file_size(folder / name), name);
  return list;
}

fs::path make_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "heed-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, ErrorKind::system,
          "{}: a folder for the corpus cannot be made", name);
  fs::create_directories(fs::path(name) / start_folder);
  return name;
}

}  // namespace

ScatteredFolder::ScatteredFolder(const fs::path& folder, Communicator& ranks) : folder_(folder) {
  if (ranks.size() == 1) return;
  const bool sees = sees_folder(folder, ranks);
  if (holds_everywhere(ranks, sees)) return;
  if (!sees) copy_ = make_temporary_folder();
  try {
    receive_files(ranks);
  } catch (...) {
    std::error_code error;
    fs::remove_all(copy_, error);
    throw;
  }
}

ScatteredFolder::~ScatteredFolder() {
  std::error_code error;
  if (!copy_.empty()) fs::remove_all(copy_, error);
}

// Rank 0 sends. Ranks that see the folder only listen.
void ScatteredFolder::receive_files(Communicator& ranks) {
  std::istringstream list(
      text_of_first(ranks, ranks.is_first() ? list_of_files(folder_) : std::string()));
  std::vector<char> piece(piece_size);
  size_t size = 0;
  for (std::string name; list >> size && list.get() && std::getline(list, name);) {
    std::ifstream from;
    std::ofstream to;
    if (ranks.is_first()) from.open(folder_ / name, std::ios::binary);
    if (!copy_.empty()) to.open(copy_ / name, std::ios::binary);
    for (size_t left = size; left > 0;) {
      const std::span<char> next = std::span(piece).first(std::min(left, piece_size));
      if (ranks.is_first())
        require(from.read(next.data(), static_cast<std::streamsize>(next.size())).good(),
                ErrorKind::system, "{}: cannot be read", (folder_ / name).string());
      ranks.broadcast(0, std::as_writable_bytes(next));
      if (to.is_open()) to.write(next.data(), static_cast<std::streamsize>(next.size()));
      left -= next.size();
    }
    if (copy_.empty()) continue;
    to.close();
    require(to.good(), ErrorKind::system,
            "{}: cannot be written; TMPDIR says where there is room for the corpus",
            (copy_ / name).string());
  }
}

}  // namespace heed
