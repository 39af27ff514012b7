#include "heed/weights/npy_array.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "marian_maker.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::npy_header;
using heed::testing::npy_of;

NpyHeader parse(const std::string& bytes) {
  return parse_npy_header(std::as_bytes(std::span(bytes)), bytes.size(), "a");
}

TEST(NpyArray, HasAHeaderInEveryVersion) {
  for (const uint8_t version : {uint8_t{1}, uint8_t{2}, uint8_t{3}}) {
    const std::string bytes = npy_of(npy_header("<f4", {2, 3}), std::string(24, 'x'), version);
    const NpyHeader header = parse(bytes);
    EXPECT_EQ(header.type, StoredType::f32);
    EXPECT_EQ(header.sizes, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(header.data_begin, bytes.size() - 24);
  }
}

TEST(NpyArray, MayBeOneNumberOrAList) {
  EXPECT_TRUE(parse(npy_of(npy_header("<f8", {}), std::string(8, 'x'))).sizes.empty());
  EXPECT_EQ(parse(npy_of(npy_header("|i1", {5}), "12345")).type, StoredType::i8);
  EXPECT_EQ(
      parse(npy_of("{\"shape\": (5L,), 'fortran_order': True, 'descr': '|u1'}", "12345")).sizes,
      (std::vector<int64_t>{5}));
}

TEST(NpyArray, RefusesWhatItDoesNotUnderstand) {
  const auto refusal = [](const std::string& bytes) { return error_of([&] { parse(bytes); }); };
  EXPECT_EQ(refusal("no"), "a: is not an array of numpy");
  EXPECT_EQ(refusal(npy_of(npy_header("<f4", {1}), "1234", 9)),
            "a: version 9 of numpy's arrays but 1 to 3 were expected");
  EXPECT_EQ(refusal(npy_of(npy_header("<c8", {1}), "12345678")),
            "a: numbers of type \"<c8\" are not supported");
  EXPECT_EQ(refusal(npy_of(npy_header(">f4", {1}), "1234")),
            "a: numbers of type \">f4\" are not supported");
  EXPECT_EQ(refusal(npy_of(npy_header("<f4", {2}), "1234")),
            "a: 4 bytes of numbers, which do not fit the shape (2)");
  EXPECT_EQ(refusal(npy_of(npy_header("<f4", {1LL << 40, 1LL << 40}), "1234")),
            "a: 4 bytes of numbers, which do not fit the shape (1099511627776, 1099511627776)");
  EXPECT_EQ(refusal(npy_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
                           std::string(16, 'x'))),
            "a: arrays in Fortran's order are not supported");
  EXPECT_EQ(refusal(npy_of("{'descr': '<f4'}", "1234")),
            "a: the header of a numpy array lacks its type, order or shape");
  EXPECT_EQ(refusal(npy_of("{'descr': __import__('os')}", "1234")),
            "a: the header of a numpy array is not understood at \"__import__('os')}\"");
  std::string cut = npy_of(npy_header("<f4", {1}), "");
  cut.resize(30);
  EXPECT_TRUE(refusal(cut).starts_with("a: the header of a numpy array has "));
}

}  // namespace
}  // namespace heed
