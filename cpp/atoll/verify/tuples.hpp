// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <functional>
#include <span>
#include <variant>

namespace atl {

/// This rank's slice of the input edges as dense numbers; each edge is on one rank, any rank. Refers to the caller's
/// memory.
///
///     Tuples(source, target)                                            // columns of 32 or 64 bits
///     Tuples(count, [&](std::size_t first, auto source, auto target) {..})   // generated on demand
class Tuples {
 public:
  /// Fills source and target (of equal size) with the tuples first, first + 1, ..; may be called by any thread.
  using Read = std::function<void(std::size_t first, std::span<Vertex> source, std::span<Vertex> target)>;

  template <class Id>
  struct Columns {
    std::span<const Id> source, target;
  };

  Tuples(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target)
      : size_(source.size()), from_(Columns<std::uint32_t>{source, target}) {}
  Tuples(std::span<const Vertex> source, std::span<const Vertex> target)
      : size_(source.size()), from_(Columns<Vertex>{source, target}) {}
  /// The edges of a list whose ids number() has made dense.
  static Tuples of(const EdgeList& dense) {
    return std::visit(
        [&](const auto& source) {
          const auto& target = std::get<std::decay_t<decltype(source)>>(dense.target);
          return Tuples(std::span(source.data(), source.size()), std::span(target.data(), target.size()));
        },
        dense.source);
  }
  Tuples(std::size_t size, Read read) : size_(size), from_(std::move(read)) {}

  std::size_t size() const { return size_; }
  const auto& from() const { return from_; }

 private:
  std::size_t size_;
  std::variant<Columns<std::uint32_t>, Columns<Vertex>, Read> from_;
};

}  // namespace atl
