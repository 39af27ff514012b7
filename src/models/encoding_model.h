// A model that encodes: it turns the tokens of a text into vectors that know each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heed/attention/head_name.h"
#include "heed/attention/recorder.h"
#include "heed/data/batch.h"
#include "heed/models/model.h"

namespace heed {

class EncodingModel : public ParameterModel {
 public:
  // (tokens, width). A pass that carries a recorder reports every attention to it.
  virtual Variable encode(Tape& tape, const TokenBatch& tokens,
                          AttentionRecorder* recorder = nullptr) const = 0;

  virtual HeadCounts head_counts() const = 0;  // of the encoder only
  virtual int64_t width() const = 0;
  virtual int64_t max_length() const = 0;  // the most tokens of a text

  // The same model, sharing its weights, with gates on some heads: see Model.
  virtual std::unique_ptr<EncodingModel> with_gates(std::span<const HeadGate> gates) const = 0;

  // The same model prepared for inference, sharing what it can. It encodes on tapes that do not
  // record, and has no matrices to be visited.
  virtual std::unique_ptr<const EncodingModel> prepare(Precision precision) const = 0;
};

}  // namespace heed
