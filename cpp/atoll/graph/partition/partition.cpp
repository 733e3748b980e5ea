// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/formats/named.hpp>
#include <atoll/graph/partition/cluster_partition.hpp>
#include <atoll/graph/partition/partition.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>

namespace atl {
namespace {

constexpr std::size_t kOwnerGrain = 1 << 12;

// Blocks of consecutive ids, split where the prefix sum of weights is nearest to the rank's share.
std::vector<Rank> cut_by_weight(World& world, const std::vector<Edge>& weight, Rank ranks) {
  Edge mine = 0;
  for (const Edge w : weight) mine += w;
  const std::vector<Edge> sums = world.all_gather(mine);
  Edge before = 0, all = 0;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) before += sums[r];
    all += sums[r];
  }
  std::vector<Rank> owner(weight.size());
  for (std::size_t k = 0; k < weight.size(); ++k) {
    // A vertex goes to the rank whose share contains the middle of its weight.
    const auto middle = static_cast<__int128>(2 * before + weight[k]);
    owner[k] = static_cast<Rank>(std::min<__int128>(ranks - 1, middle * ranks / (2 * std::max<Edge>(1, all))));
    before += weight[k];
  }
  return owner;
}

std::vector<Rank> by_hash(const IdMap& ids, Vertex owned, Rank ranks) {
  std::vector<Rank> owner(static_cast<std::size_t>(owned));
  for (Vertex k = 0; k < owned; ++k) {
    const std::uint64_t hash = mix64(static_cast<std::uint64_t>(ids.id_of(k)) + 0x9e3779b97f4a7c15u);
    owner[k] = static_cast<Rank>((static_cast<unsigned __int128>(hash) * static_cast<std::uint64_t>(ranks)) >> 64);
  }
  return owner;
}

// Overwrites the dense numbers in both columns.
void renumber(World& world, const Blocks& old, EdgeList& edges, const std::vector<Vertex>& number) {
  const NamedVertices named(world, old, edges);
  const std::vector<Vertex> to = named.fetch(std::span<const Vertex>(number));
  for (IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](auto& ids) {
          using Id = std::decay_t<decltype(ids[0])>;
          world.team().for_range(ids.size(), kOwnerGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t i = a; i < b; ++i) ids[i] = static_cast<Id>(to[named.index(static_cast<Vertex>(ids[i]))]);
          });
        },
        *column);
}

}  // namespace

const std::vector<std::string>& partition_names() {
  static const std::vector<std::string> names{"blocked", "balanced", "hashed", "hierarchy"};
  return names;
}

Partition partition_named(std::string_view name) {
  const auto& names = partition_names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw UsageError(fmt::format("partition '{}' (there are {}). Choose one.", name, fmt::join(names, ", ")));
  return static_cast<Partition>(at - names.begin());
}

std::vector<Edge> weights_of(World& world, const EdgeList& edges, const Blocks& blocks) {
  std::vector<Edge> weight(static_cast<std::size_t>(blocks.size(world.rank())), 1);
  Mailbox box(world, of_records<std::uint32_t>([&](std::span<const std::uint32_t> rows) {
                for (const std::uint32_t row : rows)
                  std::atomic_ref(weight[row]).fetch_add(1, std::memory_order_relaxed);
              }),
              {.handling = Handling::parallel, .handler_sends = false});
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
        world.team().for_range(source.size(), kOwnerGrain, [&](int, std::size_t a, std::size_t b) {
          auto buffers = box.send_buffers();
          const auto count = [&](Vertex v) {
            const Rank owner = blocks.owner(v);
            buffers.send(owner, static_cast<std::uint32_t>(v - blocks.begin(owner)));
          };
          for (std::size_t i = a; i < b; ++i) {
            count(static_cast<Vertex>(source[i]));
            if (source[i] != target[i]) count(static_cast<Vertex>(target[i]));
          }
        });
      },
      edges.source);
  box.drain();
  return weight;
}

Cost cost_for(const World& world, const Hierarchy& machine) {
  const Cost& own = world.machine().cost;
  return machine.depth() <= own.depth() ? own : Cost::paper(machine.depth());
}

std::vector<Rank> owners_of(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                            const PartitionOptions& placement, std::map<std::string, double>* seconds) {
  const RankTimer timer(world);
  const Vertex owned = ids.blocks().size(world.rank());
  std::vector<Rank> owner;
  switch (placement.partition) {
    case Partition::blocked: {
      const Blocks blocks = machine.size() == world.size() ? ids.blocks() : Blocks::even(ids.count(), machine.size());
      for (Vertex k = 0; k < owned; ++k) owner.push_back(blocks.owner(ids.blocks().begin(world.rank()) + k));
      return owner;
    }
    case Partition::balanced: {
      const std::vector<Edge> weight = weights_of(world, edges, ids.blocks());
      if (seconds) (*seconds)["degrees"] = timer.seconds();
      return cut_by_weight(world, weight, machine.size());
    }
    case Partition::hashed:
      return by_hash(ids, owned, machine.size());
    case Partition::hierarchy:
      return cluster_placement(world, edges, ids, machine, placement.fusion, seconds);
  }
  return owner;
}

IdMap assign(World& world, EdgeList& edges, IdMap ids, const PartitionOptions& placement,
             std::map<std::string, double>* seconds) {
  if (placement.partition == Partition::blocked || world.size() == 1) return ids;
  // Memory for owners and for ids in transit.
  require_vertices(world, edges.name, ids, 20.0 * static_cast<double>(ids.blocks().size(world.rank())));
  const std::vector<Rank> owner = owners_of(world, edges, ids, world.hierarchy(), placement, seconds);
  const RankTimer timer(world);
  const auto p = static_cast<std::size_t>(world.size());
  const Blocks& old = ids.blocks();

  // Ids go to their owners. Ranks receive in the order of the old blocks, so received ids ascend.
  std::vector<std::vector<Vertex>> outgoing(p);
  for (std::size_t k = 0; k < owner.size(); ++k) outgoing[owner[k]].push_back(ids.id_of(static_cast<Vertex>(k)));
  const auto incoming = world.exchange(std::move(outgoing));
  std::vector<Vertex> mine, first{0};
  for (const auto& part : incoming) mine.insert(mine.end(), part.begin(), part.end());
  for (const Vertex size : world.all_gather(static_cast<Vertex>(mine.size()))) first.push_back(first.back() + size);
  Blocks blocks(std::move(first));
  const Vertex largest = ids.largest();
  const bool in_a_row = placement.partition == Partition::balanced;  // dense numbers stay, only the cuts move
  if (!in_a_row) {
    // At its new owner, each old block's vertices follow those of the blocks before.
    std::vector<std::vector<Vertex>> begins(p);
    Vertex next = blocks.begin(world.rank());
    for (std::size_t r = 0; r < p; ++r) {
      begins[r] = {next};
      next += static_cast<Vertex>(incoming[r].size());
    }
    auto first_number = world.exchange(std::move(begins));
    std::vector<Vertex> number(owner.size());
    for (std::size_t k = 0; k < owner.size(); ++k) number[k] = first_number[owner[k]][0]++;
    renumber(world, old, edges, number);
  }
  IdMap placed = in_a_row && ids.is_range()
                     ? IdMap(ids.first(), std::move(blocks), world.rank())
                     : IdMap(std::move(mine), std::move(blocks), world.rank(),
                             in_a_row ? IdMap::Ascends::throughout : IdMap::Ascends::within_blocks);
  placed.set_largest(largest);
  if (seconds) (*seconds)["assign"] = timer.seconds();
  return placed;
}

}  // namespace atl
