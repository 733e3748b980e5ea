// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/start_thread.hpp>
#include <atoll/runtime/rank_output.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace atl {
namespace {

bool anyone_died(const JobBoard& board) {
  for (Rank r = 0; r < board.ranks(); ++r) {
    const auto seat = board.seat(r);
    if (seat.state == JobBoard::State::died || (seat.state == JobBoard::State::running && !seat.process.alive()))
      return true;
  }
  return false;
}

// 0, or why not.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd room{file, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

RankOutput::RankOutput(const JobBoard& board, int result)
    : board_(board), result_(result), stop_(eventfd(0, EFD_CLOEXEC)) {
  int ends[2];
  if (stop_.get() < 0 || pipe2(ends, O_CLOEXEC) != 0)
    throw TransportError(
        fmt::format("a pipe for the ranks' output: {} (it cannot be made). Close some files.", std::strerror(errno)));
  read_ = File(ends[0]);
  write_ = File(ends[1]);
  fcntl(read_.get(), F_SETFL, O_NONBLOCK);  // of this end alone
}

RankOutput::~RankOutput() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void RankOutput::begin() {
  write_ = File();
  thread_ = start_thread("the reader of the ranks' output", [this] { pass_on(); });
}

void RankOutput::finish() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
  if (error_ == EPIPE) throw std::system_error(error_, std::generic_category(), "stdout");
  if (error_ != 0)
    throw IoError(
        fmt::format("stdout: cannot be written ({}). Make room, or look at who reads it.", std::strerror(error_)));
}

void RankOutput::pass_on() {
  sigset_t lost;  // a reader that is gone is an error of the write
  sigemptyset(&lost);
  sigaddset(&lost, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &lost, nullptr);
  std::array<char, 1 << 16> part;
  for (bool stopped = false;;) {
    const ssize_t n = read(read_.get(), part.data(), part.size());
    if (n > 0) {
      const std::string_view text(part.data(), static_cast<std::size_t>(n));
      if (anyone_died(board_)) {
        write_all(STDERR_FILENO, text);
      } else if (error_ == 0) {
        error_ = write_all(result_, text);
      }
      continue;
    }
    if (n == 0 || (errno == EAGAIN && stopped)) return;
    std::array<pollfd, 2> wait{pollfd{read_.get(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
    poll(wait.data(), wait.size(), -1);
    stopped = (wait[1].revents & POLLIN) != 0;
  }
}

}  // namespace atl
