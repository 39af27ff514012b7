#include "heed/data/installed_messages.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/folder.h"
#include "heed/base/text.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

// "de" has the variants de_DE, de@hebrew and so on, but "den" is another language.
bool is_kind_of(std::string_view folder, std::string_view language) {
  if (!folder.starts_with(language)) return false;
  folder.remove_prefix(language.size());
  return folder.empty() || folder.front() == '_' || folder.front() == '@' || folder.front() == '.';
}

// The source texts of translator credits, as used by GNOME and KDE.
bool names_translators(std::string_view message) {
  constexpr std::array<std::string_view, 5> customs = {"translator-credits", "translator_credits",
                                                       "Your names", "Your emails",
                                                       "EMAIL OF TRANSLATORS"};
  return std::ranges::find(customs, message) != customs.end();
}

}  // namespace

std::vector<fs::path> message_folders() {
  return {"/usr/share/locale", "/usr/share/locale-langpack"};
}

std::vector<fs::path> installed_messages(const std::vector<fs::path>& folders,
                                         std::string_view language) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders)
    for (const fs::path& locale : entries_of(folder)) {
      if (!is_kind_of(locale.filename().string(), language)) continue;
      for (const fs::path& file : entries_of(locale / "LC_MESSAGES"))
        if (file.extension() == ".mo") files.push_back(file);
    }
  std::ranges::sort(files);
  return files;
}

CorpusReport read_installed(const std::vector<fs::path>& folders, const std::string& language,
                            int64_t max_characters, const PairConsumer& consume,
                            const Complaint& complain) {
  const std::vector<fs::path> files = installed_messages(folders, language);
  std::error_code reason;
  if (files.empty()) FolderNames(folders.front(), reason);
  require(!reason, ErrorKind::system, "{}: cannot be read: {}", folders.front().string(),
          reason.message());
  require(!files.empty(), "{}: there are no messages in {} (LC_MESSAGES/*.mo)",
          folders.front().string(), quote(language));
  CorpusReport report;
  for (const fs::path& file : files) {
    const CorpusInput input{
        .files = {file.string()}, .format = CorpusFormat::mo, .max_characters = max_characters};
    try {
      read_pairs(input, report, [&](std::string_view source, std::string_view target) {
        if (!names_translators(source)) return consume(source, target);
        --report.kept;
        ++report.dropped[static_cast<size_t>(Drop::credits)];
      });
    } catch (const Error& error) {
      complain(error.what());
    }
  }
  require(report.kept > 0, "{}: none of the messages in {} can be used", folders.front().string(),
          quote(language));
  return report;
}

}  // namespace heed
