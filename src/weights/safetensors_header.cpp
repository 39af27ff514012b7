#include "heed/weights/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view metadata_name = "__metadata__";

// Receives the header from the JSON parser piece by piece. Only what the format allows is stored,
// and nothing nests deeper than an entry's list of sizes, whatever the text does.
class HeaderReader : public nlohmann::json_sax<JsonValue> {
 public:
  explicit HeaderReader(std::string_view file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    unexpected("a number that is no size");
  }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::shape && place_ != Place::offsets) unexpected("a number");
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      unexpected("a number that is no size");
    if (place_ == Place::offsets && numbers_.size() == 2) unexpected("a third number");
    numbers_.push_back(static_cast<int64_t>(number));
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      const bool is_new = header_.metadata.emplace(field_, text).second;
      require(is_new, "{}: metadata {} is given twice", file_, Quoted{field_});
    } else if (place_ == Place::entry && field_ == "dtype") {
      type_ = stored_type_named(text);
      require(type_.has_value(), "{}: array {} has the unknown type {}", file_, Quoted{name_},
              Quoted{text});
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool start_object(size_t) override {
    switch (place_) {
      case Place::outside:
        place_ = Place::header;
        return true;
      case Place::header:
        place_ = name_ == metadata_name ? Place::metadata : Place::entry;
        return true;
      case Place::metadata:
      case Place::entry:
      case Place::shape:
      case Place::offsets:
        break;
    }
    unexpected("an object");
  }

  bool key(string_t& text) override {
    if (place_ == Place::header)
      start_entry(text);
    else
      field_ = text;
    if (place_ == Place::entry) check_field();
    return true;
  }

  bool end_object() override {
    if (place_ == Place::entry) end_entry();
    place_ = place_ == Place::header ? Place::outside : Place::header;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::entry || field_ == "dtype") unexpected("a list");
    place_ = field_ == "shape" ? Place::shape : Place::offsets;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets && numbers_.size() != 2)
      unexpected(fmt::format("{} numbers", numbers_.size()));
    (place_ == Place::shape ? sizes_ : offsets_) = std::move(numbers_);
    numbers_.clear();
    place_ = Place::entry;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail("{}: the header is not valid JSON from byte {} on", file_, position);
  }

 private:
  enum class Place { outside, header, metadata, entry, shape, offsets };

  [[noreturn]] void unexpected(std::string_view found) const {
    switch (place_) {
      case Place::outside:
        break;  // the text begins with a brace, so only an object can be here
      case Place::header:
        if (name_ == metadata_name)
          fail("{}: the metadata is {} but an object was expected", file_, found);
        fail("{}: array {} is described by {} but an object was expected", file_, Quoted{name_},
             found);
      case Place::metadata:
        fail("{}: metadata {} is {} but a string was expected", file_, Quoted{field_}, found);
      case Place::entry:
        fail("{}: array {} has {} as \"{}\" but {} was expected", file_, Quoted{name_}, found,
             field_,
             field_ == "dtype"   ? "the name of a type"
             : field_ == "shape" ? "a list of sizes"
                                 : "a list of two offsets");
      case Place::shape:
        fail("{}: array {} has {} in its shape but sizes were expected", file_, Quoted{name_},
             found);
      case Place::offsets:
        fail("{}: array {} has {} in its data_offsets but two offsets were expected", file_,
             Quoted{name_}, found);
    }
    fail("{}: the header is {} but an object was expected", file_, found);
  }

  void start_entry(const std::string& name) {
    const bool seen = name == metadata_name ? seen_metadata_ : header_.arrays.contains(name);
    require(!seen, "{}: {} is described twice", file_,
            name == metadata_name ? "the metadata" : "array " + quote(name));
    if (name == metadata_name) seen_metadata_ = true;
    name_ = name;
    type_.reset();
    sizes_.reset();
    offsets_.reset();
  }

  void check_field() const {
    const bool known = field_ == "dtype" || field_ == "shape" || field_ == "data_offsets";
    require(known, "{}: array {} has the unknown field {}", file_, Quoted{name_}, Quoted{field_});
    const bool seen =
        field_ == "dtype" ? type_.has_value() : (field_ == "shape" ? sizes_ : offsets_).has_value();
    require(!seen, "{}: array {} has its \"{}\" twice", file_, Quoted{name_}, field_);
  }

  void end_entry() {
    require(type_.has_value(), "{}: array {} has no \"dtype\"", file_, Quoted{name_});
    require(sizes_.has_value(), "{}: array {} has no \"shape\"", file_, Quoted{name_});
    require(offsets_.has_value(), "{}: array {} has no \"data_offsets\"", file_, Quoted{name_});
    header_.arrays.emplace(name_,
                           StoredArray{*type_, std::move(*sizes_), (*offsets_)[0], (*offsets_)[1]});
  }

  std::string_view file_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  bool seen_metadata_ = false;
  std::string name_;   // of the array that is being described
  std::string field_;  // of the array or of the metadata
  std::vector<int64_t> numbers_;
  std::optional<StoredType> type_;
  std::optional<std::vector<int64_t>> sizes_;
  std::optional<std::vector<int64_t>> offsets_;
};

// Sizes of 0 are skipped, so that partial products are checked for overflow, too.
std::optional<int64_t> count_elements(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes)
    if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product)) return std::nullopt;
  return std::ranges::find(sizes, 0) == sizes.end() ? product : 0;
}

void check_span(const std::string& name, const StoredArray& array, std::string_view file) {
  const std::optional<int64_t> elements = count_elements(array.sizes);
  const std::optional<int64_t> bytes = elements ? bytes_of(array.type, *elements) : std::nullopt;
  require(bytes.has_value(), "{}: array {} of type {} cannot have the shape {}", file, Quoted{name},
          name_of(array.type), array.shape_text());
  require(array.begin <= array.end, "{}: array {} begins at byte {} of the data but ends at {}",
          file, Quoted{name}, array.begin, array.end);
  require(array.end - array.begin == *bytes,
          "{}: array {} of type {} and shape {} needs {} bytes but has {}", file, Quoted{name},
          name_of(array.type), array.shape_text(), *bytes, array.end - array.begin);
}

// The arrays must cover the data exactly: a byte that belongs to none, or to two, could hide
// something.
void check_layout(const SafetensorsHeader& header, int64_t data_length, std::string_view file) {
  using Span = std::pair<int64_t, int64_t>;
  std::vector<std::pair<Span, const std::string*>> spans;
  for (const auto& [name, array] : header.arrays)
    spans.push_back({{array.begin, array.end}, &name});
  // Of arrays that lie in one place, the first by name comes first.
  std::ranges::stable_sort(spans, {}, [](const auto& entry) { return entry.first; });
  int64_t covered = 0;
  for (const auto& [span, name] : spans) {
    require(span.first == covered,
            "{}: array {} begins at byte {} of the data but the arrays before it end at {}", file,
            Quoted{*name}, span.first, covered);
    covered = span.second;
  }
  require(covered == data_length, "{}: its arrays take {} bytes but {} follow the header", file,
          covered, data_length);
}

}  // namespace

std::string StoredArray::shape_text() const {
  constexpr size_t shown = 8;
  const std::span<const int64_t> first = std::span(sizes).first(std::min(shown, sizes.size()));
  return fmt::format("({}{})", fmt::join(first, ", "), sizes.size() > shown ? ", …" : "");
}

SafetensorsHeader parse_safetensors_header(std::string_view json, int64_t data_length,
                                           std::string_view file) {
  require(!json.empty() && json.front() == '{',
          "{}: the header begins with {} but \"{{\" was expected", file,
          json.empty() ? "nothing" : quote(json.substr(0, 1)));
  // The JSON parser treats a zero byte as the end and would ignore what follows it.
  const size_t zero = json.find('\0');
  require(zero == json.npos, "{}: the header is not valid JSON from byte {} on", file, zero + 1);
  HeaderReader reader(file);
  JsonValue::sax_parse(json, &reader);
  SafetensorsHeader header = reader.take();
  for (const auto& [name, array] : header.arrays) check_span(name, array, file);
  check_layout(header, data_length, file);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  JsonValue json = JsonValue::object();
  if (!header.metadata.empty()) json[std::string(metadata_name)] = header.metadata;
  for (const auto& [name, array] : header.arrays)
    json[name] = json_object<JsonValue>({{"dtype", name_of(array.type)},
                                         {"shape", array.sizes},
                                         {"data_offsets", std::array{array.begin, array.end}}});
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace heed
