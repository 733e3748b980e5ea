// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

/// Operators that combine two values of a vertex. operator()(into, value) returns whether `into` changed.
namespace atl {

struct MinOf {
  template <class T>
  bool operator()(T& into, const T& value) const {
    if (!(value < into)) return false;
    into = value;
    return true;
  }
};

struct MaxOf {
  template <class T>
  bool operator()(T& into, const T& value) const {
    if (!(into < value)) return false;
    into = value;
    return true;
  }
};

struct SumOf {
  template <class T>
  bool operator()(T& into, const T& value) const {
    into += value;
    return true;
  }
};

/// The same while other threads combine into the value.
template <class T, class Combine>
bool combine_atomically(T& into, const T& value, const Combine& combine) {
  static_assert(std::atomic_ref<T>::is_always_lock_free, "a value of at most a word");
  const std::atomic_ref<T> shared(into);
  T known = shared.load(std::memory_order_relaxed);
  for (;;) {
    T next = known;
    if (!combine(next, value)) return false;
    if (shared.compare_exchange_weak(known, next)) return true;
  }
}

}  // namespace atl
