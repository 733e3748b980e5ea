// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/checkpoint.hpp>
#include <atoll/apsp/store/checkpoint_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <atoll/base/random.hpp>
#include <atoll/io/read_file.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

/// Reads blocks of one layout from the ranks' files into another layout.
template <class T>
class RedistributedBlocks {
 public:
  RedistributedBlocks(std::string folder, const GridLayout& from, const nlohmann::json& tables, Distances<T>& to,
                      Rank rank)
      : folder_(std::move(folder)),
        from_(from),
        tables_(tables),
        to_(to),
        row_(to.layout.grid.row_of(rank)),
        col_(to.layout.grid.col_of(rank)) {}

  void read(Team& team) {
    std::vector<Array<T>> buffers(static_cast<std::size_t>(team.size()));
    for (Rank r = 0; r < from_.grid.size(); ++r) {
      const RankFile at(from_, r, sizeof(T));
      std::vector<std::int64_t> wanted;
      for (std::int64_t k = 0; k < at.blocks(); ++k)
        if (overlaps(to_.layout.rows, row_, at.block_row(k)) && overlaps(to_.layout.cols, col_, at.block_col(k)))
          wanted.push_back(k);
      if (wanted.empty()) continue;
      const InputFile file(folder_ + "/" + name_of_rank(r));
      const std::vector<std::uint64_t> sums = table_of(file, at, r);
      team.for_range(wanted.size(), 1, [&](int thread, std::size_t w, std::size_t) {
        const std::int64_t k = wanted[w];
        Array<T>& buffer = buffers[thread];
        if (buffer.size() * sizeof(T) < at.bytes_of(k)) buffer = Array<T>(at.bytes_of(k) / sizeof(T));
        file.read_at(buffer.data(), at.bytes_of(k), at.begin_of(k));
        check(checksum(buffer.data(), at.bytes_of(k)) == sums[k],
              "{}: block ({}, {}) at byte {} is damaged (its checksum is wrong). Remove {} and start again.",
              file.path(), at.block_row(k), at.block_col(k), at.begin_of(k), folder_);
        place(buffer.data(), at.block_row(k), at.block_col(k));
      });
    }
  }

 private:
  // Whether block k of the old layout has an index of `part` in the new one.
  bool overlaps(const BlockCyclic& to, int part, std::int64_t k) const {
    const std::int64_t first = to.block_of(from_.rows.begin_of(k));
    const std::int64_t last = to.block_of(from_.rows.begin_of(k) + from_.rows.length_of(k) - 1);
    for (std::int64_t b = first; b <= last && b < first + to.parts; ++b)
      if (to.part_of(b) == part) return true;
    return false;
  }

  std::vector<std::uint64_t> table_of(const InputFile& file, const RankFile& at, Rank rank) const {
    check(file.bytes() == at.bytes(),
          "{}: has {} bytes (its blocks need {}). It is cut off; remove {} and start again.", file.path(), file.bytes(),
          at.bytes(), folder_);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(at.blocks()));
    file.read_at(sums.data(), sums.size() * sizeof sums[0], at.table_begin());
    check(hex(checksum(sums.data(), sums.size() * sizeof sums[0])) == tables_.at(static_cast<std::size_t>(rank)),
          "{}: its table of checksums is damaged. Remove {} and start again.", file.path(), folder_);
    return sums;
  }

  void place(const T* block, std::int64_t i, std::int64_t j) {
    const BlockCyclic &rows = to_.layout.rows, &cols = to_.layout.cols;
    const std::int64_t top = from_.rows.begin_of(i), left = from_.cols.begin_of(j), width = from_.cols.length_of(j);
    for (std::int64_t r = 0; r < from_.rows.length_of(i); ++r) {
      if (rows.part_of(rows.block_of(top + r)) != row_) continue;
      T* into = to_.local.data() + rows.local_of(top + r) * to_.local.stride();
      for (std::int64_t c = left, end = 0; c < left + width; c = end) {
        end = std::min(left + width, (c / cols.block + 1) * cols.block);
        if (cols.part_of(cols.block_of(c)) == col_)
          std::memcpy(into + cols.local_of(c), block + r * width + (c - left),
                      static_cast<std::size_t>(end - c) * sizeof(T));
      }
    }
  }

  const std::string folder_;
  const GridLayout from_;
  const nlohmann::json& tables_;
  Distances<T>& to_;
  const int row_, col_;
};

}  // namespace

template <class T>
std::optional<Restart<T>> Checkpoint::load(const GridLayout& layout) {
  if (latest_.empty()) return std::nullopt;
  RankTimer timer(world_);
  Restart<T> restart = world_.collective_try([&] {
    check(layout.rows.size == options_.run.n && sizeof(T) == bytes_of(options_.run.element),
          "{}: holds {} x {} values of {} (others are asked for). Correct the layout.", latest_, options_.run.n,
          options_.run.n, name_of(options_.run.element));
    const nlohmann::json state = parse_json(state_);
    const auto grid = state.at("grid").get<std::vector<int>>();
    const GridLayout from(options_.run.n, state.at("block").get<std::int64_t>(),
                          {grid.at(0), grid.at(1), grid.at(2), grid.at(3), grid.size() > 4 ? grid[4] : 1});
    const int row = layout.grid.row_of(world_.rank()), col = layout.grid.col_of(world_.rank());
    Restart<T> all;
    all.distances = {layout, Matrix<T>(layout.rows.size_on(row), layout.cols.size_on(col))};
    RedistributedBlocks<T>(latest_, from, state.at("tables"), all.distances, world_.rank()).read(world_.team());
    // Number of completed pivots; relaxing over one of them again lowers nothing.
    const std::int64_t done = std::min(from.rows.size, state.at("step").get<std::int64_t>() * from.rows.block);
    all.step = done == from.rows.size ? layout.rows.blocks() : done / layout.rows.block;
    return all;
  });
  saved_step_ = restart.step;
  saved_at_ = world_.now();
  report_.load_seconds += timer.seconds();
  return restart;
}

template <class T>
std::uint64_t hash_of(World& world, const Distances<T>& distances) {
  const GridLayout& layout = distances.layout;
  const int row = layout.grid.row_of(world.rank()), col = layout.grid.col_of(world.rank());
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(world.team().size()));
  world.team().for_range(static_cast<std::size_t>(distances.local.rows()), 16,
                         [&](int thread, std::size_t a, std::size_t b) {
                           std::uint64_t sum = 0;
                           for (auto r = static_cast<std::int64_t>(a); r < static_cast<std::int64_t>(b); ++r) {
                             const auto i = static_cast<std::uint64_t>(layout.rows.index_of(row, r));
                             for (std::int64_t c = 0; c < distances.local.cols(); ++c) {
                               const T value = distances.local(r, c);
                               if (value == kNoPath<T>) continue;  // most pairs, at the start
                               std::uint64_t bits = 0;
                               std::memcpy(&bits, &value, sizeof value);
                               const auto j = static_cast<std::uint64_t>(layout.cols.index_of(col, c));
                               sum += mix64(bits + mix64(i << 32 | j));
                             }
                           }
                           parts[thread] += sum;
                         });
  std::uint64_t mine = 0;
  for (const std::uint64_t part : parts) mine += part;
  return world.sum(mine);
}

template std::optional<Restart<float>> Checkpoint::load(const GridLayout&);
template std::optional<Restart<double>> Checkpoint::load(const GridLayout&);
template std::optional<Restart<std::int32_t>> Checkpoint::load(const GridLayout&);
template std::optional<Restart<std::uint16_t>> Checkpoint::load(const GridLayout&);
template std::optional<Restart<std::uint8_t>> Checkpoint::load(const GridLayout&);
template std::uint64_t hash_of(World&, const Distances<float>&);
template std::uint64_t hash_of(World&, const Distances<double>&);
template std::uint64_t hash_of(World&, const Distances<std::int32_t>&);
template std::uint64_t hash_of(World&, const Distances<std::uint16_t>&);
template std::uint64_t hash_of(World&, const Distances<std::uint8_t>&);

}  // namespace atl
