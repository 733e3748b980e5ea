// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

/// Parsing of numbers in text with kTextPadding readable bytes after its end.
///
///     const char* p = ...;  std::uint64_t id;
///     if (!scan_id(p, id)) ...;                  // p is now after the digits
///
/// Eight digits are converted at once, without a branch per digit: a loop over digits mispredicts its end on
/// almost every number of a real edge list.
namespace atl {

inline constexpr std::size_t kTextPadding = 32;

/// An invalid line of a text: where, and "what (why). What to do.".
struct LineError {
  const char* at;
  std::string what;
};

static_assert(std::endian::native == std::endian::little, "the scanner takes the first digit from the lowest byte");

namespace scan {

inline std::uint64_t load8(const char* p) {
  std::uint64_t w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

/// Bytes 0..9 for digits at p; `other` has the top bit of each byte that is not a digit.
inline std::uint64_t digits8(const char* p, std::uint64_t& other) {
  const std::uint64_t x = load8(p) ^ 0x3030303030303030u;
  other = (((x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | x) & 0x8080808080808080u;
  return x;
}

/// The number formed by eight digit values, the first in the lowest byte.
inline std::uint64_t eight(std::uint64_t x) {
  constexpr std::uint64_t mask = 0x000000ff000000ffu;
  x = x * 10 + (x >> 8);
  return ((x & mask) * 0x000f424000000064u + ((x >> 16) & mask) * 0x0000271000000001u) >> 32;
}

inline constexpr std::uint64_t kPower10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_delimiter(char c) { return c == ',' || c == ';' || c == '|'; }

/// The rest of a number of eight or more digits; UINT64_MAX if it exceeds 64 bits.
inline std::uint64_t long_id(const char*& p, std::uint64_t value) {
  for (; is_digit(*p); ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (value > (UINT64_MAX - digit) / 10) {
      while (is_digit(*p)) ++p;
      return UINT64_MAX;
    }
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace scan

/// Parses digits; false if there are none. A number beyond 64 bits gives UINT64_MAX, which is no valid id either.
inline bool scan_id(const char*& p, std::uint64_t& value) {
  std::uint64_t other;
  const std::uint64_t x = scan::digits8(p, other);
  if (other) [[likely]] {
    const int n = std::countr_zero(other) >> 3;
    if (n == 0) return false;
    value = scan::eight(x << (64 - 8 * n));
    p += n;
    return true;
  }
  p += 8;
  value = scan::long_id(p, scan::eight(x));
  return true;
}

/// Whether `value`, a double, has rounded the whole number written in `digits` (which contains nothing else).
bool rounds_whole_number(std::string_view digits, double value);

/// Parses a finite decimal number. Integers and fractions of up to seven digits on each side are exact as a quotient of
/// two exact doubles, hence correctly rounded; others go to the library. A whole number that a double would round is
/// rejected: an id, a time or a sum in cents is meant exactly, while a fraction is rounded anyway.
inline bool scan_weight(const char*& p, const char* end, double& value) {
  const char* q = p;
  const bool minus = *q == '-';
  if (minus || *q == '+') ++q;
  std::uint64_t other;
  std::uint64_t x = scan::digits8(q, other);
  const int n = other ? std::countr_zero(other) >> 3 : 8;
  if (n > 0 && n < 8) [[likely]] {
    const std::uint64_t whole = scan::eight(x << (64 - 8 * n));
    const char c = q[n];
    if (c == '.') {
      x = scan::digits8(q + n + 1, other);
      const int m = other ? std::countr_zero(other) >> 3 : 8;
      const char after = q[n + 1 + m];
      if (m < 8 && after != 'e' && after != 'E') {
        const std::uint64_t part = m > 0 ? scan::eight(x << (64 - 8 * m)) : 0;
        value = static_cast<double>(whole * scan::kPower10[m] + part) / static_cast<double>(scan::kPower10[m]);
        if (minus) value = -value;
        p = q + n + 1 + m;
        return true;
      }
    } else if (c != 'e' && c != 'E') {
      value = static_cast<double>(whole);
      if (minus) value = -value;
      p = q + n;
      return true;
    }
  }
  if (*q == '-' || *q == '+') return false;
  const auto [stop, error] = std::from_chars(q, end, value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  if (value >= 0x1p53 && rounds_whole_number({q, static_cast<std::size_t>(stop - q)}, value)) return false;
  if (minus) value = -value;
  p = stop;
  return true;
}

/// Number of line ends in [p, end).
inline std::int64_t count_lines(const char* p, const char* end) {
  std::int64_t n = 0;
  // The inner sums of bytes vectorize; 255 fit a byte.
  while (end - p >= 128) {
    const char* stop = p + std::min<std::ptrdiff_t>((end - p) & ~std::ptrdiff_t{31}, 32 * 255);
    std::uint8_t sums[32] = {};
    for (; p < stop; p += 32)
      for (int i = 0; i < 32; ++i) sums[i] = static_cast<std::uint8_t>(sums[i] + (p[i] == '\n'));
    for (const std::uint8_t s : sums) n += s;
  }
  for (; p < end; ++p) n += *p == '\n';
  return n;
}

/// The start of the next line, after the first line end at or after p. Every text ends with one.
inline const char* next_line(const char* p, const char* end) {
  if (*p == '\n') return p + 1;
  const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return found ? static_cast<const char*>(found) + 1 : end;
}

/// A piece of input for a message: on one line, printable and short.
std::string in_quotes(std::string_view text);

}  // namespace atl
