// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/partition/vertex_cut.hpp>

namespace atl {
namespace {

template <class Column>
std::size_t bytes_of(const Column& column) {
  return std::visit(
      [](const auto& c) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(c)>, std::monostate>) {
          return 0;
        } else {
          return c.size() * sizeof(c[0]);
        }
      },
      column);
}

}  // namespace

Duplicates duplicates_named(std::string_view name) {
  if (name == "keep") return Duplicates::keep;
  if (name == "min") return Duplicates::merge_min;
  if (name == "max") return Duplicates::merge_max;
  check(name == "sum", "duplicates are '{}' (there are keep, min, max, sum). Choose one.", name);
  return Duplicates::merge_sum;
}

std::size_t Csr::memory_bytes() const {
  return offsets.size() * sizeof(Edge) + targets.size() * sizeof(Local) + bytes_of(weights);
}

std::size_t Graph::memory_bytes() const {
  std::size_t bytes = out_.memory_bytes() + in_.memory_bytes() + bytes_of(id_column_) +
                      (local_of_.size() + owned_index_of_.size()) * sizeof(Local) + ids_.memory_bytes();
  for (const auto& known : mirrors_.known_by) bytes += known.size() * sizeof(std::uint64_t);
  for (const auto& cut : vertex_cuts_) bytes += cut ? cut->memory_bytes() : 0;
  return bytes;
}

std::pair<Rank, Vertex> Graph::find(Vertex id) const {
  struct Answer {
    Rank rank;
    Vertex owned_index;
  };
  const Vertex here = ids_.find_here(id);
  const Answer found = world_->fold(Answer{here >= 0 ? world_->rank() : -1, here},
                                    [](const Answer& a, const Answer& b) { return a.rank >= 0 ? a : b; });
  check(found.rank >= 0, "{}: vertex {} does not exist (the graph has {} vertices, ids up to {}). Name one that does.",
        name_, id, vertices(), ids_.largest());
  return {found.rank, found.owned_index};
}

std::optional<Local> Graph::master_of(Vertex id) const {
  const auto [owner, owned_index] = find(id);
  if (owner != world_->rank()) return {};
  return local_of(owned_index);
}

}  // namespace atl
