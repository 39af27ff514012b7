// The scripts as texts. tests/manual asks the shells what they make of those of heed itself.
#include "heed/app/manual/completion.h"

#include <gtest/gtest.h>

#include "manual_test.h"

namespace heed {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Completion, OfBash) {
  const std::string script = bash_completion(testing::SmallProgram().manual());
  EXPECT_TRUE(has(script, "    '') echo '-h --help bake' ;;\n"));
  EXPECT_TRUE(has(script,
                  "    'bake') echo '-h --help --files --form --into --log --pair -q --quiet "
                  "--late --minutes' ;;\n"));
  EXPECT_TRUE(has(script, "    'bake 0') kind=folder most=1 ;;\n"));
  EXPECT_TRUE(has(script, "    'bake --pair') kind=file most=2 ;;\n"));
  EXPECT_TRUE(has(script, "    'bake --log') kind=file most=1 ;;\n"));
  EXPECT_TRUE(has(script, "    'bake --form') kind=choice most=1 choices='round long: 10%' ;;\n"));
  EXPECT_TRUE(has(script, "complete -F _small small\n"));
}

TEST(Completion, OfZsh) {
  const std::string script = zsh_completion(testing::SmallProgram().manual());
  EXPECT_TRUE(script.starts_with("#compdef small\n"));
  EXPECT_TRUE(has(script, " '1:FROM:_path_files -/' "));
  EXPECT_TRUE(has(script, " '*--files[Recipes\\: as many as you like]:*-*:FILES...:_files' "));
  EXPECT_TRUE(has(script,
                  " '(--quiet)--form=[The cake'\\''s form]:round|long\\:N|10%:"
                  "{compadd - round 10%; compadd -S \"\" - long\\:}' "));
  EXPECT_TRUE(has(script, " '(--quiet)--pair[Two of them]:FILE FILE:_files:FILE FILE:_files' "));
  EXPECT_TRUE(has(script, " '--log=[What happened]::[FILE]:_files' "));
  EXPECT_TRUE(has(script, " '(--form --pair -q --quiet)-q[Say nothing]' "));
  EXPECT_FALSE(has(script, "secret"));
}

TEST(Completion, OfFish) {
  const std::string script = fish_completion(testing::SmallProgram().manual());
  EXPECT_TRUE(has(script, "complete -c small -n '__small_is \\'\\'' -a 'bake' -d 'Bake a cake'\n"));
  EXPECT_TRUE(has(script, " -l form -x -a 'round long: 10%' -d 'The cake\\'s form'\n"));
  EXPECT_TRUE(has(script, " -s q -l quiet -d 'Say nothing'\n"));
  EXPECT_TRUE(has(script, " -n '__small_is \\'bake\\'; and __small_goes_on --pair' -F\n"));
  EXPECT_TRUE(has(script, " -l log -d 'What happened'\n"));
  EXPECT_TRUE(has(script, " -n '__small_is \\'bake\\'; and __small_goes_on --log' -F\n"));
}

}  // namespace
}  // namespace heed
