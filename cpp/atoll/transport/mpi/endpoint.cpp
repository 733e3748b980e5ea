// SPDX-License-Identifier: Apache-2.0
#include <atoll/transport/mpi/alltoallv.hpp>
#include <atoll/transport/mpi/endpoint.hpp>
#include <atoll/transport/mpi/exchange.hpp>
#include <atoll/transport/mpi/raw.hpp>

namespace atl::mpi {

Endpoint::Endpoint(const MpiOptions& options, int thread_level, const std::optional<Launcher>& launcher)
    : slot_bytes_(options.slot_bytes),
      message_bytes_(options.message_bytes),
      comm_(open_session(options, options.multiple ? MPI_THREAD_MULTIPLE : thread_level, launcher)),
      finalize_(options.finalize) {
  call(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  call(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  find_nodes();
}

void Endpoint::wake() {
  wakes_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

// Waits for a request with the lock released in between, so that the layer's own thread, or else the layer itself here,
// continues to serve the peers: they may wait for data that is still in this rank's buffers.
template <class Start>
void Endpoint::while_serving(const char* what, Start&& start) {
  MPI_Request request;
  {
    std::lock_guard hold(mpi_);
    start(request);
  }
  for (Backoff backoff;;) {
    int done = 0;
    {
      std::lock_guard hold(mpi_);
      call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    }
    if (done) return;
    serve();
    backoff.pause_or_sleep();
  }
}

std::vector<std::string> Endpoint::gather_texts(const std::string& mine) {
  constexpr int kBytes = 256;
  std::vector<char> text(kBytes), all(static_cast<std::size_t>(size_) * kBytes);
  mine.copy(text.data(), kBytes - 1);
  while_serving("MPI_Iallgather", [&](MPI_Request& request) {
    call(MPI_Iallgather(text.data(), kBytes, MPI_CHAR, all.data(), kBytes, MPI_CHAR, comm_, &request),
         "MPI_Iallgather");
  });
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size(); at += kBytes) out.emplace_back(all.data() + at);
  return out;
}

// Waits for all ranks, then returns the lock: holding it while others still wait for an answer would keep this layer
// from sending.
std::unique_lock<SpinLock> Endpoint::meet() {
  while_serving("MPI_Ibarrier", [&](MPI_Request& request) { call(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier"); });
  return std::unique_lock(mpi_);
}

double Endpoint::alltoallv(const AlltoallvInput& input) {
  const auto hold = meet();
  return alltoallv_seconds(comm_, input);
}

double Endpoint::raw_latency(RawMode mode, std::size_t bytes, long iterations, int threads) {
  const auto hold = meet();
  return raw_latency_seconds(comm_, mode, bytes, iterations, threads);
}

double Endpoint::raw_rate(RawMode mode, std::size_t bytes, long messages, int window, int threads) {
  const auto hold = meet();
  return raw_messages_per_second(comm_, mode, bytes, messages, window, threads);
}

std::unique_ptr<RmaExchange> Endpoint::rma_exchange(std::span<const std::size_t> bound_from) {
  meet();
  return make_exchange(comm_, mpi_, bound_from);
}

void Endpoint::find_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  call(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  Rank leader = rank_;
  call(MPI_Bcast(&leader, 1, MPI_INT32_T, 0, node), "MPI_Bcast");
  call(MPI_Comm_free(&node), "MPI_Comm_free");
  std::vector<Rank> leaders(static_cast<std::size_t>(size_));
  call(MPI_Allgather(&leader, 1, MPI_INT32_T, leaders.data(), 1, MPI_INT32_T, comm_), "MPI_Allgather");
  std::vector<int> number(leaders.size(), -1);
  int next = 0;
  for (const Rank l : leaders) {
    int& n = number[l];
    if (n < 0) n = next++;
    nodes_.push_back(n);
  }
}

}  // namespace atl::mpi
