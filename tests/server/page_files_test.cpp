#include "heed/server/page_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "temporary_folder.h"

namespace heed {
namespace {

HttpRequest get(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return request;
}

std::string header(const HttpReply& reply, const std::string& name) {
  for (const auto& [key, value] : reply.headers)
    if (key == name) return value;
  return "";
}

// Where the start page says that its script is.
std::string script_of(const std::string& html) {
  const size_t from = html.find("src=\"") + 5;
  return "/" + html.substr(from, html.find('"', from) - from);
}

TEST(PageFiles, AreAPartOfTheProgramAndNeverChange) {
  const auto start = page_reply({}, get("/"));
  ASSERT_TRUE(start);
  EXPECT_EQ(header(*start, "Cache-Control"), "no-cache");
  const auto script = page_reply({}, get(script_of(start->body)));
  ASSERT_TRUE(script);
  EXPECT_EQ(script->type, "text/javascript; charset=utf-8");
  EXPECT_EQ(header(*script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_NE(script->body.find("import"), std::string::npos);
  EXPECT_FALSE(page_reply({}, get("/assets/page/main.js")));
  EXPECT_FALSE(page_reply({}, get("/languages")));
}

TEST(PageFiles, AreNotSentTwice) {
  HttpRequest request = get("/");
  request.headers["if-none-match"] = header(*page_reply({}, request), "ETag");
  const auto again = page_reply({}, request);
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(again->body, "");
}

TEST(PageFiles, AllowNothingButTheServerItself) {
  const std::string policy = header(*page_reply({}, get("/")), "Content-Security-Policy");
  for (const char* part : {"default-src 'none'", "script-src 'self'", "connect-src 'self'",
                           "frame-ancestors 'none'", "require-trusted-types-for 'script'"})
    EXPECT_NE(policy.find(part), std::string::npos) << part;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
}

TEST(PageFiles, CanBeLeftOut) { EXPECT_FALSE(page_reply({.is_served = false}, get("/"))); }

TEST(PageFiles, ComeFromAFolderAsTheyAreNow) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("page"));
  folder.put("secret.txt", "secret");
  folder.put("page/index.html", "<script src=\"@ASSETS@/page/main.js\">\n@PRELOADS@\n");
  const PageSettings settings{.folder = folder.path("")};
  const auto start = page_reply(settings, get("/"));
  EXPECT_EQ(start->body, "<script src=\"assets/live/page/main.js\">\n");
  EXPECT_FALSE(page_reply(settings, get("/assets/live/page/main.js")));
  std::string tag;
  for (const char* text : {"one", "two"}) {
    folder.put("page/main.js", text);
    const auto script = page_reply(settings, get("/assets/live/page/main.js"));
    EXPECT_EQ(script->body, text);
    EXPECT_EQ(header(*script, "Cache-Control"), "no-cache");
    EXPECT_NE(header(*script, "ETag"), tag);
    tag = header(*script, "ETag");
  }
}

TEST(PageFiles, NoNameLeadsOutOfTheFolder) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("web/page"));
  folder.put("a.js", "outside");
  folder.put("web/a.txt", "another kind");
  folder.put("web/page/a.js", "inside");
  const PageSettings settings{.folder = folder.path("web")};
  EXPECT_TRUE(page_reply(settings, get("/assets/live/page/a.js")));
  for (const char* name : {"../a.js", "page/../../a.js", "/a.js", "//a.js", "page//a.js", "a.txt",
                           ".js", "", "page", "page/", "page/a.js/", "..", "page/../a.js"})
    EXPECT_FALSE(page_reply(settings, get(std::string("/assets/live/") + name))) << name;
}

}  // namespace
}  // namespace heed
