// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/device/grid_blocks.hpp>
#include <atoll/apsp/floyd_warshall/computed_blocks.hpp>
#include <atoll/apsp/grid/grid.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <cstring>

namespace atl {
namespace {

// Throws the same error on all ranks.
void check_layout(World& world, const GridLayout& layout) {
  const ProcessGrid& g = layout.grid;
  world.agree(
      g.rows >= 1 && g.cols >= 1 && g.size() == world.size(),
      fmt::format("a grid of {} x {} ranks (the job has {}). Choose another grid.", g.rows, g.cols, world.size()));
  world.agree(g.node_rows >= 1 && g.node_cols >= 1 && g.rows % g.node_rows == 0 && g.cols % g.node_cols == 0,
              fmt::format("ranks of a node as {} x {} in a grid of {} x {} (they must divide it). Choose others.",
                          g.node_rows, g.node_cols, g.rows, g.cols));
  world.agree(g.cards >= 1 && g.node_size() % g.cards == 0,
              fmt::format("{} cards for the {} ranks of a node (each card needs as many ranks). Choose others.",
                          g.cards, g.node_size()));
  world.agree(layout.rows.size >= 0 && layout.rows.block >= 1 && layout.rows.size == layout.cols.size &&
                  layout.rows.block == layout.cols.block && layout.rows.parts == g.rows && layout.cols.parts == g.cols,
              fmt::format("a layout of {} x {} entries in blocks of {} x {} (square ones are needed). Make it with "
                          "GridLayout(n, block, grid).",
                          layout.rows.size, layout.cols.size, layout.rows.block, layout.cols.block));
}

/// An entry in transit: its position in the owner's part, and the bits of its value. One record type serves all value
/// types, so that the mailbox is compiled once.
struct PlacedEntry {
  std::uint32_t row, col;
  std::uint64_t bits;
};

/// Sends record k to rank to[k]; `place` receives all that arrive, many at a time. Collective.
void scatter(World& world, std::span<const Rank> to, std::span<const PlacedEntry> records,
             const std::function<void(std::span<const PlacedEntry>)>& place) {
  Mailbox box(world, of_records<PlacedEntry>([&](std::span<const PlacedEntry> some) { place(some); }),
              {.handling = Handling::serial, .handler_sends = false});
  box.send_buffers().send_many(to, records);
  box.drain();
}

template <class T, class S>
void fill(World& world, S semiring, std::span<const MatrixEntry<T>> mine, Distances<T>& d) {
  const GridLayout& layout = d.layout;
  const int row = layout.grid.row_of(world.rank()), col = layout.grid.col_of(world.rank());
  for (std::int64_t i = 0; i < d.local.rows(); ++i) std::ranges::fill(d.local.view().row(i), semiring.zero());
  for (std::int64_t i = 0; i < d.local.rows(); ++i)
    if (const std::int64_t v = layout.rows.index_of(row, i); layout.cols.part_of(layout.cols.block_of(v)) == col)
      d.local(i, layout.cols.local_of(v)) = semiring.one();

  std::vector<Rank> to;
  std::vector<PlacedEntry> records;
  for (const MatrixEntry<T>& a : mine) {
    PlacedEntry record{static_cast<std::uint32_t>(layout.rows.local_of(a.row)),
                       static_cast<std::uint32_t>(layout.cols.local_of(a.col)), 0};
    std::memcpy(&record.bits, &a.value, sizeof(T));
    to.push_back(layout.owner(a.row, a.col));
    records.push_back(record);
  }
  scatter(world, to, records, [&](std::span<const PlacedEntry> some) {
    for (const PlacedEntry& record : some) {
      T value;
      std::memcpy(&value, &record.bits, sizeof(T));
      T& entry = d.local(record.row, record.col);
      entry = semiring.plus(entry, value);
    }
  });
}

/// Before a pause the matrix is the host's again.
template <class Blocks, class T>
GridRun run_with(Blocks& blocks, World& world, const Distances<T>& d, const GridOptions& options,
                 const StepHook& pauses) {
  StepHook mine = pauses;
  bool paused = false;
  if (pauses.at)
    mine.at = [&](std::int64_t next) {
      world.collective_try([&] { blocks.put_back(); });
      paused = !pauses.at(next);
      if (!paused) blocks.fetch();
      return !paused;
    };
  GridRun run = GridSteps(world, d.layout, options, blocks).run(mine);
  if (!paused) world.collective_try([&] { blocks.put_back(); });
  return run;
}

/// On the ranks' devices.
template <class T>
GridRun on_devices(World& world, Distances<T>& d, const GridOptions& options, const StepHook& pauses) {
  if constexpr (kOnDevice<T>) {
    world.agree(options.device != nullptr, "this rank has no device (others have one). Give all of them one.");
    const auto run = [&]<bool kDirect>(std::bool_constant<kDirect>) {
      const auto blocks =
          world.collective_try([&] { return std::make_unique<DeviceBlocks<T, kDirect>>(world, *options.device, d); });
      return run_with(*blocks, world, d, options, pauses);
    };
    return options.device_panels == GridOptions::DevicePanels::direct ? run(std::true_type{}) : run(std::false_type{});
  } else {
    static_cast<void>(d), static_cast<void>(options), static_cast<void>(pauses);
    world.agree(false, "values of this type on devices (float32, int32 and uint16 have kernels). Take another --type.");
    return {};
  }
}

}  // namespace

template <class T>
Distances<T> distances_from_entries(World& world, Semiring semiring, const GridLayout& layout,
                                    std::span<const MatrixEntry<T>> mine) {
  check_layout(world, layout);
  const std::int64_t n = layout.rows.size;
  const auto inside = [n](std::int64_t v) { return v >= 0 && v < n; };
  const auto bad =
      std::find_if(mine.begin(), mine.end(), [&](const MatrixEntry<T>& a) { return !inside(a.row) || !inside(a.col); });
  world.agree(bad == mine.end(), bad == mine.end() ? std::string()
                                                   : fmt::format("an arc from {} to {} (there are {} vertices). Number "
                                                                 "them from 0 on.",
                                                                 bad->row, bad->col, n));
  Distances<T> d{layout, Matrix<T>(layout.rows.size_on(layout.grid.row_of(world.rank())),
                                   layout.cols.size_on(layout.grid.col_of(world.rank())))};
  with_semiring<T>(semiring, [&](auto s) { fill(world, s, mine, d); });
  return d;
}

template <class T>
GridRun floyd_warshall_grid(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                            const StepHook& pauses) {
  check_layout(world, d.layout);
  world.agree(options.block == d.layout.rows.block,
              fmt::format("blocks of {} (the matrix lies in blocks of {}). Lay it out with the same.", options.block,
                          d.layout.rows.block));
  world.agree(bytes_of(gemm.algebra().element) == sizeof(T),
              fmt::format("a product over {} (the matrix has values of {} bytes). Make both of one type.",
                          name_of(gemm.algebra().element), sizeof(T)));
  if (world.any(options.device != nullptr)) return on_devices(world, d, options, pauses);
  auto blocks =
      world.collective_try([&] { return std::make_unique<ComputedBlocks<T>>(world, gemm, d, options.kernel); });
  return GridSteps(world, d.layout, options, *blocks).run(pauses);
}

#define ATOLL_GRID_OF(T)                                                                                              \
  template Distances<T> distances_from_entries(World&, Semiring, const GridLayout&, std::span<const MatrixEntry<T>>); \
  template GridRun floyd_warshall_grid(World&, const Gemm&, Distances<T>&, const GridOptions&, const StepHook&);
ATOLL_GRID_OF(float)
ATOLL_GRID_OF(double)
ATOLL_GRID_OF(std::int32_t)
ATOLL_GRID_OF(std::uint16_t)
ATOLL_GRID_OF(std::uint8_t)
#undef ATOLL_GRID_OF

}  // namespace atl
