#include "heed/runs/dumped_weights.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/error_place.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

int64_t batch_of(const DumpedArray& array) { return array.weights.shape()[0]; }

Tensor weights_of(const DumpedArray& array, int64_t item) {
  const Shape& shape = array.weights.shape();
  return array.weights.slice(item, item + 1).reshape({shape[1], shape[2], shape[3], shape[4]});
}

// A list of labels, or that of one of the batch.
std::vector<std::string> labels_in(const Json& object, const char* axis, int64_t item,
                                   int64_t count, std::string_view where) {
  const auto found = object.find(axis);
  require(found != object.end() && found->is_array(),
          "{}: a list of labels named \"{}\" is missing", where, axis);
  const Json* list = &*found;
  if (!list->empty() && list->front().is_array()) {
    require(item < static_cast<int64_t>(list->size()),
            "{}: \"{}\" has labels for {} of a larger batch", where, axis, list->size());
    list = &(*list)[static_cast<size_t>(item)];
  }
  std::vector<std::string> labels;
  for (const Json& label : *list) {
    require(label.is_string(), "{}: \"{}\" has a label that is no text", where, axis);
    labels.push_back(label.get<std::string>());
  }
  require(static_cast<int64_t>(labels.size()) == count, "{}: {} labels of \"{}\" but there are {}",
          where, labels.size(), axis, count);
  return labels;
}

std::vector<std::string> labels_or_numbers(const std::vector<std::string>& labels, int64_t count) {
  if (!labels.empty()) return labels;
  std::vector<std::string> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

DumpedLabels labels_of(const DumpedArray& array, int64_t item) {
  return array.labels.empty() ? DumpedLabels() : array.labels[static_cast<size_t>(item)];
}

}  // namespace

DumpedArray dumped_array(std::string name, const Tensor& weights) {
  const Shape& shape = weights.shape();
  const int rank = shape.rank();
  require(rank >= 2 && rank <= 5,
          "array {} has shape {} but 2 to 5 axes were expected: (batch, layers, heads, queries, "
          "keys), or the last of these",
          Quoted{name}, shape.text());
  require(shape.elements() > 0, "array {} has shape {}, so there is nothing to show", Quoted{name},
          shape.text());
  const auto axis = [&](int from_last) { return rank >= from_last ? shape[-from_last] : 1; };
  return {.name = std::move(name),
          .weights = weights.reshape({axis(5), axis(4), axis(3), axis(2), axis(1)}),
          .labels = {}};
}

std::vector<DumpedArray> read_dumped_weights(const TensorFile& file) {
  std::vector<DumpedArray> arrays;
  for (const std::string& name : file.names()) {
    const Tensor weights = file.read_finite(name, Type::float64).to(Type::float32);
    arrays.push_back(with_place(file.file(), [&] { return dumped_array(name, weights); }));
    require(batch_of(arrays.back()) == batch_of(arrays.front()),
            "{}: array {} has a batch of {} but array {} one of {}", file.file(), Quoted{name},
            batch_of(arrays.back()), Quoted{arrays.front().name}, batch_of(arrays.front()));
  }
  require(!arrays.empty(), "{}: has no arrays", file.file());
  return arrays;
}

void label_dumped_weights(std::vector<DumpedArray>& arrays, std::string_view json,
                          std::string_view file) {
  const Json labels = Json::parse(json, nullptr, false);
  require(labels.is_object(), "{}: is not an object of JSON with labels", file);
  for (DumpedArray& array : arrays) {
    const auto own = labels.find(array.name);
    const Json& object = own != labels.end() && own->is_object() ? *own : labels;
    for (int64_t item = 0; item < batch_of(array); ++item)
      array.labels.push_back(
          {.queries = labels_in(object, "queries", item, array.weights.shape()[3], file),
           .keys = labels_in(object, "keys", item, array.weights.shape()[4], file)});
  }
}

AttentionPage dumped_page(const std::vector<DumpedArray>& arrays, std::string title) {
  AttentionPage page{.title = std::move(title), .sentences = {}};
  for (int64_t item = 0; item < batch_of(arrays.front()); ++item) {
    PageSentence sentence{.name = fmt::format("Batch {}", item), .tokens = {}, .parts = {}};
    for (const DumpedArray& array : arrays) {
      const Tensor weights = weights_of(array, item);
      const DumpedLabels labels = labels_of(array, item);
      const std::string queries = array.name + " queries", keys = array.name + " keys";
      sentence.tokens.push_back({.name = queries,
                                 .text = {},
                                 .pieces = labels_or_numbers(labels.queries, weights.shape()[2]),
                                 .title = "Queries"});
      sentence.tokens.push_back({.name = keys,
                                 .text = {},
                                 .pieces = labels_or_numbers(labels.keys, weights.shape()[3]),
                                 .title = "Keys"});
      sentence.parts.push_back(page_part(array.name, queries, keys, {.weights = weights}));
    }
    page.sentences.push_back(std::move(sentence));
  }
  return page;
}

HeatMapFigure dumped_figure(const std::vector<DumpedArray>& arrays, std::string title,
                            std::optional<int64_t> layer, std::optional<int64_t> head) {
  HeatMapFigure figure{std::move(title), {}};
  for (const DumpedArray& array : arrays) {
    const Tensor weights = weights_of(array, 0);
    const Shape& shape = weights.shape();
    const DumpedLabels labels = labels_of(array, 0);
    for (int64_t index = 0; index < shape[0] * shape[1]; ++index) {
      const int64_t own_layer = index / shape[1] + 1, own_head = index % shape[1] + 1;
      if (layer.value_or(own_layer) != own_layer || head.value_or(own_head) != own_head) continue;
      figure.maps.push_back({fmt::format("{}, layer {}, head {}", array.name, own_layer, own_head),
                             weights.reshape({shape[0] * shape[1], shape[2], shape[3]})
                                 .slice(index, index + 1)
                                 .reshape({shape[2], shape[3]}),
                             labels.queries, labels.keys});
    }
  }
  require(!figure.maps.empty(), ErrorKind::usage, "attention: no array has layer {}, head {}",
          layer.value_or(1), head.value_or(1));
  return figure;
}

}  // namespace heed
