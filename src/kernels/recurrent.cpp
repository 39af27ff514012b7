#include "heed/kernels/recurrent.h"

#include "heed/kernels/reference/recurrent.h"

namespace heed::kernels {

void gru_step(const GruStep<float>& step) { reference::gru_step(step); }
void gru_step(const GruStep<double>& step) { reference::gru_step(step); }
void gru_step_backward(const GruStepGradient<float>& step) { reference::gru_step_backward(step); }
void gru_step_backward(const GruStepGradient<double>& step) { reference::gru_step_backward(step); }

void lstm_step(const LstmStep<float>& step) { reference::lstm_step(step); }
void lstm_step(const LstmStep<double>& step) { reference::lstm_step(step); }
void lstm_step_backward(const LstmStepGradient<float>& step) { reference::lstm_step_backward(step); }
void lstm_step_backward(const LstmStepGradient<double>& step) { reference::lstm_step_backward(step); }

}  // namespace heed::kernels
