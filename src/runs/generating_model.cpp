#include "heed/runs/generating_model.h"

#include "heed/folders/model_folder.h"
#include "heed/runs/changed_model.h"

namespace heed {

std::unique_ptr<Model> new_model(const ModelConfig& config, uint64_t seed) {
  Rng rng(derive_key(make_key(seed), 1));
  return make_model(config, rng);
}

void change_description(const TrainingSettings& settings, ModelConfig model) {
  const std::filesystem::path description = settings.folder / "config.json";
  const ModelConfig before = load_model_config(description);
  set_vocabularies(model, source_vocabulary(before), target_vocabulary(before));
  require_same_shapes(settings.folder, *make_model(before, Initialiser::unset()),
                      *make_model(model, Initialiser::unset()));
  replace_config(settings.folder,
                 to_json(model, load_trained_lengths(description), load_model_notes(description)),
                 model != before);
}

SentenceSource sentences_of(const CorpusStore& store, Side side) {
  struct Place {
    int64_t chunk = 0;
    CorpusChunk pairs;
    size_t next = 0;
  };
  const size_t per_pair = side == Side::both ? 2 : 1;
  return [&store, side, per_pair, place = std::make_shared<Place>()](std::string& sentence) {
    while (place->next == per_pair * place->pairs.pairs.size()) {
      if (place->chunk == store.chunks()) return false;
      place->pairs = store.read(place->chunk++);
      place->next = 0;
    }
    const PairView& pair = place->pairs.pairs[place->next / per_pair];
    const bool source = side == Side::source || (side == Side::both && place->next % 2 == 0);
    sentence = source ? pair.source : pair.target;
    ++place->next;
    return true;
  };
}

}  // namespace heed
