// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/combine.hpp>
#include <atoll/engine/domain_mirrors.hpp>
#include <atoll/engine/mirror_places.hpp>
#include <atoll/engine/value_blocks.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <cstring>
#include <limits>
#include <optional>

/// Values of vertices between their master and its mirrors on other ranks: reduce and broadcast of the LCI paper's graph
/// engine Abelian [1], over any route.
///
///     MirrorExchange<float, MinOf> exchange(graph);            // collective
///     exchange.reduce(distance, changed);                      // mirrors -> masters, where changed; combined by MinOf
///     exchange.broadcast(distance, changed);                   // masters -> mirrors, where changed
///
/// `values` and `changed` are by local number; with several values a vertex (`lanes`), side by side, lane l of vertex v is
/// at v * lanes + l, and each changes and travels alone. Only changed values travel, each message in the shortest of four
/// forms: nothing, bits and values, offsets and values, all values. No ids: the order of a group of mirrors is agreed since the
/// graph was built. Where the plan's route has several hops the values travel as records, and whoever forwards combines
/// those of one master: a slow link carries one value where a domain has many. On routes that gather a broadcast is the
/// reverse: one record tells a domain, and the rank where it lands has one for each mirror in there.
///
/// Over a vertex-cut only those mirrors take part that the operator needs: reduce is about those that edges enter,
/// broadcast about those that edges leave; so a cartesian one has partners in one row and one column of its grid.
///
///     MirrorExchange<float, SumOf> exchange(SharedVertices::along_edges(cut));
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018.
namespace atl {

template <Plain T, class Combine>
class MirrorExchange {
 public:
  /// lanes: a power of two, at most 64; all places have to fit a Local.
  explicit MirrorExchange(const Graph& graph, Combine combine = {}, Local lanes = 1)
      : MirrorExchange(SharedVertices::all_of(graph), std::move(combine), lanes) {}
  explicit MirrorExchange(SharedVertices shared, Combine combine = {}, Local lanes = 1);

  /// Sets the bits of the masters that have become other values, and clears those of all mirrors. Collective. `expected`
  /// is how many values all ranks together send, if they know (it picks the route where that is auto).
  void reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// Sets the bits of the mirrors that have been told; those of masters stay. Where most have changed all are told, so
  /// that the values of all masters with mirrors must be right.
  void broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// All values, changed or not: nothing is looked up but them.
  void reduce_all(std::span<T> values);
  void broadcast_all(std::span<T> values);

  /// Values of the mirrors of all ranks: what a broadcast of all sends.
  double mirrors() const { return where_.down().all; }
  std::size_t memory_bytes() const;

 private:
  // Values that a thread of the team writes at once, at most.
  static constexpr std::size_t kGrain = std::size_t{1} << 15;
  struct [[gnu::packed]] Update {
    Local vertex;
    T value;
  };
  struct VertexOf {
    std::uint32_t operator()(const Update& u) const { return static_cast<std::uint32_t>(u.vertex); }
  };
  struct Join {
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
    for (const Update& u : updates) put(u.vertex, u.value);
  }
  void put(Local master, const T& value) {
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
  /// An update of a negative number is for all mirrors of a domain.
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
  /// A round of posts: write(pen, rank, begin, end, draft) for each block of `out` values a rank.
  template <class Write, class Read>
  void tell(NeighborAlltoallv& posts, const std::vector<std::size_t>& out, Write&& write, Read&& read);

  World& world_;
  [[no_unique_address]] Combine combine_;
  const bool single_consumer_;  // one thread reads what comes
  MirrorPlaces where_;
  Blocks blocks_;                               // on the direct route
  std::optional<NeighborAlltoallv> up_, down_;  // likewise
  std::vector<Draft> drafts_;                   // [thread]
  std::vector<std::vector<Local>> named_;  // [rank][k] the k-th mirror that is written, of its: its own number there
  std::vector<Edge> places_;               // [rank] where its mirrors of this rank's vertices begin there, to be told
  std::optional<Mailbox<Update, Apply, Merge<VertexOf, Join>>> reduced_;
  std::optional<Mailbox<Update, Assign, Multicast<Copies>>> told_;
  std::optional<DomainMirrors> domains_;  // where a route gathers, and the plan lets records be combined
  T* values_ = nullptr;                   // of the exchange under way
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
    const std::size_t room = NeighborAlltoallv::room_for(world_, std::max(up.longest, down.longest) * sizeof(T));
    blocks_ = Blocks::that_fit(room, kGrain);
    up_.emplace(world_, room, blocks_.counts(up.mirrored), blocks_.counts(up.masters));
    down_.emplace(world_, room, blocks_.counts(down.masters), blocks_.counts(down.mirrored));
    return;
  }
  named_ = world_.exchange(up.known);
  places_ = world_.exchange_lengths({down.begin.begin(), down.begin.end()});
  reduced_.emplace(world_, of_records<Update>(Apply{this}, Merge{VertexOf{}, Join{combine_}}),
                   MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  told_.emplace(world_, of_records<Update>(Assign{this}, Multicast<Copies>{Copies{this}}),
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
void MirrorExchange<T, Combine>::tell(NeighborAlltoallv& posts, const std::vector<std::size_t>& out, Write&& write,
                                      Read&& read) {
  posts.exchange(
      [&](int thread, NeighborAlltoallv::Writer& pen, Rank to, std::size_t block) {
        const auto rank = static_cast<std::size_t>(to);
        const std::size_t begin = block * blocks_.size(), end = std::min(out[rank], begin + blocks_.size());
        write(pen, rank, begin, end, drafts_[static_cast<std::size_t>(thread)]);
      },
      [&](Rank from, std::span<const std::byte> part) { read(static_cast<std::size_t>(from), part); });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  const Side& side = where_.up();
  if (up_) {
    tell(
        *up_, side.mirrored,
        [&](NeighborAlltoallv::Writer& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          blocks_.write(
              pen, [&](auto&& f) { where_.for_mirrors(changed, rank, begin, end, f); },
              [&](std::size_t k) { return where_.mirror(side, rank, k); }, begin, end, values_, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          blocks_.read(part, side.masters[rank],
                       [&](std::size_t k, const T& value) { put(where_.master(side, rank, k), value); });
        });
  } else {
    reduced_->expect({.records = expected.value_or(side.all)});
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      world_.team().for_range(side.mirrored[rank], kGrain, [&](int, std::size_t a, std::size_t b) {
        auto lanes = reduced_->lanes();
        where_.for_mirrors(changed, rank, a, b, [&](std::size_t k, std::size_t place) {
          lanes.send(static_cast<Rank>(rank), {where_.lane_of(named_[rank], k), values[place]});
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
    const bool apart = single_consumer_ || blocks_.size() % 64 == 0;  // no two threads set bits of one word
    tell(
        *down_, side.masters,
        [&](NeighborAlltoallv::Writer& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          blocks_.write(
              pen, [&](auto&& f) { where_.for_masters(changed, rank, begin, end, f); },
              [&](std::size_t k) { return where_.master(side, rank, k); }, begin, end, values_, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          blocks_.read(part, side.mirrored[rank], [&](std::size_t k, const T& value) {
            const Local place = where_.mirror(side, rank, k);
            values_[static_cast<std::size_t>(place)] = value;
            apart ? changed_->set_unsynchronized(place) : void(changed_->set(place));
          });
        });
    return;
  }
  told_->expect({.records = expected.value_or(side.all)});
  // A domain is told once where that is handed out in it.
  const bool by_domain = domains_ && told_->relay_route() == &domains_->route();
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    if (by_domain && !domains_->is_near(static_cast<Rank>(rank))) continue;
    world_.team().for_range(side.masters[rank], kGrain, [&](int, std::size_t a, std::size_t b) {
      auto lanes = told_->lanes();
      for (std::size_t k = a; k < b; ++k)
        if (const Local v = where_.master(side, rank, k); changed.test(v))
          lanes.send(static_cast<Rank>(rank),
                     {static_cast<Local>(places_[rank]) + static_cast<Local>(k), values[static_cast<std::size_t>(v)]});
    });
  }
  for (std::size_t d = 0; by_domain && d < domains_->domains().size(); ++d) {
    const DomainMirrors::Domain& domain = domains_->domains()[d];
    world_.team().for_range(domain.masters.size() << where_.shift(), kGrain, [&](int, std::size_t a, std::size_t b) {
      auto lanes = told_->lanes();
      for (std::size_t k = a; k < b; ++k)
        if (const Local v = where_.lane_of(domain.masters, k); changed.test(v))
          lanes.send(domain.lands, {~((domain.first << where_.shift()) + static_cast<Local>(k)),
                                    values[static_cast<std::size_t>(v)]});
    });
  }
  told_->drain();
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
  tell(
      *up_, side.mirrored,
      [&](NeighborAlltoallv::Writer& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        blocks_.write_all(pen, [&](std::size_t k) { return where_.mirror(side, rank, k); }, begin, end, values_);
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
  tell(
      *down_, side.masters,
      [&](NeighborAlltoallv::Writer& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        blocks_.write_all(pen, [&](std::size_t k) { return where_.master(side, rank, k); }, begin, end, values_);
      },
      [&](std::size_t rank, std::span<const std::byte> part) {
        // They lie in a row here as in the part.
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
  for (const auto& named : named_) bytes += named.size() * sizeof(Local);
  if (domains_) bytes += domains_->memory_bytes();
  for (const Draft& draft : drafts_) bytes += draft.memory_bytes();
  return bytes + (up_ ? up_->memory_bytes() + down_->memory_bytes() : 0);
}

// Compiled once, in mirror_exchange.cpp.
extern template class MirrorExchange<float, SumOf>;
extern template class MirrorExchange<double, SumOf>;
extern template class MirrorExchange<std::int64_t, SumOf>;
extern template class MirrorExchange<float, MinOf>;
extern template class MirrorExchange<double, MinOf>;
extern template class MirrorExchange<std::int64_t, MinOf>;
extern template class MirrorExchange<std::uint64_t, MinOf>;
extern template class MirrorExchange<Local, MinOf>;

}  // namespace atl
