// Training runs of the C interface.
#include "heed/api/border.h"
#include "heed/runs/named_settings.h"
#include "heed/runs/training_run.h"

struct heed_training {
  heed::TrainingSettings settings;
};

namespace heed::api {

namespace {

// A callback of the program, which also decides whether the run goes on.
class Listener {
 public:
  Listener(heed_training_callback callback, void* user) : callback_(callback), user_(user) {}

  void step(const StepReport& report, const Progress& progress) {
    heed_training_progress told = common(HEED_TRAINING_STEP, report.step, progress);
    told.loss = report.loss;
    told.cross_entropy = report.negative_likelihood;
    told.learning_rate = report.learning_rate;
    told.gradient_norm = report.gradient_norm;
    tell(told);
  }

  void validated(const Validation& validation, const Progress& progress) {
    heed_training_progress told = common(HEED_TRAINING_VALIDATION, validation.step, progress);
    told.cross_entropy = validation.cross_entropy;
    if (validation.outputs) {
      told.bleu = validation.outputs->bleu.value_or(0);
      told.chrf = validation.outputs->chrf.value_or(0);
    }
    told.is_best = validation.best ? 1 : 0;
    tell(told);
  }

  bool wants_end() const { return wants_end_; }

 private:
  static heed_training_progress common(heed_training_event event, int64_t step,
                                       const Progress& progress) {
    heed_training_progress told = {};
    told.size = sizeof(told);
    told.event = event;
    told.step = step;
    told.epoch = progress.position.epoch + 1;
    told.source_tokens = progress.source_tokens;
    told.target_tokens = progress.target_tokens;
    told.seconds = progress.seconds;
    return told;
  }

  void tell(const heed_training_progress& told) {
    if (callback_ != nullptr && callback_(user_, &told) != 0) wants_end_ = true;
  }

  heed_training_callback callback_;
  void* user_;
  bool wants_end_ = false;
};

heed_training_end end_of(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::budget:
      return HEED_TRAINING_BUDGET;
    case TrainingEnd::patience:
      return HEED_TRAINING_PATIENCE;
    case TrainingEnd::interrupted:
      return HEED_TRAINING_STOPPED;
    case TrainingEnd::already_finished:
      return HEED_TRAINING_FINISHED_BEFORE;
  }
  __builtin_unreachable();
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

heed_status heed_training_new(heed_training** training) {
  return guarded([&] {
    require_given(training, "heed_training_new", "where to put the run");
    *training = new heed_training;
  });
}

heed_status heed_training_free(heed_training* training) {
  return guarded([&] { delete training; });
}

heed_status heed_training_set(heed_training* training, const char* name, const char* value) {
  constexpr const char* function = "heed_training_set";
  return guarded([&] {
    require_given(training, function, "the run");
    require_given(name, function, "the name");
    require_given(value, function, "the value");
    heed::set_setting(training->settings, name, value);
  });
}

heed_status heed_training_run(heed_training* training, heed_training_callback callback, void* user,
                              heed_training_end* end) {
  constexpr const char* function = "heed_training_run";
  return guarded([&] {
    require_given(training, function, "the run");
    heed::api::Listener listener(callback, user);
    const heed::TrainingEnd reached = heed::train(
        training->settings,
        {.step = [&](const auto& report, const auto& at) { listener.step(report, at); },
         .validated = [&](const auto& found, const auto& at) { listener.validated(found, at); },
         .interrupted = [&] { return listener.wants_end(); }});
    if (end != nullptr) *end = heed::api::end_of(reached);
  });
}
