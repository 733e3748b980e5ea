// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/device/range.hpp>
#include <atoll/apsp/device/streamed.hpp>
#include <atoll/base/byte_count.hpp>
#include <atoll/base/timer.hpp>
#include <vector>

namespace atl {
namespace {

constexpr std::int64_t kUsualBlock = 2048;
constexpr std::size_t kBuffers = 3;  // strips that come, are computed, and go
constexpr double kStreamedOfMemory = 0.9;

struct Sizes {
  std::int64_t block = 0, strip = 0;  // rows, both multiples of the tile
};

template <class T>
Sizes sizes_of(const DeviceGemm& gemm, std::int64_t n, std::int64_t wanted_block) {
  const std::int64_t unit = block_unit(gemm), whole = (n + unit - 1) / unit * unit;
  const double has = kStreamedOfMemory * static_cast<double>(gemm.device().claimable_bytes());
  const double row_bytes = static_cast<double>(n + 64) * sizeof(T);
  const auto bytes = [&](std::int64_t block, std::int64_t strip) {
    return row_bytes * static_cast<double>(block + static_cast<std::int64_t>(kBuffers) * strip) +
           static_cast<double>(gemm.panel_bytes(DevicePanel::Side::right, n, block) +
                               gemm.panel_bytes(DevicePanel::Side::right, block, block) +
                               gemm.panel_bytes(DevicePanel::Side::left, std::max(block, strip), block));
  };
  Sizes out;
  out.block = std::min(whole, (std::max(wanted_block, std::int64_t{1}) + unit - 1) / unit * unit);
  while (out.block > unit && bytes(out.block, unit) > has) out.block -= unit;
  if (bytes(out.block, unit) > has)
    throw DeviceError(
        fmt::format("{} vertices need {} on the device for strips of the matrix ({} are free). Take a narrower "
                    "--type, or --device cpu.",
                    n, bytes_text(bytes(out.block, unit)), bytes_text(has)));
  for (out.strip = unit; out.strip < whole && bytes(out.block, out.strip + unit) <= has;) out.strip += unit;
  // Several strips, so that there is something to overlap.
  out.strip = std::min(out.strip, std::max(unit, whole / 8 / unit * unit));
  return out;
}

template <class T>
class Strips {
 public:
  Strips(const DeviceGemm& gemm, MatrixView<T> d, const Sizes& sizes)
      : gemm_(gemm),
        device_(gemm.device()),
        d_(d),
        sizes_(sizes),
        in_(device_),
        work_(device_),
        out_(device_),
        pinned_(device_, d.data, static_cast<std::size_t>(d.rows * d.stride) * sizeof(T)),
        row_(device_, sizes.block, d.cols),
        range_(gemm, work_),
        gain_(device_, 1) {
    device_.fill(gain_.data(), 0xff, sizeof(std::int64_t), work_);
    for (std::size_t i = 0; i < kBuffers; ++i) {
      strips_.emplace_back(device_, sizes.strip, d.cols);
      came_.emplace_back(device_);
      done_.emplace_back(device_);
      gone_.emplace_back(device_);
    }
  }

  void step(std::int64_t k0) {
    const std::int64_t k1 = std::min(d_.rows, k0 + sizes_.block), b = k1 - k0;
    // The row panel; strips of the step before have gone to the host, or it would read what is old.
    const DeviceView<T> row = row_.view().part(0, 0, b, d_.cols), diagonal = row.part(0, k0, b, b);
    out_.wait();
    upload(work_, d_.part(k0, 0, b, d_.cols), row);
    range_.to_device(work_, row);
    gemm_.kernels().close(gemm_.element(), diagonal, k0, gain_.data(), work_);
    left_.pack(gemm_, work_, DeviceOperand<T>{diagonal, false});
    right_.pack(gemm_, work_, DeviceOperand<T>{row, false});
    gemm_.multiply(work_, left_, right_, row, std::array{Window{0, b, 0, k0}, Window{0, b, k1, d_.cols}});
    right_.pack(gemm_, work_, DeviceOperand<T>{row, false});
    diagonal_.pack(gemm_, work_, DeviceOperand<T>{diagonal, false});
    range_.to_host(work_, row);
    download(work_, row, d_.part(k0, 0, b, d_.cols));

    for (const auto& [first, last] : {std::pair{std::int64_t{0}, k0}, std::pair{k1, d_.rows}})
      for (std::int64_t i = first; i < last; i += sizes_.strip) pass(i, std::min(last, i + sizes_.strip), k0, k1);
  }
  std::optional<GainCycle> finish() {
    work_.wait();
    out_.wait();
    range_.check_seen(work_);
    std::int64_t vertex = -1;
    download(work_, gain_, std::span(&vertex, 1));
    work_.wait();
    return vertex >= 0 ? std::optional(GainCycle{vertex}) : std::nullopt;
  }

 private:
  void pass(std::int64_t i, std::int64_t end, std::int64_t k0, std::int64_t k1) {
    const std::size_t at = next_++ % kBuffers;
    const DeviceView<T> strip = strips_[at].view().part(0, 0, end - i, d_.cols);
    const DeviceView<T> column = strip.part(0, k0, end - i, k1 - k0);
    gone_[at].hold(in_);  // what was here before
    upload(in_, d_.part(i, 0, end - i, d_.cols), strip);
    came_[at].record(in_);
    came_[at].hold(work_);
    range_.to_device(work_, strip);
    left_.pack(gemm_, work_, DeviceOperand<T>{column, false});
    gemm_.multiply(work_, left_, diagonal_, column, std::array{Window{0, end - i, 0, k1 - k0}});
    left_.pack(gemm_, work_, DeviceOperand<T>{column, false});
    gemm_.multiply(work_, left_, right_, strip, std::array{Window{0, end - i, 0, k0}, Window{0, end - i, k1, d_.cols}});
    range_.to_host(work_, strip);
    done_[at].record(work_);
    done_[at].hold(out_);
    download(out_, strip, d_.part(i, 0, end - i, d_.cols));
    gone_[at].record(out_);
  }

  const DeviceGemm& gemm_;
  Device& device_;
  const MatrixView<T> d_;
  const Sizes sizes_;
  const Stream in_, work_, out_;
  const Pinned pinned_;
  const DeviceMatrix<T> row_;
  const DeviceRange<T> range_;
  DeviceArray<std::int64_t> gain_;
  std::vector<DeviceMatrix<T>> strips_;
  std::vector<Event> came_, done_, gone_;
  std::size_t next_ = 0;
  DevicePanel left_{DevicePanel::Side::left}, right_{DevicePanel::Side::right}, diagonal_{DevicePanel::Side::right};
};

}  // namespace

template <class T>
std::optional<GainCycle> floyd_warshall_streamed(const DeviceGemm& gemm, MatrixView<T> d,
                                                 const FloydWarshallOptions& options, FloydWarshallReport* report) {
  const std::int64_t n = d.rows;
  const Sizes sizes = sizes_of<T>(gemm, n, options.block > 0 ? options.block : kUsualBlock);
  FloydWarshallReport own;
  FloydWarshallReport& mine = report ? *report : own;
  mine = {};
  mine.block = sizes.block;
  const Timer timer;
  Strips<T> strips(gemm, d, sizes);
  for (std::int64_t k0 = 0; k0 < n && (options.steps == 0 || mine.steps < options.steps); k0 += sizes.block) {
    strips.step(k0);
    ++mine.steps;
    mine.operations +=
        2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(std::min(n, k0 + sizes.block) - k0);
    if (options.after_block && !options.after_block(mine.steps)) break;
  }
  const auto cycle = strips.finish();
  mine.outer_seconds = timer.seconds();
  return cycle;
}

#define ATOLL_STREAMED_OF(T)                                                                  \
  template std::optional<GainCycle> floyd_warshall_streamed(const DeviceGemm&, MatrixView<T>, \
                                                            const FloydWarshallOptions&, FloydWarshallReport*);
ATOLL_STREAMED_OF(float)
ATOLL_STREAMED_OF(std::int32_t)
ATOLL_STREAMED_OF(std::uint16_t)
#undef ATOLL_STREAMED_OF

}  // namespace atl
