// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <cmath>

/// Which values of a layer's input are dropped in an epoch: a pure function of seed, epoch, layer, vertex and column, so
/// that every rank and thread finds the same, whoever has the vertex.
///
///     const Dropout dropout(0.5, seed, epoch, layer, width);
///     x[j] = dropout.keeps(vertex, j) ? x[j] * scale : 0;       // scale = dropout.scale(): the expectation stays
namespace atl {

class Dropout {
 public:
  /// 0 <= rate < 1, to a multiple of 2^-16.
  Dropout(double rate, std::uint64_t seed, std::int64_t epoch, std::int64_t layer, std::int64_t width)
      : stream_(random_at(random_at(random_at(seed, 1), static_cast<std::uint64_t>(epoch)),
                          static_cast<std::uint64_t>(layer))),
        words_(static_cast<std::uint64_t>(width + 3) / 4),
        limit_(limit_of(rate)) {}

  /// Whether a rate drops anything.
  static bool drops(double rate) { return limit_of(rate) > 0; }
  double scale() const { return 0x1p16 / (0x1p16 - static_cast<double>(limit_)); }
  /// Four columns' draws, 16 bits each: those of column j are bits 16 (j % 4) .. of word j / 4.
  std::uint64_t word(Vertex vertex, std::int64_t four) const {
    return random_at(stream_, static_cast<std::uint64_t>(vertex) * words_ + static_cast<std::uint64_t>(four));
  }
  bool keeps(std::uint64_t word, std::int64_t column) const { return (word >> (16 * (column & 3)) & 0xffff) >= limit_; }
  bool keeps(Vertex vertex, std::int64_t column) const { return keeps(word(vertex, column / 4), column); }

 private:
  static std::uint64_t limit_of(double rate) {
    return std::min<std::uint64_t>(0xffff, static_cast<std::uint64_t>(std::llround(rate * 0x1p16)));
  }
  std::uint64_t stream_, words_, limit_;
};

}  // namespace atl
