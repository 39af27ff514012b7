// Matrix products as a share of the machine's peak: the shapes of training, on the vector units and
// on the matrix unit, if there is one, beside OpenBLAS where it is installed, and products of few
// rows with packed weights; then two workers beside one. First with the best instruction set of
// this CPU, then with AVX2, which most machines have.
#include <dlfcn.h>
#include <fmt/core.h>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/matrix_unit.h"
#include "heed/kernels/split_gemm.h"
#include "peak.h"

namespace heed::bench {
namespace {

using kernels::matrix;
using kernels::MatrixView;
using kernels::PackedWeights;

enum class Kind { forward, input_gradient, weight_gradient };
constexpr std::array<const char*, 3> kind_names = {"x Wᵀ", "dy W", "dyᵀ x"};

enum class Width { narrow, medium, wide, vocabulary };
constexpr std::array<const char*, 4> width_names = {"to 256 wide", "to 512 wide", "to 2048 wide",
                                                    "vocabulary"};

// c = a b of (rows, depth) and (depth, columns).
struct Shape {
  Kind kind;
  Width width;
  int64_t rows;
  int64_t columns;
  int64_t depth;

  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(depth);
  }
  std::string text() const {
    return fmt::format("{} {}×{}×{}", kind_names[static_cast<size_t>(kind)], rows, columns, depth);
  }
};

Width width_of(int64_t inputs, int64_t outputs) {
  const int64_t larger = std::max(inputs, outputs);
  return larger <= 256    ? Width::narrow
         : larger <= 512  ? Width::medium
         : larger <= 2048 ? Width::wide
                          : Width::vocabulary;
}

// The three products that a linear layer makes of `tokens` rows.
void add_layer(std::vector<Shape>& shapes, int64_t tokens, int64_t inputs, int64_t outputs) {
  const Width width = width_of(inputs, outputs);
  shapes.push_back({Kind::forward, width, tokens, outputs, inputs});
  shapes.push_back({Kind::input_gradient, width, tokens, inputs, outputs});
  shapes.push_back({Kind::weight_gradient, width, outputs, inputs, tokens});
}

std::vector<Shape> training_shapes() {
  std::vector<Shape> shapes;
  for (const auto& [inputs, outputs] : std::vector<std::pair<int64_t, int64_t>>{{128, 128},
                                                                                {128, 512},
                                                                                {512, 128},
                                                                                {256, 256},
                                                                                {256, 1024},
                                                                                {1024, 256},
                                                                                {512, 512},
                                                                                {512, 2048},
                                                                                {2048, 512},
                                                                                {1024, 1024},
                                                                                {2048, 2048},
                                                                                {512, 8000},
                                                                                {256, 32000}})
    add_layer(shapes, 1024, inputs, outputs);
  for (const auto& [inputs, outputs] :
       std::vector<std::pair<int64_t, int64_t>>{{256, 256}, {256, 1024}, {1024, 1024}})
    add_layer(shapes, 2048, inputs, outputs);
  for (const auto& [inputs, outputs] :
       std::vector<std::pair<int64_t, int64_t>>{{128, 128}, {512, 512}, {512, 2048}})
    add_layer(shapes, 4096, inputs, outputs);
  return shapes;
}

std::vector<float> random_floats(size_t size) {
  Rng rng(7);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(rng.uniform()) - 0.5f;
  return values;
}

// Memory for the operands of any of the shapes.
struct Operands {
  explicit Operands(const std::vector<Shape>& shapes) {
    size_t size = 0;
    for (const Shape& s : shapes)
      size = std::max({size, static_cast<size_t>(s.rows * s.depth),
                       static_cast<size_t>(s.depth * s.columns),
                       static_cast<size_t>(s.rows * s.columns)});
    a = b = c = random_floats(size);
  }
  std::vector<float> a, b, c;
};

enum class Unit { vectors, matrices };

void multiply(const Shape& s, Operands& o, Unit unit = Unit::vectors) {
  MatrixView<const float> a = matrix<const float>(o.a.data(), s.rows, s.depth);
  MatrixView<const float> b = matrix<const float>(o.b.data(), s.depth, s.columns);
  if (s.kind == Kind::weight_gradient)
    a = matrix<const float>(o.a.data(), s.depth, s.rows).transposed();
  if (s.kind == Kind::forward) b = matrix<const float>(o.b.data(), s.columns, s.depth).transposed();
  const MatrixView<float> c = matrix(o.c.data(), s.rows, s.columns);
  if (unit == Unit::matrices)
    kernels::split_gemm(a, b, c);
  else
    kernels::gemm(a, b, c);
}

// OpenBLAS, loaded at run time so that heed does not need it to build.
class OpenBlas {
 public:
  // OpenBLAS mistakes CPUs newer than itself for very old ones, so it is told what this one can do.
  explicit OpenBlas(bool only_avx2) {
    const bool amd = __builtin_cpu_is("amd");
    const bool wide = !only_avx2 && __builtin_cpu_supports("avx512f");
    setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : amd ? "Zen" : "Haswell", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) sgemm_ = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  }

  bool present() const { return sgemm_ != nullptr; }

  void multiply(const Shape& s, Operands& o) const {
    const int row_major = 101, plain = 111, transposed = 112;
    const int rows = static_cast<int>(s.rows), columns = static_cast<int>(s.columns),
              depth = static_cast<int>(s.depth);
    const bool a_turned = s.kind == Kind::weight_gradient, b_turned = s.kind == Kind::forward;
    sgemm_(row_major, a_turned ? transposed : plain, b_turned ? transposed : plain, rows, columns,
           depth, 1.0f, o.a.data(), a_turned ? rows : depth, o.b.data(), b_turned ? depth : columns,
           0.0f, o.c.data(), columns);
  }

 private:
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  Sgemm sgemm_ = nullptr;
};

// Time on the CPU, so that other processes disturb less.
double cpu_seconds(const std::function<void()>& run) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}

// The share of the peak, which is measured just before, because the clock changes with the load of
// the machine.
double share_of_peak(double flops, const std::function<void()>& run) {
  const double peak = peak_flops();
  const int rounds = std::clamp(static_cast<int>(0.04 * peak / flops), 6, 50);
  double share = 0;
  for (int round = 0; round < rounds; ++round)
    share = std::max(share, flops / cpu_seconds(run) / peak);
  return share;
}

// All sides over a shape: their best shares of the peak of the vector units.
struct Race {
  double heed = 0, split = 0, blas = 0;

  void keep_best(const Race& other) {
    heed = std::max(heed, other.heed);
    split = std::max(split, other.split);
    blas = std::max(blas, other.blas);
  }
};

// In turns, as flops per second.
Race race(const Shape& shape, Operands& operands, const OpenBlas& blas) {
  Race best;
  const int turns = std::clamp(static_cast<int>(1e9 / shape.flops()), 2, 10);
  const auto speed = [&](const std::function<void()>& run) {
    return shape.flops() / cpu_seconds(run);
  };
  for (int turn = 0; turn < turns; ++turn)
    best.keep_best({.heed = speed([&] { multiply(shape, operands); }),
                    .split = kernels::has_matrix_unit()
                                 ? speed([&] { multiply(shape, operands, Unit::matrices); })
                                 : 0,
                    .blas = blas.present() ? speed([&] { blas.multiply(shape, operands); }) : 0});
  return best;
}

// Several rounds over all shapes, because a busy machine is slow for seconds.
std::vector<Race> race_all(const std::vector<Shape>& shapes, const OpenBlas& blas) {
  Operands operands(shapes);
  std::vector<Race> best(shapes.size());
  PeakAround peak_around(peak_flops);
  for (int round = 0; round < 5; ++round)
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Race speed = race(shapes[i], operands, blas);
      const double peak = peak_around.last();
      best[i].keep_best({speed.heed / peak, speed.split / peak, speed.blas / peak});
    }
  return best;
}

// Shares of several shapes as one: all flops over all the time.
class Total {
 public:
  void add(const Shape& shape, double share) {
    flops_ += shape.flops();
    time_ += shape.flops() / share;
    if (share < worst_) {
      worst_ = share;
      worst_shape_ = shape.text();
    }
  }
  std::string percent() const {
    return flops_ == 0 ? "–" : fmt::format("{:.1f}", 100 * flops_ / time_);
  }
  std::string worst() const { return fmt::format("{:.1f} ({})", 100 * worst_, worst_shape_); }

 private:
  double flops_ = 0, time_ = 0, worst_ = 1e30;
  std::string worst_shape_;
};

struct Row {
  void add(const Shape& shape, const Race& race) {
    if (race.heed > 0) heed.add(shape, race.heed);
    if (race.split > 0) split.add(shape, race.split);
    if (race.blas > 0) blas.add(shape, race.blas);
  }
  void print(const std::string& name) const {
    fmt::print("  {:40}{:>8}{:>8}{:>10}\n", name, heed.percent(), split.percent(), blas.percent());
  }
  Total heed, split, blas;
};

void training_table(const OpenBlas& blas) {
  const std::vector<Shape> shapes = training_shapes();
  const std::vector<Race> races = race_all(shapes, blas);
  std::array<std::array<Row, width_names.size()>, kind_names.size()> rows;
  Row total;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Row& row = rows[static_cast<size_t>(shapes[i].kind)][static_cast<size_t>(shapes[i].width)];
    for (Row* sum : {&row, &total}) sum->add(shapes[i], races[i]);
  }
  fmt::print("Training, {} shapes of 1024 to 4096 tokens    heed     AMX  OpenBLAS\n",
             shapes.size());
  for (size_t kind = 0; kind < kind_names.size(); ++kind)
    for (size_t width = 0; width < width_names.size(); ++width)
      rows[kind][width].print(fmt::format("{:8}{}", kind_names[kind], width_names[width]));
  total.print("all, weighted by time");
  fmt::print("  worst: heed {}", total.heed.worst());
  if (blas.present()) fmt::print(", OpenBLAS {}", total.blas.worst());
  fmt::print("\n\n");
}

double packed_share(int64_t rows, int64_t inputs, int64_t outputs) {
  const Shape shape = {Kind::input_gradient, Width::medium, rows, outputs, inputs};
  Operands o({shape});
  const PackedWeights weights(matrix<const float>(o.b.data(), inputs, outputs));
  const int repeats = std::max(1, static_cast<int>(2e7 / shape.flops()));
  return share_of_peak(repeats * shape.flops(), [&] {
    for (int i = 0; i < repeats; ++i)
      kernels::gemm_packed(matrix<const float>(o.a.data(), rows, inputs), weights,
                           matrix(o.c.data(), rows, outputs));
  });
}

void packed_table() {
  const std::vector<std::pair<int64_t, int64_t>> widths = {
      {256, 256}, {512, 512}, {512, 2048}, {2048, 512}};
  fmt::print("Packed weights, rows  ");
  for (const auto& [inputs, outputs] : widths)
    fmt::print("{:>12}", fmt::format("{}→{}", inputs, outputs));
  fmt::print("\n");
  for (const int64_t rows : {1, 2, 3, 4, 6, 8, 12, 16}) {
    fmt::print("  {:20}", rows);
    for (const auto& [inputs, outputs] : widths)
      fmt::print("{:>12.1f}", 100 * packed_share(rows, inputs, outputs));
    fmt::print("\n");
  }
  fmt::print("\n");
}

void small_table() {
  fmt::print("Small products\n");
  for (const int64_t size : {8, 16, 32, 64, 128}) {
    const Shape shape = {Kind::forward, Width::narrow, size, 64, 64};
    Operands o({shape});
    const int repeats = static_cast<int>(2e7 / shape.flops());
    const double share = share_of_peak(repeats * shape.flops(), [&] {
      for (int i = 0; i < repeats; ++i) multiply(shape, o);
    });
    fmt::print("  {:40}{:>8.1f}\n", shape.text(), 100 * share);
  }
  fmt::print("\n");
}

// Products per second of this many workers, each with its own operands.
double throughput(const Shape& shape, int workers) {
  std::atomic<int> ready = 0;
  std::vector<double> rates(static_cast<size_t>(workers));
  std::vector<std::thread> threads;
  for (double& rate : rates)
    threads.emplace_back([&] {
      Operands o({shape});
      ++ready;
      while (ready < workers) std::this_thread::yield();
      const int rounds = 20, repeats = std::max(1, static_cast<int>(2e8 / shape.flops()));
      const double seconds = best_seconds(rounds, [&] {
        for (int i = 0; i < repeats; ++i) multiply(shape, o);
      });
      rate = repeats / seconds;
    });
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

void workers_table() {
  fmt::print("Two workers, times as fast as one\n");
  for (const int64_t width : {128, 512, 2048}) {
    const Shape shape = {Kind::forward, Width::wide, 1024, width, width};
    fmt::print("  {:40}{:>8.2f}\n", shape.text(), throughput(shape, 2) / throughput(shape, 1));
  }
  fmt::print("\n");
}

void restrict_to(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void run(bool only_avx2) {
  const int64_t all = hwy::SupportedTargets();
  if (only_avx2) restrict_to(all & ~(HWY_AVX2 - 1));
  kernels::use_matrix_unit(!only_avx2);
  const int64_t targets = hwy::SupportedTargets();
  fmt::print("Products, % of the FMA peak of one thread: {}, about {:.0f} GFLOP/s\n\n",
             hwy::TargetName(targets & -targets), peak_flops() / 1e9);
  training_table(OpenBlas(only_avx2));
  packed_table();
  small_table();
  workers_table();
  std::fflush(stdout);
}

// In a process of its own, because OpenBLAS chooses its kernels once, when it is loaded.
void run_apart(bool only_avx2) {
  const pid_t child = fork();
  if (child == 0) {
    run(only_avx2);
    std::_Exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace heed::bench

int main() {
  heed::bench::run_apart(false);
  if ((hwy::SupportedTargets() & (HWY_AVX2 - 1)) != 0) heed::bench::run_apart(true);
}
