#include "heed/server/form_body.h"

#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/server/http_text.h"

namespace heed {

namespace {

constexpr size_t most_fields = 1000;
constexpr size_t longest_boundary = 70;  // RFC 2046

std::string decoded(std::string_view text) {
  std::optional<std::string> found = percent_decoded(text, true);
  require(found.has_value(), "the form has a % that is not followed by two digits");
  return *std::move(found);
}

// The value of name="value" or name=value among the parameters of a header.
std::optional<std::string> parameter_of(std::string_view header, std::string_view name) {
  size_t at = header.find(';');
  while (at != header.npos) {
    std::string_view rest = header.substr(at + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const size_t equals = rest.find('=');
    if (equals == rest.npos) return std::nullopt;
    const bool is_it = lower_case(trimmed(rest.substr(0, equals))) == name;
    std::string value;
    size_t next = equals + 1;
    if (next < rest.size() && rest[next] == '"') {
      for (++next; next < rest.size() && rest[next] != '"'; ++next) {
        if (rest[next] == '\\' && next + 1 < rest.size()) ++next;
        value += rest[next];
      }
    } else {
      value = trimmed(rest.substr(next, rest.find(';', next) - next));
    }
    if (is_it) return value;
    const size_t end = rest.find(';', std::min(next, rest.size()));
    at = end == rest.npos ? header.npos : static_cast<size_t>(rest.data() - header.data()) + end;
  }
  return std::nullopt;
}

// Where the next boundary is that ends a part: what follows it is a line end or "--".
size_t find_boundary(std::string_view body, std::string_view between, size_t from) {
  for (size_t at = body.find(between, from); at != body.npos; at = body.find(between, at + 1)) {
    const std::string_view next = body.substr(at + between.size());
    if (next.starts_with("\r\n") || next.starts_with("--")) return at;
  }
  return body.npos;
}

// What the header lines of a part say of it.
FormField named_part(std::string_view header) {
  while (!header.empty()) {
    const size_t end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    if (lower_case(trimmed(line.substr(0, colon))) != "content-disposition") continue;
    if (std::optional<std::string> name = parameter_of(line, "name"))
      return {*std::move(name), "", parameter_of(line, "filename").value_or("")};
  }
  fail("a part of the form has no name");
}

}  // namespace

FormFields parse_form(std::string_view text) {
  FormFields fields;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    require(fields.size() < most_fields, "the form has more than {} fields", most_fields);
    const size_t equals = std::min(pair.find('='), pair.size());
    fields.push_back(
        {decoded(pair.substr(0, equals)), decoded(pair.substr(std::min(equals + 1, pair.size())))});
  }
  return fields;
}

FormFields parse_multipart(std::string_view body, std::string_view content_type) {
  const std::optional<std::string> boundary = parameter_of(content_type, "boundary");
  require(boundary && !boundary->empty() && boundary->size() <= longest_boundary,
          "the multipart form names no boundary");
  const std::string mark = "--" + *boundary, between = "\r\n" + mark;
  size_t at = body.starts_with(mark) ? 0 : body.find(between);
  require(at != body.npos, "the multipart form does not have its boundary");
  at += body.starts_with(mark) ? mark.size() : between.size();
  FormFields fields;
  while (!body.substr(at).starts_with("--")) {
    require(body.substr(at).starts_with("\r\n"), "the multipart form has a broken boundary");
    const size_t header = at + 2;
    const size_t blank = body.find("\r\n\r\n", at);
    const size_t end = blank == body.npos ? blank : find_boundary(body, between, blank + 2);
    require(end != body.npos, "the multipart form ends in the middle of a part");
    require(fields.size() < most_fields, "the form has more than {} fields", most_fields);
    const size_t begin = std::min(blank + 4, end);
    const size_t header_size = blank > header ? blank - header : 0;
    fields.push_back(named_part(body.substr(header, header_size)));
    fields.back().value = body.substr(begin, end - begin);
    at = end + between.size();
  }
  return fields;
}

}  // namespace heed
