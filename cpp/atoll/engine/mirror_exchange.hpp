// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/combine.hpp>
#include <atoll/engine/domain_mirrors.hpp>
#include <atoll/engine/posts.hpp>
#include <atoll/engine/shared_vertices.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <bit>
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
  double mirrors() const { return down_side().all; }
  std::size_t memory_bytes() const;

 private:
  enum class Form : std::uint32_t { bits, offsets, all };
  // The changed values of a block, as a post has them; nothing where there is none. Then the values, and their bits or
  // offsets.
  struct Head {
    std::uint32_t block;
    std::uint32_t what;  // form and count
    Form form() const { return static_cast<Form>(what & 3); }
    std::size_t count() const { return what >> 2; }
  };
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

  /// What a direction is about.
  struct Side {
    std::vector<const Mirrors*> groups;
    std::vector<Local> begin;                    // [rank] the first of its mirrors' values here
    std::vector<std::vector<Local>> known;       // [rank][k] the k-th of the own masters that it mirrors
    std::vector<std::size_t> masters, mirrored;  // [rank] values of those of mine that it mirrors; of its that I do
    double all = 0;                              // values of the mirrors of all ranks
  };
  Side side_of(const std::vector<const Mirrors*>& groups) const;
  const Side& up_side() const { return sides_.front(); }
  const Side& down_side() const { return sides_.back(); }

  std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }
  void apply(std::span<const Update> updates) {
    for (const Update& u : updates) put(u.vertex, u.value);
  }
  void put(Local master, const T& value) {
    T& into = values_[static_cast<std::size_t>(master)];
    if (alone_) {
      if (combine_(into, value)) changed_->set_alone(master);
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
    for (const DomainMirrors::Copy& c : domains_->copies(of_domain >> shift_))
      f(c.rank, Update{(c.place << shift_) + static_cast<Local>(of_domain & (lanes() - 1)), update.value});
    return true;
  }
  /// The k-th of the values that messages to and from a rank are about: where it is.
  Local mirror(const Side& side, std::size_t rank, std::size_t k) const {
    return side.begin[rank] + static_cast<Local>(k);
  }
  Local master(const Side& side, std::size_t rank, std::size_t k) const { return lane_of(side.known[rank], k); }
  Local lane_of(const std::vector<Local>& vertices, std::size_t k) const {
    return (vertices[k >> shift_] << shift_) + static_cast<Local>(k & (lanes() - 1));
  }
  std::size_t lanes() const { return std::size_t{1} << shift_; }
  // The changed values of a block.
  struct Draft {
    std::vector<T> values;
    std::vector<std::uint32_t> offsets;
  };
  // f(k, place) for those of values [begin, end) that have changed, ascending.
  template <class F>
  void for_mirrors(std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;
  template <class F>
  void for_masters(std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;
  template <class ForChanged, class PlaceAt>
  void write(Posts::Pen& pen, ForChanged&& for_changed, PlaceAt&& place_at, std::size_t begin, std::size_t end,
             Draft& draft) const;
  template <class PlaceAt>
  void write_all(Posts::Pen& pen, PlaceAt&& place_at, std::size_t begin, std::size_t end) const;
  /// f(begin, end, form, count, values) for each block of a part, of `all` values.
  template <class F>
  void for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const;
  template <class F>
  void read(std::span<const std::byte> part, std::size_t all, F&& f) const;
  /// A round of posts: write(pen, rank, begin, end, draft) for each block of `out` values a rank.
  template <class Write, class Read>
  void tell(Posts& posts, const std::vector<std::size_t>& out, Write&& write, Read&& read);
  std::vector<std::size_t> blocks(const std::vector<std::size_t>& values) const;

  World& world_;
  [[no_unique_address]] Combine combine_;
  const int shift_;   // lanes are 1 << shift_
  const bool alone_;  // one thread reads what comes
  const Local first_mirror_, locals_;
  std::size_t block_ = 0;                                        // values: a slot has room for all of them
  std::vector<Side> sides_;                                      // up, down; one where they are the same
  std::vector<std::vector<std::vector<std::uint32_t>>> before_;  // [group][rank][word] of down: how many are before it
  std::optional<Posts> up_, down_;                               // on the direct route
  std::vector<Draft> drafts_;                                    // [thread]
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
      shift_(std::countr_zero(static_cast<std::uint32_t>(lanes))),
      alone_(world_.team().size() == 1 && !world_.has_communication_thread()),
      first_mirror_(shared.first_mirror),
      locals_(shared.locals) {
  ATOLL_ASSERT(std::has_single_bit(static_cast<std::uint32_t>(lanes)) && lanes <= 64 &&
               locals_ <= std::numeric_limits<Local>::max() / lanes);
  sides_.push_back(side_of(shared.written));
  if (shared.read != shared.written) sides_.push_back(side_of(shared.read));
  drafts_.resize(static_cast<std::size_t>(world_.team().size()));
  if (world_.route().is_direct()) {
    for (const Mirrors* group : down_side().groups) {
      auto& of_rank = before_.emplace_back();
      for (const auto& words : group->known_by) {
        std::uint32_t count = 0;
        auto& before = of_rank.emplace_back();
        for (const std::uint64_t word : words)
          before.push_back(std::exchange(count, count + static_cast<std::uint32_t>(std::popcount(word))));
      }
    }
    block_ = std::min(kGrain, (Posts::room_bytes(world_) - sizeof(Head)) / sizeof(T));
    if (block_ > 64) block_ -= block_ % 64;  // so that blocks share no word of bits
    up_.emplace(world_, blocks(up_side().mirrored), blocks(up_side().masters));
    down_.emplace(world_, blocks(down_side().masters), blocks(down_side().mirrored));
    return;
  }
  named_ = world_.exchange(up_side().known);
  places_ = world_.exchange_lengths({down_side().begin.begin(), down_side().begin.end()});
  reduced_.emplace(world_, of_records<Update>(Apply{this}, Merge{VertexOf{}, Join{combine_}}),
                   MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  told_.emplace(world_, of_records<Update>(Assign{this}, Multicast<Copies>{Copies{this}}),
                MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  if (!world_.route().gathers() || world_.plan().lane_bytes == 0) return;
  std::vector<Local> places;
  for (const Edge place : places_) places.push_back(static_cast<Local>(place >> shift_));
  domains_.emplace(world_, world_.hops(world_.route().name()).route(), down_side().known, places);
  if (world_.any((domains_->entries() << shift_) > static_cast<std::size_t>(std::numeric_limits<Local>::max())))
    domains_.reset();
}

template <Plain T, class Combine>
typename MirrorExchange<T, Combine>::Side MirrorExchange<T, Combine>::side_of(
    const std::vector<const Mirrors*>& groups) const {
  Side side;
  side.groups = groups;
  for (std::size_t r = 0; r < ranks(); ++r) {
    side.begin.push_back(groups[0]->begin[r] << shift_);
    auto& known = side.known.emplace_back();
    std::size_t mirrored = 0;
    for (const Mirrors* group : groups) {
      for_bits(group->known_by[r], [&](std::size_t v) { known.push_back(static_cast<Local>(v)); });
      mirrored += static_cast<std::size_t>(group->count[r]);
    }
    side.masters.push_back(known.size() << shift_);
    side.mirrored.push_back(mirrored << shift_);
    side.all += static_cast<double>(side.mirrored[r]);
  }
  side.all = world_.sum(side.all);
  return side;
}

template <Plain T, class Combine>
std::vector<std::size_t> MirrorExchange<T, Combine>::blocks(const std::vector<std::size_t>& values) const {
  std::vector<std::size_t> blocks;
  for (const std::size_t n : values) blocks.push_back((n + block_ - 1) / block_);
  return blocks;
}

template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::for_mirrors(std::size_t rank, std::size_t begin, std::size_t end, F&& f) const {
  const std::size_t first = static_cast<std::size_t>(up_side().begin[rank]) + begin, shift = first % 64;
  for (std::size_t k = 0; k < end - begin; k += 64) {
    const std::size_t w = (first + k) / 64;
    std::uint64_t bits = changed_->at(w) >> shift;
    if (shift > 0 && w + 1 < changed_->words()) bits |= changed_->at(w + 1) << (64 - shift);
    if (end - begin - k < 64) bits &= ~(~std::uint64_t{0} << (end - begin - k));
    for (; bits; bits &= bits - 1) {
      const std::size_t at = k + static_cast<std::size_t>(std::countr_zero(bits));
      f(begin + at, first + at);
    }
  }
}

// By the words of bits, not by the masters: mostly few have changed.
template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::for_masters(std::size_t rank, std::size_t begin, std::size_t end, F&& f) const {
  std::size_t first = 0;  // values of the groups before
  for (std::size_t group = 0; group < before_.size() && first < end; ++group) {
    const auto& words = down_side().groups[group]->known_by[rank];
    const auto& before = before_[group][rank];
    if (words.empty()) continue;
    const std::size_t skipped = begin > first ? (begin - first) >> shift_ : 0;
    auto w = static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), skipped) - before.begin()) - 1;
    for (; w < words.size() && first + (std::size_t{before[w]} << shift_) < end; ++w) {
      const std::uint64_t known = words[w];
      if (known == 0) continue;
      for (std::size_t at = w << shift_; at < (w + 1) << shift_; ++at)
        for (std::uint64_t bits = changed_->at(at); bits; bits &= bits - 1) {
          const std::size_t place = at * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const std::uint64_t bit = std::uint64_t{1} << (place >> shift_) % 64;
          if (!(known & bit)) continue;
          const auto vertex = before[w] + static_cast<std::size_t>(std::popcount(known & (bit - 1)));
          const std::size_t k = first + (vertex << shift_) + (place & (lanes() - 1));
          if (k >= begin && k < end) f(k, place);
        }
    }
    first += (before.back() + static_cast<std::size_t>(std::popcount(words[words.size() - 1]))) << shift_;
  }
}

// The changed ones of a block's values [begin, end), in the shortest form.
template <Plain T, class Combine>
template <class ForChanged, class PlaceAt>
void MirrorExchange<T, Combine>::write(Posts::Pen& pen, ForChanged&& for_changed, PlaceAt&& place_at, std::size_t begin,
                                       std::size_t end, Draft& draft) const {
  const std::size_t all = end - begin;
  auto& [values, offsets] = draft;
  values.resize(std::max(values.size(), all));
  offsets.resize(std::max(offsets.size(), all));
  std::size_t count = 0;
  for_changed([&](std::size_t k, std::size_t place) {
    values[count] = values_[place];
    offsets[count++] = static_cast<std::uint32_t>(k - begin);
  });
  if (count == 0) return;
  const std::size_t bit_bytes = (all + 7) / 8, offset_bytes = count * sizeof(std::uint32_t),
                    where_bytes = std::min(bit_bytes, offset_bytes);
  if (all * sizeof(T) <= count * sizeof(T) + where_bytes) return write_all(pen, place_at, begin, end);
  const Form form = offset_bytes < bit_bytes ? Form::offsets : Form::bits;
  const Head head{static_cast<std::uint32_t>(begin / block_),
                  static_cast<std::uint32_t>(count) << 2 | static_cast<std::uint32_t>(form)};
  const std::size_t bytes = sizeof head + count * sizeof(T) + where_bytes;
  std::byte* const into = pen.room(bytes);
  std::memcpy(into, &head, sizeof head);
  std::memcpy(into + sizeof head, values.data(), count * sizeof(T));
  std::byte* const where = into + sizeof head + count * sizeof(T);
  if (form == Form::offsets) {
    std::memcpy(where, offsets.data(), offset_bytes);
  } else {
    std::memset(where, 0, bit_bytes);
    for (std::size_t i = 0; i < count; ++i) where[offsets[i] / 8] |= std::byte{1} << (offsets[i] % 8);
  }
  pen.wrote(bytes);
}

template <Plain T, class Combine>
template <class PlaceAt>
void MirrorExchange<T, Combine>::write_all(Posts::Pen& pen, PlaceAt&& place_at, std::size_t begin,
                                           std::size_t end) const {
  const Head head{static_cast<std::uint32_t>(begin / block_),
                  static_cast<std::uint32_t>(end - begin) << 2 | static_cast<std::uint32_t>(Form::all)};
  const std::size_t bytes = sizeof head + (end - begin) * sizeof(T);
  std::byte* at = pen.room(bytes);
  std::memcpy(at, &head, sizeof head);
  at += sizeof head;
  for (std::size_t k = begin; k < end; ++k, at += sizeof(T))
    std::memcpy(at, &values_[static_cast<std::size_t>(place_at(k))], sizeof(T));
  pen.wrote(bytes);
}

template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const {
  while (!part.empty()) {
    Head head;
    std::memcpy(&head, part.data(), sizeof head);
    const std::size_t begin = head.block * block_, end = std::min(all, begin + block_), count = head.count();
    f(begin, end, head.form(), count, part.data() + sizeof head);
    const std::size_t where = head.form() == Form::all    ? 0
                              : head.form() == Form::bits ? (end - begin + 7) / 8
                                                          : count * sizeof(std::uint32_t);
    part = part.subspan(sizeof head + count * sizeof(T) + where);
  }
}

// f(k, value) for what write() has put in.
template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::read(std::span<const std::byte> part, std::size_t all, F&& f) const {
  for_blocks(part, all, [&](std::size_t begin, std::size_t end, Form form, std::size_t count, const std::byte* value) {
    const std::byte* const where = value + count * sizeof(T);
    const auto next = [&](std::size_t k) {
      T v;
      std::memcpy(&v, value, sizeof v);
      value += sizeof v;
      f(k, v);
    };
    switch (form) {
      case Form::all:
        for (std::size_t k = begin; k < end; ++k) next(k);
        break;
      case Form::offsets:
        for (std::size_t i = 0; i < count; ++i) {
          std::uint32_t k = 0;
          std::memcpy(&k, where + i * sizeof k, sizeof k);
          next(begin + k);
        }
        break;
      case Form::bits:
        for (std::size_t byte = 0; byte < (end - begin + 7) / 8; ++byte)
          for (auto bits = static_cast<unsigned>(where[byte]); bits; bits &= bits - 1)
            next(begin + byte * 8 + static_cast<std::size_t>(std::countr_zero(bits)));
        break;
    }
  });
}

template <Plain T, class Combine>
template <class Write, class Read>
void MirrorExchange<T, Combine>::tell(Posts& posts, const std::vector<std::size_t>& out, Write&& write, Read&& read) {
  posts.exchange(
      [&](int thread, Posts::Pen& pen, Rank to, std::size_t block) {
        const auto rank = static_cast<std::size_t>(to);
        const std::size_t begin = block * block_, end = std::min(out[rank], begin + block_);
        write(pen, rank, begin, end, drafts_[static_cast<std::size_t>(thread)]);
      },
      [&](Rank from, std::span<const std::byte> part) { read(static_cast<std::size_t>(from), part); });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  const Side& side = up_side();
  if (up_) {
    tell(
        *up_, side.mirrored,
        [&](Posts::Pen& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          write(
              pen, [&](auto&& f) { for_mirrors(rank, begin, end, f); },
              [&](std::size_t k) { return mirror(side, rank, k); }, begin, end, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          read(part, side.masters[rank], [&](std::size_t k, const T& value) { put(master(side, rank, k), value); });
        });
  } else {
    reduced_->expect({.records = expected.value_or(side.all)});
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      world_.team().for_range(side.mirrored[rank], kGrain, [&](int, std::size_t a, std::size_t b) {
        auto lanes = reduced_->lanes();
        for_mirrors(rank, a, b, [&](std::size_t k, std::size_t place) {
          lanes.send(static_cast<Rank>(rank), {lane_of(named_[rank], k), values[place]});
        });
      });
    reduced_->drain();
  }
  changed.clear_from(first_mirror_ << shift_);
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  const Side& side = down_side();
  if (down_) {
    const bool apart = alone_ || block_ % 64 == 0;  // no two threads set bits of one word
    tell(
        *down_, side.masters,
        [&](Posts::Pen& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft& draft) {
          write(
              pen, [&](auto&& f) { for_masters(rank, begin, end, f); },
              [&](std::size_t k) { return master(side, rank, k); }, begin, end, draft);
        },
        [&](std::size_t rank, std::span<const std::byte> part) {
          read(part, side.mirrored[rank], [&](std::size_t k, const T& value) {
            const Local place = mirror(side, rank, k);
            values_[static_cast<std::size_t>(place)] = value;
            apart ? changed_->set_alone(place) : void(changed_->set(place));
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
        if (const Local v = master(side, rank, k); changed.test(v))
          lanes.send(static_cast<Rank>(rank),
                     {static_cast<Local>(places_[rank]) + static_cast<Local>(k), values[static_cast<std::size_t>(v)]});
    });
  }
  for (std::size_t d = 0; by_domain && d < domains_->domains().size(); ++d) {
    const DomainMirrors::Domain& domain = domains_->domains()[d];
    world_.team().for_range(domain.masters.size() << shift_, kGrain, [&](int, std::size_t a, std::size_t b) {
      auto lanes = told_->lanes();
      for (std::size_t k = a; k < b; ++k)
        if (const Local v = lane_of(domain.masters, k); changed.test(v))
          lanes.send(domain.lands,
                     {~((domain.first << shift_) + static_cast<Local>(k)), values[static_cast<std::size_t>(v)]});
    });
  }
  told_->drain();
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce_all(std::span<T> values) {
  values_ = values.data();
  if (!up_) {
    VertexBits all(locals_ << shift_);
    all.set_all();
    return reduce(values, all);
  }
  const Side& side = up_side();
  tell(
      *up_, side.mirrored,
      [&](Posts::Pen& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        write_all(pen, [&](std::size_t k) { return mirror(side, rank, k); }, begin, end);
      },
      [&](std::size_t rank, std::span<const std::byte> part) {
        read(part, side.masters[rank], [&](std::size_t k, const T& value) {
          T& into = values_[static_cast<std::size_t>(master(side, rank, k))];
          alone_ ? combine_(into, value) : combine_atomically(into, value, combine_);
        });
      });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast_all(std::span<T> values) {
  values_ = values.data();
  if (!down_) {
    VertexBits all(locals_ << shift_);
    all.set_all();
    return broadcast(values, all);
  }
  const Side& side = down_side();
  tell(
      *down_, side.masters,
      [&](Posts::Pen& pen, std::size_t rank, std::size_t begin, std::size_t end, Draft&) {
        write_all(pen, [&](std::size_t k) { return master(side, rank, k); }, begin, end);
      },
      [&](std::size_t rank, std::span<const std::byte> part) {
        // They lie in a row here as in the part.
        for_blocks(part, side.mirrored[rank],
                   [&](std::size_t begin, std::size_t, Form, std::size_t count, const std::byte* values) {
                     std::memcpy(&values_[static_cast<std::size_t>(mirror(side, rank, begin))], values,
                                 count * sizeof(T));
                   });
      });
}

template <Plain T, class Combine>
std::size_t MirrorExchange<T, Combine>::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Side& side : sides_)
    for (const auto& known : side.known) bytes += known.size() * sizeof(Local);
  for (const auto& of_rank : before_)
    for (const auto& before : of_rank) bytes += before.size() * sizeof(std::uint32_t);
  for (const auto& named : named_) bytes += named.size() * sizeof(Local);
  if (domains_) bytes += domains_->memory_bytes();
  for (const Draft& draft : drafts_)
    bytes += draft.values.capacity() * sizeof(T) + draft.offsets.capacity() * sizeof(std::uint32_t);
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
