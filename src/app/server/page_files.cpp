#include "heed/server/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/checksum.h"
#include "heed/base/files.h"
#include "heed/server/assets.h"

namespace heed {

namespace {

constexpr std::string_view live_folder = "/assets/live/";

struct FileType {
  std::string_view ending, type;
};
constexpr std::array file_types = {
    FileType{".css", "text/css; charset=utf-8"},
    FileType{".js", "text/javascript; charset=utf-8"},
    FileType{".svg", "image/svg+xml"},
};

// Empty if it is no name of a file of the page: "name.ending" or "folder/name.ending", of small
// letters and underscores. So no name leads out of the folder.
std::string_view type_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      file_types, [&](const FileType& each) { return name.ends_with(each.ending); });
  if (found == file_types.end()) return {};
  const std::string_view stem = name.substr(0, name.size() - found->ending.size());
  const auto is_usual = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '/'; };
  const bool is_name = !stem.empty() && std::ranges::all_of(stem, is_usual) &&
                       stem.front() != '/' && stem.back() != '/' &&
                       std::ranges::count(stem, '/') <= 1;
  return is_name ? found->type : std::string_view();
}

void replace(std::string& text, std::string_view mark, std::string_view by) {
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

HttpReply live_reply(std::string_view type, const std::string& bytes, const HttpRequest& request) {
  const std::string hash = fmt::format("{:08x}", checksum(std::as_bytes(std::span(bytes))));
  return asset_reply({.path = request.path, .type = type, .bytes = bytes, .hash = hash}, request);
}

std::optional<HttpReply> folder_reply(const std::filesystem::path& folder,
                                      const HttpRequest& request) {
  if (request.path == "/") {
    std::string index(MappedFile(folder / "page" / "index.html").text());
    replace(index, "@ASSETS@", live_folder.substr(1, live_folder.size() - 2));
    replace(index, "@PRELOADS@\n", "");
    return live_reply("text/html; charset=utf-8", index, request);
  }
  if (!request.path.starts_with(live_folder)) return std::nullopt;
  const std::string_view name = std::string_view(request.path).substr(live_folder.size());
  const std::string_view type = type_of(name);
  const std::filesystem::path file = folder / name;
  if (type.empty() || !std::filesystem::is_regular_file(file)) return std::nullopt;
  return live_reply(type, std::string(MappedFile(file).text()), request);
}

}  // namespace

std::optional<HttpReply> page_reply(const PageSettings& settings, const HttpRequest& request) {
  if (!settings.is_served) return std::nullopt;
  if (!settings.folder.empty()) return folder_reply(settings.folder, request);
  const Asset* asset = find_asset(request.path);
  return asset ? std::optional(asset_reply(*asset, request)) : std::nullopt;
}

}  // namespace heed
