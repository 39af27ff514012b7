#include "heed/server/form_body.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

TEST(FormBody, AFormIsPairs) {
  EXPECT_EQ(parse_form("a=1&b=x+y%20z&&c&=d&e==f"),
            (FormFields{{"a", "1"}, {"b", "x y z"}, {"c", ""}, {"", "d"}, {"e", "=f"}}));
  EXPECT_EQ(parse_form(""), FormFields());
  for (const char* text : {"%", "a=%1", "a=%zz", "%g0=1"})
    EXPECT_EQ(error_of([&] { parse_form(text); }),
              "the form has a % that is not followed by two digits");
}

TEST(FormBody, AMultipartFormIsParts) {
  const std::string body =
      "a preamble\r\n--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n--b is text\r\n\r\n"
      "--b\r\nX: y\r\ncontent-disposition: form-data; filename=\"a;b.txt\"; name=f\r\n\r\n\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"with "
      "\\\"quotes\\\"\"\r\n\r\nz\r\n--b--\r\nend";
  EXPECT_EQ(parse_multipart(body, "multipart/form-data; boundary=b"),
            (FormFields{{"q", "--b is text\r\n"}, {"f", "", "a;b.txt"}, {"with \"quotes\"", "z"}}));
}

TEST(FormBody, SaysWhatIsWrongWithAMultipartForm) {
  const auto error = [](const std::string& body, const std::string& type) {
    return error_of([&] { parse_multipart(body, type); });
  };
  const std::string type = "multipart/form-data; boundary=b";
  EXPECT_EQ(error("", "multipart/form-data"), "the multipart form names no boundary");
  EXPECT_EQ(error("x", type), "the multipart form does not have its boundary");
  EXPECT_EQ(error("--b\r\n\r\nx", type), "the multipart form ends in the middle of a part");
  EXPECT_EQ(error("--bx", type), "the multipart form has a broken boundary");
  EXPECT_EQ(error("--b\r\nX: y\r\n\r\nx\r\n--b--", type), "a part of the form has no name");
}

}  // namespace
}  // namespace heed
