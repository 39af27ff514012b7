// A reader, files that it reads well, and what it makes of damaged ones: each is refused with one
// sentence, or what comes out is sound; in little time, and with memory that its size explains.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "mutate.h"
#include "temporary_folder.h"

namespace heed::testing {

struct Reader {
  // Reads what the folder holds, checks it with EXPECT, or throws an Error.
  using Read = std::function<void(const TemporaryFolder&)>;

  std::string name;
  std::function<void(const TemporaryFolder&)> write;  // the good files
  std::vector<std::string> files;                     // those to damage
  Read read;
  // A file that lacks its end is always refused, but for a last line feed.
  bool notices_cuts = false;
  // At least this share of the changes is refused; otherwise the test changes nothing that matters.
  double refused = 0;
  // Makes checksums fit again, as an attacker would.
  std::function<void(std::string&)> reseal = [](std::string&) {};
};

inline void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }

inline std::string named(const ::testing::TestParamInfo<Reader>& test) { return test.param.name; }

// Text of one line that somebody can read.
inline void expect_text(std::string_view text) {
  EXPECT_TRUE(is_utf8(text)) << printable(text);
  EXPECT_EQ(text.find('\n'), text.npos) << printable(text);
  EXPECT_EQ(text.find('\0'), text.npos) << printable(text);
}

inline void expect_sentence(const Error& error) {
  const std::string said = error.what();
  EXPECT_EQ(said, printable(said)) << "is not one line that can be printed";
  EXPECT_LT(said.size(), 2000u) << said.substr(0, 2000);
}

inline double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// The reader's folder, with one of its files damaged at a time.
class DamagedFiles {
 public:
  explicit DamagedFiles(const Reader& reader) : reader_(reader) {
    reader.write(folder_);
    for (const std::string& file : reader.files) whole_.push_back(folder_.text(file));
    reader.read(folder_);  // good files are read
    before_ = peak_megabytes();
  }

  const std::string& whole(size_t file) const { return whole_[file]; }

  // Whether the reader refuses this text of a file.
  bool refuses(size_t file, const std::string& text) {
    bool refused = false;
    folder_.put(reader_.files[file], text);
    const auto start = std::chrono::steady_clock::now();
    try {
      reader_.read(folder_);
    } catch (const Error& error) {
      refused = true;
      expect_sentence(error);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    slowest_ = std::max(slowest_, taken.count());
    folder_.put(reader_.files[file], whole_[file]);
    return refused;
  }

  double slowest() const { return slowest_; }  // seconds
  double more_megabytes() const { return peak_megabytes() - before_; }

 private:
  const Reader& reader_;
  TemporaryFolder folder_{fast_folder()};
  std::vector<std::string> whole_;
  double before_ = 0, slowest_ = 0;
};

// The folder of a failure is gone, but its number makes the same files again; that of a crash stays
// under /dev/shm.
inline void read_mutated(const Reader& reader, int mutations) {
  DamagedFiles files(reader);
  int refused = 0;
  for (int i = 0; i < mutations; ++i) {
    Rng rng(derive_key(make_key(11), static_cast<uint64_t>(i)));
    const size_t file = rng.below(reader.files.size());
    std::string bytes = mutated(files.whole(file), rng);
    reader.reseal(bytes);
    refused += files.refuses(file, bytes);
    ASSERT_FALSE(::testing::Test::HasFailure())
        << "mutation " << i << " of " << reader.files[file] << ": " << printable(bytes);
  }
  EXPECT_GE(refused, reader.refused * mutations);
  constexpr double most_seconds = 5;  // for files of some kilobytes, on a machine that is busy
  EXPECT_LT(files.slowest(), most_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // zstd believes windows of up to 128 MB, and clears what it gets.
  EXPECT_LT(files.more_megabytes(), 200);
#endif
  std::cout << fmt::format("{}: {} of {} mutations refused, the slowest took {:.1f} ms\n",
                           reader.name, refused, mutations, 1e3 * files.slowest());
}

// At every byte.
inline void read_cut(const Reader& reader) {
  DamagedFiles files(reader);
  for (size_t file = 0; file < reader.files.size(); ++file) {
    const std::string& whole = files.whole(file);
    for (size_t size = 0; size < whole.size(); ++size) {
      const bool refused = files.refuses(file, whole.substr(0, size));
      const bool is_the_same = whole.ends_with('\n') && size == whole.size() - 1;
      if (reader.notices_cuts) {
        EXPECT_TRUE(refused || is_the_same);
      }
      ASSERT_FALSE(::testing::Test::HasFailure())
          << reader.files[file] << " of " << size << " bytes";
    }
  }
}

}  // namespace heed::testing
