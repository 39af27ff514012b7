#include "heed/kernels/arithmetic.h"

#include "heed/kernels/reference/arithmetic.h"

namespace heed::kernels {

void add(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  reference::add<float>(a, b, y);
}

void add(std::span<const double> a, std::span<const double> b, std::span<double> y) {
  reference::add<double>(a, b, y);
}

void multiply(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  reference::multiply<float>(a, b, y);
}

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> y) {
  reference::multiply<double>(a, b, y);
}

void add_scaled(float scale, std::span<const float> x, std::span<float> y) {
  reference::add_scaled<float>(scale, x, y);
}

void add_scaled(double scale, std::span<const double> x, std::span<double> y) {
  reference::add_scaled<double>(scale, x, y);
}

void scale(float factor, std::span<const float> x, std::span<float> y) {
  reference::scale<float>(factor, x, y);
}

void scale(double factor, std::span<const double> x, std::span<double> y) {
  reference::scale<double>(factor, x, y);
}

float dot(std::span<const float> a, std::span<const float> b) { return reference::dot<float>(a, b); }

double dot(std::span<const double> a, std::span<const double> b) { return reference::dot<double>(a, b); }

void add_to_rows(std::span<const float> x, std::span<const float> bias, std::span<float> y) {
  reference::add_to_rows<float>(x, bias, y);
}

void add_to_rows(std::span<const double> x, std::span<const double> bias, std::span<double> y) {
  reference::add_to_rows<double>(x, bias, y);
}

void sum_rows(std::span<const float> x, std::span<float> sums) { reference::sum_rows<float>(x, sums); }

void sum_rows(std::span<const double> x, std::span<double> sums) { reference::sum_rows<double>(x, sums); }

}  // namespace heed::kernels
