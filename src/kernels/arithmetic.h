// Sums and products of whole spans. Spans of one call have the same size.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

void add(std::span<const float> a, std::span<const float> b, std::span<float> y);  // y = a + b
void add(std::span<const double> a, std::span<const double> b, std::span<double> y);

void multiply(std::span<const float> a, std::span<const float> b, std::span<float> y);  // y = a b
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> y);

void add_scaled(float scale, std::span<const float> x, std::span<float> y);  // y += scale x
void add_scaled(double scale, std::span<const double> x, std::span<double> y);

void scale(float factor, std::span<const float> x, std::span<float> y);  // y = factor x
void scale(double factor, std::span<const double> x, std::span<double> y);

float dot(std::span<const float> a, std::span<const float> b);  // Σ a b
double dot(std::span<const double> a, std::span<const double> b);

// y = x + bias, the bias repeated for each row of bias.size() elements.
void add_to_rows(std::span<const float> x, std::span<const float> bias, std::span<float> y);
void add_to_rows(std::span<const double> x, std::span<const double> bias, std::span<double> y);

// sums[c] += Σ over rows of x[row, c]; sums.size() is the number of columns.
void sum_rows(std::span<const float> x, std::span<float> sums);
void sum_rows(std::span<const double> x, std::span<double> sums);

}  // namespace heed::kernels
