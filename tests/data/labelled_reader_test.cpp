#include "heed/data/labelled_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

LabelledReader reader_of(const std::string& text, LabelledFormat format) {
  return LabelledReader(LineReader(input_of(text), "a"), format);
}

// "label,label: text" for each.
std::vector<std::string> shown(const std::string& text, LabelledFormat format) {
  LabelledReader reader = reader_of(text, format);
  std::vector<std::string> all;
  for (LabelledText one; reader.next(one);)
    all.push_back(fmt::format("{}: {}", fmt::join(one.labels, ","), one.text));
  return all;
}

std::string refusal(const std::string& text, LabelledFormat format) {
  return error_of([&] { shown(text, format); });
}

TEST(LabelledReader, TakesTheLabelBeforeTheTab) {
  EXPECT_EQ(shown("pos\ta fine film\n\nneg\tdull\tmore\npos\t\n", LabelledFormat::tsv),
            (std::vector<std::string>{"pos: a fine film", "neg: dull", "pos: "}));
}

TEST(LabelledReader, TakesLabelsFromObjects) {
  EXPECT_EQ(shown(R"({"text": "a\tb", "label": "x"}
{"label": 3, "text": "c", "more": []}

{"text": "d", "labels": ["x", "y"]}
{"text": "e", "labels": []})",
                  LabelledFormat::jsonl),
            (std::vector<std::string>{"x: a\tb", "3: c", "x,y: d", ": e"}));
}

TEST(LabelledReader, NamesTheLineThatIsWrong) {
  constexpr LabelledFormat tsv = LabelledFormat::tsv, jsonl = LabelledFormat::jsonl;
  EXPECT_EQ(refusal("x\ta\nno tab\n", tsv),
            "a: line 2: a label, a tab and a text were expected but \"no tab\" was found");
  EXPECT_EQ(refusal("\ta\n", tsv), "a: line 1: the label is empty");
  EXPECT_EQ(refusal("\t\n", tsv), "a: line 1: the label is empty");
  EXPECT_EQ(refusal("x\t\xff\n", tsv), "a: line 1: is not UTF-8");
  EXPECT_EQ(refusal("{\"text\": \"a\", \"label\": \" \"}", jsonl), "a: line 1: the label is empty");
  EXPECT_EQ(refusal("{\"text\": \"a\"}", jsonl),
            "a: line 1: the object has none of \"label\" and \"labels\" but one was expected");
  EXPECT_EQ(refusal("{\"text\": \"a\", \"label\": 1, \"labels\": []}", jsonl),
            "a: line 1: the object has both of \"label\" and \"labels\" but one was expected");
  EXPECT_EQ(refusal("{\"label\": \"a\"}", jsonl), "a: line 1: the object has no \"text\"");
  EXPECT_EQ(refusal("{\"text\": \"a\", \"label\": 1.5}", jsonl),
            "a: line 1: a label is number but a text or a whole number was expected");
  EXPECT_EQ(refusal("{\"text\": \"a\", \"labels\": [\"x\", \"x\"]}", jsonl),
            "a: line 1: the label \"x\" occurs twice");
  EXPECT_EQ(refusal("[1]", jsonl), "a: line 1: a JSON object was expected but \"[1]\" was found");
}

TEST(LabelledReader, KnowsTheFormatByTheName) {
  for (const char* name : {"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"})
    EXPECT_EQ(labelled_format(name), LabelledFormat::jsonl) << name;
  for (const char* name : {"a.tsv", "a.txt", "a.tsv.gz", "jsonl"})
    EXPECT_EQ(labelled_format(name), LabelledFormat::tsv) << name;
}

}  // namespace
}  // namespace heed
