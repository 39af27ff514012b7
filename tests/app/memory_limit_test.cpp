#include "heed/app/cli/memory_limit.h"

#include <gtest/gtest.h>

#include "heed/base/sanitizer.h"
#include "paths.h"
#include "sample_text.h"
#include "shell.h"

namespace heed {
namespace {

// A process that takes more than so many seconds of a processor's time is killed.
TEST(MemoryLimit, IsFoundOutSoon) {
#if defined(HEED_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
#endif
  const testing::Shell shell(testing::heed_program);
  std::string text;
  for (const std::string& sentence : testing::made_up_sentences(1000)) text += sentence + "\n";
  shell.folder().put("a", text);
  const auto result =
      shell.run("ulimit -v 100000; ulimit -t 4; $HEED train --train a a --model m --steps 1");
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(result.err.ends_with("not enough memory\n")) << result.err;
}

}  // namespace
}  // namespace heed
