// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/io/read_file.hpp>
#include <string>
#include <string_view>

namespace atl {

/// Lines of the head, numbered from 1.
///
///     HeadLines lines(path, head);
///     while (lines.next()) use(lines.line());
class HeadLines {
 public:
  /// Thrown when the head ends too early for its reader while the file continues.
  struct TooShort {};

  HeadLines(const std::string& path, const Head& head);
  /// Goes to the next line; false at the end of the file.
  bool next();
  std::string_view line() const { return line_; }  ///< without its line end
  std::int64_t number() const { return number_; }
  std::uint64_t offset() const { return begin_; }  ///< of this line in the text
  std::uint64_t behind() const { return next_; }   ///< offset of the next line
  /// "path:line: what".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const std::string* path_;
  const Head* head_;
  std::string_view line_;
  std::size_t begin_ = 0, next_ = 0;
  std::int64_t number_ = 0;
};

/// Calls conclude(head), with a longer head for as long as it throws TooShort. Collective.
template <class F>
auto from_head(World& world, const std::string& path, Head& head, F&& conclude) {
  constexpr std::size_t kMost = std::size_t{256} << 20;
  for (;;) {
    try {
      return conclude(std::as_const(head));
    } catch (const HeadLines::TooShort&) {
      check(head.text.size() < kMost, "{}: its first {} bytes hold no edge (is this a graph?). Name its format.", path,
            head.text.size());
      head = read_head(world, path, head.text.size() * 8);
    }
  }
}

/// A whole number in a header; -1 if it is not one, INT64_MAX if it is too large.
std::int64_t header_number(std::string_view field);

}  // namespace atl
