// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <algorithm>
#include <atoll/apsp/store/convert_values.hpp>
#include <atoll/apsp/store/distance_file_write.hpp>
#include <atoll/apsp/store/distance_sides.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <atoll/io/npy.hpp>
#include <atoll/io/write_file.hpp>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

/// One rank's blocks on their way into a file as values of To.
template <class To, class From>
class Blocks2D {
 public:
  Blocks2D(World& world, const std::string& path, const Distances<From>& distances, const DistanceGraph& graph,
           Semiring semiring)
      : world_(world),
        path_(path),
        distances_(distances),
        graph_(graph),
        convert_(semiring),
        row_part_(distances.layout.grid.row_of(world.rank())),
        col_part_(distances.layout.grid.col_of(world.rank())),
        sums_(static_cast<std::size_t>(distances.local.rows() * distances.layout.cols.blocks_on(col_part_))) {}

  // Calls f(thread, i, j, tile) for each own block with its values one after another, rows `stride_of(j)` apart.
  template <class F>
  void each(std::int64_t padded, To pad, F&& f) {
    const BlockCyclic &rows = distances_.layout.rows, &cols = distances_.layout.cols;
    const std::int64_t wide = cols.blocks_on(col_part_), count = rows.blocks_on(row_part_) * wide;
    std::vector<Array<To>> buffers(static_cast<std::size_t>(world_.team().size()));
    world_.team().for_range(static_cast<std::size_t>(count), 1, [&](int thread, std::size_t t, std::size_t) {
      const std::int64_t i = static_cast<std::int64_t>(t) / wide * rows.parts + row_part_;
      const std::int64_t j = static_cast<std::int64_t>(t) % wide * cols.parts + col_part_;
      const std::int64_t height = padded ? padded : rows.length_of(i), width = padded ? padded : cols.length_of(j);
      Array<To>& tile = buffers[thread];
      const auto size = static_cast<std::size_t>(height * width);
      if (tile.size() < size) tile = Array<To>(size);
      if (height > rows.length_of(i) || width > cols.length_of(j)) std::fill_n(tile.data(), size, pad);
      for (std::int64_t r = 0; r < rows.length_of(i); ++r)
        row(rows.local_begin(i) + r, cols.local_begin(j), cols.length_of(j), tile.data() + r * width);
      f(i, j, tile.data(), size);
    });
  }

  // Calls f(row, first column, values, how many) for all that this rank has.
  template <class F>
  void each_row(F&& f) {
    const BlockCyclic &rows = distances_.layout.rows, &cols = distances_.layout.cols;
    // Where one rank has whole rows, they are written whole.
    const std::int64_t piece = cols.parts == 1 ? cols.size : cols.block;
    std::vector<Array<To>> buffers(static_cast<std::size_t>(world_.team().size()));
    world_.team().for_range(static_cast<std::size_t>(distances_.local.rows()), 64,
                            [&](int thread, std::size_t a, std::size_t b) {
                              Array<To>& buffer = buffers[thread];
                              if (buffer.empty()) buffer = Array<To>(static_cast<std::size_t>(piece));
                              for (auto r = static_cast<std::int64_t>(a); r < static_cast<std::int64_t>(b); ++r)
                                for (std::int64_t at = 0; at < distances_.local.cols(); at += piece) {
                                  const std::int64_t width = std::min(piece, distances_.local.cols() - at);
                                  row(r, at, width, buffer.data());
                                  f(rows.index_of(row_part_, r), cols.index_of(col_part_, at), buffer.data(), width);
                                }
                            });
  }

  // Calls f(i, j, checksums) for each own block whose values were passed on, with one checksum a row.
  template <class F>
  void each_checksums(F&& f) const {
    const BlockCyclic &rows = distances_.layout.rows, &cols = distances_.layout.cols;
    for (std::int64_t j = col_part_; j < cols.blocks(); j += cols.parts)
      for (std::int64_t i = row_part_; i < rows.blocks(); i += rows.parts)
        f(i, j, sums_.data() + place_of_sum(rows.local_begin(i), cols.local_begin(j)));
  }

 private:
  std::int64_t place_of_sum(std::int64_t r, std::int64_t at) const {
    return at / distances_.layout.cols.block * distances_.local.rows() + r;
  }

  void row(std::int64_t r, std::int64_t at, std::int64_t width, To* to) {
    const From* from = distances_.local.data() + r * distances_.local.stride() + at;
    const std::int64_t done = convert_(from, to, width), block = distances_.layout.cols.block;
    if (done == width) {
      for (std::int64_t begin = 0; begin < width; begin += block)
        sums_[place_of_sum(r, at + begin)] =
            checksum(to + begin, static_cast<std::size_t>(std::min(block, width - begin)) * sizeof(To));
      return;
    }
    const std::int64_t i = distances_.layout.rows.index_of(row_part_, r);
    const std::int64_t j = distances_.layout.cols.index_of(col_part_, at + done);
    const auto name = [&](std::int64_t k) {
      return graph_.ids.empty() ? fmt::format("row {}", k) : fmt::format("{}", graph_.ids[k]);
    };
    throw InputError(fmt::format("{}: the value from {} to {} is {} ({} does not hold it). Write it as {}.", path_,
                                 name(i), name(j), from[done], name_of(kElementOf<To>),
                                 std::is_floating_point_v<From> ? "float32 or float64" : "int32 or float64"));
  }

  World& world_;
  const std::string& path_;
  const Distances<From>& distances_;
  const DistanceGraph& graph_;
  const ConvertValues<To, From> convert_;
  const int row_part_, col_part_;
  std::vector<std::uint64_t> sums_;  // of the rows of the first own column of blocks, then of the next
};

template <class To, class Blocks>
void write_npy(World& world, const std::string& path, const DistanceMeta& meta, const DistanceGraph& graph,
               Blocks& blocks) {
  const std::string head = distance_npy_head(meta.element, meta.n);
  const std::uint64_t matrix =
      head.size() + static_cast<std::uint64_t>(meta.n) * static_cast<std::uint64_t>(meta.n) * sizeof(To);
  // Behind the matrix: what only rank 0 knows.
  struct Piece {
    std::uint64_t at;
    std::string head;
    const void* data;
    std::size_t bytes;
  };
  const ChecksumOrder order(meta.n, meta.block);
  const std::string words = sealed(meta.to_json());
  std::vector<Piece> pieces;
  std::uint64_t end = matrix;
  if (world.rank() == 0) {
    const auto append = [&](const SideArray& a) {
      Piece piece{end, npy_head(a.type, shape_text(a.size), end), a.data, a.bytes};
      end += piece.head.size() + a.bytes;
      pieces.push_back(std::move(piece));
    };
    append({"meta", "|u1", std::ssize(words), words.data(), words.size()});
    for (const SideArray& a : side_arrays(graph)) append(a);
    append({"checksums", "<u8", order.size(), nullptr, 0});  // all ranks write them
  }
  const std::uint64_t sums = world.max(end);
  OutputFile file(world, path);
  file.reserve(sums + static_cast<std::uint64_t>(order.size()) * sizeof(std::uint64_t));
  world.collective_try([&] {
    if (world.rank() == 0) file.write_at(head.data(), head.size(), 0);
    for (const Piece& piece : pieces) {
      file.write_at(piece.head.data(), piece.head.size(), piece.at);
      file.write_at(piece.data, piece.bytes, piece.at + piece.head.size());
    }
    blocks.each_row([&](std::int64_t i, std::int64_t j, const To* values, std::int64_t n) {
      file.write_at(values, static_cast<std::size_t>(n) * sizeof(To),
                    head.size() + static_cast<std::uint64_t>(i * meta.n + j) * sizeof(To));
    });
    blocks.each_checksums([&](std::int64_t i, std::int64_t j, const std::uint64_t* values) {
      file.write_at(values, static_cast<std::size_t>(order.side.length_of(i)) * sizeof *values,
                    sums + static_cast<std::uint64_t>(order.begin_of(i, j)) * sizeof *values);
    });
  });
  file.commit();
}

template <class To, class Blocks>
void write_tiles(World& world, const std::string& path, const DistanceMeta& meta, const DistanceGraph& graph,
                 Existing existing, Blocks& blocks) {
  const TileOrder order(meta.n, meta.block, sizeof(To));
  OutputFolder folder(world, path, existing, "meta.json");
  const FileHandle& file = folder.create_shared("tiles.bin", order.bytes());
  const ChecksumFile checksums(world, folder, meta.n, meta.block);
  world.collective_try([&] {
    if (world.rank() == 0) write_sides(folder, meta, graph);
    blocks.each(0, To{}, [&](std::int64_t i, std::int64_t j, const To* values, std::size_t n) {
      folder.write_at(file, values, n * sizeof(To), order.begin_of(i, j));
    });
    blocks.each_checksums(
        [&](std::int64_t i, std::int64_t j, const std::uint64_t* sums) { checksums.write(i, j, sums); });
  });
  folder.commit();
}

nlohmann::json zarr_array(const std::string& shape, const std::string& chunks, const char* type, nlohmann::json fill,
                          int zstd_level) {
  nlohmann::json compressor;
  if (zstd_level != 0) compressor = {{"id", "zstd"}, {"level", zstd_level}};
  return {{"zarr_format", 2}, {"shape", parse_json(shape)}, {"chunks", parse_json(chunks)},
          {"dtype", type},    {"compressor", compressor},   {"fill_value", std::move(fill)},
          {"order", "C"},     {"filters", nlohmann::json()}};
}

template <class To, class Blocks>
void write_zarr(World& world, const std::string& path, const DistanceMeta& meta, const DistanceGraph& graph,
                const DistanceFileOptions& options, Blocks& blocks) {
  OutputFolder folder(world, path, options.existing, ".zgroup");
  const std::vector<SideArray> side = world.rank() == 0 ? side_arrays(graph) : std::vector<SideArray>();
  std::vector<std::string> folders{"distance", "checksums"};
  for (const SideArray& a : side) folders.emplace_back(a.name);
  folder.make(folders);
  const ChecksumOrder order(meta.n, meta.block);
  const FileHandle& sums =
      folder.create_shared("checksums/0", static_cast<std::uint64_t>(order.size()) * sizeof(std::uint64_t));
  world.collective_try([&] {
    if (world.rank() == 0) {
      const auto put = [&](const std::string& name, const nlohmann::json& json) {
        const std::string words = dump_json(json, 2) + "\n";
        folder.write(name, words.data(), words.size());
      };
      const std::string words = sealed(meta.to_json(), 2) + "\n";
      folder.write(".zattrs", words.data(), words.size());
      put(".zgroup", {{"zarr_format", 2}});
      put("checksums/.zarray",
          zarr_array(fmt::format("[{}]", order.size()), fmt::format("[{}]", order.size()), "<u8", 0, 0));
      put("distance/.zarray",
          zarr_array(fmt::format("[{0}, {0}]", meta.n), fmt::format("[{0}, {0}]", meta.block), numpy_type(meta.element),
                     no_path_json(meta.element, meta.semiring), options.zstd_level));
      for (const SideArray& a : side) {
        const std::string name = a.name;
        put(name + "/.zarray", zarr_array(fmt::format("[{}]", a.size),
                                          fmt::format("[{}]", std::max<std::int64_t>(a.size, 1)), a.type, 0, 0));
        if (a.size > 0) folder.write(name + "/0", a.data, a.bytes);
      }
    }
    blocks.each(meta.block, zero_of<To>(options.semiring),
                [&](std::int64_t i, std::int64_t j, const To* values, std::size_t n) {
                  const std::string name = fmt::format("distance/{}.{}", i, j);
                  if (options.zstd_level == 0) return folder.write(name, values, n * sizeof(To));
                  std::vector<char> packed(ZSTD_compressBound(n * sizeof(To)));
                  const std::size_t size =
                      ZSTD_compress(packed.data(), packed.size(), values, n * sizeof(To), options.zstd_level);
                  if (ZSTD_isError(size)) throw std::bad_alloc();  // the room is enough by its own word
                  folder.write(name, packed.data(), size);
                });
    blocks.each_checksums([&](std::int64_t i, std::int64_t j, const std::uint64_t* values) {
      folder.write_at(sums, values, static_cast<std::size_t>(order.side.length_of(i)) * sizeof *values,
                      static_cast<std::uint64_t>(order.begin_of(i, j)) * sizeof *values);
    });
  });
  folder.commit();
}

}  // namespace

StorageFormat storage_format_to_write(const std::string& path) {
  const StorageFormat format = storage_format_of(path);
  if (format == StorageFormat::hdf5)
    throw UsageError(
        fmt::format("{}: HDF5 is written from Python (atoll.all_pairs(graph).save). Use .npy, .tiles or "
                    ".zarr.",
                    path));
  return format;
}

std::uint64_t distance_bytes(StorageFormat format, std::int64_t n, std::int64_t block, Element element) {
  const std::int64_t b = std::min(n, block);
  const auto count = static_cast<std::uint64_t>(n), side = static_cast<std::uint64_t>((n + b - 1) / b * b);
  switch (format) {
    case StorageFormat::tiles:
      return TileOrder(n, b, bytes_of(element)).bytes();
    case StorageFormat::zarr:
      return side * side * bytes_of(element);
    default:
      return count * count * bytes_of(element);
  }
}

template <class T>
void write_distances(World& world, const std::string& path, const Distances<T>& distances, const DistanceGraph& graph,
                     const DistanceFileOptions& options) {
  const StorageFormat format = storage_format_to_write(path);
  const std::int64_t n = distances.layout.rows.size;
  const DistanceMeta meta =
      meta_of(n, distances.layout.rows.block, options.element.value_or(kElementOf<T>), graph, options);
  world.collective_try([&] {
    check(n >= 1, "{}: the matrix has no row (a graph has at least one vertex). Write nothing.", path);
    const GridLayout& at = distances.layout;
    check(at.grid.size() == world.size() && distances.local.rows() == at.rows.size_on(at.grid.row_of(world.rank())) &&
              distances.local.cols() == at.cols.size_on(at.grid.col_of(world.rank())),
          "{}: the matrix of rank {} has {} x {} entries (its place in the grid says otherwise). Lay it out anew.",
          path, world.rank(), distances.local.rows(), distances.local.cols());
    if (options.zstd_level != 0 && (format != StorageFormat::zarr || options.zstd_level < 0 || options.zstd_level > 19))
      throw UsageError(fmt::format("{}: zstd_level is {} (chunks of .zarr are compressed, by 1 to 19). Leave it out.",
                                   path, options.zstd_level));
    check(nlohmann::json::accept(options.about), "{}: `about` is {} (it is kept as JSON). Give JSON.", path,
          options.about);
    if (world.rank() == 0) check_graph(path, n, graph);
  });
  check_room(world, path, options.zstd_level ? 0 : distance_bytes(format, n, meta.block, meta.element),
             options.existing, fmt::format("the values of {0} x {0} pairs as {1}", n, name_of(meta.element)));
  with_value_type(meta.element, [&](auto type) {
    using To = decltype(type);
    Blocks2D<To, T> blocks(world, path, distances, graph, options.semiring);
    switch (format) {
      case StorageFormat::npy:
        return write_npy<To>(world, path, meta, graph, blocks);
      case StorageFormat::tiles:
        return write_tiles<To>(world, path, meta, graph, options.existing, blocks);
      default:
        return write_zarr<To>(world, path, meta, graph, options, blocks);
    }
  });
}

template void write_distances(World&, const std::string&, const Distances<float>&, const DistanceGraph&,
                              const DistanceFileOptions&);
template void write_distances(World&, const std::string&, const Distances<double>&, const DistanceGraph&,
                              const DistanceFileOptions&);
template void write_distances(World&, const std::string&, const Distances<std::int32_t>&, const DistanceGraph&,
                              const DistanceFileOptions&);
template void write_distances(World&, const std::string&, const Distances<std::uint16_t>&, const DistanceGraph&,
                              const DistanceFileOptions&);
template void write_distances(World&, const std::string&, const Distances<std::uint8_t>&, const DistanceGraph&,
                              const DistanceFileOptions&);

}  // namespace atl
