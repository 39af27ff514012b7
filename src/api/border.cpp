#include "heed/api/border.h"

#include <exception>
#include <new>
#include <system_error>

#include "heed/base/per_thread.h"

namespace heed::api {

namespace {

heed_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return HEED_USAGE;
    case ErrorKind::input:
      return HEED_INPUT;
    case ErrorKind::model:
      return HEED_MODEL;
    case ErrorKind::system:
      return HEED_SYSTEM;
    case ErrorKind::cancelled:
      return HEED_CANCELLED;
    case ErrorKind::deadline:
      return HEED_DEADLINE;
  }
  return HEED_INTERNAL;
}

Failure no_memory() { return {.status = HEED_NO_MEMORY, .constant = "there is not enough memory"}; }

Failure failure_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return {.status = status_of(error.kind()), .text = error.what()};
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::system_error& error) {
    return {.status = HEED_SYSTEM, .text = error.what()};
  } catch (const std::exception& error) {
    return {.status = HEED_INTERNAL, .text = error.what()};
  } catch (...) {
    return {.status = HEED_INTERNAL, .constant = "an exception of an unknown type"};
  }
}

// What heed_last_error() tells: of a failure that the thread keeps, or a constant.
thread_local const char* last_sentence = "";

}  // namespace

Failure current_failure() noexcept {
  try {
    return failure_of_current_exception();
  } catch (...) {  // there was no memory for the sentence
    return no_memory();
  }
}

heed_status remember(Failure failure) noexcept {
  try {
    Failure& kept = per_thread<Failure>();
    kept = std::move(failure);
    last_sentence = kept.sentence();
    return kept.status;
  } catch (const std::bad_alloc&) {
    last_sentence = no_memory().constant;
    return HEED_NO_MEMORY;
  }
}

std::vector<std::string> texts_of(const char* const* texts, size_t count, const char* function,
                                  const char* name) {
  require(count == 0 || texts != nullptr, ErrorKind::usage, "{}: the {} are NULL", function, name);
  std::vector<std::string> all(count);
  for (size_t i = 0; i < count; ++i) {
    require(texts[i] != nullptr, ErrorKind::usage, "{}: line {} of the {} is NULL", function, i,
            name);
    all[i] = texts[i];
  }
  return all;
}

}  // namespace heed::api

const char* heed_version(void) { return HEED_VERSION; }

const char* heed_status_name(heed_status status) {
  switch (status) {
    case HEED_OK:
      return "ok";
    case HEED_USAGE:
      return "usage";
    case HEED_INPUT:
      return "input";
    case HEED_MODEL:
      return "model";
    case HEED_SYSTEM:
      return "system";
    case HEED_CANCELLED:
      return "cancelled";
    case HEED_DEADLINE:
      return "deadline";
    case HEED_NO_MEMORY:
      return "no memory";
    case HEED_INTERNAL:
      return "internal";
  }
  return "unknown";
}

const char* heed_last_error(void) { return heed::api::last_sentence; }
