// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/transport/mpi/raw.hpp>
#include <atoll/transport/mpi/session.hpp>
#include <functional>
#include <thread>

// All waits test and back off, because MPI's own waits would take the core from the thread that is waited for. A
// message that arrives within the first microseconds, as on a machine with a core for each thread, needs tests only.
namespace atl::mpi {
namespace {

constexpr int kAckTag = 1 << 14;  // beyond the threads' tags, which count from 0

// The loops have their own communicator, so that the fabric's probes do not match their messages.
class Loops {
 public:
  Loops(MPI_Comm comm, int threads) : threads_(threads) {
    check(threads >= 1 && threads < kAckTag, "{} threads (1 to {}). Change the benchmark.", threads, kAckTag - 1);
    int level = 0;
    call(MPI_Query_thread(&level), "MPI_Query_thread");
    if (threads > 1 && level < MPI_THREAD_MULTIPLE)
      throw TransportError(
          fmt::format("MPI runs with {} ({} threads that all call it need MPI_THREAD_MULTIPLE). Ask for it "
                      "when joining, or measure one thread.",
                      name_of_level(level), threads));
    call(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    call(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    int ranks = 0;
    call(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
    check(ranks >= 2, "1 rank (a message needs two). Start with --ranks 2.");
  }
  ~Loops() { MPI_Comm_free(&comm_); }
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  MPI_Comm comm() const { return comm_; }
  Rank rank() const { return rank_; }

  /// Runs f(thread) on each thread of ranks 0 and 1; returns rank 0's time in seconds on all ranks.
  double time(const std::function<void(int)>& f) {
    call(MPI_Barrier(comm_), "MPI_Barrier");
    const Timer timer;
    if (rank_ < 2) {
      std::vector<std::thread> others;
      for (int t = 1; t < threads_; ++t) others.emplace_back(f, t);
      f(0);
      for (std::thread& t : others) t.join();
    }
    double seconds = timer.seconds();
    call(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, comm_), "MPI_Bcast");
    return seconds;
  }

 private:
  const int threads_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank rank_ = 0;
};

// Receives one message from any rank, of a size that only MPI knows, into `buffer`.
void receive_probed(RawMode mode, MPI_Comm comm, int tag, std::vector<std::byte>& buffer) {
  int here = 0, bytes = 0;
  MPI_Status status;
  MPI_Message message;
  for (Backoff backoff;;) {
    if (mode == RawMode::iprobe) {
      call(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &here, &status), "MPI_Iprobe");
    } else {
      call(MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &here, &message, &status), "MPI_Improbe");
    }
    if (here) break;
    backoff.pause_or_sleep();
  }
  call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  if (mode == RawMode::iprobe) {
    call(MPI_Recv(buffer.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  } else {
    call(MPI_Mrecv(buffer.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  }
}

// The receives of no_probe: a ring of persistent requests.
class Ring {
 public:
  Ring(MPI_Comm comm, int tag, std::size_t bytes, long messages, int length)
      : left_(messages), buffer_(std::max<std::size_t>(1, bytes) * static_cast<std::size_t>(length)) {
    requests_.resize(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      call(MPI_Recv_init(buffer_.data() + i * bytes, count_of(bytes), MPI_BYTE, MPI_ANY_SOURCE, tag, comm,
                         &requests_[i]),
           "MPI_Recv_init");
      start(i);
    }
  }
  ~Ring() {
    for (MPI_Request& r : requests_) MPI_Request_free(&r);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void receive() {
    finish(requests_[next_], "MPI_Test");
    start(next_);
    next_ = (next_ + 1) % requests_.size();
  }

 private:
  void start(std::size_t i) {
    if (left_-- > 0) call(MPI_Start(&requests_[i]), "MPI_Start");
  }

  long left_;  // not yet posted
  std::size_t next_ = 0;
  std::vector<std::byte> buffer_;
  std::vector<MPI_Request> requests_;
};

void send(MPI_Comm comm, Rank to, int tag, const std::vector<std::byte>& data, std::size_t bytes) {
  MPI_Request request;
  call(MPI_Isend(data.data(), count_of(bytes), MPI_BYTE, to, tag, comm, &request), "MPI_Isend");
  finish(request, "MPI_Test");
}

}  // namespace

double raw_latency_seconds(MPI_Comm comm, RawMode mode, std::size_t bytes, long iterations, int threads) {
  Loops loops(comm, threads);
  const Rank other = 1 - loops.rank();
  const double seconds = loops.time([&](int tag) {
    std::vector<std::byte> data(std::max<std::size_t>(1, bytes));
    const auto ping_pong = [&](auto&& receive) {
      for (long i = 0; i < iterations; ++i) {
        if (other == 1) send(loops.comm(), other, tag, data, bytes);
        receive();
        if (other == 0) send(loops.comm(), other, tag, data, bytes);
      }
    };
    if (mode == RawMode::no_probe) {
      Ring ring(loops.comm(), tag, bytes, iterations, 1);
      ping_pong([&] { ring.receive(); });
    } else {
      ping_pong([&] { receive_probed(mode, loops.comm(), tag, data); });
    }
  });
  return seconds / 2 / static_cast<double>(iterations);
}

double raw_messages_per_second(MPI_Comm comm, RawMode mode, std::size_t bytes, long messages, int window, int threads) {
  Loops loops(comm, threads);
  check(window >= 1, "a window of {} messages (at least 1). Change the benchmark.", window);
  const long windows = (messages + window - 1) / window;
  const double seconds = loops.time([&](int tag) {
    std::vector<std::byte> data(std::max<std::size_t>(1, bytes));
    const auto acknowledged = [&] {
      MPI_Request request;
      call(MPI_Irecv(nullptr, 0, MPI_BYTE, 1, kAckTag + tag, loops.comm(), &request), "MPI_Irecv");
      finish(request, "MPI_Test");
    };
    if (loops.rank() == 0) {
      std::vector<MPI_Request> requests(static_cast<std::size_t>(window));
      for (long w = 0; w < windows; ++w) {
        if (w >= 2) acknowledged();
        for (MPI_Request& r : requests)
          call(MPI_Isend(data.data(), count_of(bytes), MPI_BYTE, 1, tag, loops.comm(), &r), "MPI_Isend");
        for (MPI_Request& r : requests) finish(r, "MPI_Test");
      }
      for (long w = std::max(0L, windows - 2); w < windows; ++w) acknowledged();
      return;
    }
    const auto receive_all = [&](auto&& receive) {
      for (long w = 0; w < windows; ++w) {
        for (int i = 0; i < window; ++i) receive();
        call(MPI_Send(nullptr, 0, MPI_BYTE, 0, kAckTag + tag, loops.comm()), "MPI_Send");
      }
    };
    if (mode == RawMode::no_probe) {
      Ring ring(loops.comm(), tag, bytes, windows * window, window);
      receive_all([&] { ring.receive(); });
    } else {
      receive_all([&] { receive_probed(mode, loops.comm(), tag, data); });
    }
  });
  return static_cast<double>(windows * window * threads) / seconds;
}

}  // namespace atl::mpi
