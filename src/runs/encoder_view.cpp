#include "heed/runs/encoder_view.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed {

EncoderViewer::EncoderViewer(const EncodingModel& model, WordPieces pieces,
                             const ViewOptions& options)
    : model_(model.with_gates(switched_off(options.without))),
      pieces_(std::move(pieces)),
      max_length_(std::min(options.max_length, model.max_length())),
      norms_(options.norms) {}

std::vector<AttentionView> EncoderViewer::find(const std::string& line, size_t number) const {
  const std::vector<int32_t> ids = pieces_.encode(line);
  require(!ids.empty(), "attention: line {} is empty, so there is nothing to look at", number);
  require(static_cast<int64_t>(ids.size()) <= max_length_,
          "attention: line {} has {} tokens with its frame, but at most {} fit into the model",
          number, ids.size(), max_length_);
  AttentionView view;
  view.recording = record(*model_, {ids, pieces_.frames(ids.back())}, norms_);
  view.source = viewed_tokens(line, ids, pieces_);
  return {std::move(view)};
}

}  // namespace heed
