// Any bytes, as the target and the body of a request: they are refused with an Error or a Refusal,
// or all parameters can be asked for. The first byte says what the body claims to be.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/server/http_text.h"
#include "heed/server/parameters.h"
#include "heed/server/refusal.h"

namespace {

void ask_for_everything(const heed::Parameters& parameters) {
  for (const char* name : {"q", "text", "a"}) {
    const auto allow_refusals = [&](auto ask) {
      try {
        ask();
      } catch (const heed::Refusal&) {
      }
    };
    allow_refusals([&] { parameters.text(name); });
    allow_refusals([&] { parameters.texts(name); });
    allow_refusals([&] { parameters.truth(name); });
    allow_refusals([&] { parameters.number(name, -1, 1); });
    allow_refusals([&] { parameters.whole_number(name, -1, 1); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static constexpr std::array types = {"application/json", "application/x-www-form-urlencoded",
                                       "multipart/form-data; boundary=x",
                                       "multipart/form-data; boundary=\"a b\"", ""};
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  heed::split_target(bytes);
  heed::HttpRequest request;
  request.method = "POST";
  request.headers["content-type"] = types[data[0] % types.size()];
  request.query = bytes.substr(0, bytes.find('\n'));
  request.body = bytes;
  try {
    ask_for_everything(heed::Parameters(request));
  } catch (const heed::Refusal& refusal) {
    if (heed::refusal_reply(refusal, heed::ApiShape::none).body.empty()) std::abort();
  }
  return 0;
}
