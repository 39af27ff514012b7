#include "heed/api/border.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <set>
#include <thread>

namespace heed::api {
namespace {

TEST(Border, AKindBecomesAStatus) {
  const std::pair<ErrorKind, heed_status> pairs[] = {
      {ErrorKind::usage, HEED_USAGE},         {ErrorKind::input, HEED_INPUT},
      {ErrorKind::model, HEED_MODEL},         {ErrorKind::system, HEED_SYSTEM},
      {ErrorKind::cancelled, HEED_CANCELLED}, {ErrorKind::deadline, HEED_DEADLINE}};
  for (const auto& [kind, status] : pairs) {
    EXPECT_EQ(guarded([&] { fail(kind, "because of {}", static_cast<int>(kind)); }), status);
    EXPECT_EQ(heed_last_error(), fmt::format("because of {}", static_cast<int>(kind)));
  }
}

TEST(Border, NothingIsThrownAcrossIt) {
  EXPECT_EQ(guarded([] { throw std::bad_alloc(); }), HEED_NO_MEMORY);
  EXPECT_STREQ(heed_last_error(), "there is not enough memory");
  EXPECT_EQ(guarded([] { std::filesystem::create_directory("/no/such/folder"); }), HEED_SYSTEM);
  EXPECT_NE(std::string(heed_last_error()).find("/no/such/folder"), std::string::npos);
  EXPECT_EQ(guarded([] { throw std::logic_error("a slip"); }), HEED_INTERNAL);
  EXPECT_STREQ(heed_last_error(), "a slip");
  EXPECT_EQ(guarded([] { throw 3; }), HEED_INTERNAL);
  EXPECT_STREQ(heed_last_error(), "an exception of an unknown type");
}

TEST(Border, AThreadHasItsOwnLastError) {
  guarded([] { fail("here"); });
  std::thread([] {
    EXPECT_STREQ(heed_last_error(), "");
    guarded([] { fail("there"); });
    EXPECT_STREQ(heed_last_error(), "there");
  }).join();
  EXPECT_STREQ(heed_last_error(), "here");
  EXPECT_EQ(guarded([] {}), HEED_OK);
  EXPECT_STREQ(heed_last_error(), "here") << "it stays until the next failure";
}

TEST(Border, EveryStatusHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int status = HEED_OK; status <= HEED_INTERNAL; ++status)
    names.insert(heed_status_name(static_cast<heed_status>(status)));
  EXPECT_EQ(names.size(), static_cast<size_t>(HEED_INTERNAL) + 1);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_STREQ(heed_status_name(static_cast<heed_status>(HEED_INTERNAL + 1)), "unknown");
}

TEST(Border, TellsItsVersion) { EXPECT_TRUE(std::string(heed_version()).starts_with("0.")); }

}  // namespace
}  // namespace heed::api
