// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/parallel.hpp>
#include <atoll/graph/formats/columns.hpp>
#include <cstring>
#include <new>
#include <utility>

namespace atl {
namespace {

// Step in which a column is moved to a larger one: the most memory that exists twice.
constexpr std::size_t kMoveBytes = std::size_t{32} << 20;

template <class T>
void move_to(Array<T>& from, std::size_t used_bytes, Array<T>& to) {
  // Moves from the back, so that memory already moved can be released.
  auto* source = reinterpret_cast<const char*>(from.data());
  auto* target = reinterpret_cast<char*>(to.data());
  for (std::size_t end = used_bytes; end > 0;) {
    const std::size_t begin = end > kMoveBytes ? (end - 1) / kMoveBytes * kMoveBytes : 0;
    std::memcpy(target + begin, source + begin, end - begin);
    from.truncate(begin / sizeof(T));
    end = begin;
  }
  from = std::move(to);
}

void widen_in_place(Array<Vertex>& column, std::size_t n) {
  auto* bytes = reinterpret_cast<char*>(column.data());
  for (std::size_t i = n; i-- > 0;) {
    std::uint32_t narrow;
    std::memcpy(&narrow, bytes + i * sizeof narrow, sizeof narrow);
    const Vertex wide = narrow;
    std::memcpy(bytes + i * sizeof wide, &wide, sizeof wide);
  }
}

}  // namespace

EdgeColumns::EdgeColumns(std::size_t expected, bool weighted) : weighted_(weighted) {
  // This takes only address space; if even that is scarce, start small and grow later.
  for (std::size_t capacity = std::max<std::size_t>(expected, 64);; capacity /= 4) {
    try {
      source_ = Array<Vertex>(capacity);
      target_ = Array<Vertex>(capacity);
      if (weighted_) weight_ = Array<double>(capacity);
      capacity_ = capacity;
      return;
    } catch (const std::bad_alloc&) {
      if (capacity < 4096) throw;
    }
  }
}

void EdgeColumns::wait_for_copies() {
  for (Backoff backoff; copies_.load(std::memory_order_acquire) != 0;) backoff.pause_or_sleep();
}

void EdgeColumns::grow(std::size_t least) {
  wait_for_copies();
  const std::size_t capacity = std::max(least, capacity_ * 2);
  const std::size_t used = size_ * (wide_ ? sizeof(Vertex) : sizeof(std::uint32_t));
  for (Array<Vertex>* column : {&source_, &target_}) {
    Array<Vertex> larger(capacity);
    move_to(*column, used, larger);
  }
  if (weighted_) {
    Array<double> larger(capacity);
    move_to(weight_, size_ * sizeof(double), larger);
  }
  capacity_ = capacity;
}

void EdgeColumns::widen() {
  wait_for_copies();
  widen_in_place(source_, size_);
  widen_in_place(target_, size_);
  wide_ = true;
}

template <class Id>
void EdgeColumns::append_as(std::size_t turn, const Id* source, const Id* target, const double* weight, std::size_t n) {
  constexpr bool kWide = sizeof(Id) == sizeof(Vertex);
  for (Backoff backoff; turn_.load(std::memory_order_acquire) != turn;) backoff.pause_or_sleep();
  const auto pass_on = [&] { turn_.store(turn + 1, std::memory_order_release); };
  if (n == 0) return pass_on();
  try {
    if (size_ + n > capacity_) grow(size_ + n);
    if (kWide && !wide_) widen();
  } catch (...) {
    pass_on();
    throw;
  }
  const std::size_t at = size_;
  const bool wide = wide_;
  Vertex *sources = source_.data(), *targets = target_.data();
  double* weights = weighted_ ? weight_.data() : nullptr;
  size_ += n;
  copies_.fetch_add(1, std::memory_order_relaxed);
  pass_on();

  if (!wide) {
    auto* s = reinterpret_cast<char*>(sources) + at * sizeof(std::uint32_t);
    auto* t = reinterpret_cast<char*>(targets) + at * sizeof(std::uint32_t);
    std::memcpy(s, source, n * sizeof(std::uint32_t));
    std::memcpy(t, target, n * sizeof(std::uint32_t));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      sources[at + i] = static_cast<Vertex>(source[i]);
      targets[at + i] = static_cast<Vertex>(target[i]);
    }
  }
  if (weights) std::memcpy(weights + at, weight, n * sizeof(double));
  copies_.fetch_sub(1, std::memory_order_release);
}

template void EdgeColumns::append_as(std::size_t, const std::uint32_t*, const std::uint32_t*, const double*,
                                     std::size_t);
template void EdgeColumns::append_as(std::size_t, const Vertex*, const Vertex*, const double*, std::size_t);

void EdgeColumns::finish(World& world, EdgeList& edges) {
  if (world.any(wide_) && !wide_) widen();
  const auto store = [&](Array<Vertex>& column, IdColumn& out) {
    if (wide_) {
      column.truncate(size_);
      out = std::move(column);
    } else {
      out = std::move(column).narrow<std::uint32_t>(size_);
    }
  };
  store(source_, edges.source);
  store(target_, edges.target);
  if (weighted_) {
    weight_.truncate(size_);
    edges.weight = std::move(weight_);
  } else {
    edges.weight = std::monostate{};
  }
}

}  // namespace atl
