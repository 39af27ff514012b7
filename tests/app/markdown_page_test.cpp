#include "heed/app/manual/markdown_page.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"
#include "manual_test.h"

namespace heed {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string page_with(const std::string& description) {
  ProgramManual manual = testing::SmallProgram().manual();
  manual.commands[0].text.description = {{TextBlock::Kind::prose, description}};
  return markdown_page(manual, manual.commands[0]);
}

TEST(MarkdownPage, OfACommand) {
  const ProgramManual manual = testing::SmallProgram().manual();
  EXPECT_EQ(markdown_page(manual, manual.commands[0]), R"(# small bake

Bake a cake.

```text
small bake --into FOLDER [OPTIONS] FROM
```

It's done when it's done. .5 is half; a\\b.

## Examples

```console
$ small bake flour --into .
```

## Arguments

- `FROM`: What it is made from.

## Options

- `-h, --help`: Print this help message and exit.
- `--files FILES...`: Recipes: as many as you like.
- `--form round|long:N|10%`: The cake's form. Not with `--quiet`.
- `--into FOLDER`: Where it goes. Required.
- `--log [FILE]`: What happened.
- `--pair FILE FILE`: Two of them. Not with `--quiet`.
- `-q, --quiet`: Say nothing. Not with `--form` or `--pair`.
- `--late TEXT`: A flag of the first group, added last.

## Oven \[hot\]

- `--minutes N`: Time in the oven. Default: 40. The environment variable OVEN does the same. Needs
  `--form`.

[All commands](README.md)
)");
}

TEST(MarkdownPage, TextIsNotTakenForMarkdown) {
  EXPECT_TRUE(
      has(page_with("*.spm a_b <b> [x](y) a | b"), "\n\\*.spm a\\_b \\<b\\> \\[x\\](y) a \\| b\n"));
  EXPECT_TRUE(has(page_with("run `a --b *` now"), "\nrun `a --b *` now\n"));
  EXPECT_TRUE(has(page_with("-1 or x--y, --flag-2."), "\n-1 or x--y, `--flag-2`.\n"));
  // A dash that comes to stand at the beginning of a line.
  EXPECT_TRUE(has(page_with(std::string(99, 'x') + " - y"), "x\n\\- y\n"));
}

TEST(MarkdownPage, LinesHaveAtMost100Columns) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "--word" + std::to_string(i) + " ";
  for (const std::string& line : lines_of(page_with(words))) EXPECT_LE(display_width(line), 100);
}

TEST(MarkdownPage, OfTheProgramLinksItsCommands) {
  const std::string page = markdown_page(testing::SmallProgram().manual());
  EXPECT_TRUE(page.starts_with("# small\n\nA program.\n"));
  EXPECT_TRUE(has(page, "\n- [`small bake`](bake.md): Bake a cake\n"));
  EXPECT_FALSE(has(page, "hidden"));
}

}  // namespace
}  // namespace heed
