#include "heed/server/refusal.h"

#include "heed/base/error.h"
#include "heed/base/json.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return 400;
    case ErrorKind::cancelled:
    case ErrorKind::deadline:
      return 503;
    case ErrorKind::model:
    case ErrorKind::system:
      return 500;
  }
  return 500;
}

}  // namespace

HttpReply refusal_reply(const Refusal& refusal, ApiShape shape) {
  Json body = Json::object();
  if (shape != ApiShape::deepl) body["error"] = refusal.what();
  if (shape == ApiShape::deepl || shape == ApiShape::none) body["message"] = refusal.what();
  HttpReply reply{refusal.status(), body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (refusal.retry_after())
    reply.headers.emplace_back("Retry-After", std::to_string(*refusal.retry_after()));
  return reply;
}

Refusal refusal_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const Error& failure) {
    if (failure.kind() == ErrorKind::deadline)
      return {503, "the translation was not done in time", 1};
    return {status_of(failure.kind()), failure.what()};
  } catch (const std::bad_alloc&) {
    return {503, "the server is out of memory", 1};
  } catch (const std::exception&) {
    return {500, "the server failed"};
  }
}

}  // namespace heed
