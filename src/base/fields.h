// Settings as structs whose fields are listed once. The list of a struct gives its flags, its JSON,
// what is compared when a run is continued, and what is shown. A struct with a field that is
// missing from its list does not compile.
//
//   template <>
//   struct Fields<ScheduleConfig> {
//     static constexpr auto list = std::tuple(
//         field("warm-up", &ScheduleConfig::warm_up, "Steps of linear warm-up", {.least = 0}),
//         …);
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heed {

// What becomes of a run that is continued with another value.
enum class Change {
  refused,     // the run cannot go on with it
  overridden,  // it goes on if the user says so (--override)
  new_corpus,  // the same, and the corpus is read anew
  free         // the run goes on: the value does not affect the result, or is a budget
};

// How a value is written on the command line, where the type does not tell.
enum class Unit { plain, seconds, bytes, file, model, sentence };

struct FieldOptions {
  // Numbers: the bounds, inclusive unless the name says otherwise.
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  double above = std::numeric_limits<double>::lowest();
  double below = std::numeric_limits<double>::max();
  bool zero_is_none = false;  // 0 says that there is no value; a flag without a value is left out

  Change change = Change::overridden;
  Unit unit = Unit::plain;
  const char* choices = "";  // of a text: "text|tsv"
  const char* group = "";    // the heading in the list of flags
  bool flag = true;          // whether there is a flag for it
  // Younger than the files it is read from: without it, it has its default.
  bool added_later = false;
};

template <typename Owner, typename Value>
struct Field {
  const char* name;  // of the flag and in JSON
  Value Owner::*member;
  const char* what;  // for people
  FieldOptions options;
};

template <typename Owner, typename Value>
constexpr Field<Owner, Value> field(const char* name, Value Owner::*member, const char* what,
                                    const FieldOptions& options = {}) {
  return {name, member, what, options};
}

// A field that is a settings struct with a list of its own.
template <typename Owner, typename Value>
struct NestedFields {
  Value Owner::*member;
};

template <typename Owner, typename Value>
constexpr NestedFields<Owner, Value> nested(Value Owner::*member) {
  return {member};
}

// A field that nobody sets: it follows from other settings, or says where and not what.
template <typename Owner, typename Value>
struct NoSetting {
  Value Owner::*member;
};

template <typename Owner, typename Value>
constexpr NoSetting<Owner, Value> no_setting(Value Owner::*member) {
  return {member};
}

// Specialised for each settings struct, with a tuple `list`.
template <typename Struct>
struct Fields;

namespace field_counting {

struct Anything {
  template <typename T>
  operator T() const;
};

template <typename Struct, size_t... i>
constexpr bool is_made_of(std::index_sequence<i...>) {
  return requires { Struct{((void)i, Anything())...}; };
}

// How many fields an aggregate has: the most values that it can be made of.
template <typename Struct, size_t most = 64>
constexpr size_t count() {
  if constexpr (is_made_of<Struct>(std::make_index_sequence<most>()))
    return most;
  else
    return count<Struct, most - 1>();
}

}  // namespace field_counting

// Whether the list of a struct has as many entries as the struct has fields.
template <typename Struct>
constexpr bool lists_every_field =
    std::tuple_size_v<std::remove_cvref_t<decltype(Fields<Struct>::list)>> ==
    field_counting::count<Struct>();

template <typename Struct, typename Visit>
void visit_fields(Struct& settings, Visit&& visit);

namespace field_visits {

template <typename Struct, typename Visit, typename Owner, typename Value>
void visit_entry(const Field<Owner, Value>& field, Struct& settings, Visit& visit) {
  visit(field, settings.*field.member);
}
template <typename Struct, typename Visit, typename Owner, typename Value>
void visit_entry(const NestedFields<Owner, Value>& field, Struct& settings, Visit& visit) {
  visit_fields(settings.*field.member, visit);
}
template <typename Struct, typename Visit, typename Owner, typename Value>
void visit_entry(const NoSetting<Owner, Value>&, Struct&, Visit&) {}

}  // namespace field_visits

// Calls visit(field, value) for every setting of a struct, in the order of its list, those of
// nested structs included; `field` is its Field. The value is const if the struct is.
template <typename Struct, typename Visit>
void visit_fields(Struct& settings, Visit&& visit) {
  using Plain = std::remove_const_t<Struct>;
  static_assert(lists_every_field<Plain>, "a field of the struct is missing from its list");
  std::apply(
      [&](const auto&... entries) { (field_visits::visit_entry(entries, settings, visit), ...); },
      Fields<Plain>::list);
}

}  // namespace heed
