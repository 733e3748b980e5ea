// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/combine.hpp>
#include <atoll/engine/posts.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <cstring>
#include <optional>

/// Values of vertices between their master and its mirrors on other ranks: reduce and broadcast of the LCI paper's graph
/// engine Abelian [1], over any route.
///
///     MirrorExchange<float, MinOf> exchange(graph);            // collective
///     exchange.reduce(distance, changed);                      // mirrors -> masters, where changed; combined by MinOf
///     exchange.broadcast(distance, changed);                   // masters -> mirrors, where changed
///
/// `values` and `changed` are by local number. Only changed values travel, each message in the shortest of four forms:
/// nothing, bits and values, offsets and values, all values. No ids: the order of a group of mirrors is agreed since the
/// graph was built. Where the plan's route has several hops the values travel as records, and whoever forwards combines
/// those of one master: a slow link carries one value where a domain has many.
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018.
namespace atl {

template <Plain T, class Combine>
class MirrorExchange {
 public:
  explicit MirrorExchange(const Graph& graph, Combine combine = {});

  /// Sets the bits of the masters that have become other values, and clears those of all mirrors. Collective. `expected`
  /// is how many values all ranks together send, if they know (it picks the route where that is auto).
  void reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// Sets the bits of the mirrors that have been told; those of masters stay. Where most have changed all are told, so
  /// that the values of all masters with mirrors must be right.
  void broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// All values, changed or not: nothing is looked up but them.
  void broadcast_all(std::span<T> values);

  /// Mirrors of all ranks: what travels when all values have changed.
  double mirrors() const { return mirrors_; }
  std::size_t memory_bytes() const;

 private:
  enum class Form : std::uint32_t { nothing, bits, offsets, all };
  struct Head {
    Form form = Form::nothing;
    std::uint32_t count = 0;  // values that follow; then their bits or offsets
  };
  // Mirrors and the masters they stand for travel in blocks of so many, each a message of its own.
  static constexpr std::size_t kBlock = std::size_t{1} << 15;
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

  std::size_t ranks() const { return known_.size(); }
  void apply(std::span<const Update> updates) {
    for (const Update& u : updates) put(u.vertex, u.value);
  }
  void put(Local master, const T& value) {
    if (combine_atomically(values_[static_cast<std::size_t>(master)], value, combine_)) changed_->set(master);
  }
  void assign(std::span<const Update> updates) {
    for (const Update& u : updates) {
      values_[static_cast<std::size_t>(u.vertex)] = u.value;
      changed_->set(u.vertex);
    }
  }
  /// The k-th of the vertices that a group's messages are about.
  Local mirror(std::size_t rank, std::size_t k) const {
    return graph_.mirrors().begin[rank] + static_cast<Local>(k);
  }
  Local master(std::size_t rank, std::size_t k) const { return known_[rank][k]; }
  /// The vertices of a group's messages: mirrors of the rank's vertices here, or own masters that it mirrors.
  struct Group {
    const MirrorExchange& exchange;
    std::size_t rank;
  };
  struct MirrorGroup : Group {
    Local at(std::size_t k) const { return this->exchange.mirror(this->rank, k); }
    /// f(k, vertex) for the changed ones of [begin, end), ascending; words of bits without one cost a look.
    template <class F>
    void for_changed(std::size_t begin, std::size_t end, F&& f) const;
  };
  struct MasterGroup : Group {
    Local at(std::size_t k) const { return this->exchange.master(this->rank, k); }
    template <class F>
    void for_changed(std::size_t begin, std::size_t end, F&& f) const;
  };
  template <class Vertices>
  std::span<const std::byte> write(const Vertices& vertices, std::size_t begin, std::size_t end,
                                   std::vector<std::byte>& into) const;
  template <class F>
  void read(std::span<const std::byte> message, std::size_t begin, std::size_t end, F&& f) const;
  template <class VertexAt>
  std::span<const std::byte> write_all(VertexAt&& vertex_at, std::size_t begin, std::size_t end,
                                       std::vector<std::byte>& into) const;
  /// write(rank, begin, end, buffer) makes each message.
  template <class Write>
  void send_each(Posts& posts, const std::vector<std::size_t>& counts, Write&& write);
  static std::vector<Posts::Stream> streams(const std::vector<std::size_t>& counts);

  const Graph& graph_;
  World& world_;
  [[no_unique_address]] Combine combine_;
  std::vector<std::vector<Local>> known_;        // [rank][k] the k-th of the own masters that it mirrors
  std::vector<std::vector<std::uint32_t>> known_before_;  // [rank][word of known_by] how many it mirrors before it
  std::vector<std::size_t> masters_, mirrored_;  // [rank] how many of mine it mirrors; of its that I do
  double mirrors_ = 0;
  std::optional<Posts> up_, down_;              // on the direct route
  std::vector<std::vector<std::byte>> written_;  // [thread]
  std::vector<std::vector<Local>> named_;        // [rank][k] the k-th mirror of its vertices: its own number there
  std::vector<Edge> places_;                     // [rank] where its mirrors of this rank's vertices begin there
  std::optional<Mailbox<Update, Apply, Merge<VertexOf, Join>>> reduced_;
  std::optional<Mailbox<Update, Assign>> told_;
  T* values_ = nullptr;  // of the exchange under way
  VertexBits* changed_ = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T, class Combine>
MirrorExchange<T, Combine>::MirrorExchange(const Graph& graph, Combine combine)
    : graph_(graph), world_(graph.world()), combine_(std::move(combine)) {
  const Mirrors& mirrors = graph.mirrors();
  known_.resize(mirrors.known_by.size());
  known_before_.resize(ranks());
  for (std::size_t r = 0; r < ranks(); ++r) {
    for_bits(mirrors.known_by[r], [&](std::size_t v) { known_[r].push_back(static_cast<Local>(v)); });
    masters_.push_back(known_[r].size());
    std::uint32_t before = 0;
    for (const std::uint64_t word : mirrors.known_by[r]) {
      known_before_[r].push_back(before);
      before += static_cast<std::uint32_t>(std::popcount(word));
    }
    mirrored_.push_back(static_cast<std::size_t>(mirrors.count[r]));
    mirrors_ += static_cast<double>(mirrored_[r]);
  }
  mirrors_ = world_.sum(mirrors_);
  written_.resize(static_cast<std::size_t>(world_.team().size()));
  if (world_.route().is_direct()) {
    up_.emplace(world_, streams(mirrored_), streams(masters_));
    down_.emplace(world_, streams(masters_), streams(mirrored_));
    return;
  }
  named_ = world_.exchange(known_);
  std::vector<Edge> begins;
  for (const Local begin : mirrors.begin) begins.push_back(begin);
  begins.resize(ranks());
  places_ = world_.exchange_lengths(begins);
  reduced_.emplace(world_, of_records<Update>(Apply{this}, Merge{VertexOf{}, Join{combine_}}),
                   MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  told_.emplace(world_, of_records<Update>(Assign{this}),
                MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
}

template <Plain T, class Combine>
std::vector<Posts::Stream> MirrorExchange<T, Combine>::streams(const std::vector<std::size_t>& counts) {
  std::vector<Posts::Stream> all;
  for (std::size_t r = 0; r < counts.size(); ++r)
    for (std::size_t block = 0; block * kBlock < counts[r]; ++block)
      all.push_back({static_cast<Rank>(r), static_cast<std::uint32_t>(block)});
  return all;
}

template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::MirrorGroup::for_changed(std::size_t begin, std::size_t end, F&& f) const {
  const auto first = static_cast<std::size_t>(at(0));
  for (std::size_t w = (first + begin) / 64; w < (first + end + 63) / 64; ++w)
    for (std::uint64_t bits = this->exchange.changed_->at(w); bits; bits &= bits - 1) {
      const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (v - first < end) f(v - first, static_cast<Local>(v));
    }
}

template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::MasterGroup::for_changed(std::size_t begin, std::size_t end, F&& f) const {
  if (begin == end) return;
  const auto& known = this->exchange.graph_.mirrors().known_by[this->rank];
  const auto& before = this->exchange.known_before_[this->rank];
  const auto last = static_cast<std::size_t>(at(end - 1)) / 64;
  for (std::size_t w = static_cast<std::size_t>(at(begin)) / 64; w <= last; ++w)
    for (std::uint64_t bits = known[w] & this->exchange.changed_->at(w); bits; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      const std::size_t k =
          before[w] + static_cast<std::size_t>(std::popcount(known[w] & ((std::uint64_t{1} << bit) - 1)));
      if (k >= begin && k < end) f(k, static_cast<Local>(w * 64) + bit);
    }
}

// The changed ones of vertices [begin, end) of a group, in the shortest form.
template <Plain T, class Combine>
template <class Vertices>
std::span<const std::byte> MirrorExchange<T, Combine>::write(const Vertices& vertices, std::size_t begin,
                                                             std::size_t end, std::vector<std::byte>& into) const {
  const std::size_t all = end - begin;
  into.resize(std::max(into.size(), sizeof(Head) + all * (sizeof(T) + sizeof(std::uint32_t)) + 8));
  std::byte* const first = into.data() + sizeof(Head);
  std::byte* at = first;
  std::vector<std::uint32_t> offsets;
  vertices.for_changed(begin, end, [&](std::size_t k, Local v) {
    std::memcpy(at, &values_[static_cast<std::size_t>(v)], sizeof(T));
    at += sizeof(T);
    offsets.push_back(static_cast<std::uint32_t>(k - begin));
  });
  const std::size_t bit_bytes = (all + 7) / 8, count = offsets.size();
  Head head{Form::nothing, static_cast<std::uint32_t>(count)};
  if (count > 0) {
    const std::size_t with_bits = count * sizeof(T) + bit_bytes,
                      with_offsets = count * (sizeof(T) + sizeof(std::uint32_t)), whole = all * sizeof(T);
    const std::size_t least = std::min({with_bits, with_offsets, whole});
    if (least == whole) {
      head = {Form::all, static_cast<std::uint32_t>(all)};
      for (std::size_t k = begin; k < end; ++k)
        std::memcpy(first + (k - begin) * sizeof(T), &values_[static_cast<std::size_t>(vertices.at(k))], sizeof(T));
      at = first + whole;
    } else if (least == with_offsets) {
      head.form = Form::offsets;
      std::memcpy(at, offsets.data(), count * sizeof(std::uint32_t));
      at += count * sizeof(std::uint32_t);
    } else {
      head.form = Form::bits;
      std::memset(at, 0, bit_bytes);
      for (const std::uint32_t k : offsets) at[k / 8] |= std::byte{1} << (k % 8);
      at += bit_bytes;
    }
  }
  std::memcpy(into.data(), &head, sizeof head);
  return std::span(into).first(static_cast<std::size_t>(at - into.data()));
}

// f(k, value) for what write() has put in.
template <Plain T, class Combine>
template <class F>
void MirrorExchange<T, Combine>::read(std::span<const std::byte> message, std::size_t begin, std::size_t end,
                                      F&& f) const {
  Head head;
  std::memcpy(&head, message.data(), sizeof head);
  const std::byte* value = message.data() + sizeof head;
  const std::byte* const where = value + head.count * sizeof(T);
  const auto next = [&](std::size_t k) {
    T v;
    std::memcpy(&v, value, sizeof v);
    value += sizeof v;
    f(k, v);
  };
  switch (head.form) {
    case Form::nothing:
      break;
    case Form::all:
      for (std::size_t k = begin; k < end; ++k) next(k);
      break;
    case Form::offsets:
      for (std::size_t i = 0; i < head.count; ++i) {
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
}

template <Plain T, class Combine>
template <class VertexAt>
std::span<const std::byte> MirrorExchange<T, Combine>::write_all(VertexAt&& vertex_at, std::size_t begin,
                                                                 std::size_t end, std::vector<std::byte>& into) const {
  into.resize(sizeof(Head) + (end - begin) * sizeof(T));
  const Head head{Form::all, static_cast<std::uint32_t>(end - begin)};
  std::memcpy(into.data(), &head, sizeof head);
  std::byte* at = into.data() + sizeof head;
  for (std::size_t k = begin; k < end; ++k, at += sizeof(T))
    std::memcpy(at, &values_[static_cast<std::size_t>(vertex_at(k))], sizeof(T));
  return into;
}

template <Plain T, class Combine>
template <class Write>
void MirrorExchange<T, Combine>::send_each(Posts& posts, const std::vector<std::size_t>& counts, Write&& write) {
  const std::vector<Posts::Stream>& to = posts.to();
  world_.team().for_range(to.size(), 1, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const auto rank = static_cast<std::size_t>(to[i].peer);
      const std::size_t begin = to[i].number * kBlock, end = std::min(counts[rank], begin + kBlock);
      posts.send(to[i], write(rank, begin, end, written_[static_cast<std::size_t>(thread)]));
    }
  });
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  if (up_) {
    send_each(*up_, mirrored_, [&](std::size_t rank, std::size_t begin, std::size_t end, auto& into) {
      return write(MirrorGroup{{*this, rank}}, begin, end, into);
    });
    up_->receive([&](Posts::Stream from, std::span<const std::byte> message) {
      const auto rank = static_cast<std::size_t>(from.peer);
      const std::size_t begin = from.number * kBlock, end = std::min(masters_[rank], begin + kBlock);
      read(message, begin, end, [&](std::size_t k, const T& value) { put(master(rank, k), value); });
    });
  } else {
    reduced_->expect({.records = expected.value_or(mirrors_)});
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      world_.team().for_range(mirrored_[rank], kBlock, [&](int, std::size_t a, std::size_t b) {
        auto lanes = reduced_->lanes();
        MirrorGroup{{*this, rank}}.for_changed(a, b, [&](std::size_t k, Local v) {
          lanes.send(static_cast<Rank>(rank), {named_[rank][k], values[static_cast<std::size_t>(v)]});
        });
      });
    reduced_->drain();
  }
  changed.clear_from(graph_.mirrors().begin[0]);
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  values_ = values.data();
  changed_ = &changed;
  if (down_) {
    send_each(*down_, masters_, [&](std::size_t rank, std::size_t begin, std::size_t end, auto& into) {
      return write(MasterGroup{{*this, rank}}, begin, end, into);
    });
    down_->receive([&](Posts::Stream from, std::span<const std::byte> message) {
      const auto rank = static_cast<std::size_t>(from.peer);
      const std::size_t begin = from.number * kBlock, end = std::min(mirrored_[rank], begin + kBlock);
      read(message, begin, end, [&](std::size_t k, const T& value) {
        const auto v = static_cast<std::size_t>(mirror(rank, k));
        values_[v] = value;
        // A message's mirrors have words of bits of their own, so that no other thread writes one.
        changed_->at(v / 64) |= std::uint64_t{1} << (v % 64);
      });
    });
    return;
  }
  told_->expect({.records = expected.value_or(mirrors_)});
  for (std::size_t rank = 0; rank < ranks(); ++rank)
    world_.team().for_range(masters_[rank], kBlock, [&](int, std::size_t a, std::size_t b) {
      auto lanes = told_->lanes();
      MasterGroup{{*this, rank}}.for_changed(a, b, [&](std::size_t k, Local v) {
        lanes.send(static_cast<Rank>(rank), {static_cast<Local>(places_[rank]) + static_cast<Local>(k),
                                             values[static_cast<std::size_t>(v)]});
      });
    });
  told_->drain();
}

template <Plain T, class Combine>
void MirrorExchange<T, Combine>::broadcast_all(std::span<T> values) {
  values_ = values.data();
  if (!down_) {
    VertexBits all(graph_.locals());
    all.set_all();
    return broadcast(values, all);
  }
  send_each(*down_, masters_, [&](std::size_t rank, std::size_t begin, std::size_t end, auto& into) {
    return write_all([&](std::size_t k) { return master(rank, k); }, begin, end, into);
  });
  // They lie in a row here as in the message.
  down_->receive([&](Posts::Stream from, std::span<const std::byte> message) {
    const std::size_t begin = from.number * kBlock, bytes = message.size() - sizeof(Head);
    std::memcpy(&values_[static_cast<std::size_t>(mirror(static_cast<std::size_t>(from.peer), begin))],
                message.data() + sizeof(Head), bytes);
  });
}

template <Plain T, class Combine>
std::size_t MirrorExchange<T, Combine>::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& known : known_) bytes += known.size() * sizeof(Local);
  for (const auto& before : known_before_) bytes += before.size() * sizeof(std::uint32_t);
  for (const auto& named : named_) bytes += named.size() * sizeof(Local);
  for (const auto& written : written_) bytes += written.capacity();
  return bytes + (up_ ? up_->memory_bytes() + down_->memory_bytes() : 0);
}

}  // namespace atl
