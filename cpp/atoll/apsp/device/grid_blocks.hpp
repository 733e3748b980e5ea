// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/device/direct_broadcast.hpp>
#include <atoll/apsp/device/range.hpp>
#include <atoll/apsp/floyd_warshall/grid_steps.hpp>
#include <cstring>
#include <optional>

namespace atl {

/// The Blocks of GridSteps whose matrix is on this rank's device. One strip of an outer product is always under way while
/// the host makes progress on the broadcasts. Panels are staged by the host: what goes out is copied into pinned memory
/// and broadcast from there, what comes in goes to the device by a stream of its own beside the outer product. Or, `Direct`,
/// they go from device to device, and the host only enqueues.
///
/// A message is that of ComputedBlocks: values row by row, then the vertex of an improving cycle, or -1.
template <class T, bool Direct>
class DeviceBlocks {
 public:
  using Broadcasts = std::conditional_t<Direct, DirectBroadcast, PanelBroadcast>;
  Broadcasts broadcasts(World& world, const std::vector<std::vector<Rank>>& groups, BroadcastOptions options) const {
    if constexpr (Direct) {
      static_cast<void>(options);
      return DirectBroadcast(world, groups, work_);
    } else {
      return PanelBroadcast(world, groups, options);
    }
  }

  /// Copies the matrix to the device; put_back() copies it to the host.
  DeviceBlocks(World& world, Device& device, Distances<T>& d)
      : gemm_(device, kElementOf<T>, tile_for(device, d.layout.rows.block)),
        d_(d),
        rows_(d.layout.rows),
        cols_(d.layout.cols),
        row_(d.layout.grid.row_of(world.rank())),
        col_(d.layout.grid.col_of(world.rank())),
        work_(device),
        copies_(device),
        local_(device, d.local.rows(), d.local.cols()),
        range_(gemm_, work_),
        gain_(device, 1),
        host_gain_(device, 2) {
    const std::int64_t b = rows_.block;
    for (std::size_t i = 0; i < 2; ++i) {
      diagonal_[i] = buffer(device, b * b);
      // A rank that stores a whole panel sends none of it.
      row_panel_[i] = buffer(device, sends_rows() ? b * d.local.cols() : 0);
      col_panel_[i] = buffer(device, sends_cols() ? d.local.rows() * b : 0);
      if (!Direct && sends_rows()) came_row_[i] = DeviceMatrix<T>(device, b, d.local.cols());
      if (!Direct && sends_cols()) came_col_[i] = DeviceMatrix<T>(device, d.local.rows(), b);
      packed_[i].emplace(device);
      sent_[i].emplace(device);
    }
    came_.emplace(device);
    strips_[0].emplace(device);
    strips_[1].emplace(device);
    if (!Direct) closed_ = DeviceMatrix<T>(device, b, b);
    // No memory is taken once messages are under way, as the device would wait for them.
    left_.reserve(gemm_, work_, d.local.rows(), b);
    right_.reserve(gemm_, work_, d.local.cols(), b);
    update_left_.reserve(gemm_, work_, std::max(b, d.local.rows()), b);
    update_right_.reserve(gemm_, work_, std::max(b, d.local.cols()), b);
    fetch();
    range_.check_seen(work_);
  }
  DeviceBlocks(const DeviceBlocks&) = delete;
  DeviceBlocks& operator=(const DeviceBlocks&) = delete;

  /// The host's matrix to the device.
  void fetch() {
    upload(work_, std::as_const(d_.local).view(), local_.view());
    range_.to_device(work_, local_.view());
  }
  /// And back; the device's is not to be used until the next fetch().
  void put_back() {
    range_.to_host(work_, local_.view());
    download(work_, local_.view(), d_.local.view());
    work_.wait();
  }

  PanelMemory diagonal(std::int64_t k) { return memory(diagonal_, k, rows_.length_of(k) * rows_.length_of(k)); }
  PanelMemory row_panel(std::int64_t k) {
    return memory(row_panel_, k, sends_rows() ? rows_.length_of(k) * d_.local.cols() : 0);
  }
  PanelMemory col_panel(std::int64_t k) {
    return memory(col_panel_, k, sends_cols() ? d_.local.rows() * cols_.length_of(k) : 0);
  }
  std::int64_t strip_rows() const { return std::max(kUnit, (d_.local.rows() + 7) / 8 / kUnit * kUnit); }
  /// Direct panels are on the device, so what they say is brought here.
  std::int64_t gain_vertex(std::int64_t k) {
    if constexpr (!Direct) return std::max(gain_of(row_panel(k)), gain_of(col_panel(k)));
    const PanelMemory panels[] = {row_panel(k), col_panel(k)};
    sent_[k % 2]->hold(copies_);  // of those that this rank has made itself
    for (std::size_t i = 0; i < 2; ++i)
      gemm_.device().copy(host_gain_.data() + i, kGain, panels[i].data + panels[i].bytes - kGain, kGain, kGain, 1,
                          copies_);
    copies_.wait();
    return std::max(host_gain_.data()[0], host_gain_.data()[1]);
  }

  void close_diagonal(std::int64_t k) {
    const DeviceView<T> block = here_row(k).part(0, cols_.local_begin(k), rows_.length_of(k), cols_.length_of(k));
    gemm_.device().fill(gain_.data(), 0xff, sizeof(std::int64_t), work_);  // -1
    gemm_.kernels().close(gemm_.element(), block, rows_.begin_of(k), gain_.data(), work_);
    put(block, diagonal(k));
    const PanelMemory to = diagonal(k);
    gemm_.device().copy(to.data + to.bytes - kGain, kGain, gain_.data(), kGain, kGain, 1, work_);
    if (!Direct) work_.wait();
  }
  void update_row(std::int64_t k, bool has_diagonal) {
    const DeviceView<T> row = here_row(k);
    if (Direct || gain_of(diagonal(k)) < 0) {
      const DeviceView<T> closed = closed_diagonal(k);
      update_left_.pack(gemm_, work_, DeviceOperand<T>{closed, false});
      update_right_.pack(gemm_, work_, DeviceOperand<T>{row, false});
      std::vector<Window> windows;
      for (const IndexRange& s : rest_of_panel(row.cols, has_diagonal, cols_, k))
        windows.push_back({0, row.rows, s.begin, s.end});
      gemm_.multiply(work_, update_left_, update_right_, row, windows);
    }
    send(row, row_panel(k), sends_rows(), k);
  }
  void update_col(std::int64_t k, bool has_diagonal) {
    const DeviceView<T> col = here_col(k);
    if (Direct || gain_of(diagonal(k)) < 0) {
      const DeviceView<T> closed = closed_diagonal(k);
      update_left_.pack(gemm_, work_, DeviceOperand<T>{col, false});
      update_right_.pack(gemm_, work_, DeviceOperand<T>{closed, false});
      std::vector<Window> windows;
      for (const IndexRange& s : rest_of_panel(col.rows, has_diagonal, rows_, k))
        windows.push_back({s.begin, s.end, 0, col.cols});
      gemm_.multiply(work_, update_left_, update_right_, col, windows);
    }
    send(col, col_panel(k), sends_cols(), k);
  }

  void take_panels(std::int64_t k) {
    const auto at = static_cast<std::size_t>(k % 2);
    DeviceView<T> left = here_col(k), right = here_row(k);
    if constexpr (Direct) {
      if (cols_.part_of(k) != col_) left = on_device(col_panel(k), d_.local.rows(), cols_.length_of(k));
      if (rows_.part_of(k) != row_) right = on_device(row_panel(k), rows_.length_of(k), d_.local.cols());
      left_.pack(gemm_, work_, DeviceOperand<T>{left, false});
      right_.pack(gemm_, work_, DeviceOperand<T>{right, false});
      return;
    }
    packed_[at]->hold(copies_);  // what step k - 2 had here
    if (cols_.part_of(k) != col_) {
      left = came_col_[at].view().part(0, 0, d_.local.rows(), cols_.length_of(k));
      upload(copies_, view(col_panel(k), left.rows, left.cols), left);
    }
    if (rows_.part_of(k) != row_) {
      right = came_row_[at].view().part(0, 0, rows_.length_of(k), d_.local.cols());
      upload(copies_, view(row_panel(k), right.rows, right.cols), right);
    }
    came_->record(copies_);
    came_->hold(work_);
    left_.pack(gemm_, work_, DeviceOperand<T>{left, false});
    right_.pack(gemm_, work_, DeviceOperand<T>{right, false});
    packed_[at]->record(work_);
    copies_.wait();  // the host's memory is free for step k + 2
  }
  template <class OnProgress>
  void outer(std::int64_t, IndexRange rows, const std::vector<IndexRange>& cols, OnProgress&& on_progress) {
    std::vector<Window> windows;
    for (const IndexRange& c : cols) windows.push_back({rows.begin, rows.end, c.begin, c.end});
    gemm_.multiply(work_, left_, right_, local_.view(), windows);
    strips_[next_strip_ % 2]->record(work_);
    ++next_strip_;
    // Until the strip before has been computed: this one keeps the device busy meanwhile.
    if (next_strip_ > 1)
      while (!gemm_.device().happened(*strips_[next_strip_ % 2])) on_progress();
    on_progress();
  }

 private:
  static constexpr std::int64_t kUnit = 128;
  static constexpr std::size_t kGain = sizeof(std::int64_t);
  // The memory of a panel that is broadcast.
  using Memory = DeviceArray<std::byte, Direct ? MemoryKind::device : MemoryKind::pinned>;

  // Windows begin at blocks, so the sides of a tile divide them.
  static std::optional<DeviceTile> tile_for(Device& device, std::int64_t block) {
    const auto tiles = DeviceGemm::tiles(device, kElementOf<T>);
    const auto fits = std::ranges::find_if(tiles, [&](const DeviceTile& t) {
      return block % t.rows == 0 && block % t.cols == 0 && t.rows <= kUnit && t.cols <= kUnit;
    });
    check(fits != tiles.end(), "blocks of {} on a device (multiples of {} are needed). Leave --block out, or round it.",
          block, kUnit);
    return *fits;
  }
  bool sends_rows() const { return d_.layout.grid.rows > 1; }
  bool sends_cols() const { return d_.layout.grid.cols > 1; }
  static Memory buffer(Device& device, std::int64_t values) {
    return Memory(device, static_cast<std::size_t>(values) * sizeof(T) + sizeof(std::int64_t));
  }
  static PanelMemory memory(const Memory (&buffers)[2], std::int64_t k, std::int64_t values) {
    return {buffers[k % 2].data(), static_cast<std::size_t>(values) * sizeof(T) + sizeof(std::int64_t)};
  }
  static MatrixView<T> view(PanelMemory memory, std::int64_t rows, std::int64_t cols) {
    return {reinterpret_cast<T*>(memory.data), rows, cols, cols};
  }
  static DeviceView<T> on_device(PanelMemory memory, std::int64_t rows, std::int64_t cols) {
    return {reinterpret_cast<T*>(memory.data), rows, cols, cols};
  }
  static std::int64_t gain_of(PanelMemory memory) {
    std::int64_t vertex = 0;
    std::memcpy(&vertex, memory.data + memory.bytes - sizeof vertex, sizeof vertex);
    return vertex;
  }
  DeviceView<T> here_row(std::int64_t k) const {
    return local_.view().part(rows_.local_begin(k), 0, rows_.length_of(k), d_.local.cols());
  }
  DeviceView<T> here_col(std::int64_t k) const {
    return local_.view().part(0, cols_.local_begin(k), d_.local.rows(), cols_.length_of(k));
  }
  // The closed block, from the memory in which it was broadcast.
  DeviceView<T> closed_diagonal(std::int64_t k) {
    if constexpr (Direct) return on_device(diagonal(k), rows_.length_of(k), rows_.length_of(k));
    const DeviceView<T> to = closed_.view().part(0, 0, rows_.length_of(k), rows_.length_of(k));
    upload(work_, view(diagonal(k), to.rows, to.cols), to);
    return to;
  }
  // The values into the memory in which they are broadcast.
  void put(DeviceView<T> values, PanelMemory to) {
    gemm_.device().copy(to.data, static_cast<std::size_t>(values.cols) * sizeof(T), values.data,
                        static_cast<std::size_t>(values.stride) * sizeof(T),
                        static_cast<std::size_t>(values.cols) * sizeof(T), static_cast<std::size_t>(values.rows),
                        work_);
  }
  // The panel may be broadcast then. What its diagonal block said goes with it.
  void send(DeviceView<T> panel, PanelMemory to, bool sends, std::int64_t k) {
    const PanelMemory from = diagonal(k);
    if (sends) put(panel, to);
    gemm_.device().copy(to.data + to.bytes - kGain, kGain, from.data + from.bytes - kGain, kGain, kGain, 1, work_);
    sent_[k % 2]->record(work_);
    if (!Direct) work_.wait();
  }
  static std::vector<IndexRange> rest_of_panel(std::int64_t size, bool has_diagonal, const BlockCyclic& blocks,
                                               std::int64_t k) {
    if (!has_diagonal) return {{0, size}};
    const std::int64_t begin = blocks.local_begin(k);
    return {{0, begin}, {begin + blocks.length_of(k), size}};
  }

  const DeviceGemm gemm_;
  Distances<T>& d_;
  const BlockCyclic rows_, cols_;
  const int row_, col_;
  const Stream work_, copies_;
  const DeviceMatrix<T> local_;
  const DeviceRange<T> range_;
  DeviceArray<std::int64_t> gain_;
  PinnedArray<std::int64_t> host_gain_;
  Memory diagonal_[2], row_panel_[2], col_panel_[2];  // [step % 2]
  DeviceMatrix<T> came_row_[2], came_col_[2], closed_;
  std::optional<Event> packed_[2], came_, strips_[2], sent_[2];
  std::size_t next_strip_ = 0;
  DevicePanel left_{DevicePanel::Side::left}, right_{DevicePanel::Side::right};
  DevicePanel update_left_{DevicePanel::Side::left}, update_right_{DevicePanel::Side::right};
};

}  // namespace atl
