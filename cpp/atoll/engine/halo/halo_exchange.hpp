// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/block_exchange.hpp>
#include <atoll/engine/halo/record_exchange.hpp>
#include <deque>
#include <mutex>

/// Exchanges the values of rows between their owners and the ranks that have copies: reduce and broadcast of rows of
/// any width, over any route.
///
///     HaloExchange<float, SumOf> exchange(plan, 32);           // collective; rows of 32 values
///     exchange.broadcast_all(values);                          // owners -> copies
///     exchange.reduce_all(values);                             // copies -> owners, summed
///     exchange.broadcast(values, changed);                     // changed values only
///
/// `values` are by local row of the plan: value c of row r is at position r * width + c, and has its own changed bit.
/// Only changed values are sent, each block in the shortest of four forms: nothing, bits and values, offsets and
/// values, all values. Messages have no ids, since both ranks know the order of the rows that they share.
///
/// Paths (HaloPath): `direct` sends one message from each rank to each that it shares rows with. `route`, on a route of
/// several hops, sends each value as a record, with a position of 4 bytes and a target of 4: ranks on the way combine
/// those of one owned value, so that a slow link carries one for all copies of a domain; on routes that gather, a
/// broadcast is the reverse. That is for few changed values. `domains` is for wide rows: each crosses the boundary of a
/// domain once, without an id, and is passed on inside, as the workgroups of CoLa [1] fetch rows. What
/// HaloPlan::broadcast_traffic() says is then what the counters count, but for 8 bytes for each block of values and 8
/// for each message.
///
/// Values that several ranks send are combined in the order of their arrival, so rounding errors of sums may differ
/// from run to run.
///
/// [1] L. Zhang, Y. Shao et al. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs."
namespace atl {

template <Plain T, class Combine>
class HaloExchange {
 public:
  /// The path that suits the World's route and the width of rows: direct on the direct route; else domains for rows of
  /// at least kWideRow bytes, records for others.
  static HaloPath best_path(const World& world, std::size_t width) {
    if (world.route().is_direct()) return HaloPath::direct;
    return width * sizeof(T) >= kWideRow ? HaloPath::domains : HaloPath::route;
  }
  static constexpr std::size_t kWideRow = 64;  ///< bytes, beside the 8 that a record of a route has for each value

  /// width: values of a row, at least 1. Collective.
  HaloExchange(std::shared_ptr<const HaloPlan> plan, std::size_t width, Combine combine = {})
      : HaloExchange(plan, width, best_path(plan->world(), width), std::move(combine)) {}
  /// HaloPath::route becomes direct on a direct route, and domains where a rank has 2^31 values.
  [[gnu::cold]] HaloExchange(std::shared_ptr<const HaloPlan> plan, std::size_t width, HaloPath path,
                             Combine combine = {}, RowMessages messages = RowMessages::many);
  [[gnu::cold]] ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Combines changed values of copies into their owners'. Sets the bits of owned values that change, clears those of
  /// all copies. Collective. A block of mostly changed values is sent whole, so a copy that has not changed must change
  /// nothing where it is combined. `expected`: the number of values that all ranks send, if known (it picks the route
  /// where that is auto).
  void reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// Sends changed values of owners to their copies. Sets the bits of copies that receive a value; those of owned
  /// values stay. Collective. A block of mostly changed values is sent whole, so all owned values that have copies must
  /// be right.
  void broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected = {});
  /// The same for all values, changed or not; reads no bits. After reduce_all() by domains, copies may hold the
  /// combined values of their domain.
  void reduce_all(std::span<T> values);
  void broadcast_all(std::span<T> values);
  /// The same where the values of an owned row r begin at owned[r * stride], and those of the copies, plan().rows() -
  /// plan().first_copy() rows, are in an array of their own. overlap(stage) does a step of other work, for as long as
  /// it returns true, on threads that would wait in a stage (0 .. stages() - 1); copies of earlier stages are there
  /// then. Not for HaloPath::route.
  template <class Overlap>
  void broadcast_all(const T* owned, std::ptrdiff_t stride, std::span<T> copies, Overlap&& overlap);
  /// Number of stages of the exchange: by HaloPath::domains one for each level, in which the copies of
  /// HaloPlan::broadcast_stages() arrive.
  std::size_t stages() const { return blocks_.size(); }

  const HaloPlan& plan() const { return *plan_; }
  HaloPath path() const { return path_; }
  /// Returns the rows and bytes that this rank sends across each level in broadcast_all() or reduce_all(): the rows of
  /// the plan, with the bytes of their blocks. The counters have 8 bytes more for each message. Not for
  /// HaloPath::route.
  std::vector<HaloTraffic> broadcast_traffic() const;
  std::vector<HaloTraffic> reduced_traffic() const;
  /// Number of values that broadcast_all() brings to copies, on all ranks.
  double copies() const { return plan_->broadcast().copies_on_all_ranks * static_cast<double>(width_.values()); }
  /// Bytes of the exchange and of its plan.
  std::size_t memory_bytes() const;

 private:
  using Blocks = BlockExchange<T>;
  std::size_t first_copy() const { return width_.first_of(plan_->first_copy()); }
  bool combine_into(T& into, const T& value) {
    return single_consumer_ ? combine_(into, value) : combine_atomically(into, value, combine_);
  }
  void combine_changed(T* values, VertexBits& changed, std::size_t position, const T& value) {
    T& into = values[position];
    if (single_consumer_) {
      if (combine_(into, value)) changed.set_unsynchronized(position);
    } else if (combine_atomically(into, value, combine_)) {
      changed.set(position);
    }
  }
  void collect(Blocks& blocks, T* values, VertexBits& changed);
  void pass_on(T* values, VertexBits& changed);

  const std::shared_ptr<const HaloPlan> plan_;
  const RowWidth width_;
  World& world_;
  [[no_unique_address]] Combine combine_;
  const bool single_consumer_;  // one thread reads what is received
  const HaloPath path_;
  bool whole_words_ = false;  // no two threads set bits of the same word at copies
  std::deque<HaloDirection>
      parts_;  // direct: of the plan's directions, if messages of some levels have one row, of others many
  std::deque<Blocks> blocks_;  // direct: one, or one for each part; domains: one for each stage
  std::optional<RecordExchange<T, Combine>> records_;
  SpinLock lock_;  // domains: of values and bits, while ranks on the way combine what has changed
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T, class Combine>
HaloExchange<T, Combine>::HaloExchange(std::shared_ptr<const HaloPlan> plan, std::size_t width, HaloPath path,
                                       Combine combine, RowMessages messages)
    : plan_(std::move(plan)),
      width_(width),
      world_(plan_->world()),
      combine_(std::move(combine)),
      single_consumer_(world_.team().size() == 1 && !world_.has_communication_thread()),
      path_(path != HaloPath::route                            ? path
            : world_.route().is_direct()                       ? HaloPath::direct
            : RecordExchange<T, Combine>::fits(*plan_, width_) ? path
                                                               : HaloPath::domains) {
  ATOLL_ASSERT(width > 0);
  const int top = world_.hierarchy().depth() - 1;
  const auto coalesced = [&](int level) {
    return messages == RowMessages::many || world_.machine().cost.at(level).on_board;
  };
  switch (path_) {
    case HaloPath::direct: {
      if (coalesced(top) == coalesced(0)) {
        blocks_.emplace_back(world_, plan_->reduced(), plan_->broadcast(), width_, coalesced(0));
      } else {
        for (const bool many : {true, false}) {
          const auto among = [&](Rank r) { return coalesced(world_.level_to(r)) == many; };
          const HaloDirection& up = parts_.emplace_back(part_of(world_, plan_->reduced(), among));
          const HaloDirection& down = parts_.emplace_back(part_of(world_, plan_->broadcast(), among));
          blocks_.emplace_back(world_, up, down, width_, many);
        }
      }
      const auto& copies = plan_->broadcast().copies;
      whole_words_ = single_consumer_ || (std::ranges::all_of(blocks_, &Blocks::blocks_have_whole_words) &&
                                          std::all_of(copies.begin(), copies.end(), [](const HaloRows& rows) {
                                            return rows.size() == 0 || rows.begin() % 64 == 0;
                                          }));
      break;
    }
    case HaloPath::route:
      records_.emplace(*plan_, width_, combine_);
      break;
    case HaloPath::domains: {
      const auto &up = plan_->reduced_stages(), &down = plan_->broadcast_stages();
      for (std::size_t stage = 0; stage < down.size(); ++stage)
        blocks_.emplace_back(world_, up[stage], down[stage], width_, coalesced(top - static_cast<int>(stage)));
      whole_words_ = single_consumer_;
    }
  }
}

// Here and not in the class, so that it is compiled where the exchange is instantiated only.
template <Plain T, class Combine>
HaloExchange<T, Combine>::~HaloExchange() = default;

template <Plain T, class Combine>
void HaloExchange<T, Combine>::reduce(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  switch (path_) {
    case HaloPath::direct:
      for (Blocks& blocks : blocks_)
        blocks.up(values.data(), &changed, [&](std::size_t position, const T& value) {
          combine_changed(values.data(), changed, position, value);
        });
      break;
    case HaloPath::route:
      records_->reduce(values.data(), changed,
                       expected.value_or(plan_->reduced().copies_on_all_ranks * static_cast<double>(width_.values())));
      break;
    case HaloPath::domains:
      for (std::size_t stage = blocks_.size(); stage-- > 0;) collect(blocks_[stage], values.data(), changed);
  }
  changed.clear_from(first_copy());
}

// A copy on the way that has not changed has no part in the result: its value gives way to the first that comes.
template <Plain T, class Combine>
void HaloExchange<T, Combine>::collect(Blocks& blocks, T* values, VertexBits& changed) {
  blocks.up(values, &changed, [&](std::size_t position, const T& value) {
    if (position < first_copy()) return combine_changed(values, changed, position, value);
    std::unique_lock hold(lock_, std::defer_lock);
    if (!single_consumer_) hold.lock();
    if (changed.load(position / 64) >> (position % 64) & 1) {
      combine_(values[position], value);
    } else {
      values[position] = value;
      changed.set(position);
    }
  });
}

template <Plain T, class Combine>
void HaloExchange<T, Combine>::broadcast(std::span<T> values, VertexBits& changed, std::optional<double> expected) {
  switch (path_) {
    case HaloPath::direct:
      for (Blocks& blocks : blocks_)
        blocks.down(values.data(), &changed, [&](std::size_t position, const T& value) {
          values[position] = value;
          whole_words_ ? changed.set_unsynchronized(position) : void(changed.set(position));
        });
      break;
    case HaloPath::route:
      records_->broadcast(values.data(), changed, expected.value_or(copies()));
      break;
    case HaloPath::domains:
      pass_on(values.data(), changed);
  }
}

// Only what has come in this exchange is passed on: copies may have had bits before.
template <Plain T, class Combine>
void HaloExchange<T, Combine>::pass_on(T* values, VertexBits& changed) {
  VertexBits arrived(width_.first_of(plan_->rows()));
  for (std::size_t w = 0; w < arrived.words(); ++w) arrived.at(w) = changed.at(w);
  arrived.clear_from(first_copy());
  for (Blocks& stage : blocks_)
    stage.down(values, &arrived, [&](std::size_t position, const T& value) {
      values[position] = value;
      whole_words_ ? arrived.set_unsynchronized(position) : void(arrived.set(position));
    });
  for (std::size_t w = 0; w < arrived.words(); ++w) changed.at(w) |= arrived.at(w);
}

template <Plain T, class Combine>
void HaloExchange<T, Combine>::reduce_all(std::span<T> values) {
  if (path_ == HaloPath::route) {
    VertexBits all(width_.first_of(plan_->rows()));
    all.set_all();
    return reduce(values, all);
  }
  for (std::size_t stage = blocks_.size(); stage-- > 0;)
    blocks_[stage].up(values.data(), nullptr,
                      [&](std::size_t position, const T& value) { combine_into(values[position], value); });
}

template <Plain T, class Combine>
void HaloExchange<T, Combine>::broadcast_all(std::span<T> values) {
  if (path_ == HaloPath::route) {
    VertexBits all(width_.first_of(plan_->rows()));
    all.set_all();
    return broadcast(values, all);
  }
  for (Blocks& stage : blocks_) stage.copy_down(values.data());
}

template <Plain T, class Combine>
template <class Overlap>
void HaloExchange<T, Combine>::broadcast_all(const T* owned, std::ptrdiff_t stride, std::span<T> copies,
                                             Overlap&& overlap) {
  ATOLL_ASSERT(path_ != HaloPath::route && copies.size() == width_.first_of(plan_->rows() - plan_->first_copy()));
  const std::size_t first = plan_->first_copy();
  const auto into = [&](std::size_t row) { return copies.data() + width_.first_of(row - first); };
  const auto from = [&](std::size_t row) -> const T* {
    return row < first ? owned + static_cast<std::ptrdiff_t>(row) * stride : into(row);
  };
  for (std::size_t stage = 0; stage < blocks_.size(); ++stage)
    blocks_[stage].copy_rows_down(from, into, [&] { return overlap(stage); });
}

template <Plain T, class Combine>
std::vector<HaloTraffic> HaloExchange<T, Combine>::broadcast_traffic() const {
  std::vector<HaloTraffic> levels = plan_->broadcast_traffic(path_, width_.values() * sizeof(T));
  for (const Blocks& blocks : blocks_) blocks.add_heads(world_, blocks.down_rows().owned, levels);
  return levels;
}

template <Plain T, class Combine>
std::vector<HaloTraffic> HaloExchange<T, Combine>::reduced_traffic() const {
  std::vector<HaloTraffic> levels = plan_->reduced_traffic(path_, width_.values() * sizeof(T));
  for (const Blocks& blocks : blocks_) blocks.add_heads(world_, blocks.up_rows().copies, levels);
  return levels;
}

template <Plain T, class Combine>
std::size_t HaloExchange<T, Combine>::memory_bytes() const {
  std::size_t bytes = plan_->memory_bytes();
  if (records_) bytes += records_->memory_bytes();
  for (const Blocks& blocks : blocks_) bytes += blocks.memory_bytes();
  return bytes;
}

// Instantiated in halo_exchange_*.cpp.
extern template class HaloExchange<float, SumOf>;
extern template class HaloExchange<double, SumOf>;
extern template class HaloExchange<std::int64_t, SumOf>;
extern template class HaloExchange<float, MinOf>;
extern template class HaloExchange<double, MinOf>;
extern template class HaloExchange<std::int64_t, MinOf>;
extern template class HaloExchange<std::uint64_t, MinOf>;
extern template class HaloExchange<Local, MinOf>;

}  // namespace atl
