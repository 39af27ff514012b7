#include "heed/weights/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/weights/pickle_opcodes.h"

namespace heed {

namespace {

// A model has a few hundred tensors with a few dozen values each.
constexpr size_t most_values = 1'000'000;
constexpr uint8_t newest_protocol = 5;

// What a pickle may do with a name.
enum class Use { make_dictionary, make_tensor, make_parameter, name_storage };

struct KnownName {
  std::string_view name;
  Use use;
};

constexpr KnownName known_names[] = {
    {"collections.OrderedDict", Use::make_dictionary},
    {"torch._utils._rebuild_tensor_v2", Use::make_tensor},
    {"torch._utils._rebuild_parameter", Use::make_parameter},
    {"torch.FloatStorage", Use::name_storage},
    {"torch.HalfStorage", Use::name_storage},
    {"torch.BFloat16Storage", Use::name_storage},
    {"torch.DoubleStorage", Use::name_storage},
    {"torch.LongStorage", Use::name_storage},
    {"torch.IntStorage", Use::name_storage},
    {"torch.ShortStorage", Use::name_storage},
    {"torch.CharStorage", Use::name_storage},
    {"torch.ByteStorage", Use::name_storage},
    {"torch.BoolStorage", Use::name_storage},
};

}  // namespace

std::string_view name_of(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "None";
    case PickleKind::truth:
      return "a truth value";
    case PickleKind::integer:
      return "an integer";
    case PickleKind::long_integer:
      return "a long integer";
    case PickleKind::real:
      return "a number";
    case PickleKind::text:
      return "a text";
    case PickleKind::bytes:
      return "bytes";
    case PickleKind::tuple:
      return "a tuple";
    case PickleKind::list:
      return "a list";
    case PickleKind::dictionary:
      return "a dictionary";
    case PickleKind::global:
      return "a name";
    case PickleKind::storage:
      return "a storage";
    case PickleKind::tensor:
      return "a tensor";
  }
  __builtin_unreachable();
}

// A stack of values, and a memo of those that are used again.
class PickleMachine {
 public:
  PickleMachine(Pickle& pickle, std::span<const std::byte> bytes, const std::string& file)
      : pickle_(pickle), bytes_(bytes), file_(file) {}

  void run() {
    while (step()) {
    }
    require(stack_.size() == 1 && marks_.empty(),
            "{}: the pickle ends with {} values but one was expected", file_, stack_.size());
    pickle_.root_ = stack_.front();
    pickle_.size_ = next_;
  }

 private:
  using Kind = PickleKind;

  // False at the end.
  bool step() {
    const auto code = number<uint8_t>();
    switch (static_cast<PickleOpcode>(code)) {
      case PickleOpcode::stop:
        return false;
      case PickleOpcode::protocol:
        check_protocol(number<uint8_t>());
        break;
      case PickleOpcode::frame:
        take(sizeof(uint64_t));
        break;
      case PickleOpcode::mark:
        marks_.push_back(stack_.size());
        break;
      case PickleOpcode::none:
        push({.kind = Kind::none});
        break;
      case PickleOpcode::new_true:
        push({.kind = Kind::truth, .integer = 1});
        break;
      case PickleOpcode::new_false:
        push({.kind = Kind::truth, .integer = 0});
        break;
      case PickleOpcode::integer:
        push({.kind = Kind::integer, .integer = number<int32_t>()});
        break;
      case PickleOpcode::integer1:
        push({.kind = Kind::integer, .integer = number<uint8_t>()});
        break;
      case PickleOpcode::integer2:
        push({.kind = Kind::integer, .integer = number<uint16_t>()});
        break;
      case PickleOpcode::long1:
        push_long(take(number<uint8_t>()));
        break;
      case PickleOpcode::long4:
        push_long(take(number<uint32_t>()));
        break;
      case PickleOpcode::real:
        push_real();
        break;
      case PickleOpcode::text:
        push_text(take(number<uint32_t>()));
        break;
      case PickleOpcode::short_text:
      case PickleOpcode::short_string:
        push_text(take(number<uint8_t>()));
        break;
      case PickleOpcode::text8:
        push_text(take(number<uint64_t>()));
        break;
      case PickleOpcode::string:
        push_text(take(number<uint32_t>()));
        break;
      case PickleOpcode::bytes:
        push({.kind = Kind::bytes, .text = take(number<uint32_t>())});
        break;
      case PickleOpcode::short_bytes:
        push({.kind = Kind::bytes, .text = take(number<uint8_t>())});
        break;
      case PickleOpcode::bytes8:
        push({.kind = Kind::bytes, .text = take(number<uint64_t>())});
        break;
      case PickleOpcode::empty_tuple:
        push({.kind = Kind::tuple});
        break;
      case PickleOpcode::tuple:
        push_tuple(above_mark());
        break;
      case PickleOpcode::tuple1:
        push_tuple(pop_many(1));
        break;
      case PickleOpcode::tuple2:
        push_tuple(pop_many(2));
        break;
      case PickleOpcode::tuple3:
        push_tuple(pop_many(3));
        break;
      case PickleOpcode::empty_list:
        push({.kind = Kind::list});
        break;
      case PickleOpcode::append:
        add(Kind::list, pop_many(1));
        break;
      case PickleOpcode::appends:
        add(Kind::list, above_mark());
        break;
      case PickleOpcode::empty_dictionary:
        push({.kind = Kind::dictionary});
        break;
      case PickleOpcode::set_item:
        add(Kind::dictionary, pop_many(2));
        break;
      case PickleOpcode::set_items:
        set_items(above_mark());
        break;
      case PickleOpcode::put:
        memo_[number<uint8_t>()] = top();
        break;
      case PickleOpcode::long_put:
        memo_[number<uint32_t>()] = top();
        break;
      case PickleOpcode::memoize:
        memo_[static_cast<uint32_t>(memo_.size())] = top();
        break;
      case PickleOpcode::get:
        recall(number<uint8_t>());
        break;
      case PickleOpcode::long_get:
        recall(number<uint32_t>());
        break;
      case PickleOpcode::global: {
        const std::string_view module = line(), name = line();
        push_global(module, name);
        break;
      }
      case PickleOpcode::stack_global: {
        const std::vector<uint32_t> names = pop_many(2);
        push_global(text_of(names[0]), text_of(names[1]));
        break;
      }
      case PickleOpcode::reduce:
        reduce();
        break;
      case PickleOpcode::build:
        build();
        break;
      case PickleOpcode::persistent:
        push_storage(pop());
        break;
      default:
        refuse(code);
    }
    return true;
  }

  [[noreturn]] void refuse(uint8_t code) const {
    const std::string_view name = pickle_opcode_name(code);
    require(!name.empty(), "{}: byte {} of the pickle is {:#04x}, which is no opcode", file_,
            next_ - 1, code);
    fail("{}: the pickle uses {} at byte {}, which tensors do not need and heed refuses", file_,
         name, next_ - 1);
  }

  void check_protocol(uint8_t version) const {
    require(version <= newest_protocol, "{}: the pickle has protocol {} but heed reads up to {}",
            file_, version, newest_protocol);
  }

  std::string_view take(uint64_t count) {
    const size_t left = bytes_.size() - next_;
    require(count <= left, "{}: the pickle needs {} bytes at byte {} but {} are left", file_, count,
            next_, left);
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + next_;
    next_ += static_cast<size_t>(count);
    return {begin, static_cast<size_t>(count)};
  }

  template <typename Integer>
  Integer number() {
    Integer value;
    std::memcpy(&value, take(sizeof(Integer)).data(), sizeof(Integer));
    return value;
  }

  std::string_view line() {
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + next_;
    const std::string_view rest(begin, bytes_.size() - next_);
    const size_t end = rest.find('\n');
    require(end != rest.npos, "{}: a name of the pickle has no end", file_);
    return take(end + 1).substr(0, end);
  }

  void push(PickleValue value) {
    require(pickle_.values_.size() < most_values, "{}: the pickle has more than {} values", file_,
            most_values);
    pickle_.values_.push_back(std::move(value));
    stack_.push_back(static_cast<uint32_t>(pickle_.values_.size() - 1));
  }

  void push_text(std::string_view text) { push({.kind = Kind::text, .text = text}); }

  void push_tuple(std::vector<uint32_t> items) {
    push({.kind = Kind::tuple, .items = std::move(items)});
  }

  // Two's complement, the lowest byte first.
  void push_long(std::string_view bytes) {
    if (bytes.size() > sizeof(int64_t)) return push({.kind = Kind::long_integer, .text = bytes});
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    const size_t missing = 64 - 8 * bytes.size();
    if (!bytes.empty() && missing > 0)
      value = static_cast<uint64_t>(static_cast<int64_t>(value << missing) >> missing);
    push({.kind = Kind::integer, .integer = static_cast<int64_t>(value)});
  }

  // The highest byte first.
  void push_real() {
    const auto stored = number<uint64_t>();
    push({.kind = Kind::real, .real = std::bit_cast<double>(__builtin_bswap64(stored))});
  }

  void push_global(std::string_view module, std::string_view name) {
    const std::string whole = std::string(module) + "." + std::string(name);
    const auto known = std::ranges::find(known_names, whole, &KnownName::name);
    require(known != std::end(known_names),
            "{}: the pickle names {}, which is no part of a tensor and is refused", file_,
            Quoted{whole});
    push({.kind = Kind::global, .integer = static_cast<int64_t>(known->use), .text = known->name});
  }

  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  uint32_t top() const {
    require(stack_.size() > floor(), "{}: the pickle uses a value that is not there", file_);
    return stack_.back();
  }

  uint32_t pop() {
    const uint32_t value = top();
    stack_.pop_back();
    return value;
  }

  std::vector<uint32_t> pop_many(size_t count) {
    require(stack_.size() >= floor() + count, "{}: the pickle uses a value that is not there",
            file_);
    return cut(stack_.size() - count);
  }

  std::vector<uint32_t> above_mark() {
    require(!marks_.empty(), "{}: the pickle uses a mark that is not there", file_);
    const size_t begin = marks_.back();
    marks_.pop_back();
    return cut(begin);
  }

  std::vector<uint32_t> cut(size_t begin) {
    std::vector<uint32_t> values(stack_.begin() + static_cast<ptrdiff_t>(begin), stack_.end());
    stack_.resize(begin);
    return values;
  }

  PickleValue& value(uint32_t number) { return pickle_.values_[number]; }

  PickleValue& expect(uint32_t number, Kind kind) {
    require(value(number).kind == kind, "{}: the pickle has {} where {} was expected", file_,
            name_of(value(number).kind), name_of(kind));
    return value(number);
  }

  std::string_view text_of(uint32_t number) { return expect(number, Kind::text).text; }

  void add(Kind kind, const std::vector<uint32_t>& more) {
    std::vector<uint32_t>& items = expect(top(), kind).items;
    items.insert(items.end(), more.begin(), more.end());
  }

  void set_items(const std::vector<uint32_t>& more) {
    require(more.size() % 2 == 0, "{}: the pickle has a key without a value", file_);
    add(Kind::dictionary, more);
  }

  void recall(uint32_t name) {
    const auto found = memo_.find(name);
    require(found != memo_.end(), "{}: the pickle uses value {}, which it has not stored", file_,
            name);
    // Values count, however they come onto the stack.
    require(stack_.size() < most_values, "{}: the pickle has more than {} values", file_,
            most_values);
    stack_.push_back(found->second);
  }

  // A function and its arguments: of the few that make tensors, the result is what they describe.
  void reduce() {
    const uint32_t arguments = pop(), function = pop();
    const std::vector<uint32_t> items = expect(arguments, Kind::tuple).items;
    const PickleValue& named = expect(function, Kind::global);
    switch (static_cast<Use>(named.integer)) {
      case Use::make_dictionary:
        require(items.empty(), "{}: the pickle makes an OrderedDict of {} arguments", file_,
                items.size());
        return push({.kind = Kind::dictionary});
      case Use::make_tensor:
        return push_tensor(items);
      case Use::make_parameter:
        require(!items.empty(), "{}: the pickle makes a parameter of nothing", file_);
        expect(items[0], Kind::tensor);
        return stack_.push_back(items[0]);
      case Use::name_storage:
        fail("{}: the pickle calls {}, which is refused", file_, Quoted{named.text});
    }
    __builtin_unreachable();
  }

  // The storage, the place of the first number in it, sizes, strides; what follows only matters
  // to training.
  void push_tensor(const std::vector<uint32_t>& arguments) {
    require(arguments.size() >= 4, "{}: the pickle describes a tensor with {} values", file_,
            arguments.size());
    expect(arguments[0], Kind::storage);
    expect(arguments[1], Kind::integer);
    for (const uint32_t list : {arguments[2], arguments[3]})
      for (const uint32_t item : expect(list, Kind::tuple).items) expect(item, Kind::integer);
    push({.kind = Kind::tensor, .items = {arguments.begin(), arguments.begin() + 4}});
  }

  // ("storage", type, key, device, how many numbers), and a part of another one in old files.
  void push_storage(uint32_t description) {
    const std::vector<uint32_t> items = expect(description, Kind::tuple).items;
    require(items.size() >= 5 && text_of(items[0]) == "storage",
            "{}: the pickle refers to something that is not a storage", file_);
    const PickleValue& type = expect(items[1], Kind::global);
    require(static_cast<Use>(type.integer) == Use::name_storage,
            "{}: {} is not the type of a storage", file_, Quoted{type.text});
    expect(items[2], Kind::text);
    expect(items[4], Kind::integer);
    require(items.size() == 5 || value(items[5]).kind == Kind::none,
            "{}: a storage is part of another one, which heed does not read", file_);
    push({.kind = Kind::storage, .items = {items[1], items[2], items[4]}});
  }

  // What Python's dictionaries have beside their entries: versions of the layers, for loading.
  void build() {
    const uint32_t state = pop();
    expect(state, Kind::dictionary);
    expect(top(), Kind::dictionary);
  }

  Pickle& pickle_;
  std::span<const std::byte> bytes_;
  const std::string& file_;
  size_t next_ = 0;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint32_t, uint32_t> memo_;
};

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& file) {
  PickleMachine(*this, bytes, file).run();
}

}  // namespace heed
