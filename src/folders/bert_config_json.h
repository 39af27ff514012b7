// config.json of a BERT folder, as Hugging Face has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/models/classifier_config.h"

namespace heed {

// Whether this is the config.json of a BERT. What is no JSON is none either.
bool describes_bert(std::string_view json);

// What follows the encoder: Hugging Face's BertModel, BertForMaskedLM and
// BertForSequenceClassification. The folders of other heads are read as encoders.
enum class BertHead { none, masked, classifier };
BertHead head_of_bert(std::string_view json);

// An Error names the setting, what was expected and what was found: also where heed would compute
// something else than the setting says.
BertConfig parse_bert_config(std::string_view json, const std::string& file);

// The settings that Hugging Face's library reads, and "heed" with the version.
std::string to_json(const BertConfig& config, BertHead head = BertHead::none);

// A classifier's settings and the names of its labels, in the order of their numbers.
struct ClassifierDescription {
  ClassifierConfig config;
  std::vector<std::string> labels;

  bool operator==(const ClassifierDescription&) const = default;
};

// Labels are in "id2label", and "problem_type" says whether a text may have several. Pooling, which
// Hugging Face's library does not let choose, is in "heed"; without it, it is BERT's own.
ClassifierDescription parse_classifier_config(std::string_view json, const std::string& file);
std::string to_json(const ClassifierDescription& classifier);

// Refuses labels that cannot be told apart or have no name.
void check_labels(const std::vector<std::string>& labels, const std::string& file);

}  // namespace heed
