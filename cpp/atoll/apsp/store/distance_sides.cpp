// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/distance_sides.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/io/npy.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace atl {

std::vector<SideArray> side_arrays(const DistanceGraph& graph) {
  std::vector<SideArray> all;
  const auto add = [&](const char* name, const char* type, const auto& values) {
    all.push_back({name, type, static_cast<std::int64_t>(values.size()), values.data(), values.size_bytes()});
  };
  if (!graph.ids.empty()) add("ids", "<i8", graph.ids);
  if (graph.offsets.empty()) return all;
  add("offsets", "<i8", graph.offsets);
  add("targets", "<i4", graph.targets);
  std::visit(
      [&]<class Lengths>(const Lengths& lengths) {
        if constexpr (!std::is_same_v<Lengths, std::monostate>)
          add("weights", numpy_type(kElementOf<typename Lengths::value_type>), lengths);
      },
      graph.lengths);
  return all;
}

void check_graph(const std::string& path, std::int64_t n, const DistanceGraph& graph) {
  check(graph.ids.empty() || std::ssize(graph.ids) == n,
        "{}: {} ids are given for {} rows (each has one). Give as many.", path, graph.ids.size(), n);
  check(std::is_sorted(graph.ids.begin(), graph.ids.end(), std::less_equal<>()) || graph.ids.size() < 2,
        "{}: the ids do not ascend (rows are in the order of ids). Sort them.", path);
  if (graph.offsets.empty()) return;
  const auto m = std::ssize(graph.targets);
  check(std::ssize(graph.offsets) == n + 1 && graph.offsets.front() == 0 && graph.offsets.back() == m,
        "{}: {} offsets are given for {} rows and {} arcs (they go from 0 to the arcs, one more than rows). Correct "
        "them.",
        path, graph.offsets.size(), n, m);
  std::visit(
      [&]<class Lengths>(const Lengths& lengths) {
        if constexpr (!std::is_same_v<Lengths, std::monostate>)
          check(std::ssize(lengths) == m, "{}: {} lengths are given for {} arcs (each has one). Give as many.", path,
                lengths.size(), m);
      },
      graph.lengths);
}

ChecksumFile::ChecksumFile(World& world, OutputFolder& folder, std::int64_t n, std::int64_t block)
    : folder_(folder), order_(n, block), head_(npy_head("<u8", shape_text(order_.size()), 0)) {
  file_ = &folder.create_shared("checksums.npy",
                                head_.size() + static_cast<std::uint64_t>(order_.size()) * sizeof(std::uint64_t));
  world.collective_try([&] {
    if (world.rank() == 0) folder.write_at(*file_, head_.data(), head_.size(), 0);
  });
}

void ChecksumFile::write(std::int64_t i, std::int64_t j, const std::uint64_t* sums) const {
  folder_.write_at(*file_, sums, static_cast<std::size_t>(order_.side.length_of(i)) * sizeof *sums,
                   head_.size() + static_cast<std::uint64_t>(order_.begin_of(i, j)) * sizeof *sums);
}

std::string shape_text(std::int64_t n) { return fmt::format("({},)", n); }

DistanceMeta meta_of(std::int64_t n, std::int64_t block, Element element, const DistanceGraph& graph,
                     const DistanceFileOptions& options) {
  const std::string lengths = std::visit(
      []<class Lengths>(const Lengths&) -> std::string {
        if constexpr (std::is_same_v<Lengths, std::monostate>)
          return "";
        else
          return std::string(name_of(kElementOf<std::remove_const_t<typename Lengths::element_type>>));
      },
      graph.lengths);
  std::map<std::string, std::uint64_t> sums;
  for (const SideArray& a : side_arrays(graph)) sums[a.name] = checksum(a.data, a.bytes);
  return {.n = n,
          .block = std::min(n, block),
          .element = element == Element::float32_nonnegative ? Element::float32 : element,
          .semiring = options.semiring,
          .scale = options.scale,
          .directed = graph.directed,
          .has_ids = !graph.ids.empty(),
          .arcs = graph.offsets.empty() ? -1 : std::ssize(graph.targets),
          .weights = graph.offsets.empty() ? "" : lengths,
          .about = options.about,
          .checked_columns = std::min(n, block),
          .checksums = std::move(sums)};
}

void write_sides(OutputFolder& folder, const DistanceMeta& meta, const DistanceGraph& graph) {
  for (const SideArray& a : side_arrays(graph)) {
    const std::string head = npy_head(a.type, shape_text(a.size), 0);
    const FileHandle& file = folder.create(std::string(a.name) + ".npy", head.size() + a.bytes);
    folder.write_at(file, head.data(), head.size(), 0);
    folder.write_at(file, a.data, a.bytes, head.size());
  }
  const std::string words = sealed(meta.to_json(), 2) + "\n";
  folder.write("meta.json", words.data(), words.size());
}

}  // namespace atl
