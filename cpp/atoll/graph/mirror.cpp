// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/mirror.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kMirrorGrain = 1 << 16;

std::size_t round64(std::size_t n) { return (n + 63) / 64 * 64; }

}  // namespace

template <class Dense>
LocalNames LocalNames::learn(World& world, const IdMap& ids, const LocalOrder& order,
                             std::span<const std::span<const Dense>> lists) {
  const Blocks& blocks = ids.blocks();
  const auto p = static_cast<std::size_t>(world.size()), me = static_cast<std::size_t>(world.rank());
  LocalNames names;
  names.order_ = &order;
  names.begin_ = blocks.begin(world.rank());
  names.owned_ = blocks.size(world.rank());
  std::size_t next = round64(static_cast<std::size_t>(names.owned_));
  names.mirrors.begin.assign(p, static_cast<Local>(next));
  names.mirrors.count.assign(p, 0);
  names.mirrors.known_by.resize(p);
  names.locals = static_cast<Local>(next);
  if (p == 1) return names;

  const auto words = static_cast<std::size_t>(blocks.count() / 64 + 1);
  check(words * 8 <= world.plan().replicated_bytes,
        "{} vertices need a table of {} bytes on each rank (replicated_bytes is {}). Raise it in the plan.",
        blocks.count(), words * 8, world.plan().replicated_bytes);
  names.seen_ = Array<std::uint64_t>(words, 0);
  for (const auto& list : lists)
    world.team().for_range(list.size(), kMirrorGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        const auto dense = static_cast<Vertex>(list[i]);
        if (dense >= names.begin_ && dense < names.begin_ + names.owned_) continue;
        std::atomic_ref word(names.seen_[dense / 64]);
        const std::uint64_t bit = std::uint64_t{1} << (dense % 64);
        if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
      }
    });
  names.before_ = Array<std::uint32_t>(words);
  std::vector<std::vector<std::uint32_t>> asked(p);  // owned indices at the owner, ascending
  std::uint32_t total = 0;
  for (std::size_t w = 0; w < words; ++w) {
    names.before_[w] = total;
    for (std::uint64_t word = names.seen_[w]; word; word &= word - 1, ++total) {
      const Vertex dense = static_cast<Vertex>(w * 64) + std::countr_zero(word);
      const Rank owner = blocks.owner(dense);
      asked[owner].push_back(static_cast<std::uint32_t>(dense - blocks.begin(owner)));
    }
  }
  std::vector<std::size_t> group_size(p);
  for (std::size_t r = 0; r < p; ++r) group_size[r] = asked[r].size();
  const auto wanted = world.exchange(std::move(asked));

  // Send each asker the positions of its mirrors among those it has of this rank, in this rank's local order.
  std::vector<std::vector<std::uint32_t>> positions(p);
  std::vector<std::vector<Vertex>> original(p);
  for (std::size_t r = 0; r < p; ++r) {
    if (r == me) continue;
    Array<std::uint64_t> known(round64(static_cast<std::size_t>(names.owned_)) / 64, 0);
    std::vector<std::uint32_t> before(known.size());
    for (std::uint32_t owned_index : wanted[r]) {
      const auto local = static_cast<std::size_t>(order.local_of[owned_index]);
      known[local / 64] |= std::uint64_t{1} << (local % 64);
    }
    std::uint32_t sum = 0;
    for (std::size_t w = 0; w < known.size(); ++w) {
      before[w] = sum;
      sum += static_cast<std::uint32_t>(std::popcount(known[w]));
    }
    positions[r].reserve(wanted[r].size());
    for (std::uint32_t owned_index : wanted[r]) {
      const auto local = static_cast<std::size_t>(order.local_of[owned_index]);
      const std::uint64_t below = known[local / 64] & ((std::uint64_t{1} << (local % 64)) - 1);
      positions[r].push_back(before[local / 64] + static_cast<std::uint32_t>(std::popcount(below)));
      if (!ids.is_range()) original[r].push_back(ids.id_of(static_cast<Vertex>(owned_index)));
    }
    names.mirrors.known_by[r] = std::move(known);
  }
  const auto my_positions = world.exchange(std::move(positions));
  const auto my_ids = world.exchange(std::move(original));

  const std::size_t first_mirror = next;
  std::size_t last = next;
  for (const std::size_t size : group_size) last = round64(last + size);
  world.agree(last < (std::size_t{1} << 31) - 64,
              fmt::format("rank {} would know {} vertices (local numbers have 31 bits). Use more ranks.", me, last));
  names.mirror_at_.reserve(total);
  for (std::size_t r = 0; r < p; ++r) {
    names.mirrors.begin[r] = static_cast<Local>(next);
    names.mirrors.count[r] = static_cast<Local>(group_size[r]);
    for (std::uint32_t position : my_positions[r]) names.mirror_at_.push_back(static_cast<Local>(next + position));
    next = round64(next + group_size[r]);
  }
  names.locals = static_cast<Local>(next);
  names.mirror_ids.assign(next - first_mirror, 0);
  std::size_t k = 0;
  for (std::size_t w = 0; w < words && ids.is_range(); ++w)
    for (std::uint64_t word = names.seen_[w]; word; word &= word - 1)
      names.mirror_ids[static_cast<std::size_t>(names.mirror_at_[k++]) - first_mirror] =
          ids.first() + static_cast<Vertex>(w * 64) + std::countr_zero(word);
  if (!ids.is_range())
    for (std::size_t r = 0; r < p; ++r)
      for (Vertex id : my_ids[r]) names.mirror_ids[static_cast<std::size_t>(names.mirror_at_[k++]) - first_mirror] = id;
  // A table of all names is worth its memory while it is small beside the lists that are to be renamed.
  std::size_t entries = 0;
  for (const auto& list : lists) entries += list.size();
  constexpr std::size_t kShare = 4;
  if (const auto n = static_cast<std::size_t>(blocks.count()); n < entries / kShare) {
    names.local_at_ = Array<Local>(n);
    for (std::size_t v = 0; v < order.local_of.size(); ++v)
      names.local_at_[static_cast<std::size_t>(names.begin_) + v] = order.local_of[v];
    k = 0;
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t word = names.seen_[w]; word; word &= word - 1)
        names.local_at_[w * 64 + static_cast<std::size_t>(std::countr_zero(word))] = names.mirror_at_[k++];
  }
  return names;
}

std::size_t LocalNames::memory_bytes() const {
  return local_at_.size() * sizeof(Local) + seen_.size() * 8 + before_.size() * 4 +
         mirror_at_.capacity() * sizeof(Local) + mirror_ids.capacity() * 8;
}

template LocalNames LocalNames::learn(World&, const IdMap&, const LocalOrder&,
                                      std::span<const std::span<const std::uint32_t>>);
template LocalNames LocalNames::learn(World&, const IdMap&, const LocalOrder&,
                                      std::span<const std::span<const Vertex>>);

}  // namespace atl
