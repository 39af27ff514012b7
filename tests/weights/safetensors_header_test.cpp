#include "heed/weights/safetensors_header.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

std::string sentence(std::string_view json, int64_t data_length) {
  try {
    parse_safetensors_header(json, data_length, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SafetensorsHeader, ReadsEveryPart) {
  const SafetensorsHeader header = parse_safetensors_header(
      R"({"__metadata__":{"made by":"hand"},
          "b":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]},
          "a":{"data_offsets":[0,8],"shape":[],"dtype":"I64"}}   )",
      32, "f");
  EXPECT_EQ(header.metadata.at("made by"), "hand");
  ASSERT_EQ(header.arrays.size(), 2u);
  const StoredArray& a = header.arrays.at("a");
  EXPECT_EQ(a.type, StoredType::i64);
  EXPECT_EQ(a.sizes, std::vector<int64_t>{});
  const StoredArray& b = header.arrays.at("b");
  EXPECT_EQ(b.type, StoredType::f32);
  EXPECT_EQ(b.sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(b.begin, 8);
  EXPECT_EQ(b.end, 32);
}

TEST(SafetensorsHeader, EmptyFilesAndEmptyArraysAreFine) {
  EXPECT_TRUE(parse_safetensors_header("{}", 0, "f").arrays.empty());
  EXPECT_TRUE(parse_safetensors_header(R"({"__metadata__":{}})", 0, "f").metadata.empty());
  const SafetensorsHeader header = parse_safetensors_header(
      R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
          "a":{"dtype":"F32","shape":[0,5],"data_offsets":[4,4]},
          "b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
      4, "f");
  EXPECT_EQ(header.arrays.size(), 3u);
}

TEST(SafetensorsHeader, NamesMayBeAnyText) {
  const SafetensorsHeader header = parse_safetensors_header(
      "{\"\\u65e5\\\"\\u0000日\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "f");
  EXPECT_TRUE(header.arrays.contains(std::string("日\"\0日", 8)));
}

struct Lie {
  std::string_view json;
  std::string_view sentence;
  int64_t data_length = 4;
};

// Invalid headers and their errors.
const Lie lies[] = {
    // The text itself.
    {"", R"(f: the header begins with nothing but "{" was expected)"},
    {" {}", R"(f: the header begins with " " but "{" was expected)"},
    {"[]", R"(f: the header begins with "[" but "{" was expected)"},
    {"\xEF\xBB\xBF{}", "f: the header begins with \"\uFFFD\" but \"{\" was expected"},
    {"{", "f: the header is not valid JSON from byte 2 on"},
    {"{} x", "f: the header is not valid JSON from byte 4 on"},
    {"{}{}", "f: the header is not valid JSON from byte 3 on"},
    {R"({"a":})", "f: the header is not valid JSON from byte 6 on"},
    {"{\"\xFF\":{}}", "f: the header is not valid JSON from byte 3 on"},
    {"{\"\xED\xA0\x80\":{}}", "f: the header is not valid JSON from byte 4 on"},
    {R"({"\ud800":{}})", "f: the header is not valid JSON from byte 9 on"},
    {std::string_view("{}\0\0", 4), "f: the header is not valid JSON from byte 3 on"},
    {"{/**/}", "f: the header is not valid JSON from byte 2 on"},
    // The kinds of values.
    {R"({"a":1})", R"(f: array "a" is described by a number but an object was expected)"},
    {R"({"a":null})", R"(f: array "a" is described by null but an object was expected)"},
    {R"({"a":[]})", R"(f: array "a" is described by a list but an object was expected)"},
    {R"({"a":{"dtype":4}})",
     R"(f: array "a" has a number as "dtype" but the name of a type was expected)"},
    {R"({"a":{"dtype":["F32"]}})",
     R"(f: array "a" has a list as "dtype" but the name of a type was expected)"},
    {R"({"a":{"dtype":{"x":1}}})",
     R"(f: array "a" has an object as "dtype" but the name of a type was expected)"},
    {R"({"a":{"shape":4}})",
     R"(f: array "a" has a number as "shape" but a list of sizes was expected)"},
    {R"({"a":{"shape":["1"]}})",
     R"(f: array "a" has a string in its shape but sizes were expected)"},
    {R"({"a":{"shape":[[1]]}})", R"(f: array "a" has a list in its shape but sizes were expected)"},
    {R"({"a":{"shape":[{}]}})",
     R"(f: array "a" has an object in its shape but sizes were expected)"},
    {R"({"a":{"shape":[true]}})",
     R"(f: array "a" has a truth value in its shape but sizes were expected)"},
    {R"({"a":{"shape":[-1]}})",
     R"(f: array "a" has a negative number in its shape but sizes were expected)"},
    {R"({"a":{"shape":[1.0]}})",
     R"(f: array "a" has a number that is no size in its shape but sizes were expected)"},
    {R"({"a":{"shape":[9223372036854775808]}})",
     R"(f: array "a" has a number that is no size in its shape but sizes were expected)"},
    {R"({"a":{"shape":[99999999999999999999999]}})",
     R"(f: array "a" has a number that is no size in its shape but sizes were expected)"},
    {R"({"a":{"data_offsets":"0-4"}})",
     R"(f: array "a" has a string as "data_offsets" but a list of two offsets was expected)"},
    {R"({"a":{"data_offsets":[0]}})",
     R"(f: array "a" has 1 numbers in its data_offsets but two offsets were expected)"},
    {R"({"a":{"data_offsets":[0,4,8]}})",
     R"(f: array "a" has a third number in its data_offsets but two offsets were expected)"},
    {R"({"a":{"data_offsets":[-4,0]}})",
     R"(f: array "a" has a negative number in its data_offsets but two offsets were expected)"},
    {R"({"__metadata__":[]})", "f: the metadata is a list but an object was expected"},
    {R"({"__metadata__":{"k":1}})", R"(f: metadata "k" is a number but a string was expected)"},
    {R"({"__metadata__":{"k":{}}})", R"(f: metadata "k" is an object but a string was expected)"},
    // Fields.
    {R"({"a":{}})", R"(f: array "a" has no "dtype")"},
    {R"({"a":{"dtype":"F32"}})", R"(f: array "a" has no "shape")"},
    {R"({"a":{"dtype":"F32","shape":[1]}})", R"(f: array "a" has no "data_offsets")"},
    {R"({"a":{"dtype":"F33"}})", R"(f: array "a" has the unknown type "F33")"},
    {R"({"a":{"dtype":"\u001b[2J"}})", R"(f: array "a" has the unknown type "\x1b[2J")"},
    {R"({"a":{"stride":[1]}})", R"(f: array "a" has the unknown field "stride")"},
    // Duplicates.
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
     R"("a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})",
     R"(f: array "a" is described twice)"},
    {R"({"a":{"dtype":"F32","dtype":"F32"}})", R"(f: array "a" has its "dtype" twice)"},
    {R"({"a":{"shape":[1],"shape":[1]}})", R"(f: array "a" has its "shape" twice)"},
    {R"({"__metadata__":{"k":"1","k":"2"}})", R"(f: metadata "k" is given twice)"},
    {R"({"__metadata__":{},"__metadata__":{}})", "f: the metadata is described twice"},
    // Sizes and offsets.
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
     R"(f: array "a" begins at byte 4 of the data but ends at 0)"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
     R"(f: array "a" of type F32 and shape (2) needs 8 bytes but has 4)"},
    {R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}})",
     R"(f: array "a" of type F32 and shape () needs 4 bytes but has 0)"},
    {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
     R"(f: array "a" of type F32 cannot have the shape (4611686018427387904, 4))"},
    {R"({"a":{"dtype":"F32","shape":[0,4611686018427387904,4],"data_offsets":[0,0]}})",
     R"(f: array "a" of type F32 cannot have the shape (0, 4611686018427387904, 4))"},
    {R"({"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,4]}})",
     R"(f: array "a" of type F64 cannot have the shape (2305843009213693952))"},
    {R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})",
     R"(f: array "a" of type F4 cannot have the shape (3))"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
     "f: its arrays take 4 bytes but 3 follow the header", 3},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
     "f: its arrays take 4 bytes but 5 follow the header", 5},
    {"{}", "f: its arrays take 0 bytes but 4 follow the header"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     R"(f: array "a" begins at byte 4 of the data but the arrays before it end at 0)", 8},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
     R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
     R"(f: array "b" begins at byte 2 of the data but the arrays before it end at 4)", 6},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
     R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
     R"(f: array "b" begins at byte 0 of the data but the arrays before it end at 4)"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)"
     R"([9223372036854775803,9223372036854775807]}})",
     R"(f: array "a" begins at byte 9223372036854775803 of the data )"
     R"(but the arrays before it end at 0)"},
};

TEST(SafetensorsHeader, SaysWhatIsWrong) {
  for (const Lie& lie : lies)
    EXPECT_EQ(sentence(lie.json, lie.data_length), lie.sentence) << lie.json;
}

TEST(SafetensorsHeader, DeepNestingIsRefused) {
  EXPECT_EQ(sentence("{\"a\":" + std::string(1'000'000, '['), 0),
            "f: array \"a\" is described by a list but an object was expected");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(sentence(objects, 0), "f: array \"a\" has the unknown field \"a\"");
}

TEST(SafetensorsHeader, AHugeRankGivesAShortSentence) {
  std::string sizes = "2";
  for (int i = 0; i < 10'000; ++i) sizes += ",2";
  EXPECT_EQ(sentence(R"({"a":{"dtype":"F32","shape":[)" + sizes + R"(],"data_offsets":[0,4]}})", 4),
            "f: array \"a\" of type F32 cannot have the shape (2, 2, 2, 2, 2, 2, 2, 2, …)");
}

TEST(SafetensorsHeader, WrittenTextIsReadBack) {
  SafetensorsHeader header;
  header.metadata["key \"quoted\""] = "Grüße\n";
  header.arrays["a\\b"] = {StoredType::f16, {2, 0, 3}, 0, 0};
  header.arrays["日"] = {StoredType::i64, {}, 0, 8};
  const std::string text = safetensors_header_text(header);
  EXPECT_EQ(text.size() % 8, 0u);
  const SafetensorsHeader read = parse_safetensors_header(text, 8, "f");
  EXPECT_EQ(read.metadata, header.metadata);
  ASSERT_EQ(read.arrays.size(), 2u);
  EXPECT_EQ(read.arrays.at("a\\b").sizes, (std::vector<int64_t>{2, 0, 3}));
  EXPECT_EQ(read.arrays.at("日").end, 8);
}

}  // namespace
}  // namespace heed
