// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/matrix/spmm/kernels.hpp>
#include <cstring>
#include <limits>
#include <utility>

/// The text of the row kernels, in the compiler's vector types; each kernels_<isa>.cpp includes it with internal
/// linkage and its own widest vector.
namespace atl {
namespace {

// How many nonzeros ahead rows of B are fetched into the first-level cache: a row from memory takes some 100 ns, in
// which a core does about 30 nonzeros of 32 columns. 16 gave 6 % less, 64 the same (kron:20, k = 32 .. 128).
constexpr Edge kAhead = 32;
constexpr std::ptrdiff_t kLine = 64;

template <class T, int kLanes>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kLanes * sizeof(T))));
  static Vector load(const T* from) {
    Vector x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(T* to, Vector x) { std::memcpy(to, &x, sizeof x); }
  static Vector all(T value) { return Vector{} + value; }
};

template <Reduce R, class T>
constexpr T kIdentity = R == Reduce::sum   ? T{0}
                        : R == Reduce::max ? -std::numeric_limits<T>::infinity()
                                           : std::numeric_limits<T>::infinity();

// NaN wins over all else, as in numpy.maximum and numpy.minimum.
template <Reduce R, class V>
V reduced(V acc, V x) {
  if constexpr (R == Reduce::sum) return acc + x;
  if constexpr (R == Reduce::max) return ((acc < x) | (x != x)) ? x : acc;
  if constexpr (R == Reduce::min) return ((x < acc) | (x != x)) ? x : acc;
}

template <class T, int kLanes, int kVectors, Reduce R, bool kWeighted>
void reduce_rows(const SpmmRows<T>& rows, std::ptrdiff_t columns) {
  using L = Lanes<T, kLanes>;
  using V = typename L::Vector;
  // The last vector ends with the columns; what it has in common with the one before is computed twice, to the same.
  auto at = [&](int v) { return v < kVectors - 1 ? v * std::ptrdiff_t{kLanes} : columns - kLanes; };
  const Local* const column_indices = rows.column_indices;
  for (Local i = rows.first; i < rows.last; ++i) {
    const Edge begin = rows.offsets[i], end = rows.offsets[i + 1];
    V acc[kVectors];
    for (V& x : acc) x = L::all(kIdentity<R, T>);
    for (Edge e = begin; e < end; ++e) {
      if (e + kAhead < rows.nonzeros) {
        const T* const ahead = rows.b + column_indices[e + kAhead] * rows.b_stride;
        for (std::ptrdiff_t byte = 0; byte < std::ptrdiff_t{kVectors * kLanes * sizeof(T)}; byte += kLine)
          __builtin_prefetch(reinterpret_cast<const char*>(ahead) + byte);
      }
      const T* const from = rows.b + column_indices[e] * rows.b_stride;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        V x = L::load(from + at(v));
        if constexpr (kWeighted) x *= rows.values[e];
        acc[v] = reduced<R>(acc[v], x);
      }
    }
    T* const to = rows.c + i * rows.c_stride;
    if (begin == end) {
      if (!rows.accumulate)
        for (int v = 0; v < kVectors; ++v) L::store(to + at(v), L::all(rows.empty));
      continue;
    }
    if (rows.factors)
      for (V& x : acc) x *= rows.factors[i];
    if (rows.accumulate)
      for (int v = 0; v < kVectors; ++v) acc[v] = reduced<R>(L::load(to + at(v)), acc[v]);
    for (int v = 0; v < kVectors; ++v) L::store(to + at(v), acc[v]);
  }
}

// One column: the lanes are neighbouring nonzeros.
template <class T, int kLanes, Reduce R, bool kWeighted>
void reduce_column(const SpmmRows<T>& rows, std::ptrdiff_t) {
  using L = Lanes<T, kLanes>;
  using V = typename L::Vector;
  for (Local i = rows.first; i < rows.last; ++i) {
    const Edge begin = rows.offsets[i], end = rows.offsets[i + 1];
    T& to = rows.c[i * rows.c_stride];
    if (begin == end) {
      if (!rows.accumulate) to = rows.empty;
      continue;
    }
    V acc = L::all(kIdentity<R, T>);
    Edge e = begin;
    for (; e + kLanes <= end; e += kLanes) {
      V x{};
      for (int l = 0; l < kLanes; ++l) x[l] = rows.b[rows.column_indices[e + l] * rows.b_stride];
      if constexpr (kWeighted) x *= L::load(rows.values + e);
      acc = reduced<R>(acc, x);
    }
    T sum = kIdentity<R, T>;
    for (; e < end; ++e) {
      T x = rows.b[rows.column_indices[e] * rows.b_stride];
      if constexpr (kWeighted) x *= rows.values[e];
      sum = reduced<R>(sum, x);
    }
    for (int l = 0; l < kLanes; ++l) sum = reduced<R>(sum, T{acc[l]});
    if (rows.factors) sum *= rows.factors[i];
    to = rows.accumulate ? reduced<R>(to, sum) : sum;
  }
}

template <class T, int kLanes, Reduce R, bool kWeighted, int... kVectors>
constexpr std::array<SpmmKernel<T>, sizeof...(kVectors)> kernels_of(std::integer_sequence<int, kVectors...>) {
  return {&reduce_rows<T, kLanes, kVectors + 1, R, kWeighted>...};
}

// Fewer columns than lanes are done by the next narrower lanes, in at most two vectors.
template <class T, int kWidest, Reduce R, bool kWeighted, int kLanes>
constexpr auto kKernels =
    kernels_of<T, kLanes, R, kWeighted>(std::make_integer_sequence < int, kLanes == kWidest ? kSpmmVectors : 2 > ());
template <class T, int kWidest, Reduce R, bool kWeighted>
constexpr std::array<SpmmKernel<T>, 1> kColumn{&reduce_column<T, kWidest, R, kWeighted>};

template <class T, int kWidest, Reduce R, bool kWeighted, int kLanes, class... More>
constexpr auto lanes_from(More... more) {
  if constexpr (kLanes == 1) {
    return std::array<SpmmLanes<T>, sizeof...(More) + 1>{more..., SpmmLanes<T>{1, kColumn<T, kWidest, R, kWeighted>}};
  } else {
    return lanes_from<T, kWidest, R, kWeighted, kLanes / 2>(
        more..., SpmmLanes<T>{kLanes, kKernels<T, kWidest, R, kWeighted, kLanes>});
  }
}
template <class T, int kWidest, Reduce R, bool kWeighted>
constexpr auto kLanesFrom = lanes_from<T, kWidest, R, kWeighted, kWidest>();

template <class T, int kWidest>
std::span<const SpmmLanes<T>> all_kernels(Reduce reduce, bool weighted) {
  switch (reduce) {
    case Reduce::sum:
    case Reduce::mean:
      if (weighted) return kLanesFrom<T, kWidest, Reduce::sum, true>;
      return kLanesFrom<T, kWidest, Reduce::sum, false>;
    case Reduce::max:
      if (weighted) return kLanesFrom<T, kWidest, Reduce::max, true>;
      return kLanesFrom<T, kWidest, Reduce::max, false>;
    case Reduce::min:
      if (weighted) return kLanesFrom<T, kWidest, Reduce::min, true>;
      return kLanesFrom<T, kWidest, Reduce::min, false>;
  }
  return {};
}

// The lanes of a sum are added in their order, so that the result does not depend on the instruction set's own ways.
template <class T, int kLanes>
void multiply_pairs(const SddmmRows<T>& rows) {
  using L = Lanes<T, kLanes>;
  using V = typename L::Vector;
  T* out = rows.out;
  for (Local i = rows.first; i < rows.last; ++i) {
    const T* const x = rows.x + i * rows.x_stride;
    for (Edge e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      if (e + kAhead < rows.nonzeros) {
        const T* const ahead = rows.y + rows.column_indices[e + kAhead] * rows.y_stride;
        for (std::ptrdiff_t byte = 0; byte < rows.columns * std::ptrdiff_t{sizeof(T)}; byte += kLine)
          __builtin_prefetch(reinterpret_cast<const char*>(ahead) + byte);
      }
      const T* const y = rows.y + rows.column_indices[e] * rows.y_stride;
      V even{}, odd{};
      std::ptrdiff_t c = 0;
      for (; c + 2 * kLanes <= rows.columns; c += 2 * kLanes) {
        even += L::load(x + c) * L::load(y + c);
        odd += L::load(x + c + kLanes) * L::load(y + c + kLanes);
      }
      if (c + kLanes <= rows.columns) {
        even += L::load(x + c) * L::load(y + c);
        c += kLanes;
      }
      T sum{0};
      for (; c < rows.columns; ++c) sum += x[c] * y[c];
      even += odd;
      for (int l = 0; l < kLanes; ++l) sum += even[l];
      *out++ = sum;
    }
  }
}

}  // namespace
}  // namespace atl
