// What a request asks for, whether it is JSON, a form, a multipart form or a query.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/server/form_body.h"
#include "heed/server/http_message.h"

namespace heed {

// A value as it was sent. Forms have only texts, so that a number may also be written as a text.
struct ParameterValue {
  enum class Kind { nothing, truth, number, text, texts, other };

  Kind kind = Kind::nothing;
  bool truth = false;
  double number = 0;
  bool is_whole = false;
  std::string text = {};
  std::vector<std::string> texts = {};
  std::string file = {};  // the name of the file that the text was, if it was one
};

class Parameters {
 public:
  // A Refusal (400) says what is wrong with the body.
  explicit Parameters(const HttpRequest& request);

  bool is_json() const { return is_json_; }
  const ParameterValue* find(std::string_view name) const;
  std::vector<std::string> names() const;

  // Each of these is absent if it was not sent, or is null or empty. A Refusal (400) says what was
  // expected.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<bool> truth(std::string_view name) const;
  std::optional<int64_t> whole_number(std::string_view name, int64_t low, int64_t high) const;
  std::optional<double> number(std::string_view name, double low, double high) const;
  // One text, a list of texts, or a field that was sent several times.
  std::optional<std::vector<std::string>> texts(std::string_view name) const;

 private:
  void read_json(const std::string& body);
  void add_field(FormField field);

  std::map<std::string, ParameterValue, std::less<>> values_;
  bool is_json_ = false;
};

}  // namespace heed
