// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/combine.hpp>
#include <atoll/engine/halo/domain_mirrors.hpp>
#include <atoll/engine/halo/halo_plan.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <limits>
#include <optional>

namespace atl {

/// Moves changed values of rows as records over the World's route of several hops. Ranks on the way combine those of
/// one owned value; on routes that gather, one record for all copies in a domain is sent there.
///
///     RecordExchange<float, MinOf> exchange(plan, RowWidth(1), {});       // collective, as are all that follow
///     exchange.reduce(values, changed, count);                            // copies -> owners
///     exchange.broadcast(values, changed, count);                         // owners -> copies
///
/// Records have positions of 31 bits: fits() says whether these are enough.
template <Plain T, class Combine>
class RecordExchange {
 public:
  [[gnu::cold]] RecordExchange(const HaloPlan& plan, RowWidth width, Combine combine);
  RecordExchange(const RecordExchange&) = delete;
  RecordExchange& operator=(const RecordExchange&) = delete;

  /// Collective.
  static bool fits(const HaloPlan& plan, RowWidth width) {
    return !plan.world().any(width.first_of(plan.rows()) > static_cast<std::size_t>(kMostPlaces));
  }

  /// Sets the bits of owned values that change. `expected`: the number of values that all ranks send.
  void reduce(T* values, VertexBits& changed, double expected);
  /// Sets the bits of copies that receive a value.
  void broadcast(T* values, VertexBits& changed, double expected);
  std::size_t memory_bytes() const;

 private:
  // Values that a thread of the team sends at a time.
  static constexpr std::size_t kGrain = std::size_t{1} << 15;
  static constexpr Local kMostPlaces = std::numeric_limits<Local>::max();
  struct [[gnu::packed]] Update {
    Local position;
    T value;
  };
  struct PositionOf {
    std::uint32_t operator()(const Update& u) const { return static_cast<std::uint32_t>(u.position); }
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
    RecordExchange* exchange;
    void operator()(std::span<const Update> updates) { exchange->apply(updates); }
  };
  struct Assign {
    RecordExchange* exchange;
    void operator()(std::span<const Update> updates) { exchange->assign(updates); }
  };
  struct Copies {
    const RecordExchange* exchange;
    template <class F>
    bool operator()(const Update& update, F&& f) const {
      return exchange->copy(update, f);
    }
  };

  void apply(std::span<const Update> updates) {
    for (const Update& u : updates) {
      const auto position = static_cast<std::size_t>(u.position);
      const T value = u.value;
      if (single_consumer_) {
        if (combine_(values_[position], value)) changed_->set_unsynchronized(position);
      } else if (combine_atomically(values_[position], value, combine_)) {
        changed_->set(position);
      }
    }
  }
  void assign(std::span<const Update> updates) {
    for (const Update& u : updates) {
      values_[u.position] = u.value;
      changed_->set(static_cast<std::size_t>(u.position));
    }
  }
  /// Keeps what a broadcast sends, on any route: each changed value and the ranks that it is for.
  [[gnu::cold]] void keep_broadcast(MailboxLog& log, const VertexBits& changed) const;
  /// An update with a negative position is for all copies in a domain.
  template <class F>
  bool copy(const Update& update, F&& f) const {
    if (update.position >= 0) return false;
    const auto of_domain = static_cast<std::size_t>(~update.position);
    for (const DomainMirrors::Copy& c : domains_->copies(width_.row_of(of_domain)))
      f(c.rank,
        Update{static_cast<Local>(width_.first_of(static_cast<std::size_t>(c.position)) + width_.column_of(of_domain)),
               update.value});
    return true;
  }

  World& world_;
  const HaloPlan& plan_;
  const RowWidth width_;
  [[no_unique_address]] Combine combine_;
  const bool single_consumer_;        // one thread reads what is received
  std::vector<HaloRows> owner_rows_;  // [rank] the owner's rows of the copies that are reduced
  std::vector<Edge> first_copy_;      // [rank] the row there of its first copy of this rank's rows
  std::optional<Mailbox<Update, Apply, Merge<PositionOf, CombineUpdates>>> reduced_;
  std::optional<Mailbox<Update, Assign, Multicast<Copies>>> broadcast_;
  std::optional<DomainMirrors> domains_;  // if the route gathers by domain and the plan combines records
  T* values_ = nullptr;                   // arguments of the current exchange
  VertexBits* changed_ = nullptr;
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T, class Combine>
RecordExchange<T, Combine>::RecordExchange(const HaloPlan& plan, RowWidth width, Combine combine)
    : world_(plan.world()),
      plan_(plan),
      width_(width),
      combine_(std::move(combine)),
      single_consumer_(world_.team().size() == 1 && !world_.has_communication_thread()) {
  const HaloDirection &up = plan.reduced(), &down = plan.broadcast();
  std::vector<std::vector<Local>> own;
  for (const HaloRows& rows : up.owned) {
    auto& list = own.emplace_back(rows.size());
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = rows.row(k);
  }
  for (auto& rows : world_.exchange(std::move(own))) owner_rows_.push_back(HaloRows::listed(std::move(rows)));
  std::vector<Edge> begins;
  for (const HaloRows& rows : down.copies) begins.push_back(static_cast<Edge>(rows.begin()));
  first_copy_ = world_.exchange_lengths(begins);
  reduced_.emplace(world_, of_records<Update>(Apply{this}, Merge{PositionOf{}, CombineUpdates{combine_}}),
                   MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  broadcast_.emplace(world_, of_records<Update>(Assign{this}, Multicast<Copies>{Copies{this}}),
                     MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
  if (!world_.route().gathers_by_domain() || world_.plan().lane_bytes == 0 || !world_.savings().merging) return;
  domains_.emplace(world_, world_.hops(world_.route().name()).route(), down.owned, first_copy_);
  if (world_.any(width_.first_of(domains_->entries()) > static_cast<std::size_t>(kMostPlaces))) domains_.reset();
}

template <Plain T, class Combine>
void RecordExchange<T, Combine>::reduce(T* values, VertexBits& changed, double expected) {
  values_ = values;
  changed_ = &changed;
  reduced_->expect({.records = expected});
  for (std::size_t rank = 0; rank < owner_rows_.size(); ++rank) {
    const HaloPositions here(plan_.reduced().copies[rank], width_), there(owner_rows_[rank], width_);
    world_.team().for_range(here.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = reduced_->send_buffers();
      here.for_changed(changed, a, b, [&](std::size_t k, std::size_t position) {
        buffers.send(static_cast<Rank>(rank), {static_cast<Local>(there.at(k)), values[position]});
      });
    });
  }
  reduced_->drain();
}

template <Plain T, class Combine>
void RecordExchange<T, Combine>::broadcast(T* values, VertexBits& changed, double expected) {
  values_ = values;
  changed_ = &changed;
  broadcast_->expect({.records = expected});
  if (MailboxLog* log = broadcast_->traffic(); log && log->is_open()) keep_broadcast(*log, changed);
  // One record per domain, if the receiving rank there distributes it.
  const bool by_domain = domains_ && broadcast_->relay_route() == &domains_->route();
  for (std::size_t rank = 0; rank < owner_rows_.size(); ++rank) {
    if (by_domain && !domains_->is_near(static_cast<Rank>(rank))) continue;
    const HaloPositions here(plan_.broadcast().owned[rank], width_);
    const std::size_t there = width_.first_of(static_cast<std::size_t>(first_copy_[rank]));
    world_.team().for_range(here.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = broadcast_->send_buffers();
      here.for_all(a, b, [&](std::size_t k, std::size_t position) {
        if (changed.test(position))
          buffers.send(static_cast<Rank>(rank), {static_cast<Local>(there + k), values[position]});
      });
    });
  }
  for (std::size_t d = 0; by_domain && d < domains_->domains().size(); ++d) {
    const DomainMirrors::Domain& domain = domains_->domains()[d];
    const HaloPositions here(domain.masters, width_);
    const std::size_t first = width_.first_of(static_cast<std::size_t>(domain.first));
    world_.team().for_range(here.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = broadcast_->send_buffers();
      here.for_all(a, b, [&](std::size_t k, std::size_t position) {
        if (changed.test(position)) buffers.send(domain.receiver, {~static_cast<Local>(first + k), values[position]});
      });
    });
  }
  broadcast_->drain();
}

template <Plain T, class Combine>
void RecordExchange<T, Combine>::keep_broadcast(MailboxLog& log, const VertexBits& changed) const {
  for (std::size_t rank = 0; rank < owner_rows_.size(); ++rank) {
    const HaloPositions here(plan_.broadcast().owned[rank], width_);
    here.for_all(0, here.size(), [&](std::size_t, std::size_t position) {
      if (changed.test(position)) log.add(0, static_cast<Rank>(rank), position);
    });
  }
}

template <Plain T, class Combine>
std::size_t RecordExchange<T, Combine>::memory_bytes() const {
  std::size_t bytes = domains_ ? domains_->memory_bytes() : 0;
  for (const HaloRows& rows : owner_rows_) bytes += rows.memory_bytes();
  return bytes;
}

}  // namespace atl
