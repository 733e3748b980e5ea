// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Texts that people and other programs wrote, brought to one form: UTF-8 without a byte order mark, lines that end in
/// \n.
///
///     const std::optional<std::string> text = read_text_file("hosts.txt");   // none: it cannot be opened
///     std::string_view rest = *text, line;
///     for (int number = 1; take_line(rest, line); ++number) ...
///
/// Large files are read by InputFile and TextLines (io/), which treat marks and line ends alike.
namespace atl {

/// The bytes of a byte order mark of UTF-8 at the beginning of a text: 0 or 3. Throws InputError, which names `path`,
/// where the text is UTF-16 or UTF-32 by its mark or by the zeros among its first letters.
std::size_t mark_bytes(std::string_view start, const std::string& path);

/// `text` without its mark, its line ends \r\n and \r as \n.
std::string plain_text(std::string text, const std::string& path);

/// The whole file as plain_text(), or none if it cannot be opened (errno says why). Throws InputError if it is longer
/// than `most_bytes`, IoError if it cannot be read. It may be a pipe.
std::optional<std::string> read_text_file(const std::string& path, std::size_t most_bytes = std::size_t{1} << 30);

/// Takes the first line of `rest`, without its end; false if there is none left.
inline bool take_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  const std::size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return true;
}

}  // namespace atl
