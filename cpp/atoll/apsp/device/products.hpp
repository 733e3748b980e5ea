// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/device/device_gemm.hpp>
#include <vector>

namespace atl {

/// The Products of block_steps.hpp on a device. All of it is enqueued; at the end of a step the host waits for the one
/// before, so that it is one step ahead of the device, and hears of an improving cycle soon.
template <class T>
class DeviceProducts {
 public:
  using View = DeviceView<T>;
  using Panel = DevicePanel;

  DeviceProducts(const DeviceGemm& gemm, const Stream& stream)
      : gemm_(gemm), stream_(stream), gain_(gemm.device(), 1), host_gain_(gemm.device(), 2) {
    gemm.device().fill(gain_.data(), 0xff, sizeof(std::int64_t), stream);  // -1: none
    host_gain_.data()[0] = host_gain_.data()[1] = -1;
  }
  void pack(DevicePanel& panel, View view, bool transposed) const {
    panel.pack(gemm_, stream_, DeviceOperand<T>{view, transposed});
  }
  void multiply(const DevicePanel& a, const DevicePanel& b, View c, std::span<const Window> windows) const {
    gemm_.multiply(stream_, a, b, c, windows);
  }
  void transpose(View from, View to) const { gemm_.kernels().transpose(sizeof(T), from, to, stream_); }
  void mirror(View d) const { gemm_.kernels().mirror(sizeof(T), d, stream_); }
  void close(View diagonal, std::int64_t first) const {
    gemm_.kernels().close(gemm_.element(), diagonal, first, gain_.data(), stream_);
  }

  std::optional<GainCycle> cycle() const { return cycle_; }
  void finish_step() {
    ask();
    steps_.emplace_back(stream_.device()).record(stream_);
    if (steps_.size() > 1) read_gain(steps_.size() - 2);
  }
  std::optional<GainCycle> finish() {
    stream_.wait();
    if (!steps_.empty()) read_gain(steps_.size() - 1);
    return cycle_;
  }

  void begin_laps() { laps_.push_back({Event(stream_.device()), nullptr}), laps_.back().end.record(stream_); }
  void lap(double FloydWarshallReport::*part, FloydWarshallReport&) {
    laps_.push_back({Event(stream_.device()), part});
    laps_.back().end.record(stream_);
  }
  /// After finish(): the device's times, by its own clock.
  void add_times(FloydWarshallReport& report) const {
    for (std::size_t i = 1; i < laps_.size(); ++i)
      report.*laps_[i].part += stream_.device().seconds_between(laps_[i - 1].end, laps_[i].end);
  }

 private:
  struct Lap {
    Event end;
    double FloydWarshallReport::*part;
  };
  // Copies the result so far to the host's memory, one place a step in turn.
  void ask() {
    stream_.device().copy(host_gain_.data() + steps_.size() % 2, sizeof(std::int64_t), gain_.data(),
                          sizeof(std::int64_t), sizeof(std::int64_t), 1, stream_);
  }
  void read_gain(std::size_t step) {
    steps_[step].wait();
    if (const std::int64_t vertex = host_gain_.data()[step % 2]; vertex >= 0 && !cycle_) cycle_ = GainCycle{vertex};
  }

  const DeviceGemm& gemm_;
  const Stream& stream_;
  DeviceArray<std::int64_t> gain_;
  PinnedArray<std::int64_t> host_gain_;
  std::vector<Event> steps_;
  std::vector<Lap> laps_;
  std::optional<GainCycle> cycle_;
};

}  // namespace atl
