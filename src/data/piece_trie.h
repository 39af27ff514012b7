// Finds the pieces that start at a position of a text, by walking their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heed {

class PieceTrie {
 public:
  PieceTrie();

  // Pieces are not empty; of two equal ones, the last counts.
  void add(std::string_view piece, int32_t id);

  // Calls `found(length, id)` for every piece that `text` begins with, the shortest first.
  template <typename Found>
  void for_each_prefix(std::string_view text, Found found) const {
    uint32_t node = root;
    for (size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<uint8_t>(text[i]));
      if (node == none) return;
      if (ids_[node] >= 0) found(i + 1, ids_[node]);
    }
  }

  std::optional<int32_t> find(std::string_view piece) const;

 private:
  static constexpr uint32_t root = 0;
  static constexpr uint32_t none = UINT32_MAX;

  struct Edge {
    uint64_t key = 0;  // node and byte
    uint32_t child = none;
  };

  static uint64_t key_of(uint32_t node, uint8_t byte) { return (uint64_t{node} << 8) | byte; }
  size_t slot_of(uint64_t key) const;
  uint32_t child(uint32_t node, uint8_t byte) const {
    return edges_[slot_of(key_of(node, byte))].child;
  }
  void grow();

  // All edges are in one open-addressing hash table, a power of two in size, so that a step is one
  // look-up.
  std::vector<Edge> edges_;
  std::vector<int32_t> ids_;  // of the piece that ends at a node, or -1
};

}  // namespace heed
