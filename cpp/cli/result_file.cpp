// SPDX-License-Identifier: Apache-2.0
#include "result_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace atl::cli {
namespace {

int take_stdout() {
  constexpr int kAboveStandard = 3;
  const int file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kAboveStandard);
  // If stderr is closed, a file opened later must not become descriptor 2 and receive the log.
  if (fcntl(STDERR_FILENO, F_GETFD) < 0)
    if (const int null = open("/dev/null", O_WRONLY); null >= 0 && null != STDERR_FILENO) {
      dup2(null, STDERR_FILENO);
      close(null);
    }
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return file;
}

}  // namespace

int result_file() {
  static const int file = take_stdout();
  return file;
}

void print_result(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(result_file(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // whoever shares the file may have asked for that
      pollfd room{result_file(), POLLOUT, 0};
      poll(&room, 1, -1);
      continue;
    }
    if (n < 0 && errno == EPIPE) throw std::system_error(errno, std::generic_category(), "stdout");
    if (n < 0)
      throw IoError(
          fmt::format("stdout: cannot be written ({}). Make room, or look at who reads it.", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void restore_stdout() {
  if (dup2(result_file(), STDOUT_FILENO) < 0) close(STDOUT_FILENO);  // as it was
}

std::string result_path() { return fmt::format("/dev/fd/{}", result_file()); }

std::vector<std::string> with_result_path(const std::vector<std::string>& words) {
  std::vector<std::string> out = words;
  for (std::string& word : out)
    for (const std::string_view path : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
      if (word == path || (word.starts_with("--") && word.ends_with(fmt::format("={}", path))))
        word.replace(word.size() - path.size(), path.size(), result_path());
  return out;
}

}  // namespace atl::cli
