// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/files/text_file.hpp>
#include <cerrno>
#include <system_error>

namespace atl {

std::size_t mark_bytes(std::string_view start, const std::string& path) {
  if (start.starts_with("\xef\xbb\xbf")) return 3;
  // UTF-16 without a mark: of two letters of English one is a zero.
  const std::string_view first = start.substr(0, 4);
  const bool wide = start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff") ||
                    std::ranges::count(first, '\0') * 2 >= static_cast<std::ptrdiff_t>(first.size());
  check(first.size() < 2 || !wide,
        "{}:1: the text is UTF-16 or UTF-32 (by its first bytes). Convert it to UTF-8, as by iconv -f UTF-16 -t UTF-8.",
        path);
  return 0;
}

std::string plain_text(std::string text, const std::string& path) {
  text.erase(0, mark_bytes(text, path));
  std::size_t to = text.find('\r');
  if (to == std::string::npos) return text;
  for (std::size_t from = to; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from] == '\r' ? '\n' : text[from];
  }
  text.resize(to);
  return text;
}

std::optional<std::string> read_text_file(const std::string& path, std::size_t most_bytes) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  constexpr std::size_t kPart = std::size_t{64} << 10;
  std::string text;
  for (;;) {
    const std::size_t have = text.size();
    text.resize(have + kPart);
    const ssize_t n = ::read(file.get(), text.data() + have, kPart);
    if (n < 0 && errno != EINTR)
      throw IoError(fmt::format("{}: cannot be read ({}). Check the path and the disk.", path,
                                std::generic_category().message(errno)));
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return plain_text(std::move(text), path);
    check(text.size() <= most_bytes, "{}: more than {} bytes (no such file is so long). Correct the path.", path,
          most_bytes);
  }
}

}  // namespace atl
