#include "heed/alignment/symmetrise.h"

namespace heed {

namespace {

// Links as a grid of words, and which words have one.
class Grid {
 public:
  Grid(int64_t sources, int64_t targets)
      : sources_(sources),
        targets_(targets),
        has_(static_cast<size_t>(sources * targets)),
        source_linked_(static_cast<size_t>(sources)),
        target_linked_(static_cast<size_t>(targets)) {}

  bool has(int64_t source, int64_t target) const {
    return source >= 0 && source < sources_ && target >= 0 && target < targets_ &&
           has_[place(source, target)];
  }
  bool source_is_free(int64_t source) const { return !source_linked_[static_cast<size_t>(source)]; }
  bool target_is_free(int64_t target) const { return !target_linked_[static_cast<size_t>(target)]; }

  void add(int64_t source, int64_t target) {
    has_[place(source, target)] = true;
    source_linked_[static_cast<size_t>(source)] = true;
    target_linked_[static_cast<size_t>(target)] = true;
  }
  void add(std::span<const WordLink> links) {
    for (const auto [source, target] : links) add(source, target);
  }

  std::vector<WordLink> links() const {
    std::vector<WordLink> links;
    for (int64_t source = 0; source < sources_; ++source)
      for (int64_t target = 0; target < targets_; ++target)
        if (has(source, target)) links.push_back({source, target});
    return links;
  }

 private:
  size_t place(int64_t source, int64_t target) const {
    return static_cast<size_t>(source * targets_ + target);
  }

  int64_t sources_, targets_;
  std::vector<bool> has_, source_linked_, target_linked_;
};

constexpr WordLink neighbours[] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                   {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

// Adds links of `either` next to those that are there, until nothing changes.
void grow(Grid& grid, const Grid& either, int64_t sources, int64_t targets) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t source = 0; source < sources; ++source)
      for (int64_t target = 0; target < targets; ++target) {
        if (!grid.has(source, target)) continue;
        for (const auto [down, right] : neighbours) {
          const int64_t s = source + down, t = target + right;
          if (!either.has(s, t) || grid.has(s, t)) continue;
          if (!grid.source_is_free(s) && !grid.target_is_free(t)) continue;
          grid.add(s, t);
          changed = true;
        }
      }
  }
}

void add_rest(Grid& grid, std::span<const WordLink> links, bool both_free) {
  for (const auto [source, target] : links) {
    const bool source_is_free = grid.source_is_free(source),
               target_is_free = grid.target_is_free(target);
    if (both_free ? source_is_free && target_is_free : source_is_free || target_is_free)
      grid.add(source, target);
  }
}

}  // namespace

std::string_view name_of(Symmetrisation method) {
  switch (method) {
    case Symmetrisation::forward:
      return "forward";
    case Symmetrisation::reverse:
      return "reverse";
    case Symmetrisation::intersect:
      return "intersect";
    case Symmetrisation::unite:
      return "union";
    case Symmetrisation::grow_diag:
      return "grow-diag";
    case Symmetrisation::grow_diag_final:
      return "grow-diag-final";
    case Symmetrisation::grow_diag_final_and:
      return "grow-diag-final-and";
  }
  __builtin_unreachable();
}

std::vector<WordLink> symmetrise(Symmetrisation method, std::span<const WordLink> forward,
                                 std::span<const WordLink> reverse, int64_t sources,
                                 int64_t targets) {
  Grid grid(sources, targets);
  const auto add_common = [&] {
    Grid other(sources, targets);
    other.add(reverse);
    for (const auto [source, target] : forward)
      if (other.has(source, target)) grid.add(source, target);
  };
  switch (method) {
    case Symmetrisation::forward:
      grid.add(forward);
      return grid.links();
    case Symmetrisation::reverse:
      grid.add(reverse);
      return grid.links();
    case Symmetrisation::unite:
      grid.add(forward);
      grid.add(reverse);
      return grid.links();
    case Symmetrisation::intersect:
      add_common();
      return grid.links();
    case Symmetrisation::grow_diag:
    case Symmetrisation::grow_diag_final:
    case Symmetrisation::grow_diag_final_and:
      break;
  }
  add_common();
  Grid either(sources, targets);
  either.add(forward);
  either.add(reverse);
  grow(grid, either, sources, targets);
  if (method != Symmetrisation::grow_diag)
    for (const std::span<const WordLink> links : {forward, reverse})
      add_rest(grid, links, method == Symmetrisation::grow_diag_final_and);
  return grid.links();
}

}  // namespace heed
