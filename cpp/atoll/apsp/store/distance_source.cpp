// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/distance_source.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <atoll/io/npy.hpp>
#include <atoll/io/read_file.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

namespace atl {
namespace fs = std::filesystem;
namespace {

// A file of a folder of distances.
InputFile part_of(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  check(fs::exists(folder + "/" + name, ignored),
        "{}: has no {} (which belongs to it: the copy is incomplete). Copy the whole folder again.", folder, name);
  return InputFile(folder + "/" + name);
}

std::string text_of(const std::string& folder, const std::string& name) {
  const InputFile file = part_of(folder, name);
  std::string text(file.bytes(), '\0');
  file.read_at(text.data(), text.size(), 0);
  return text;
}

// The .npy array at byte `at`; advances `at` past it.
DistanceColumn npy_column(const std::string& path, const MappedFile& file, std::uint64_t& at) {
  check(at < file.bytes(), "{}: ends at byte {} (more arrays follow by its metadata). It is cut off; get it again.",
        path, file.bytes());
  const NpyHead head = read_npy_head(path, file.data() + at, file.bytes() - at, at);
  check(head.shape.size() == 1 && head.type.size() == 3,
        "{}: the array at byte {} was not written by atoll. Write it again.", path, at);
  DistanceColumn column{file.data() + head.begin, head.shape[0], head.type};
  const auto width = static_cast<std::uint64_t>(head.type[2] - '0');
  const auto left = file.bytes() - head.begin;
  check(width >= 1 && width <= 8 && static_cast<std::uint64_t>(column.size) <= left / width,
        "{}: ends at byte {} (the array at byte {} has {} values). It is cut off; get it again.", path, file.bytes(),
        at, column.size);
  at = head.begin + static_cast<std::uint64_t>(column.size) * width;
  return column;
}

Element element_of(const std::string& path, const std::string& type) {
  for (const Element e : {Element::float32, Element::float64, Element::int32, Element::uint16, Element::uint8})
    if (type == numpy_type(e)) return e;
  throw InputError(
      fmt::format("{}: holds values of type {} (distances are <f4 <f8 <i4 <u2 |u1). Convert it in numpy.", path, type));
}

}  // namespace

DistanceChecks::DistanceChecks(std::string path, std::int64_t n, std::int64_t columns, std::size_t value_bytes,
                               const std::uint64_t* sums)
    : path_(std::move(path)),
      order_(n, columns),
      value_bytes_(value_bytes),
      sums_(sums),
      held_(static_cast<std::uint64_t*>(
          std::calloc(static_cast<std::size_t>(order_.size()) / 64 + 1, sizeof(std::uint64_t)))) {
  if (!held_) throw std::bad_alloc();
}

void DistanceChecks::hold_first(std::int64_t row, std::int64_t j, const void* values) const {
  const std::int64_t at = place_of(row, j);
  const auto bytes = static_cast<std::size_t>(order_.side.length_of(j)) * value_bytes_;
  check(
      checksum(values, bytes) == sums_[at],
      "{}: tile ({}, {}) is damaged (the checksum of its values of row {} is another). Get the file again, or compute "
      "it anew.",
      path_, row / order_.side.block, j, row);
  __atomic_fetch_or(&held_[static_cast<std::size_t>(at) / 64], std::uint64_t{1} << at % 64, __ATOMIC_RELAXED);
}

DistanceFile::Source::Source(const std::string& p) : path(p), format(storage_format_of(p)) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (format == StorageFormat::npy) {
    open_npy();
  } else if (format == StorageFormat::hdf5) {
    open_hdf5();
  } else {
    std::error_code ignored;
    check(fs::exists(path, ignored), "{}: no such folder. Check the path.", path);
    check(fs::is_directory(path, ignored), "{}: is a file (distances of that ending are a folder). Check the path.",
          path);
    format == StorageFormat::tiles ? open_tiles() : open_zarr();
  }
  check_sums();
  if (format == StorageFormat::hdf5) meta.block = meta.n;  // the matrix is one piece
  check_columns();
}

void DistanceFile::Source::open_npy() {
  matrix = InputFile(path).map();
  const NpyHead head = read_npy_head(path, matrix.data(), matrix.bytes(), 0);
  check(head.shape.size() == 2 && head.shape[0] == head.shape[1] && head.shape[0] >= 1,
        "{}: its array is not square (distances are n x n). Name another file.", path);
  check(!head.by_columns, "{}: is stored by columns (rows are read). Write it with numpy.ascontiguousarray.", path);
  const Element element = element_of(path, head.type);
  const std::int64_t n = head.shape[0];
  const auto cells = static_cast<unsigned __int128>(n) * static_cast<unsigned __int128>(n) * bytes_of(element);
  check(cells <= matrix.bytes() - head.begin,
        "{}: has {} bytes ({} x {} values of {} do not fit). It is cut off; get it again.", path, matrix.bytes(), n, n,
        head.type);
  begin = head.begin;
  std::uint64_t at = begin + static_cast<std::uint64_t>(cells);
  if (at == matrix.bytes()) {  // a plain file of numpy
    check(begin < distance_npy_head(element, n).size(),
          "{}: ends behind the matrix (its header says that metadata follow). It is cut off; get it again.", path);
    meta.n = meta.block = n;
    meta.element = element;
    return;
  }
  const Column words = npy_column(path, matrix, at);
  meta = DistanceMeta::from_json(path, std::string(words.data, static_cast<std::size_t>(words.size)));
  check(meta.n == n && meta.element == element, "{}: its metadata is that of another matrix. Write it again.", path);
  find_columns([&](const char*, std::int64_t, const char*) { return npy_column(path, matrix, at); });
}

void DistanceFile::Source::open_tiles() {
  meta = DistanceMeta::from_json(path, text_of(path, "meta.json"));
  matrix = part_of(path, "tiles.bin").map();
  const std::uint64_t bytes = TileOrder(meta.n, meta.block, bytes_of(meta.element)).bytes();
  check(matrix.bytes() == bytes, "{}/tiles.bin: has {} bytes (its tiles have {}). It is cut off; get it again.", path,
        matrix.bytes(), bytes);
  find_columns([&](const char* name, std::int64_t, const char*) {
    const InputFile file = part_of(path, fmt::format("{}.npy", name));
    std::uint64_t at = 0;
    sides.push_back(file.map());
    return npy_column(file.path(), sides.back(), at);
  });
}

void DistanceFile::Source::open_zarr() {
  const std::string group = path + "/.zgroup";
  try {
    const nlohmann::json format = parse_json(text_of(path, ".zgroup")).at("zarr_format");
    check(format == 2, "{}: says Zarr format {} (distances are written in format 2). Write it again.", group,
          dump_json(format));
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: is damaged ({}). Get it again.", group, e.what()));
  }
  meta = DistanceMeta::from_json(path, text_of(path, ".zattrs"));
  bool packed = false;
  try {
    const nlohmann::json array = parse_json(text_of(path, "distance/.zarray"));
    const nlohmann::json& compressor = array.at("compressor");
    packed = !compressor.is_null();
    check(!packed || compressor.at("id") == "zstd",
          "{}: is compressed by {} (zstd is read here). Write it again by zstd.", path, dump_json(compressor));
    const std::vector<std::int64_t> n{meta.n, meta.n}, block{meta.block, meta.block};
    check(array.at("shape") == n && array.at("chunks") == block && array.at("dtype") == numpy_type(meta.element) &&
              array.at("order") == "C" && array.at("filters").is_null() &&
              array.value("dimension_separator", ".") == ".",
          "{}: its array and its metadata contradict each other. Write it again.", path);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}/distance/.zarray: is damaged ({}). Get it again.", path, e.what()));
  }
  const auto bytes = static_cast<std::uint64_t>(meta.block * meta.block) * bytes_of(meta.element);
  chunks = std::make_unique<ZarrChunks>(path + "/distance", bytes, packed, kKeptBytes);
  find_columns([&](const char* name, std::int64_t size, const char* type) {
    if (size == 0) return Column{nullptr, 0, type};
    const InputFile file = part_of(path, fmt::format("{}/0", name));
    sides.push_back(file.map());
    const auto width = static_cast<std::uint64_t>(type[2] - '0');
    check(file.bytes() == static_cast<std::uint64_t>(size) * width,
          "{}: has {} bytes ({} values are expected). It is cut off; get it again.", file.path(), file.bytes(), size);
    return Column{sides.back().data(), size, type};
  });
}

void DistanceFile::Source::open_hdf5() {
  matrix = InputFile(path).map();
  const auto* end = static_cast<const char*>(std::memchr(matrix.data(), 0, matrix.bytes()));
  const std::string_view start(matrix.data(), std::min<std::size_t>(matrix.bytes(), 64));
  check(end != nullptr || start.find("\"about\"") == std::string_view::npos,
        "{}: ends at byte {} (in its metadata). It is cut off; get it again.", path, matrix.bytes());
  check(matrix.data()[0] == '{' && end != nullptr,
        "{}: was not written by Atoll (its first bytes do not say where the matrix is). Read it by h5py, and write the "
        "matrix by atoll.apsp.save.",
        path);
  const std::string words(matrix.data(), static_cast<std::size_t>(end - matrix.data()));
  meta = DistanceMeta::from_json(path, words);
  const nlohmann::json places = parse_json(words).value("at", nlohmann::json::object());
  const auto column = [&](const char* name, std::int64_t size, const char* type) {
    const auto width = static_cast<std::uint64_t>(type[2] - '0');
    const nlohmann::json& place = places.is_object() && places.contains(name) ? places[name] : nlohmann::json();
    check(place.is_number_unsigned() && place.get<std::uint64_t>() % width == 0,
          "{}: its metadata has no place for {}. Write it again.", path, name);
    const auto at = place.get<std::uint64_t>();
    check(at <= matrix.bytes() && static_cast<std::uint64_t>(size) <= (matrix.bytes() - at) / width,
          "{}: has {} bytes ({} values of {} begin at byte {}). It is cut off; get it again.", path, matrix.bytes(),
          size, name, at);
    return Column{matrix.data() + at, size, type};
  };
  begin =
      static_cast<std::uint64_t>(column("distances", meta.n * meta.n, numpy_type(meta.element)).data - matrix.data());
  find_columns(column);
}

template <class F>
void DistanceFile::Source::find_columns(F&& found) {
  if (meta.has_ids) ids = found("ids", meta.n, "<i8");
  if (meta.arcs >= 0) {
    offsets = found("offsets", meta.n + 1, "<i8");
    targets = found("targets", meta.arcs, "<i4");
    if (!meta.weights.empty()) weights = found("weights", meta.arcs, numpy_type(element_named(meta.weights)));
  }
  if (meta.checked_columns > 0)
    checksums = found("checksums", ChecksumOrder(meta.n, meta.checked_columns).size(), "<u8");
}

// The columns beside the matrix are held against their checksums now, the matrix when it is read.
void DistanceFile::Source::check_sums() {
  if (meta.checked_columns == 0) return;
  check(meta.checked_columns == meta.block && checksums.size == ChecksumOrder(meta.n, meta.block).size() &&
            checksums.type == "<u8",
        "{}: has {} checksums of {} values (a row of a tile has one: {}). Write it again.", path, checksums.size,
        meta.checked_columns, meta.block);
  const auto hold = [&](const char* name, const Column& column) {
    if (column.type.empty()) return;
    const auto bytes = static_cast<std::size_t>(column.size) * static_cast<std::size_t>(column.type[2] - '0');
    const auto sum = meta.checksums.find(name);
    check(sum != meta.checksums.end() && sum->second == checksum(column.data, bytes),
          "{}: its {} are damaged (their checksum is another). Get it again.", path, name);
  };
  hold("ids", ids);
  hold("offsets", offsets);
  hold("targets", targets);
  hold("weights", weights);
  checks = std::make_unique<DistanceChecks>(format == StorageFormat::tiles ? path + "/tiles.bin" : path, meta.n,
                                            meta.checked_columns, bytes_of(meta.element),
                                            checksums.as<std::uint64_t>().data());
}

void DistanceFile::Source::check_columns() const {
  const auto is = [](const Column& c, std::int64_t size, const char* type) { return c.size == size && c.type == type; };
  check(!meta.has_ids || is(ids, meta.n, "<i8"), "{}: has ids for {} of {} rows. Write it again.", path, ids.size,
        meta.n);
  const auto all = ids.as<Vertex>();
  check(std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end(),
        "{}: its ids do not ascend. Write it again.", path);
  if (meta.arcs < 0) return;
  check(is(offsets, meta.n + 1, "<i8") && is(targets, meta.arcs, "<i4") &&
            (meta.weights.empty() || is(weights, meta.arcs, numpy_type(element_named(meta.weights)))),
        "{}: its arcs and its metadata contradict each other. Write it again.", path);
  const auto rows = offsets.as<Edge>();
  check(rows.front() == 0 && rows.back() == meta.arcs && std::is_sorted(rows.begin(), rows.end()),
        "{}: the offsets of its arcs do not ascend from 0 to {}. Write it again.", path, meta.arcs);
  const auto ends = targets.as<Local>();
  check(std::all_of(ends.begin(), ends.end(), [&](Local t) { return t >= 0 && t < meta.n; }),
        "{}: an arc ends at no row. Write it again.", path);
}

}  // namespace atl
