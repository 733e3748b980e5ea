// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/start_thread.hpp>
#include <atoll/runtime/job/rank_output.hpp>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace atl {
namespace {

bool anyone_died(const JobTable& table) {
  for (Rank r = 0; r < table.ranks(); ++r)
    if (table.died(r)) return true;
  return false;
}

// How much a write takes without waiting, once poll() says that there is room.
std::size_t piece_of(int file) {
  struct stat about {};
  return fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? SIZE_MAX : PIPE_BUF;
}

}  // namespace

RankOutput::RankOutput(const JobTable& table, int result)
    : table_(table), result_(result), stop_(eventfd(0, EFD_CLOEXEC)) {
  int ends[2];
  if (stop_.get() < 0 || pipe2(ends, O_CLOEXEC) != 0)
    throw TransportError(
        fmt::format("a pipe for the ranks' output: {} (it cannot be made). Close some files.", std::strerror(errno)));
  read_ = FileHandle(ends[0]);
  write_ = FileHandle(ends[1]);
  fcntl(read_.get(), F_SETFL, O_NONBLOCK);  // of this end alone
}

RankOutput::~RankOutput() {
  if (!thread_.joinable()) return;
  abandoned_ = true;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void RankOutput::begin() {
  write_ = FileHandle();
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

// 0, or why not. Never waits in write(), where nothing could end it: a reader may have stopped reading (a pager).
int RankOutput::write_all(int file, std::string_view text) const {
  constexpr int kLook_ms = 100;
  const std::size_t piece = piece_of(file);
  while (!text.empty()) {
    pollfd room{file, POLLOUT, 0};
    if (const int ready = poll(&room, 1, kLook_ms); ready == 0) {
      if (abandoned_) return ECANCELED;
      continue;
    }
    const ssize_t n = write(file, text.data(), std::min(text.size(), piece));
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      return errno;
    }
  }
  return 0;
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
      if (anyone_died(table_)) {
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
