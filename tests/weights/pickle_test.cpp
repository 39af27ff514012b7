#include "heed/weights/pickle.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/weights/pickle_opcodes.h"

namespace heed {
namespace {

using heed::testing::error_of;
using namespace std::string_literals;

Pickle run(const std::string& bytes) { return Pickle(std::as_bytes(std::span(bytes)), "m.bin"); }

std::string refusal(const std::string& bytes) {
  return error_of([&] { run(bytes); });
}

std::string text(const std::string& value) {
  return "X" + std::string(1, static_cast<char>(value.size())) + "\0\0\0"s + value;
}

const std::string tensor_maker = "ctorch._utils\n_rebuild_tensor_v2\n";
const std::string storage =
    "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\x06tQ";

TEST(Pickle, HoldsPlainValues) {
  const std::string bytes =
      "\x80\x02]\x28"
      "NK\x05M\x01\x02J\xff\xff\xff\xff\x8a\x02\x00\x80"s +
      "G?\xe0\0\0\0\0\0\0\x88\x89"s + text("ab") + "e.rest";
  const Pickle pickle = run(bytes);
  EXPECT_EQ(pickle.size(), bytes.size() - 4);
  ASSERT_EQ(pickle.root().kind, PickleKind::list);
  const auto item = [&](size_t i) { return pickle[pickle.root().items.at(i)]; };
  EXPECT_EQ(item(0).kind, PickleKind::none);
  EXPECT_EQ(item(1).integer, 5);
  EXPECT_EQ(item(2).integer, 0x201);
  EXPECT_EQ(item(3).integer, -1);
  EXPECT_EQ(item(4).integer, -32768);
  EXPECT_EQ(item(5).real, 0.5);
  EXPECT_EQ(item(6).integer, 1);
  EXPECT_EQ(item(7).integer, 0);
  EXPECT_EQ(item(8).text, "ab");
}

TEST(Pickle, RemembersValues) {
  const Pickle pickle = run("(" + text("a") + "q\x07h\x07t.");
  ASSERT_EQ(pickle.root().items.size(), 2u);
  EXPECT_EQ(pickle.root().items[0], pickle.root().items[1]);
}

TEST(Pickle, MayHoldItself) {
  const std::string bytes = "]q\0h\0a."s;
  const Pickle pickle = run(bytes);
  EXPECT_EQ(&pickle[pickle.root().items.at(0)], &pickle.root());
}

TEST(Pickle, DescribesTensorsAndCallsNothing) {
  const std::string bytes =
      tensor_maker + "(" + storage + "K\x01K\x02K\x03\x86K\x03K\x01\x86\x89NtR.";
  const Pickle pickle = run(bytes);
  ASSERT_EQ(pickle.root().kind, PickleKind::tensor);
  const PickleValue& place = pickle[pickle.root().items[0]];
  EXPECT_EQ(place.kind, PickleKind::storage);
  EXPECT_EQ(pickle[place.items[0]].text, "torch.FloatStorage");
  EXPECT_EQ(pickle[place.items[1]].text, "0");
  EXPECT_EQ(pickle[place.items[2]].integer, 6);
}

TEST(Pickle, RefusesNamesThatTensorsDoNotNeed) {
  EXPECT_EQ(refusal("cos\nsystem\n" + text("ls") + "\x85R."),
            "m.bin: the pickle names \"os.system\", which is no part of a tensor and is refused");
  EXPECT_EQ(refusal(text("builtins") + text("eval") + "\x93."),
            "m.bin: the pickle names \"builtins.eval\", which is no part of a tensor and is "
            "refused");
  EXPECT_EQ(refusal("ctorch\nFloatStorage\n)R."),
            "m.bin: the pickle calls \"torch.FloatStorage\", which is refused");
}

// Every opcode is run, or refused by the name that Python has for it.
TEST(Pickle, RefusesOtherOpcodesByName) {
  EXPECT_EQ(refusal("ios\nsystem\n."),
            "m.bin: the pickle uses INST at byte 0, which tensors do not need and heed refuses");
  EXPECT_EQ(refusal("\x81."),
            "m.bin: the pickle uses NEWOBJ at byte 0, which tensors do not need and heed refuses");
  EXPECT_EQ(refusal("N\xff"), "m.bin: byte 1 of the pickle is 0xff, which is no opcode");
  for (int code = 0; code < 256; ++code) {
    const std::string said = refusal(std::string(1, static_cast<char>(code)));
    EXPECT_TRUE(said.starts_with("m.bin: ")) << code << ": " << said;
    const std::string_view name = pickle_opcode_name(static_cast<uint8_t>(code));
    if (name.empty()) {
      EXPECT_NE(said.find("no opcode"), said.npos) << said;
    }
  }
}

TEST(Pickle, RefusesWhatIsNotThere) {
  EXPECT_EQ(refusal(""), "m.bin: the pickle needs 1 bytes at byte 0 but 0 are left");
  EXPECT_EQ(refusal("X\xff\xff\xff\xff"
                    "a"s),
            "m.bin: the pickle needs 4294967295 bytes at byte 5 but 1 are left");
  EXPECT_EQ(refusal("h\x01."), "m.bin: the pickle uses value 1, which it has not stored");
  EXPECT_EQ(refusal("N\x86."), "m.bin: the pickle uses a value that is not there");
  EXPECT_EQ(refusal("N(q\x01."), "m.bin: the pickle uses a value that is not there");
  EXPECT_EQ(refusal("Nt."), "m.bin: the pickle uses a mark that is not there");
  EXPECT_EQ(refusal("NN."), "m.bin: the pickle ends with 2 values but one was expected");
  EXPECT_EQ(refusal("NNa."), "m.bin: the pickle has None where a list was expected");
  EXPECT_EQ(refusal("}(Nu."), "m.bin: the pickle has a key without a value");
  EXPECT_EQ(refusal("cos"), "m.bin: a name of the pickle has no end");
  EXPECT_EQ(refusal("\x80\x06."), "m.bin: the pickle has protocol 6 but heed reads up to 5");
}

TEST(Pickle, RefusesTensorsThatAreNone) {
  EXPECT_EQ(refusal(tensor_maker + ")R."), "m.bin: the pickle describes a tensor with 0 values");
  EXPECT_EQ(refusal(tensor_maker + "(NNNNtR."),
            "m.bin: the pickle has None where a storage was expected");
  EXPECT_EQ(refusal("(" + text("module") + "NNNNtQ."),
            "m.bin: the pickle refers to something that is not a storage");
  EXPECT_EQ(refusal("ccollections\nOrderedDict\nN\x85R."),
            "m.bin: the pickle makes an OrderedDict of 1 arguments");
}

TEST(Pickle, MemoryStaysSmallAndNestingIsFree) {
  EXPECT_EQ(refusal(std::string(1'000'001, 'N') + "."),
            "m.bin: the pickle has more than 1000000 values");
  std::string deep(900'000, ']');
  deep += std::string(899'999, 'a') + ".";
  EXPECT_EQ(run(deep).root().kind, PickleKind::list);
}

}  // namespace
}  // namespace heed
