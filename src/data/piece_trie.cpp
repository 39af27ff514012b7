#include "heed/data/piece_trie.h"

namespace heed {

PieceTrie::PieceTrie() : edges_(1024), ids_(1, -1) {}

size_t PieceTrie::slot_of(uint64_t key) const {
  const size_t mask = edges_.size() - 1;
  // Multiplying by the golden ratio spreads neighbouring keys; the high bits are the well mixed
  // ones.
  size_t slot = ((key * 0x9e3779b97f4a7c15u) >> 32) & mask;
  while (edges_[slot].child != none && edges_[slot].key != key) slot = (slot + 1) & mask;
  return slot;
}

void PieceTrie::grow() {
  std::vector<Edge> smaller(edges_.size() * 2);
  smaller.swap(edges_);
  for (const Edge& edge : smaller)
    if (edge.child != none) edges_[slot_of(edge.key)] = edge;
}

void PieceTrie::add(std::string_view piece, int32_t id) {
  uint32_t node = root;
  for (const char byte : piece) {
    const uint64_t key = key_of(node, static_cast<uint8_t>(byte));
    size_t slot = slot_of(key);
    if (edges_[slot].child == none) {
      if (ids_.size() * 2 > edges_.size()) {
        grow();
        slot = slot_of(key);
      }
      edges_[slot] = {key, static_cast<uint32_t>(ids_.size())};
      ids_.push_back(-1);
    }
    node = edges_[slot].child;
  }
  ids_[node] = id;
}

std::optional<int32_t> PieceTrie::find(std::string_view piece) const {
  uint32_t node = root;
  for (const char byte : piece) {
    node = child(node, static_cast<uint8_t>(byte));
    if (node == none) return std::nullopt;
  }
  return ids_[node] >= 0 ? std::optional(ids_[node]) : std::nullopt;
}

}  // namespace heed
