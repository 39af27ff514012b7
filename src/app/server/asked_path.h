// From which language to which a request wants its texts, and through which models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/markup/markup_kind.h"
#include "heed/server/languages.h"
#include "heed/server/model_set.h"
#include "heed/server/parameters.h"

namespace heed {

struct AskedPath {
  std::string source, target;
  std::optional<DetectedLanguage> detected;  // if the request leaves the source open
  ModelPath path;                            // none if nothing is to be translated
};

// By the parameters source, target and pivot of heed's own API, and by the texts where the source
// is to be detected. A Refusal (400) says what is wrong with them.
AskedPath asked_path(const Parameters& parameters, const ModelSet& models,
                     const std::vector<std::string>& texts, MarkupKind kind);

// The language a request names, or a Refusal (400).
std::string asked_language(const ModelSet& models, const std::string& code);

// The tag that a request names, or the model's usual one. A Refusal (400) if it has no such tag.
std::string asked_tag(const Parameters& parameters, const ServedModel& model);

}  // namespace heed
