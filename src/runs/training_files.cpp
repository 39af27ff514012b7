#include "heed/runs/training_files.h"

#include <chrono>
#include <span>

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/data/byte_input.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = JsonValue;

uint32_t checksum_of(const std::string& file) {
  const std::unique_ptr<ByteInput> in = open_file(file);
  std::vector<char> buffer(size_t{1} << 20);
  uint32_t sum = 0;
  while (const size_t count = in->read(buffer))
    sum = checksum(std::as_bytes(std::span(buffer).first(count)), sum);
  return sum;
}

std::optional<FileMark> mark_of(const std::string& file, const std::optional<FileMark>& before) {
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) return {};
  const auto modified = fs::last_write_time(file, absent).time_since_epoch();
  FileMark mark = {
      .size = fs::file_size(file, absent),
      .modified = std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count()};
  if (absent) return {};
  const bool same = before && before->size == mark.size && before->modified == mark.modified;
  mark.checksum = same ? before->checksum : checksum_of(file);
  return mark;
}

std::optional<FileMark> at(const FileMarks& marks, size_t index) {
  return index < marks.size() ? marks[index] : std::nullopt;
}

FileMarks remembered(const FileMarks& before, FileMarks now) {
  for (size_t i = 0; i < now.size(); ++i)
    if (!now[i]) now[i] = at(before, i);
  return now;
}

Json to_json(const FileMarks& marks) {
  Json json = Json::array();
  for (const std::optional<FileMark>& mark : marks)
    json.push_back(mark ? json_object<Json>({{"size", mark->size},
                                             {"modified", mark->modified},
                                             {"checksum", mark->checksum}})
                        : Json());
  return json;
}

FileMarks marks_of(const Json& json) {
  FileMarks marks;
  for (const Json& mark : json) {
    marks.emplace_back();
    if (!mark.is_null())
      marks.back() = {.size = mark.at("size").get<uint64_t>(),
                      .modified = mark.at("modified").get<int64_t>(),
                      .checksum = mark.at("checksum").get<uint32_t>()};
  }
  return marks;
}

}  // namespace

FileMarks mark_files(const std::vector<std::string>& files, const FileMarks& before) {
  FileMarks marks;
  for (size_t i = 0; i < files.size(); ++i) marks.push_back(mark_of(files[i], at(before, i)));
  return marks;
}

std::vector<std::string> changed_files(const std::vector<std::string>& files,
                                       const FileMarks& before, const FileMarks& now) {
  std::vector<std::string> changed;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::optional<FileMark> then = at(before, i), mark = at(now, i);
    if (then && mark && (then->size != mark->size || then->checksum != mark->checksum))
      changed.push_back(files[i]);
  }
  return changed;
}

TrainingFiles remembered(const TrainingFiles& before, const TrainingFiles& now) {
  return {remembered(before.train, now.train), remembered(before.valid, now.valid),
          remembered(before.vocabulary, now.vocabulary)};
}

TrainingFiles load_training_files(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const Json json = Json::parse(MappedFile(path).text(), nullptr, false);
  try {
    return {marks_of(json.at("train")), marks_of(json.at("valid")),
            marks_of(json.at("vocabulary-files"))};
  } catch (const Json::exception& error) {
    fail("{}: is damaged: {}", path.string(), error.what());
  }
}

void save_training_files(const fs::path& path, const TrainingFiles& files) {
  const Json json = json_object<Json>({{"train", to_json(files.train)},
                                       {"valid", to_json(files.valid)},
                                       {"vocabulary-files", to_json(files.vocabulary)}});
  write_file_atomically(path, json.dump(2) + "\n");
}

}  // namespace heed
