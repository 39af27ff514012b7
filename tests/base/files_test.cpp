#include "heed/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "error_of.h"
#include "heed/base/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// A temporary folder, removed with its contents.
class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "heed_files_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  fs::path path(std::string_view name) const { return folder_ / name; }

  void put(std::string_view name, std::string_view text) const {
    std::ofstream(path(name)) << text;
  }

  static std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string text_of(std::string_view name) const { return text(read_file(path(name))); }

  // Every name in the folder, also those that begin with a dot.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  template <typename Action>
  std::string sentence(Action action) const {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(Files, ReadsWhatIsThere) {
  put("a", "some text");
  put("empty", "");
  EXPECT_EQ(text_of("a"), "some text");
  EXPECT_EQ(text_of("empty"), "");
  EXPECT_EQ(text(MappedFile(path("a")).bytes()), "some text");
  EXPECT_TRUE(MappedFile(path("empty")).bytes().empty());
}

TEST_F(Files, ReadsALargeFile) {
  const std::string large(1'000'000, 'x');
  put("large", large);
  EXPECT_EQ(text_of("large"), large);
  EXPECT_EQ(text(MappedFile(path("large")).bytes()), large);
}

TEST_F(Files, ReadsFromAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string sent(100'000, 'p');
  std::thread writer([&] { std::ofstream(path("pipe")) << sent; });
  const MappedFile file(path("pipe"));
  writer.join();
  EXPECT_EQ(text(file.bytes()), sent);
}

TEST_F(Files, AMappedFileKeepsItsBytesWhenItMoves) {
  put("a", "one");
  put("b", "two");
  MappedFile a(path("a"));
  const std::byte* where = a.bytes().data();
  MappedFile moved(std::move(a));
  EXPECT_EQ(moved.bytes().data(), where);
  MappedFile b(path("b"));
  b = std::move(moved);
  EXPECT_EQ(text(b.bytes()), "one");
}

TEST_F(Files, AFileStaysAsItIsWhenItsMappedBytesAreChanged) {
  put("a", "one");
  MappedFile file(path("a"));
  file.bytes()[0] = std::byte{'O'};
  EXPECT_EQ(text(file.bytes()), "One");
  EXPECT_EQ(text_of("a"), "one");
}

TEST_F(Files, SaysWhyAFileCannotBeRead) {
  const std::string missing = path("missing").string();
  EXPECT_EQ(sentence([&] { read_file(missing); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(sentence([&] { MappedFile{missing}; }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(sentence([&] { read_file(folder_); }),
            folder_.string() + ": is a folder, but a file was expected");
  EXPECT_EQ(testing::error_kind_of([&] { read_file(missing); }), ErrorKind::system);
  if (::geteuid() == 0) return;  // root may read everything
  put("locked", "x");
  fs::permissions(path("locked"), fs::perms::none);
  EXPECT_EQ(sentence([&] { read_file(path("locked")); }),
            path("locked").string() + ": cannot be read: Permission denied");
}

TEST_F(Files, WritesAndReplaces) {
  write_file_atomically(path("a"), "first");
  EXPECT_EQ(text_of("a"), "first");
  write_file_atomically(path("a"), "second");
  EXPECT_EQ(text_of("a"), "second");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Files, NothingAppearsBeforeCommit) {
  put("a", "old");
  OutputFile file(path("a"));
  file.write("new, ");
  EXPECT_EQ(text_of("a"), "old");
  file.write("in two parts");
  file.commit();
  EXPECT_EQ(text_of("a"), "new, in two parts");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(Files, FinishedIsNotCommitted) {
  put("a", "old");
  {
    OutputFile dropped(path("a"));
    dropped.write("new");
    dropped.finish();
    EXPECT_EQ(text_of("a"), "old");
  }
  EXPECT_EQ(text_of("a"), "old");
  OutputFile kept(path("a"));
  kept.write("new");
  kept.finish();
  kept.commit();
  EXPECT_EQ(text_of("a"), "new");
}

TEST_F(Files, WithoutCommitNothingIsLeft) {
  {
    OutputFile file(path("a"));
    file.write("half of it");
  }
  EXPECT_EQ(names(), Names{});
}

TEST_F(Files, AReplacedFileKeepsItsPermissions) {
  put("script", "old");
  fs::permissions(path("script"), fs::perms::owner_all);
  write_file_atomically(path("script"), "new");
  EXPECT_EQ(fs::status(path("script")).permissions(), fs::perms::owner_all);
}

TEST_F(Files, ALinkStaysALink) {
  put("target", "old");
  fs::create_symlink(path("target"), path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of("target"), "new");
}

TEST_F(Files, ALongNameIsNoObstacle) {
  const std::string longest(255, 'n');
  write_file_atomically(path(longest), "text");
  EXPECT_EQ(text_of(longest), "text");
}

TEST_F(Files, SaysWhyAFileCannotBeWritten) {
  const std::string lost = path("no/such/folder").string();
  EXPECT_EQ(sentence([&] { write_file_atomically(lost, "x"); }),
            lost + ": cannot be written: No such file or directory");
  EXPECT_EQ(sentence([&] { write_file_atomically(folder_, "x"); }),
            folder_.string() + ": is a folder, but a file was expected");
  EXPECT_EQ(sentence([&] { write_file_atomically("/dev/full", "x"); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(testing::error_kind_of([&] { write_file_atomically("/dev/full", "x"); }),
            ErrorKind::system);
  EXPECT_EQ(names(), Names{});
}

TEST_F(Files, AppendsToTheEnd) {
  append_to_file(path("log"), "one\n");
  append_to_file(path("log"), "two\n");
  EXPECT_EQ(text_of("log"), "one\ntwo\n");
  EXPECT_EQ(sentence([&] { append_to_file("/dev/full", "x"); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(sentence([&] { append_to_file(path("no/log"), "x"); }),
            path("no/log").string() + ": cannot be written: No such file or directory");
}

TEST_F(Files, RemovesWhatWasNeverFinished) {
  write_file_atomically(path("whole"), "x");
  write_file_atomically(path(".heed-notes"), "x");
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile file(path("never"));
    file.write("some");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(names().size(), 3u);
  remove_partial_files(folder_);
  EXPECT_EQ(names(), (Names{".heed-notes", "whole"}));
  remove_partial_files(path("absent"));
}

TEST_F(Files, WhatAnotherIsWritingIsNotTakenForUnfinished) {
  OutputFile file(path("a"));
  file.write("slowly");
  write_file_atomically(path("b"), "quickly");
  remove_partial_files(folder_);
  file.commit();
  EXPECT_EQ(text_of("a"), "slowly");
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(Files, WhoeverWritesRemovesWhatKilledProgramsLeft) {
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      OutputFile file(path("never"));
      ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(names().size(), 1u);
  }
  write_file_atomically(path("whole"), "x");
  EXPECT_EQ(names(), Names{"whole"});
}

TEST_F(Files, ASignalHandlerCanRemoveWhatIsNotFinished) {
  put("first", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile done(path("done")), first(path("first")), second(path("second"));
    done.commit();
    OutputFile third(path("third"));
    remove_own_partial_files();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(names(), (Names{"done", "first"}));
  EXPECT_EQ(text_of("first"), "old");
}

TEST_F(Files, ADeviceIsWrittenToAndNotReplaced) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A descriptor of a file, opened as a shell does for >> or >.
class Redirected {
 public:
  Redirected(int descriptor, const fs::path& path, int flags)
      : descriptor_(descriptor), saved_(::dup(descriptor)) {
    const int file = ::open(path.c_str(), O_WRONLY | flags);
    ::dup2(file, descriptor);
    ::close(file);
  }
  ~Redirected() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }

 private:
  int descriptor_;
  int saved_;
};

TEST_F(Files, AnOpenDescriptorIsWrittenToWhereItIs) {
  fs::create_symlink("/dev/stdout", path("link"));
  for (const std::string& name :
       {std::string("/dev/stdout"), std::string("/dev/fd/1"), std::string("-"),
        std::string("/proc/self/fd/1"), path("link").string()}) {
    put("log", "before\n");
    {
      const Redirected redirected(STDOUT_FILENO, path("log"), O_APPEND);
      write_file_atomically(name, "first\n");
      write_file_atomically(name, "second\n");
    }
    EXPECT_EQ(text_of("log"), "before\nfirst\nsecond\n") << name;
  }
  {
    const Redirected redirected(STDERR_FILENO, path("log"), O_TRUNC);
    std::ignore = ::write(STDERR_FILENO, "begun, ", 7);
    write_file_atomically("/dev/stderr", "went on");
  }
  EXPECT_EQ(text_of("log"), "begun, went on");
  EXPECT_EQ(names(), (Names{"link", "log"}));
}

TEST_F(Files, ADescriptorThatIsNotOpenIsAnError) {
  EXPECT_EQ(sentence([&] { write_file_atomically("/dev/fd/97", "x"); }),
            "/dev/fd/97: cannot be written: Bad file descriptor");
}

TEST_F(Files, KnowsTheNamesOfTheStandardStreams) {
  for (const char* name : {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/../dev/stdin"})
    EXPECT_TRUE(is_standard_input(name)) << name;
  for (const char* name : {"./-", "/dev/stdout", "/dev/null", "/proc/self/fd", "stdin", ""})
    EXPECT_FALSE(is_standard_input(name)) << name;
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  EXPECT_FALSE(is_standard_output("/dev/stderr"));
}

TEST_F(Files, ALinkToNothingYetStaysALink) {
  fs::create_symlink("target", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of("target"), "new");
}

TEST_F(Files, APipeIsWrittenTo) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = text_of("pipe"); });
  write_file_atomically(path("pipe"), "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
}

}  // namespace
}  // namespace heed
