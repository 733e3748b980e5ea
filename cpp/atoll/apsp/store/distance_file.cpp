// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/base/error.hpp>
#include <atoll/io/npy.hpp>
#include <atoll/io/zarr_chunks.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace atl {
namespace fs = std::filesystem;
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  check(static_cast<bool>(in), "{}: cannot be opened (a file of the folder is missing). Copy the folder again.", path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// An array that lies in mapped memory.
struct Column {
  const char* data = nullptr;
  std::int64_t size = 0;
  std::string type;

  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data), static_cast<std::size_t>(size)};
  }
};

// The .npy array that begins at byte `at`; moves `at` behind it.
Column npy_column(const std::string& path, const MappedFile& file, std::uint64_t& at) {
  check(at < file.bytes(), "{}: ends at byte {} (more arrays follow by its metadata). It is cut off; get it again.",
        path, file.bytes());
  const NpyHead head = read_npy_head(path, file.data() + at, file.bytes() - at, at);
  check(head.shape.size() == 1 && head.type.size() == 3, "{}: the array at byte {} is none of ours. Write it again.",
        path, at);
  Column column{file.data() + head.begin, head.shape[0], head.type};
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

struct DistanceFile::Source {
  std::string path;
  DistanceForm form;
  DistanceMeta meta;
  MappedFile matrix;        // .npy and tiles.bin
  std::uint64_t begin = 0;  // .npy: where the matrix begins
  std::unique_ptr<ZarrChunks> chunks;
  std::vector<MappedFile> sides;  // what the columns of folders lie in
  Column ids, offsets, targets, weights;

  explicit Source(const std::string& p) : path(p), form(form_of(p)) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (form == DistanceForm::npy) {
      open_npy();
    } else {
      std::error_code ignored;
      check(fs::exists(path, ignored), "{}: no such folder. Check the path.", path);
      check(fs::is_directory(path, ignored), "{}: is a file (distances of that ending are a folder). Check the path.",
            path);
      form == DistanceForm::tiles ? open_tiles() : open_zarr();
    }
    check_columns();
  }

  void open_npy() {
    matrix = MappedFile(path);
    const NpyHead head = read_npy_head(path, matrix.data(), matrix.bytes(), 0);
    check(head.shape.size() == 2 && head.shape[0] == head.shape[1] && head.shape[0] >= 1,
          "{}: its array is not square (distances are n x n). Name another file.", path);
    check(!head.by_columns, "{}: lies by columns (rows are read). Write it with numpy.ascontiguousarray.", path);
    const Element element = element_of(path, head.type);
    const std::int64_t n = head.shape[0];
    const auto cells = static_cast<unsigned __int128>(n) * static_cast<unsigned __int128>(n) * bytes_of(element);
    check(cells <= matrix.bytes() - head.begin,
          "{}: has {} bytes ({} x {} values of {} do not fit). It is cut off; get it again.", path, matrix.bytes(), n,
          n, head.type);
    begin = head.begin;
    std::uint64_t at = begin + static_cast<std::uint64_t>(cells);
    if (at == matrix.bytes()) {  // numpy's own
      meta.n = meta.block = n;
      meta.element = element;
      return;
    }
    const Column words = npy_column(path, matrix, at);
    meta = DistanceMeta::from_json(path, std::string(words.data, static_cast<std::size_t>(words.size)));
    check(meta.n == n && meta.element == element, "{}: its metadata is that of another matrix. Write it again.", path);
    if (meta.has_ids) ids = npy_column(path, matrix, at);
    if (meta.arcs < 0) return;
    offsets = npy_column(path, matrix, at);
    targets = npy_column(path, matrix, at);
    if (!meta.weights.empty()) weights = npy_column(path, matrix, at);
  }

  void open_tiles() {
    meta = DistanceMeta::from_json(path, text_of(path + "/meta.json"));
    matrix = MappedFile(path + "/tiles.bin");
    const std::uint64_t bytes = TileOrder(meta.n, meta.block, bytes_of(meta.element)).bytes();
    check(matrix.bytes() == bytes, "{}/tiles.bin: has {} bytes (its tiles have {}). It is cut off; get it again.", path,
          matrix.bytes(), bytes);
    const auto column = [&](const char* name) {
      const std::string file = fmt::format("{}/{}.npy", path, name);
      std::uint64_t at = 0;
      sides.emplace_back(file);
      return npy_column(file, sides.back(), at);
    };
    if (meta.has_ids) ids = column("ids");
    if (meta.arcs < 0) return;
    offsets = column("offsets");
    targets = column("targets");
    if (!meta.weights.empty()) weights = column("weights");
  }

  void open_zarr() {
    const std::string group = path + "/.zgroup";
    try {
      const nlohmann::json format = nlohmann::json::parse(text_of(group)).at("zarr_format");
      check(format == 2, "{}: says Zarr format {} (distances are written in format 2). Write it again.", group,
            format.dump());
    } catch (const nlohmann::json::exception& e) {
      throw InputError(fmt::format("{}: is damaged ({}). Get it again.", group, e.what()));
    }
    meta = DistanceMeta::from_json(path, text_of(path + "/.zattrs"));
    bool packed = false;
    try {
      const nlohmann::json array = nlohmann::json::parse(text_of(path + "/distance/.zarray"));
      const nlohmann::json& compressor = array.at("compressor");
      packed = !compressor.is_null();
      check(!packed || compressor.at("id") == "zstd",
            "{}: is compressed by {} (zstd is read here). Write it again by zstd.", path, compressor.dump());
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
    const auto column = [&](const char* name, std::int64_t size, const char* type) {
      if (size == 0) return Column{nullptr, 0, type};
      const std::string file = fmt::format("{}/{}/0", path, name);
      sides.emplace_back(file);
      const auto width = static_cast<std::uint64_t>(type[2] - '0');
      check(sides.back().bytes() == static_cast<std::uint64_t>(size) * width,
            "{}: has {} bytes ({} values are expected). It is cut off; get it again.", file, sides.back().bytes(),
            size);
      return Column{sides.back().data(), size, type};
    };
    if (meta.has_ids) ids = column("ids", meta.n, "<i8");
    if (meta.arcs < 0) return;
    offsets = column("offsets", meta.n + 1, "<i8");
    targets = column("targets", meta.arcs, "<i4");
    if (!meta.weights.empty()) weights = column("weights", meta.arcs, numpy_type(element_named(meta.weights)));
  }

  void check_columns() const {
    const auto is = [](const Column& c, std::int64_t size, const char* type) {
      return c.size == size && c.type == type;
    };
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
};

DistanceFile::DistanceFile(const std::string& path) : source_(std::make_unique<Source>(path)) {}
DistanceFile::~DistanceFile() = default;
DistanceFile::DistanceFile(DistanceFile&&) noexcept = default;

const std::string& DistanceFile::path() const { return source_->path; }
DistanceForm DistanceFile::form() const { return source_->form; }
const DistanceMeta& DistanceFile::meta() const { return source_->meta; }
std::span<const Vertex> DistanceFile::ids() const { return source_->ids.as<Vertex>(); }

Vertex DistanceFile::id_of(std::int64_t index) const {
  return ids().empty() ? index : ids()[static_cast<std::size_t>(index)];
}

std::int64_t DistanceFile::index_of(Vertex id) const {
  const auto all = ids();
  if (all.empty()) {
    check(id >= 0 && id < n(), "{}: there is no vertex {} (its ids are 0 to {}). Ask for one of them.", path(), id,
          n() - 1);
    return id;
  }
  const auto at = std::lower_bound(all.begin(), all.end(), id);
  check(at != all.end() && *at == id,
        "{}: there is no vertex {} (its {} ids lie between {} and {}). Ask for one of them.", path(), id, n(),
        all.front(), all.back());
  return at - all.begin();
}

// Where block (i, j) begins; its rows are `stride` values apart.
const void* DistanceFile::place(std::int64_t i, std::int64_t j, std::int64_t& stride,
                                std::shared_ptr<const void>& owner) const {
  const Source& s = *source_;
  const std::size_t width = bytes_of(s.meta.element);
  switch (s.form) {
    case DistanceForm::npy:
      stride = s.meta.n;
      return s.matrix.data() + s.begin + static_cast<std::uint64_t>((i * s.meta.n + j) * s.meta.block) * width;
    case DistanceForm::tiles: {
      const TileOrder order(s.meta.n, s.meta.block, width);
      stride = order.side.length_of(j);
      return s.matrix.data() + order.begin_of(i, j);
    }
    default:
      stride = s.meta.block;
      owner = s.chunks->at(i, j);
      return owner.get();
  }
}

template <class T>
DistanceFile::Tile<T> DistanceFile::tile(std::int64_t i, std::int64_t j) const {
  check(kElementOf<T> == element(), "{}: holds {} (it was asked for {}). Ask for its own type.", path(),
        name_of(element()), name_of(kElementOf<T>));
  check(i >= 0 && j >= 0 && i < tiles() && j < tiles(),
        "{}: there is no tile ({}, {}) (a side has {}). Ask for another.", path(), i, j, tiles());
  const BlockCyclic side{n(), meta().block, 1};
  Tile<T> out;
  std::int64_t stride = 0;
  const void* data = place(i, j, stride, out.owner);
  out.view = {static_cast<const T*>(data), side.length_of(i), side.length_of(j), stride};
  return out;
}

double DistanceFile::value(std::int64_t i, std::int64_t j) const {
  return with_value_type(element(), [&](auto type) {
    const std::int64_t b = meta().block;
    return static_cast<double>(tile<decltype(type)>(i / b, j / b).view(i % b, j % b));
  });
}

double DistanceFile::no_path() const {
  return with_value_type(element(),
                         [&](auto type) { return static_cast<double>(zero_of<decltype(type)>(meta().semiring)); });
}

double DistanceFile::distance(Vertex u, Vertex v) const {
  const double stored = value(index_of(u), index_of(v));
  if (meta().semiring == Semiring::or_and) return stored;  // no path is 0, and any other value a path
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (meta().semiring == Semiring::max_min &&
      with_value_type(element(), [&](auto type) { return stored == static_cast<double>(kNoPath<decltype(type)>); }))
    return kInfinity;  // a vertex to itself
  if (!is_no_path(stored)) return stored * meta().scale;
  return meta().semiring == Semiring::min_plus ? kInfinity : -kInfinity;
}

const void* DistanceFile::row_view(std::int64_t i) const {
  if (source_->form != DistanceForm::npy) return nullptr;
  return source_->matrix.data() + source_->begin + static_cast<std::uint64_t>(i * n()) * bytes_of(element());
}

template <class T>
void DistanceFile::read_row(std::int64_t i, T* to) const {
  const std::int64_t b = meta().block;
  for (std::int64_t j = 0; j < tiles(); ++j) {
    const Tile<T> part = tile<T>(i / b, j);
    std::memcpy(to + j * b, &part.view(i % b, 0), static_cast<std::size_t>(part.view.cols) * sizeof(T));
  }
}

DistanceGraph DistanceFile::graph() const {
  const Source& s = *source_;
  DistanceGraph graph{.ids = ids(), .directed = s.meta.directed};
  if (!has_arcs()) return graph;
  graph.offsets = s.offsets.as<Edge>();
  graph.targets = s.targets.as<Local>();
  if (!s.meta.weights.empty())
    with_value_type(element_named(s.meta.weights), [&](auto type) { graph.lengths = s.weights.as<decltype(type)>(); });
  return graph;
}

template DistanceFile::Tile<float> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<double> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::int32_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::uint16_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::uint8_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template void DistanceFile::read_row(std::int64_t, float*) const;
template void DistanceFile::read_row(std::int64_t, double*) const;
template void DistanceFile::read_row(std::int64_t, std::int32_t*) const;
template void DistanceFile::read_row(std::int64_t, std::uint16_t*) const;
template void DistanceFile::read_row(std::int64_t, std::uint8_t*) const;

}  // namespace atl
