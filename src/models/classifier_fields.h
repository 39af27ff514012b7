// The settings of a classifier, each with its name (see config_fields.h).
#pragma once

#include <tuple>

#include "heed/models/bert_fields.h"
#include "heed/models/classifier_config.h"

namespace heed {

template <>
struct EnumNames<TextPooling> {
  static constexpr NamedValue<TextPooling> values[] = {{TextPooling::mean, "mean"},
                                                       {TextPooling::max, "max"},
                                                       {TextPooling::first, "first"},
                                                       {TextPooling::attention, "attention"},
                                                       {TextPooling::pooler, "pooler"}};
};

// The labels follow from the corpus.
template <>
struct Fields<ClassifierConfig> {
  using Config = ClassifierConfig;
  static constexpr auto list = std::tuple(
      nested(&Config::encoder), no_setting(&Config::labels),
      field("several-labels", &Config::several_labels, "Texts may have several labels, or none"),
      field("pooling", &Config::pooling, "How the tokens of a text become one vector"),
      field("pooled-dropout", &Config::dropout, "Dropout of that vector", field_bounds::rate));
};

}  // namespace heed
