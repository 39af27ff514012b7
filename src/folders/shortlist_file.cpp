#include "heed/folders/shortlist_file.h"

#include "heed/base/error.h"
#include "heed/weights/file_checksum.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

constexpr const char* file_name = "shortlist.safetensors";

std::vector<int64_t> widened(const std::vector<int32_t>& ids) { return {ids.begin(), ids.end()}; }

FileChecksum checksum_of(const std::vector<int64_t>& frequent, const std::vector<int64_t>& offsets,
                         const std::vector<int64_t>& targets, bool with_source) {
  FileChecksum sum;
  for (const auto* list : {&frequent, &offsets, &targets}) sum.add(std::as_bytes(std::span(*list)));
  sum.add(std::string_view(with_source ? "with source" : "without source"));
  return sum;
}

std::vector<int32_t> ids_of(const std::vector<int64_t>& numbers, const std::string& file) {
  std::vector<int32_t> ids;
  ids.reserve(numbers.size());
  for (const int64_t number : numbers) {
    require(number >= 0 && number <= INT32_MAX, "{}: {} is not the id of a word", file, number);
    ids.push_back(static_cast<int32_t>(number));
  }
  return ids;
}

}  // namespace

void save_shortlist(const std::filesystem::path& folder, const Shortlist& shortlist) {
  const ShortlistLists& lists = shortlist.lists();
  const std::vector<int64_t> frequent = widened(lists.frequent), targets = widened(lists.targets);
  const auto shape = [](const auto& list) { return Shape{static_cast<int64_t>(list.size())}; };
  TensorFileWriter writer;
  writer.add_integers("frequent", shape(frequent), frequent);
  writer.add_integers("offsets", shape(lists.offsets), lists.offsets);
  writer.add_integers("targets", shape(targets), targets);
  writer.add_booleans("with_source", {1}, {static_cast<uint8_t>(lists.with_source)});
  checksum_of(frequent, lists.offsets, targets, lists.with_source).write_to(writer);
  writer.save(folder / file_name);
}

std::optional<Shortlist> load_shortlist(const std::filesystem::path& folder,
                                        int64_t source_vocabulary, int64_t target_vocabulary) {
  const std::filesystem::path path = folder / file_name;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  const TensorFile file = TensorFile::open(path);
  const std::vector<int64_t> frequent = file.read_integers("frequent"),
                             offsets = file.read_integers("offsets"),
                             targets = file.read_integers("targets");
  const std::vector<uint8_t> with_source = file.read_booleans("with_source");
  require(with_source.size() == 1, "{}: {} values of \"with_source\" but 1 was expected",
          file.file(), with_source.size());
  checksum_of(frequent, offsets, targets, with_source.front() != 0).require_that_of(file);
  return Shortlist({.frequent = ids_of(frequent, file.file()),
                    .offsets = offsets,
                    .targets = ids_of(targets, file.file()),
                    .with_source = with_source.front() != 0},
                   source_vocabulary, target_vocabulary, file.file());
}

}  // namespace heed
