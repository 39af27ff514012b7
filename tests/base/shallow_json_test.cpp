#include "heed/base/shallow_json.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/error.h"

namespace heed {
namespace {

std::string lists(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ShallowJson, IsReadAsObjectsOfBothTypes) {
  const std::string text = R"({"b": 1, "a": [true, "x"]})";
  EXPECT_EQ(parse_shallow_json(text, "file").dump(), R"({"a":[true,"x"],"b":1})");
  EXPECT_EQ(parse_shallow_json<OrderedJsonValue>(text, "file").dump(), R"({"b":1,"a":[true,"x"]})");
}

TEST(ShallowJson, WhatIsNoneIsDiscarded) {
  for (const std::string& text : {std::string(), std::string("{"), std::string("1 2"),
                                  std::string("[1]\0[2]", 7), std::string("[1]\0", 4)})
    EXPECT_TRUE(parse_shallow_json(text, "file").is_discarded()) << text;
}

TEST(ShallowJson, IsRefusedIfItNestsTooDeeply) {
  EXPECT_TRUE(parse_shallow_json(lists(deepest_json), "file").is_array());
  try {
    parse_shallow_json(lists(100'000), "config.json");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "config.json: nests deeper than 16 levels");
  }
}

}  // namespace
}  // namespace heed
