#include "heed/app/cli/attend_input.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

// One size of an expected shape: a number, or a name if any size will do.
struct Size {
  Size(int64_t exact) : number(exact), text(std::to_string(exact)) {}
  Size(const char* any) : text(any) {}

  bool fits(int64_t found) const { return number ? *number == found : found > 0; }

  std::optional<int64_t> number;
  std::string text;
};

using Sizes = std::vector<Size>;

std::string text_of(const Sizes& sizes) {
  std::vector<std::string> texts;
  for (const Size& size : sizes) texts.push_back(size.text);
  return fmt::format("({})", fmt::join(texts, ", "));
}

bool fits(const Shape& shape, const Sizes& expected) {
  if (shape.rank() != static_cast<int>(expected.size())) return false;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (!expected[static_cast<size_t>(axis)].fits(shape[axis])) return false;
  return true;
}

// What the shapes of the arrays say, before any of them is read.
struct Sizing {
  int rank = 0;  // of queries, keys and values
  int64_t batch = 1;
  int64_t heads = 1;     // of the queries
  int64_t kv_heads = 1;  // of keys and values
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t query_width = 0;  // per head, like all widths
  int64_t key_width = 0;
  int64_t value_width = 0;
  int64_t hidden = 0;  // of the additive score

  Sizes leading() const {
    if (rank == 2) return {};
    return rank == 3 ? Sizes{batch} : Sizes{batch, heads};
  }
  Sizes output_shape() const {
    Sizes sizes = leading();
    sizes.emplace_back(queries);
    sizes.emplace_back(rank == 4 ? value_width : heads * value_width);
    return sizes;
  }
};

bool needs_equal_widths(ScoreKind score) {
  return score != ScoreKind::bilinear && score != ScoreKind::additive;
}

class InputReader {
 public:
  InputReader(const TensorFile& file, const AttendOptions& options)
      : file_(file), options_(options) {}

  AttendInput read() {
    size_queries();
    size_keys_and_values();
    size_score();
    check_memory();
    AttendInput input;
    input.queries = read_floats("queries");
    input.keys = read_floats("keys");
    input.values = read_floats("values");
    for (const std::string& name : parameter_names())
      input.parameters.emplace_back(name, read_floats(name));
    if (options_.score == ScoreKind::gaussian) check_bandwidth(input.parameters.front().second);
    if (use_if_there("valid_lengths")) input.valid_lengths = read_valid_lengths();
    if (use_if_there("mask")) input.allowed = read_mask();
    if (use_if_there("output.gradient")) {
      expect("output.gradient", {sizes_.output_shape()});
      input.output_gradient = read_floats("output.gradient");
    }
    for (const std::string& name : file_.names())
      if (!used_.contains(name)) input.unused.push_back(name);
    return input;
  }

 private:
  // The shape of an array, which must be one of those expected.
  Shape expect(const std::string& name, const std::vector<Sizes>& expected) {
    used_.insert(name);
    const Shape shape = file_.shape(name);
    if (std::ranges::any_of(expected, [&](const Sizes& sizes) { return fits(shape, sizes); }))
      return shape;
    std::vector<std::string> texts;
    for (const Sizes& sizes : expected)
      if (const std::string text = text_of(sizes); std::ranges::find(texts, text) == texts.end())
        texts.push_back(text);
    fail("{}: array {} has shape {} but {} was expected", file_.file(), quote(name), shape.text(),
         fmt::join(texts, " or "));
  }

  bool use_if_there(const std::string& name) const { return file_.contains(name); }

  void size_queries() {
    const Shape shape = expect("queries", {{"queries", "width"},
                                           {"batch", "queries", "width"},
                                           {"batch", "heads", "queries", "width"}});
    sizes_.rank = shape.rank();
    if (sizes_.rank >= 3) sizes_.batch = shape[0];
    if (sizes_.rank == 4)
      require(options_.heads == 1 || options_.heads == shape[1],
              "{}: array \"queries\" has shape {} with {} heads but {} were asked for",
              file_.file(), shape.text(), shape[1], options_.heads);
    sizes_.heads = sizes_.rank == 4 ? shape[1] : options_.heads;
    sizes_.kv_heads = sizes_.heads;
    sizes_.queries = shape[-2];
    sizes_.query_width = width_of_a_head("queries", shape);
  }

  void size_keys_and_values() {
    const Sizes batch = sizes_.rank == 2 ? Sizes{} : Sizes{sizes_.batch};
    const auto with_batch = [&](const Sizes& rest) {
      Sizes sizes = batch;
      sizes.insert(sizes.end(), rest.begin(), rest.end());
      return sizes;
    };
    const bool has_head_axis = sizes_.rank == 4;
    const int64_t query_columns =
        has_head_axis ? sizes_.query_width : sizes_.heads * sizes_.query_width;
    const Size width = needs_equal_widths(options_.score) ? Size(query_columns) : Size("width");
    const Shape keys = expect(
        "keys", {with_batch(has_head_axis ? Sizes{"heads", "keys", width} : Sizes{"keys", width})});
    if (has_head_axis) {
      sizes_.kv_heads = keys[1];
      require(sizes_.heads % keys[1] == 0,
              "{}: array \"keys\" has {} heads but a number that divides the {} heads of "
              "\"queries\" was "
              "expected",
              file_.file(), keys[1], sizes_.heads);
    }
    sizes_.keys = keys[-2];
    sizes_.key_width = width_of_a_head("keys", keys);
    const Shape values =
        expect("values", {with_batch(has_head_axis ? Sizes{sizes_.kv_heads, sizes_.keys, "width"}
                                                   : Sizes{sizes_.keys, "width"})});
    sizes_.value_width = width_of_a_head("values", values);
  }

  int64_t width_of_a_head(std::string_view name, const Shape& shape) const {
    if (shape.rank() == 4) return shape[-1];
    require(shape[-1] % options_.heads == 0,
            "{}: array {} has width {}, which {} heads do not divide", file_.file(), quote(name),
            shape[-1], options_.heads);
    return shape[-1] / options_.heads;
  }

  std::vector<std::string> parameter_names() const {
    switch (options_.score) {
      case ScoreKind::bilinear:
        return {"score.weight"};
      case ScoreKind::additive:
        return {"score.query.weight", "score.key.weight", "score.value.weight"};
      case ScoreKind::gaussian:
        return {"score.bandwidth"};
      case ScoreKind::dot:
      case ScoreKind::scaled_dot:
      case ScoreKind::cosine:
        return {};
    }
    __builtin_unreachable();
  }

  void size_score() {
    if (options_.score == ScoreKind::bilinear)
      expect("score.weight", {{sizes_.query_width, sizes_.key_width}});
    if (options_.score == ScoreKind::gaussian) expect("score.bandwidth", {{}, {1}});
    if (options_.score == ScoreKind::additive) {
      sizes_.hidden = expect("score.query.weight", {{"hidden", sizes_.query_width}})[0];
      expect("score.key.weight", {{sizes_.hidden, sizes_.key_width}});
      expect("score.value.weight", {{sizes_.hidden}});
    }
  }

  // A small file can ask for a huge result: a million queries and a million keys have 10¹² weights.
  // Counted in floating point, which is exact enough and cannot overflow.
  void check_memory() const {
    const auto count = [](int64_t number) { return static_cast<double>(number); };
    const double query_rows = count(sizes_.batch) * count(sizes_.heads) * count(sizes_.queries);
    const double key_rows = count(sizes_.batch) * count(sizes_.kv_heads) * count(sizes_.keys);
    const double weights = options_.want_weights ? query_rows * count(sizes_.keys) : 0;
    double elements = query_rows * count(sizes_.query_width + sizes_.value_width + sizes_.hidden) +
                      key_rows * count(sizes_.key_width + sizes_.value_width + sizes_.hidden);
    if (options_.score == ScoreKind::bilinear) elements += query_rows * count(sizes_.key_width);
    if (file_.contains("output.gradient")) elements *= 3;
    const double bytes = (elements + weights) * static_cast<double>(size_of(type()));
    require(bytes <= options_.memory_limit,
            "{}: the result for \"queries\" {} and \"keys\" {} needs {:.3g} GB but this machine "
            "has {:.3g} GB{}",
            file_.file(), file_.shape("queries").text(), file_.shape("keys").text(), bytes / 1e9,
            options_.memory_limit / 1e9, weights > elements ? "; --no-weights needs less" : "");
  }

  Type type() const {
    return file_.entry("queries").type == StoredType::f64 ? Type::float64 : Type::float32;
  }

  Tensor read_floats(const std::string& name) { return file_.read_finite(name, type()); }

  // Beyond these bounds, the powers of the bandwidth in its gradient overflow float32.
  void check_bandwidth(const Tensor& bandwidth) const {
    const double magnitude = std::abs(bandwidth[0]);
    require(magnitude >= 1e-12 && magnitude <= 1e12,
            "{}: array \"score.bandwidth\" holds {} but a number of magnitude 1e-12 to 1e12 was "
            "expected",
            file_.file(), bandwidth[0]);
  }

  std::vector<int64_t> read_valid_lengths() {
    // Without a batch axis there is one sequence, and its axis may be missing here too.
    std::vector<Sizes> expected = {{sizes_.batch}, {sizes_.batch, sizes_.queries}};
    if (sizes_.rank == 2) expected.insert(expected.end(), {Sizes{}, Sizes{sizes_.queries}});
    expect("valid_lengths", expected);
    const StoredType found = file_.entry("valid_lengths").type;
    require(found == StoredType::i64,
            "{}: array \"valid_lengths\" has type {} but I64 was expected", file_.file(),
            name_of(found));
    std::vector<int64_t> lengths = file_.read_integers("valid_lengths");
    for (size_t i = 0; i < lengths.size(); ++i)
      require(lengths[i] >= 0 && lengths[i] <= sizes_.keys,
              "{}: array \"valid_lengths\" holds {} at {} but 0 to {}, the number of keys, was "
              "expected",
              file_.file(), lengths[i],
              index_text(file_.shape("valid_lengths"), static_cast<int64_t>(i)), sizes_.keys);
    return lengths;
  }

  std::shared_ptr<const BooleanMask> read_mask() {
    const Sizes matrix = {sizes_.queries, sizes_.keys};
    std::vector<Sizes> expected = {matrix};
    if (sizes_.rank >= 3) expected.push_back({sizes_.batch, sizes_.queries, sizes_.keys});
    if (sizes_.rank == 2 && sizes_.heads > 1)
      expected.push_back({sizes_.heads, sizes_.queries, sizes_.keys});
    if (sizes_.rank == 4 || (sizes_.rank == 3 && sizes_.heads > 1))
      expected.push_back({sizes_.batch, sizes_.heads, sizes_.queries, sizes_.keys});
    const Shape shape = expect("mask", expected);
    const bool heads_without_batch = sizes_.rank == 2 && shape.rank() == 3;
    auto mask = std::make_shared<BooleanMask>();
    mask->shape = heads_without_batch ? Shape{1, shape[0], shape[1], shape[2]} : shape;
    mask->allowed = file_.read_booleans("mask");
    return mask;
  }

  const TensorFile& file_;
  const AttendOptions& options_;
  Sizing sizes_;
  std::set<std::string> used_;
};

}  // namespace

AttendInput read_attend_input(const TensorFile& file, const AttendOptions& options) {
  require(options.heads >= 1, "{} heads but at least 1 was expected", options.heads);
  return InputReader(file, options).read();
}

}  // namespace heed
