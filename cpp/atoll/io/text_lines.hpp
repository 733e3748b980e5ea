// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// The lines of a text, one after another, in bounded memory: unpacked as they are read, whatever ends them (\n, \r\n
/// or \r), without a byte order mark.
///
///     const InputFile file(path);
///     TextStream stream(file);
///     TextLines lines(path, [&](char* into, std::size_t n) { return stream.read(into, n); });
///     while (lines.next()) use(lines.number(), lines.line());
///
/// next() throws InputError, as "path:line: ...", where the text is damaged, UTF-16, or a line is longer than
/// kLongestLine: it is no text of lines.
namespace atl {

class TextLines {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;
  /// Up to n bytes; 0 only at the end.
  using Read = std::function<std::size_t(char* into, std::size_t n)>;

  TextLines(std::string name, Read read) : name_(std::move(name)), read_(std::move(read)) {}

  bool next();
  std::string_view line() const { return line_; }  ///< without its end; valid until next()
  std::int64_t number() const { return number_; }  ///< from 1 on

 private:
  bool more();

  const std::string name_;
  const Read read_;
  std::string text_;  // what was read and is not yet passed on begins at at_
  std::size_t at_ = 0;
  bool ended_ = false, began_ = false;
  std::string_view line_;
  std::int64_t number_ = 0;
};

}  // namespace atl
