#include "heed/models/layer_config.h"

#include "heed/base/error.h"

namespace heed {

void check(const LayerConfig& config, std::string_view model) {
  require(config.ffn >= 1, "{}: an FFN size of {} but at least 1 was expected", model, config.ffn);
  require(config.width >= 1 && config.heads >= 1 && config.width % config.heads == 0,
          "{}: {} heads do not divide a width of {}", model, config.heads, config.width);
  for (const double rate : {config.dropout, config.activation_dropout, config.attention_dropout})
    check_dropout(rate, model);
  const int64_t kv_heads = config.kv_heads == 0 ? config.heads : config.kv_heads;
  require(kv_heads >= 1 && config.heads % kv_heads == 0, "{}: {} KV heads do not divide {} heads",
          model, config.kv_heads, config.heads);
  require(config.norm_epsilon > 0 && config.norm_epsilon < 1,
          "{}: an epsilon of {} in the norms but 0 < epsilon < 1 was expected", model,
          config.norm_epsilon);
  require(config.positions != PositionKind::relative || config.max_distance >= 0,
          "{}: relative positions with a maximum distance of {}", model, config.max_distance);
  require(config.positions != PositionKind::rotary || config.width / config.heads % 2 == 0,
          "{}: rotary positions need an even head width but it is {}", model,
          config.width / config.heads);
  require(config.positions != PositionKind::rotary || config.rotary_base > 0,
          "{}: rotary positions with a base of {}, but it must be positive", model,
          config.rotary_base);
}

void check_dropout(double rate, std::string_view model) {
  require(rate >= 0.0 && rate < 1.0, "{}: a dropout of {} but 0 <= rate < 1 was expected", model,
          rate);
}

LayerMultiplications multiplications(const LayerConfig& config) {
  const int64_t kv_heads = config.kv_heads == 0 ? config.heads : config.kv_heads;
  return {.keys_and_values = 2 * config.width * (config.width / config.heads) * kv_heads,
          .queries_and_output = 2 * config.width * config.width,
          .feed_forward = (config.gated ? 3 : 2) * config.width * config.ffn};
}

}  // namespace heed
