#include "heed/weights/torch_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "heed/base/error_place.h"
#include "heed/base/text.h"
#include "heed/weights/stored_numbers.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

// 0x1950a86a20f9469cfc6c, the lowest byte first.
constexpr std::string_view old_magic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr int64_t old_version = 1001;
constexpr std::string_view pickle_name = "/data.pkl";

StoredType type_of_storage(std::string_view name) {
  constexpr std::pair<std::string_view, StoredType> types[] = {
      {"torch.FloatStorage", StoredType::f32},     {"torch.HalfStorage", StoredType::f16},
      {"torch.BFloat16Storage", StoredType::bf16}, {"torch.DoubleStorage", StoredType::f64},
      {"torch.LongStorage", StoredType::i64},      {"torch.IntStorage", StoredType::i32},
      {"torch.ShortStorage", StoredType::i16},     {"torch.CharStorage", StoredType::i8},
      {"torch.ByteStorage", StoredType::u8},       {"torch.BoolStorage", StoredType::boolean}};
  for (const auto& [known, type] : types)
    if (known == name) return type;
  __builtin_unreachable();  // the pickle has no other
}

std::vector<int64_t> integers(const Pickle& pickle, const PickleValue& tuple) {
  std::vector<int64_t> numbers;
  for (const uint32_t item : tuple.items) numbers.push_back(pickle[item].integer);
  return numbers;
}

float float_at(StoredType type, const std::byte* place) {
  const auto as = [&](auto value) {
    std::memcpy(&value, place, sizeof(value));
    return value;
  };
  switch (type) {
    case StoredType::f16:
      return from_half(as(uint16_t{}));
    case StoredType::bf16:
      return from_bfloat16(as(uint16_t{}));
    case StoredType::f64:
      return static_cast<float>(as(double{}));
    default:
      return as(float{});
  }
}

bool is_float(StoredType type) {
  return type == StoredType::f32 || type == StoredType::f16 || type == StoredType::bf16 ||
         type == StoredType::f64;
}

}  // namespace

TorchFile::TorchFile(std::optional<MappedFile> mapped, std::span<const std::byte> bytes,
                     std::string file)
    : mapped_(std::move(mapped)), file_(std::move(file)) {
  if (begins_like_zip(bytes))
    read_archive(bytes);
  else
    read_pickles(bytes);
}

TorchFile TorchFile::open(const std::filesystem::path& path) {
  MappedFile mapped(path);
  const std::span<const std::byte> bytes = std::as_const(mapped).bytes();
  return TorchFile(std::move(mapped), bytes, path.string());
}

TorchFile TorchFile::parse(std::span<const std::byte> bytes, std::string file) {
  return TorchFile(std::nullopt, bytes, std::move(file));
}

void TorchFile::read_archive(std::span<const std::byte> bytes) {
  archive_.emplace(ZipFile::parse(bytes, file_));
  std::string found;
  for (const std::string& name : archive_->names()) {
    if (!name.ends_with(pickle_name)) continue;
    require(found.empty(), "{}: both {} and {} are pickles of tensors", file_, Quoted{found},
            Quoted{name});
    found = name;
  }
  require(!found.empty(), "{}: is a zip archive without data.pkl, so PyTorch has not saved it",
          file_);
  folder_ = found.substr(0, found.size() - pickle_name.size());
  if (const std::string order = folder_ + "/byteorder"; archive_->contains(order))
    require(archive_->size(order) <= 16 && archive_->read_stored(order) == "little",
            "{}: its numbers are not little-endian", file_);
  const std::string pickle = archive_->read_stored(found);
  list_arrays(Pickle(std::as_bytes(std::span(pickle)), file_));
}

// A magic number, a version, facts about the system, the tensors, and the order of the storages,
// each a pickle of its own; then the storages.
void TorchFile::read_pickles(std::span<const std::byte> bytes) {
  const auto next = [&] {
    Pickle pickle(bytes, file_);
    bytes = bytes.subspan(pickle.size());
    return pickle;
  };
  require(!bytes.empty() && bytes[0] == std::byte{0x80},
          "{}: begins neither as a zip archive nor as a pickle, so PyTorch has not saved it",
          file_);
  const Pickle magic = next();
  require(magic.root().kind == PickleKind::long_integer && magic.root().text == old_magic,
          "{}: does not begin with PyTorch's magic number", file_);
  const Pickle version = next();
  require(version.root().kind == PickleKind::integer && version.root().integer == old_version,
          "{}: its version is not {}", file_, old_version);
  const Pickle system = next();
  for (size_t i = 0; i + 1 < system.root().items.size(); i += 2)
    if (system[system.root().items[i]].text == "little_endian")
      require(system[system.root().items[i + 1]].integer == 1,
              "{}: its numbers are not little-endian", file_);
  const Pickle tensors = next();
  const Pickle keys = next();
  list_arrays(tensors);
  place_storages(keys, bytes);
}

void TorchFile::place_storages(const Pickle& keys, std::span<const std::byte> rest) {
  require(keys.root().kind == PickleKind::list, "{}: the list of storages is {}", file_,
          name_of(keys.root().kind));
  for (const uint32_t item : keys.root().items) {
    const auto found = storages_.find(keys[item].text);
    require(found != storages_.end(), "{}: storage {} belongs to no tensor", file_,
            Quoted{keys[item].text});
    auto& [key, storage] = *found;
    int64_t numbers = -1;
    require(rest.size() >= sizeof(numbers), "{}: storage {} is missing", file_, Quoted{key});
    std::memcpy(&numbers, rest.data(), sizeof(numbers));
    rest = rest.subspan(sizeof(numbers));
    require(numbers == storage.numbers, "{}: storage {} has {} numbers but {} were expected", file_,
            Quoted{key}, numbers, storage.numbers);
    require(storage.length <= rest.size(), "{}: storage {} needs {} bytes but {} are left", file_,
            Quoted{key}, storage.length, rest.size());
    require(!storage.placed, "{}: storage {} occurs twice", file_, Quoted{key});
    storage.placed = true;
    storage.bytes = rest.first(storage.length);
    rest = rest.subspan(storage.length);
  }
  require(rest.empty(), "{}: {} bytes are left at the end", file_, rest.size());
  for (const auto& [key, storage] : storages_)
    require(storage.placed, "{}: storage {} is missing", file_, Quoted{key});
}

void TorchFile::list_arrays(const Pickle& pickle) {
  const PickleValue& root = pickle.root();
  require(root.kind == PickleKind::dictionary,
          "{}: holds {} but a dictionary of tensors was expected", file_, name_of(root.kind));
  for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const PickleValue &key = pickle[root.items[i]], &value = pickle[root.items[i + 1]];
    require(key.kind == PickleKind::text && is_utf8(key.text),
            "{}: an array is named by {} but UTF-8 text was expected", file_, name_of(key.kind));
    require(value.kind == PickleKind::tensor, "{}: {} is {} but a tensor was expected", file_,
            Quoted{key.text}, name_of(value.kind));
    const std::string name(key.text);
    Array array = array_of(pickle, value, name);
    require(arrays_.emplace(name, std::move(array)).second, "{}: array {} occurs twice", file_,
            Quoted{name});
  }
}

TorchFile::Array TorchFile::array_of(const Pickle& pickle, const PickleValue& tensor,
                                     const std::string& name) {
  const PickleValue& place = pickle[tensor.items[0]];
  const std::string key(pickle[place.items[1]].text);
  const Storage& storage =
      storage_of(key, type_of_storage(pickle[place.items[0]].text), pickle[place.items[2]].integer);
  const std::vector<int64_t> sizes = integers(pickle, pickle[tensor.items[2]]);
  Array array{.type = storage.type,
              .shape = {},
              .storage = key,
              .first = pickle[tensor.items[1]].integer,
              .strides = integers(pickle, pickle[tensor.items[3]])};
  require(sizes.size() <= Shape::max_rank && sizes.size() == array.strides.size(),
          "{}: array {} has {} sizes and {} strides but at most {} of each were expected", file_,
          Quoted{name}, sizes.size(), array.strides.size(), Shape::max_rank);
  array.shape =
      with_place(fmt::format("{}: array {}", file_, Quoted{name}), [&] { return Shape(sizes); });
  check_range(name, array, storage.numbers);
  return array;
}

const TorchFile::Storage& TorchFile::storage_of(const std::string& key, StoredType type,
                                                int64_t numbers) {
  const std::optional<int64_t> bytes = numbers < 0 ? std::nullopt : bytes_of(type, numbers);
  require(bytes.has_value(), "{}: storage {} cannot have {} numbers", file_, Quoted{key}, numbers);
  const Storage described{.type = type, .numbers = numbers, .length = static_cast<size_t>(*bytes)};
  const auto [found, is_new] = storages_.emplace(key, described);
  const Storage& storage = found->second;
  require(is_new || (storage.type == type && storage.numbers == numbers),
          "{}: storage {} is described in two ways", file_, Quoted{key});
  if (is_new && archive_) {
    const size_t length = archive_->size(part_of(key));
    require(length == storage.length, "{}: storage {} has {} bytes but {} were expected", file_,
            Quoted{key}, length, storage.length);
  }
  return storage;
}

std::string TorchFile::part_of(const std::string& key) const { return folder_ + "/data/" + key; }

// The numbers from the first to the last are in the storage. An array has no more than that, as
// one with strides of 0 would, so that it cannot ask for more memory than the file takes.
void TorchFile::check_range(const std::string& name, const Array& array, int64_t stored) const {
  int64_t last = array.first;
  bool fits = array.first >= 0 && array.shape.elements() <= stored;
  for (int axis = 0; fits && axis < array.shape.rank(); ++axis) {
    const int64_t stride = array.strides[static_cast<size_t>(axis)];
    int64_t reach = 0;
    fits = stride >= 0 &&
           !__builtin_mul_overflow(std::max<int64_t>(array.shape[axis] - 1, 0), stride, &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  require(fits && (array.shape.elements() == 0 || last < stored),
          "{}: array {} of shape {} does not fit into its storage of {} numbers", file_,
          Quoted{name}, array.shape, stored);
}

std::vector<std::string> TorchFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays_) names.push_back(name);
  return names;
}

const TorchFile::Array& TorchFile::array(std::string_view name) const {
  const auto found = arrays_.find(name);
  require(found != arrays_.end(), "{}: array {} is missing", file_, Quoted{name});
  return found->second;
}

Tensor TorchFile::read(std::string_view name) const {
  const Array& found = array(name);
  require(is_float(found.type), "{}: array {} has type {} but floats were expected", file_,
          Quoted{name}, name_of(found.type));
  const std::string unpacked =
      archive_ ? archive_->read_stored(part_of(found.storage)) : std::string();
  const std::span<const std::byte> bytes =
      archive_ ? std::as_bytes(std::span(unpacked)) : storages_.find(found.storage)->second.bytes;
  const size_t width = static_cast<size_t>(bits_of(found.type)) / 8;
  Tensor values = Tensor::uninitialised(found.shape);
  std::vector<int64_t> index(found.strides.size(), 0);
  int64_t place = found.first;
  for (float& value : values.span<float>()) {
    value = float_at(found.type, bytes.data() + static_cast<size_t>(place) * width);
    require(std::isfinite(value), "{}: array {} holds {} at {} but finite numbers were expected",
            file_, Quoted{name}, value, index_text(found.shape, &value - values.data<float>()));
    // The next element in the order of rows.
    for (size_t axis = index.size(); axis-- > 0;) {
      place += found.strides[axis];
      if (++index[axis] < found.shape[static_cast<int>(axis)]) break;
      place -= index[axis] * found.strides[axis];
      index[axis] = 0;
    }
  }
  return values;
}

}  // namespace heed
