#include "heed/base/json.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace heed {
namespace {

template <typename Json>
class JsonTest : public ::testing::Test {};

struct NameOfJson {
  template <typename Json>
  static std::string GetName(int) {
    return std::is_same_v<Json, JsonValue> ? "Sorted" : "Ordered";
  }
};
using BothKinds = ::testing::Types<JsonValue, OrderedJsonValue>;
TYPED_TEST_SUITE(JsonTest, BothKinds, NameOfJson);

TYPED_TEST(JsonTest, SurvivesARoundTrip) {
  const std::string text = R"({"a":[1,[2,{"b":null}],"text"],"c":{"d":1.5,"e":true}})";
  TypeParam json = TypeParam::parse(text);
  EXPECT_EQ(json.dump(), text);
  const TypeParam copy = json;
  json["a"] = 1;
  json = {};
  EXPECT_EQ(copy.dump(), text);
}

TYPED_TEST(JsonTest, IsDestroyedHoweverDeepItNests) {
  const int depth = 1000000;
  const TypeParam arrays = TypeParam::parse(std::string(depth, '[') + std::string(depth, ']'));
  EXPECT_TRUE(arrays.is_array());
  std::string objects;
  for (int i = 0; i < depth; ++i) objects += "{\"a\":";
  EXPECT_TRUE(TypeParam::parse(objects + "1" + std::string(depth, '}')).is_object());
}

TYPED_TEST(JsonTest, ObjectsAreMadeOfFields) {
  const auto inner = json_object<TypeParam>({{"b", 2}});
  const auto json = json_object<TypeParam>({{"text", "t"}, {"a", 1}, {"inner", inner}});
  EXPECT_EQ(json.size(), 3u);
  EXPECT_EQ(json["text"], "t");
  EXPECT_EQ(json["inner"]["b"], 2);
  EXPECT_EQ(json_object<TypeParam>({}).dump(), "{}");
}

TYPED_TEST(JsonTest, IsComparedWithText) {
  const auto json = json_object<TypeParam>({{"a", "text"}, {"b", 1}});
  EXPECT_TRUE(is_text(json["a"], "text"));
  EXPECT_FALSE(is_text(json["a"], "other"));
  EXPECT_FALSE(is_text(json["b"], "1"));
}

TEST(OrderedJson, KeepsTheOrderOfFields) {
  EXPECT_EQ(json_object<OrderedJsonValue>({{"b", 1}, {"a", 2}}).dump(), R"({"b":1,"a":2})");
}

}  // namespace
}  // namespace heed
