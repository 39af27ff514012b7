#include "heed/folders/marian_names.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace heed::marian {

namespace {

int64_t layer_number(const std::string& side, int64_t layer, std::span<const int64_t> tied_layers) {
  if (side == "decoder" && !tied_layers.empty()) return tied_layers[static_cast<size_t>(layer)];
  return layer + 1;
}

}  // namespace

std::string array_name(const std::string& parameter, NormPlacement placement,
                       std::span<const int64_t> tied_layers) {
  const std::string side = parameter.starts_with("model.encoder.") ? "encoder" : "decoder";
  const bool is_weight = parameter.ends_with(".weight");
  const std::string norm = is_weight ? "_ln_scale" : "_ln_bias";
  const size_t layers = parameter.find(".layers.");
  if (layers == std::string::npos) return side + "_top" + norm;
  const size_t begin = layers + 8, end = parameter.find('.', begin);
  const std::string layer = fmt::format(
      "{}_l{}_", side,
      layer_number(side, std::stoll(parameter.substr(begin, end - begin)), tied_layers));
  const std::string part = parameter.substr(end + 1, parameter.rfind('.') - end - 1);
  const bool pre = placement == NormPlacement::pre;
  if (part == "ssru.candidates") return layer + "rnn_W";
  if (part == "ssru.gates") return layer + (is_weight ? "rnn_Wf" : "rnn_bf");
  if (part == "ssru_layer_norm") return layer + (pre ? "rnn" + norm + "_pre" : "rnn_ffn" + norm);
  static const std::map<std::string, std::string> norms = {
      {"self_attn_layer_norm", "self_Wo"},
      {"encoder_attn_layer_norm", "context_Wo"},
      {"final_layer_norm", "ffn_ffn"}};
  if (const auto found = norms.find(part); found != norms.end())
    return layer + found->second + norm + (pre ? "_pre" : "");
  static const std::map<std::string, std::pair<std::string, std::string>> places = {
      {"self_attn.q_proj", {"self_", "q"}},
      {"self_attn.k_proj", {"self_", "k"}},
      {"self_attn.v_proj", {"self_", "v"}},
      {"self_attn.out_proj", {"self_", "o"}},
      {"encoder_attn.q_proj", {"context_", "q"}},
      {"encoder_attn.k_proj", {"context_", "k"}},
      {"encoder_attn.v_proj", {"context_", "v"}},
      {"encoder_attn.out_proj", {"context_", "o"}},
      {"fc1", {"ffn_", "1"}},
      {"fc2", {"ffn_", "2"}}};
  const auto& [block, which] = places.at(part);
  return layer + block + (is_weight ? "W" : "b") + which;
}

const char* place_of_start(const std::string& parameter) {
  if (parameter == "model.encoder.embed_tokens.weight") return "source";
  if (parameter == "lm_head.weight") return "output";
  if (parameter == "model.shared.weight" || parameter == "model.decoder.embed_tokens.weight")
    return "target";
  return nullptr;
}

}  // namespace heed::marian
