// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/combine.hpp>
#include <atoll/engine/domain_mirrors.hpp>
#include <atoll/engine/mirror_places.hpp>
#include <atoll/engine/value_blocks.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/aggregation/route.hpp>
#include <cstring>
#include <limits>
#include <optional>

/// Exchanges values of vertices between masters and their mirrors on other ranks: reduce and broadcast of the LCI
/// paper's graph engine Abelian [1], over any route.
///
///     MirrorExchange<float, MinOf> exchange(graph);            // collective
///     exchange.reduce(distance, changed);                      // mirrors -> masters, where changed; combined by MinOf
///     exchange.broadcast(distance, changed);                   // masters -> mirrors, where changed
///
/// `values` and `changed` are by local number. With several values per vertex (`lanes`), lane l of vertex v is at
/// v * lanes + l and has its own changed bit. Only changed values are sent, each block in the shortest of four forms:
/// nothing, bits and values, offsets and values, all values. Messages have no ids, since both ranks know the order of a
/// group of mirrors. On a route of several hops the values are sent as records, and forwarding ranks combine those of
/// one master: a slow link carries one value for all mirrors of a domain. On routes that gather, a broadcast is the
/// reverse: one record is sent to a domain, and the rank that receives it sends one to each mirror in the domain.
///
/// Over a vertex-cut only the mirrors that the operator needs take part: reduce those that edges enter, broadcast those
/// that edges leave. So in a cartesian cut a rank exchanges only with its row and column of the grid.
///
///     MirrorExchange<float, SumOf> exchange(SharedVertices::along_edges(cut));
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018.
namespace atl {

template <Plain T, class Combine>
class MirrorExchange {
 public:
  /// lanes: a power of two, at most 64; locals * lanes must fit a Local.
  explicit MirrorExchange(const Graph& graph, Combine combine = {}, Local lanes = 1)
      : MirrorExchange(SharedVertices::all_of(graph), std::move(combine), lanes) {}
  explicit MirrorExchange(SharedVertices shared, Combine combine = {}, Local lanes = 1);

  /// Combines changed values of mirrors into their masters. Sets the bits of masters that change, clears those of all
  /// mirrors. Collective. `expected`: the number of values that all ranks send, if known (it picks the route where that
  /// is auto).
  void reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// Sends changed values of masters to their mirrors. Sets the bits of mirrors that receive a value; those of masters
  /// stay. Collective. A block of mostly changed values is sent whole, so the values of all masters with mirrors must
  /// be right.
  void broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// The same for all values, changed or not; reads no bits.
  void reduce_all(std::span<T> values);
  void broadcast_all(std::span<T> values);

  /// Number of values that broadcast_all() sends, on all ranks.
  double mirrors() const { return where_.down().all; }
  std::size_t memory_bytes() const;

 private:
  // Maximum number of values that a thread of the team writes at a time.
  static constexpr std::size_t kGrain = std::size_t{1} << 15;
  struct [[gnu::packed]] Update {
    Local vertex;
    T value;
  };
  struct VertexOf {
    std::uint32_t operator()(const Update& u) const { return static_cast<std::uint32_t>(u.vertex); }
  };
  struct CombineUpdates {
    [[no_unique_address]] Combine combine;
    void operator()(Update& into, const Update& from) const {
      T value = into.value;
      combine(value, from.value);
      into.value = value;
    }
  };
  struct Apply {
    MirrorExchange* exchange;
    void operator()(std::span<const Update> updates) { exchange->apply(updates); }
  };
  struct Assign {
    MirrorExchange* exchange;
    void operator()(std::span<const Update> updates) { exchange->assign(updates); }
  };
  struct Copies {
    const MirrorExchange* exchange;
    template <class F>
    bool operator()(const Update& update, F&& f) const {
      return exchange->copy(update, f);
    }
  };

  std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }
  void apply(std::span<const Update> updates) {
    for (const Update& u : updates) combine_into(u.vertex, u.value);
  }
  void combine_into(Local master, const T& value) {
    T& into = values_[static_cast<std::size_t>(master)];
    if (single_consumer_) {
      if (combine_(into, value)) changed_->set_unsynchronized(master);
    } else if (combine_atomically(into, value, combine_)) {
      changed_->set(master);
    }
  }
  void assign(std::span<const Update> updates) {
    for (const Update& u : updates) {
      values_[static_cast<std::size_t>(u.vertex)] = u.value;
      changed_->set(u.vertex);
    }
  }
  /// An update with a negative vertex is for all mirrors in a domain.
  template <class F>
  bool copy(const Update& update, F&& f) const {
    if (update.vertex >= 0) return false;
    const auto of_domain = static_cast<std::size_t>(~update.vertex);
    for (const DomainMirrors::Copy& c : domains_->copies(of_domain >> where_.shift()))
      f(c.rank,
        Update{(c.place << where_.shift()) + static_cast<Local>(of_domain & (where_.lanes() - 1)), update.value});
    return true;
  }
  using Side = MirrorPlaces::Side;
  using Blocks = ValueBlocks<T>;
  using Draft = typename Blocks::Draft;
  /// One exchange: write(writer, rank, begin, end, draft) for each block of out[rank] values; read(rank, part).
  template <class Write, class Read>
  void exchange_blocks(NeighborAlltoallv& alltoallv, const std::vector<std::size_t>& out, Write&& write, Read&& read);

  World& world_;
  [[no_unique_address]] Combine combine_;
  const bool single_consumer_;  // one thread reads what is received
  MirrorPlaces where_;
  Blocks blocks_;  // up_, down_: on the direct route only
  std::optional<NeighborAlltoallv> up_, down_;
  std::vector<Draft> drafts_;                    // [thread]
  std::vector<std::vector<Local>> owner_place_;  // [rank][k] owner's local number of the k-th mirror that is reduced
  std::vector<Edge> places_;                     // [rank] index there of its first mirror of this rank's vertices
  std::optional<Mailbox<Update, Apply, Merge<VertexOf, CombineUpdates>>> reduced_;
  std::optional<Mailbox<Update, Assign, Multicast<Copies>>> broadcast_;
  std::optional<DomainMirrors> domains_;  // if the route gathers and the plan combines records
  T* values_ = nullptr;                   // arguments of the current exchange
  VertexBits* changed_ = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T, class Combine>
MirrorExchange<T, Combine>::MirrorExchange(SharedVertices shared, Combine combine, Local lanes)
    : world_(*shared.world),
      combine_(std::move(combine)),
      single_consumer_(world_.team().size() == 1 && !world_.has_communication_thread()),
      where_(shared, lanes) {
  const Side &up = where_.up(), &down = where_.down();
  drafts_.resize(static_cast<std::size_t>(world_.team().size()));
  if (world_.route().is_direct()) {
    where_.count_masters();
    const std::size_t capacity =
        NeighborAlltoallv::capacity_for(world_, std::max(up.longest, down.longest) * sizeof(T));
    blocks_ = Blocks::that_fit(capacity, kGrain);
    up_.emplace(world_, capacity, blocks_.counts(up.mirrored), blocks_.counts(up.masters));
    down_.emplace(world_, capacity, blocks_.counts(down.masters), blocks_.counts(down.mirrored));
    return;
  }
  owner_place_ = world_.exchange(up.known);
  places_ = world_.exchange_lengths({down.begin.begin(), down.begin.end()});
  reduced_.emplace(world_, of_records<Update>(Apply{this}, Merge{VertexOf{}, CombineUpdates{combine_}}),
                   MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  broadcast_.emplace(world_, of_records<Update>(Assign{this}, Multicast<Copies>{Copies{this}}),
                     MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  if (!world_.route().gathers() || world_.plan().lane_bytes == 0) return;
  std::vector<Local> places;
  for (const Edge place : places_) places.push_back(static_cast<Local>(place >> where_.shift()));
  domains_.emplace(world_, world_.hops(world_.route().name()).route(), down.known, places);
  if (world_.any((domains_->entries() << where_.shift()) > static_cast<std::size_t>(std::numeric_limits<Local>::max())))
    domains_.reset();
}

template <Plain T, class Combine>
template <class Write, class Read>
void MirrorExchange<T, Combine>::exchange_blocks(NeighborAlltoallv& alltoallv, const std::vector<std::size_t>& out,
                                                 Write&& write, Read&& read) {
  alltoallv.exchange(
      [&](int thread, NeighborAlltoallv::Writer& writer, Rank to, std::size_t block) {
        const auto rank = static_cast<std::size_t>(to);
        const std::size_t begin = block * blocks_.size(), end = std::min(out[rank], begin + blocks_.size());
        write(writer, rank, begin, end, drafts_[static_cast<std::size_t>(thread)]);
      },
      [&](Rank from, std::span<const std::byte> part) { read(static_cast<std::size_t>(from), part); });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  const Side& side = where_.up();
  if (up_) {
    exchange_blocks(
        *up_, side.mirrored,
        [&](NeighborAlltoallv::Writer& writer, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          blocks_.write(
              writer, [&](auto&& f) { where_.for_mirrors(changed, rank, begin, end, f); },
              [&](std::size_t k) { return where_.mirror(side, rank, k); }, begin, end, values_, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          blocks_.read(part, side.masters[rank],
                       [&](std::size_t k, const T& value) { combine_into(where_.master(side, rank, k), value); });
        });
  } else {
    reduced_->expect({.records = expected.value_or(side.all)});
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      world_.team().for_range(side.mirrored[rank], kGrain, [&](int, std::size_t a, std::size_t b) {
        auto buffers = reduced_->send_buffers();
        where_.for_mirrors(changed, rank, a, b, [&](std::size_t k, std::size_t place) {
          buffers.send(static_cast<Rank>(rank), {where_.lane_of(owner_place_[rank], k), values[place]});
        });
      });
    reduced_->drain();
  }
  changed.clear_from(where_.first_mirror());
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  const Side& side = where_.down();
  if (down_) {
    const bool exclusive_words =
        single_consumer_ || blocks_.size() % 64 == 0;  // no two threads set bits of the same word
    exchange_blocks(
        *down_, side.masters,
        [&](NeighborAlltoallv::Writer& writer, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          blocks_.write(
              writer, [&](auto&& f) { where_.for_masters(changed, rank, begin, end, f); },
              [&](std::size_t k) { return where_.master(side, rank, k); }, begin, end, values_, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          blocks_.read(part, side.mirrored[rank], [&](std::size_t k, const T& value) {
            const Local place = where_.mirror(side, rank, k);
            values_[static_cast<std::size_t>(place)] = value;
            exclusive_words ? changed_->set_unsynchronized(place) : void(changed_->set(place));
          });
        });
    return;
  }
  broadcast_->expect({.records = expected.value_or(side.all)});
  // One record per domain, if the receiving rank there distributes it.
  const bool by_domain = domains_ && broadcast_->relay_route() == &domains_->route();
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    if (by_domain && !domains_->is_near(static_cast<Rank>(rank))) continue;
    world_.team().for_range(side.masters[rank], kGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = broadcast_->send_buffers();
      for (std::size_t k = a; k < b; ++k)
        if (const Local v = where_.master(side, rank, k); changed.test(v))
          buffers.send(static_cast<Rank>(rank), {static_cast<Local>(places_[rank]) + static_cast<Local>(k),
                                                 values[static_cast<std::size_t>(v)]});
    });
  }
  for (std::size_t d = 0; by_domain && d < domains_->domains().size(); ++d) {
    const DomainMirrors::Domain& domain = domains_->domains()[d];
    world_.team().for_range(domain.masters.size() << where_.shift(), kGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = broadcast_->send_buffers();
      for (std::size_t k = a; k < b; ++k)
        if (const Local v = where_.lane_of(domain.masters, k); changed.test(v))
          buffers.send(domain.lands, {~((domain.first << where_.shift()) + static_cast<Local>(k)),
                                      values[static_cast<std::size_t>(v)]});
    });
  }
  broadcast_->drain();
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce_all(std::span<T> values) {
  values_ = values.data();
  if (!up_) {
    VertexBits all(where_.locals());
    all.set_all();
    return reduce(values, all);
  }
  const Side& side = where_.up();
  exchange_blocks(
      *up_, side.mirrored,
      [&](NeighborAlltoallv::Writer& writer, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        blocks_.write_all(writer, [&](std::size_t k) { return where_.mirror(side, rank, k); }, begin, end, values_);
      },
      [&](std::size_t rank, std::span<const std::byte> part) {
        blocks_.read(part, side.masters[rank], [&](std::size_t k, const T& value) {
          T& into = values_[static_cast<std::size_t>(where_.master(side, rank, k))];
          single_consumer_ ? combine_(into, value) : combine_atomically(into, value, combine_);
        });
      });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast_all(std::span<T> values) {
  values_ = values.data();
  if (!down_) {
    VertexBits all(where_.locals());
    all.set_all();
    return broadcast(values, all);
  }
  const Side& side = where_.down();
  exchange_blocks(
      *down_, side.masters,
      [&](NeighborAlltoallv::Writer& writer, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        blocks_.write_all(writer, [&](std::size_t k) { return where_.master(side, rank, k); }, begin, end, values_);
      },
      [&](std::size_t rank, std::span<const std::byte> part) {
        // The values are contiguous here as in the part.
        blocks_.for_blocks(
            part, side.mirrored[rank],
            [&](std::size_t begin, std::size_t, typename Blocks::Form, std::size_t count, const std::byte* values) {
              std::memcpy(&values_[static_cast<std::size_t>(where_.mirror(side, rank, begin))], values,
                          count * sizeof(T));
            });
      });
}

template <Plain T, class Combine>
std::size_t MirrorExchange<T, Combine>::memory_bytes() const {
  std::size_t bytes = where_.memory_bytes();
  for (const auto& named : owner_place_) bytes += named.size() * sizeof(Local);
  if (domains_) bytes += domains_->memory_bytes();
  for (const Draft& draft : drafts_) bytes += draft.memory_bytes();
  return bytes + (up_ ? up_->memory_bytes() + down_->memory_bytes() : 0);
}

// Instantiated in mirror_exchange.cpp.
extern template class MirrorExchange<float, SumOf>;
extern template class MirrorExchange<double, SumOf>;
extern template class MirrorExchange<std::int64_t, SumOf>;
extern template class MirrorExchange<float, MinOf>;
extern template class MirrorExchange<double, MinOf>;
extern template class MirrorExchange<std::int64_t, MinOf>;
extern template class MirrorExchange<std::uint64_t, MinOf>;
extern template class MirrorExchange<Local, MinOf>;

}  // namespace atl
