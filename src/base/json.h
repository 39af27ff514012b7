// JSON as nlohmann's library has it, for programs that may run out of memory. That library asks for
// memory to destroy a value, in a destructor, where a refusal ends the program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Makes the types below heed's own, so that what is done to them concerns nobody else.
template <typename T>
struct JsonAllocator : std::allocator<T> {
  JsonAllocator() = default;
  template <typename Other>
  JsonAllocator(const JsonAllocator<Other>&) {}
  // NOLINTBEGIN(readability-identifier-naming): the standard's names
  template <typename Other>
  struct rebind {
    using other = JsonAllocator<Other>;
  };
  // NOLINTEND(readability-identifier-naming)
};

using JsonValue = nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t, uint64_t,
                                       double, JsonAllocator>;
// Its objects keep the order of their keys.
using OrderedJsonValue = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                              int64_t, uint64_t, double, JsonAllocator>;

// An object with these fields. Where the library makes one of {{"a", 1}, …} itself, it loses what
// it has got when there is no memory for the rest. Nor is it safe to make one of a null by adding
// to it.
template <typename Json>
Json json_object(std::initializer_list<std::pair<const char*, Json>> fields) {
  Json object = Json::object();
  for (const auto& [key, value] : fields) object[key] = value;
  return object;
}

// Whether a value is this text. The library's own comparison makes a value of the text first, and
// ends the program where there is no memory for it.
template <typename Json>
bool is_text(const Json& json, std::string_view text) {
  const auto* found = json.template get_ptr<const std::string*>();
  return found != nullptr && *found == text;
}

namespace json_destruction {

template <typename Json>
void move_children(typename Json::array_t& from, std::vector<Json>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

template <typename Json>
void move_children(typename Json::object_t& from, std::vector<Json>& to) {
  for (auto& [key, value] : from) to.push_back(std::move(value));
  from.clear();
}

// Destroys what the children hold one after the other, since a file decides how deep they nest.
// Without memory for a list of them they are left to the destructor of what holds them, which goes
// as deep as they do.
template <typename Json, typename Children>
void empty(Children& children) noexcept {
  try {
    std::vector<Json> waiting;
    move_children<Json>(children, waiting);
    while (!waiting.empty()) {
      Json next = std::move(waiting.back());
      waiting.pop_back();
      if (next.is_array())
        move_children<Json>(next.template get_ref<typename Json::array_t&>(), waiting);
      else if (next.is_object())
        move_children<Json>(next.template get_ref<typename Json::object_t&>(), waiting);
    }
  } catch (const std::bad_alloc&) {
  }
}

template <typename T>
void free(T* value) noexcept {
  std::destroy_at(value);
  JsonAllocator<T>().deallocate(value, 1);
}

template <typename Json, typename Stored>
void destroy(Stored& stored, typename Json::value_t type) noexcept {
  using Type = typename Json::value_t;
  if (type == Type::object) {
    empty<Json>(*stored.object);
    free(stored.object);
  } else if (type == Type::array) {
    empty<Json>(*stored.array);
    free(stored.array);
  } else if (type == Type::string) {
    free(stored.string);
  } else if (type == Type::binary) {
    free(stored.binary);
  }
}

}  // namespace json_destruction
}  // namespace heed

// In place of the library's own.
template <>
inline void heed::JsonValue::json_value::destroy(value_t type) {
  heed::json_destruction::destroy<heed::JsonValue>(*this, type);
}
template <>
inline void heed::OrderedJsonValue::json_value::destroy(value_t type) {
  heed::json_destruction::destroy<heed::OrderedJsonValue>(*this, type);
}

// Compiled once, in json.cpp, instead of in every source that writes JSON.
extern template class nlohmann::detail::serializer<heed::JsonValue>;
extern template class nlohmann::detail::serializer<heed::OrderedJsonValue>;
