// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/timer.hpp>
#include <atoll/transport/mpi/exchange.hpp>
#include <atoll/transport/mpi/window.hpp>
#include <cstring>
#include <map>
#include <mutex>

// Bulk-synchronous exchange by MPI's generalised active target synchronisation [1, III.C].
//
//   in the paper                                    here
//   p shared windows, p-1 remote buffers in each    windows[h]: written by rank h; every other rank has a buffer there
//   one such set per datatype and pattern           sets_[pattern], created at first use
//   MPI_Win_start, MPI_Put, MPI_Win_complete        on windows[rank], towards all that gave a bound for this rank
//   MPI_Win_wait, scatter, MPI_Win_post             test() until complete; the caller scatters; then post()
//
// [1] H.-V. Dang et al. "A Lightweight Communication Runtime for Distributed Graph Analytics."
namespace atl::mpi {
namespace {

// A buffer begins with the number of bytes that follow.
constexpr std::size_t kHead = 64;

class Exchange final : public RmaExchange {
 public:
  Exchange(MPI_Comm comm, SpinLock& mpi, std::span<const std::size_t> bound_from)
      : mpi_(mpi), bound_from_(bound_from.begin(), bound_from.end()) {
    std::lock_guard hold(mpi_);
    call(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    call(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    const std::size_t ranks = bound_from_.size();
    bound_from_[rank_] = 0;
    bound_to_.resize(ranks);
    call(MPI_Alltoall(bound_from_.data(), sizeof(std::size_t), MPI_BYTE, bound_to_.data(), sizeof(std::size_t),
                      MPI_BYTE, comm_),
         "MPI_Alltoall");
    std::vector<Rank> targets;
    for (std::size_t r = 0; r < ranks; ++r) {
      const Rank rank = static_cast<Rank>(r);
      origins_.push_back(group_of(comm_, {&rank, 1}));
      if (bound_to_[r] > 0) targets.push_back(rank);
    }
    targets_ = group_of(comm_, targets);
    lengths_.resize(ranks);
    received_.resize(ranks);
  }

  std::span<const std::span<const std::byte>> exchange(int pattern,
                                                       std::span<const std::span<const std::byte>> to) override {
    std::lock_guard hold(mpi_);
    std::vector<Window>& windows = set_of(pattern);
    for (std::size_t h = 0; h < windows.size(); ++h)
      if (bound_from_[h] > 0) windows[h].post(origins_[h]);

    Window& mine = windows[rank_];
    mine.start(targets_);
    for (std::size_t r = 0; r < windows.size(); ++r) {
      if (bound_to_[r] == 0) continue;
      ATOLL_ASSERT(to[r].size() <= bound_to_[r]);
      lengths_[r] = to[r].size();
      mine.put(&lengths_[r], sizeof lengths_[r], static_cast<Rank>(r), 0);
      mine.put(to[r].data(), to[r].size(), static_cast<Rank>(r), kHead);
    }
    mine.complete();

    for (std::size_t h = 0; h < windows.size(); ++h) {
      if (bound_from_[h] == 0) continue;
      for (Backoff backoff; !windows[h].test();) backoff.pause_or_sleep();
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, windows[h].data(), sizeof bytes);
      received_[h] = {windows[h].data() + kHead, static_cast<std::size_t>(bytes)};
    }
    return received_;
  }

  std::size_t window_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& [pattern, windows] : sets_)
      for (const Window& w : windows) bytes += w.bytes();
    return bytes;
  }
  double window_seconds() const override { return window_seconds_; }

  void close() override {
    std::lock_guard hold(mpi_);
    for (auto& [pattern, windows] : sets_)
      for (Window& w : windows) w.free();
    sets_.clear();
    for (MPI_Group& g : origins_) MPI_Group_free(&g);
    MPI_Group_free(&targets_);
    call(MPI_Comm_free(&comm_), "MPI_Comm_free");
  }

 private:
  std::vector<Window>& set_of(int pattern) {
    std::vector<Window>& windows = sets_[pattern];
    if (!windows.empty()) return windows;
    const Timer timer;
    for (const std::size_t bound : bound_from_) windows.emplace_back(comm_, bound > 0 ? kHead + bound : 0);
    window_seconds_ += timer.seconds();
    return windows;
  }

  SpinLock& mpi_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank rank_ = 0;
  std::vector<std::size_t> bound_from_, bound_to_;
  std::vector<MPI_Group> origins_;  // [rank] a group of that rank alone
  MPI_Group targets_ = MPI_GROUP_NULL;
  std::map<int, std::vector<Window>> sets_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::span<const std::byte>> received_;
  double window_seconds_ = 0;
};

}  // namespace

std::unique_ptr<RmaExchange> make_exchange(MPI_Comm comm, SpinLock& mpi, std::span<const std::size_t> bound_from) {
  return std::make_unique<Exchange>(comm, mpi, bound_from);
}

}  // namespace atl::mpi
