#include "heed/runs/guided_head.h"

#include "heed/base/error.h"

namespace heed {

void check_guide(const TrainingSettings& settings) {
  if (settings.guide.empty()) {
    require(settings.guide_weight == TrainingSettings().guide_weight, ErrorKind::usage,
            "--guide-weight: there are no links, which --guide names");
    return;
  }
  require(settings.task == Task::translate, ErrorKind::usage,
          "--guide: only translators learn links between words");
  require(!settings.sampling, ErrorKind::usage,
          "--guide: links are between words, but --sampling makes pieces of them that cannot be "
          "traced back");
  require(settings.adapter == 0, ErrorKind::usage,
          "--guide: an adapter cannot say which head of its model has learned the links");
}

HeadGuide guide_of(const TrainingSettings& settings, const ModelConfig& model,
                   const SearchDefaults& search) {
  const auto* config = std::get_if<TransformerConfig>(&model);
  require(config != nullptr, ErrorKind::usage,
          "--guide: the heads of Transformers can learn links, but the model is {}",
          name_of(model));
  return {.head = {.part = AttentionPart::cross,
                   .layer =
                       search.alignment_layer > 0 ? search.alignment_layer : config->decoder_layers,
                   .head = search.alignment_head > 0 ? search.alignment_head : 1},
          .weight = settings.guide_weight};
}

}  // namespace heed
