// SPDX-License-Identifier: Apache-2.0
// Layers of a graph convolutional network forwards and backwards.
//   in the papers     here
//   A_hat             aggregate()           the product with A, by the distributed SpMM
//   H_l W_l           multiply_weights()    rows of own vertices only
//   dL/dZ_l           g                     in `second_`
#include <algorithm>
#include <atoll/gnn/dense/products.hpp>
#include <atoll/gnn/gcn.hpp>
#include <atoll/gnn/sparse_features.hpp>

namespace atl {
namespace {

constexpr std::size_t kRows = 512;  // of a task over rows

// Calls f(row) for the own rows, on all threads.
template <class F>
void for_rows(Team& team, std::int64_t rows, F&& f) {
  team.for_range(static_cast<std::size_t>(rows), kRows, [&](int, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) f(static_cast<std::int64_t>(begin));
  });
}

// to[j] <- value(j), or 0 where it is dropped. Products instead of branches, which half the values would mispredict:
// with branches this was a fifth of an epoch (kron:16, 32 columns, one thread).
template <class T, class Value>
void drop_row(const Dropout& dropout, Vertex vertex, std::span<T> to, Value&& value) {
  const auto scale = static_cast<T>(dropout.scale());
  const auto columns = static_cast<std::int64_t>(to.size());
  T* const out = to.data();
  const auto put = [&](std::uint64_t word, std::int64_t j) {
    out[j] = value(j) * (static_cast<T>(dropout.keeps(word, j)) * scale);
  };
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const std::uint64_t word = dropout.word(vertex, j / 4);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) put(word, j + k);
  }
  for (; j < columns; ++j) put(dropout.word(vertex, j / 4), j);
}

}  // namespace

template <class T>
void Gcn<T>::aggregate(MatrixView<const T> b, MatrixView<T> c, bool backwards) {
  const RankTimer timer(world_);
  (backwards && aggregate_back_ ? *aggregate_back_ : aggregate_)(b, c);
  spmm_seconds_ += timer.seconds();
}

// The roofline of so many operations, and of the memory of so many values that are read or written.
template <class T>
void Gcn<T>::compute(double flops, double values) {
  if (!world_.machine().device) return;
  world_.compute(world_.machine().device->seconds(flops, values * static_cast<double>(sizeof(T))));
}

// Any of the three products of a layer: of two of its tall matrices and the weights, two are read and one is written.
template <class T>
void Gcn<T>::compute_product(const Layer& layer) {
  const double weights = static_cast<double>(layer.in) * static_cast<double>(layer.out);
  compute(2 * static_cast<double>(rows_) * weights, values_of(layer.in) + values_of(layer.out) + weights);
}

// Charges the time of a product with sparse features or their transpose: a nonzero has a value and a column; weights
// and their gradients stay in a cache.
template <class T>
void Gcn<T>::compute_sparse_product() {
  const auto nonzeros = static_cast<double>(sparse_->kept.size());
  compute(2 * nonzeros * static_cast<double>(layers_[0].out), 2 * nonzeros + values_of(layers_[0].out));
}

template <class T>
MatrixView<const T> Gcn<T>::dropped_features(Mode mode) {
  Layer& layer = layers_[0];
  if (mode == Mode::inference) return std::as_const(dense_).view();
  compute(values_of(layer.in), 2 * values_of(layer.in));
  const Dropout dropout(options_.dropout, options_.seed, epoch_, 0, layer.in);
  for_rows(world_.team(), rows_, [&](std::int64_t i) {
    const T* const from = dense_.view().row(i).data();
    drop_row<T>(dropout, ids_[i], layer.input.view().row(i), [&](std::int64_t j) { return from[j]; });
  });
  return std::as_const(layer.input).view();
}

template <class T>
void Gcn<T>::drop_sparse() {
  if (!Dropout::drops(options_.dropout)) return;
  SparseFeatures& s = *sparse_;
  const Dropout dropout(options_.dropout, options_.seed, epoch_, 0, layers_[0].in);
  const auto scale = static_cast<T>(dropout.scale());
  for_rows(world_.team(), rows_, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    for (auto e = static_cast<std::size_t>(s.x.offsets[i]); e < static_cast<std::size_t>(s.x.offsets[i + 1]); ++e)
      s.kept[e] = dropout.keeps(ids_[i], s.x.column_indices[e]) ? s.x.values[e] * scale : T{0};
  });
  world_.team().for_range(s.from.size(), 1 << 14, [&](int, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) s.xt.values[begin] = s.kept[s.from[begin]];
  });
  const auto nonzeros = static_cast<double>(s.kept.size());
  compute(nonzeros, 6 * nonzeros);  // value, place, kept; an edge's number (two values), value of the transpose
}

template <class T>
void Gcn<T>::multiply_weights(const Layer& layer, MatrixView<const T> x, MatrixView<T> y) {
  compute_product(layer);
  multiply<T>(world_.team(), x, weights_of(layer), y);
}

// The input of layer `next`, or the network's output: z + b of `layer`.
template <class T>
void Gcn<T>::rectify(MatrixView<const T> z, const Layer& layer, std::size_t next, Mode mode) {
  const T* const bias = parameters_.data() + layer.bias;
  compute(2 * values_of(layer.out), 2 * values_of(layer.out));
  if (next == layers_.size()) {
    for_rows(world_.team(), rows_, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < layer.out; ++j) outputs_(i, j) = z(i, j) + bias[j];
    });
    return;
  }
  Matrix<T>& input = layers_[next].input;
  const bool drops = mode == Mode::training && Dropout::drops(options_.dropout);
  const Dropout dropout(options_.dropout, options_.seed, epoch_, static_cast<std::int64_t>(next), layer.out);
  for_rows(world_.team(), rows_, [&](std::int64_t i) {
    const T* const from = z.row(i).data();
    const auto value = [=](std::int64_t j) { return std::max(from[j] + bias[j], T{0}); };
    const std::span<T> to = input.view().row(i);
    if (drops) return drop_row<T>(dropout, ids_[i], to, value);
    for (std::int64_t j = 0; j < layer.out; ++j) to[j] = value(j);
  });
}

template <class T>
void Gcn<T>::forward(Mode mode) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    const MatrixView<T> z = scratch(second_, layer.out), product = scratch(first_, layer.out);
    if (l == 0 && sparse_) {
      if (mode == Mode::training) drop_sparse();
      compute_sparse_product();
      (mode == Mode::training ? sparse_->some : sparse_->whole)(world_.team(), weights_of(layer), product);
      aggregate(product, z, false);
    } else if (layer.aggregates_first) {
      if (l > 0 || !aggregated_once_)
        aggregate(l > 0 ? std::as_const(layer.input).view() : dropped_features(mode), layer.aggregated.view(), false);
      multiply_weights(layer, std::as_const(layer.aggregated).view(), z);
    } else {
      multiply_weights(layer, l > 0 ? std::as_const(layer.input).view() : dropped_features(mode), product);
      aggregate(product, z, false);
    }
    rectify(z, layer, l + 1, mode);
  }
}

// From the gradient of the outputs, which `outputs_` has.
template <class T>
void Gcn<T>::backward() {
  Team& team = world_.team();
  const T scale = Dropout::drops(options_.dropout)
                      ? static_cast<T>(Dropout(options_.dropout, options_.seed, epoch_, 0, 1).scale())
                      : T{1};
  MatrixView<T> g = outputs_.view();
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const MatrixView<T> dw{gradients_.data() + layer.weights, layer.in, layer.out, layer.out};
    column_sums<T>(team, g, gradients_.data() + layer.bias);
    compute(values_of(layer.out), values_of(layer.out));
    Matrix<T> wt(layer.out, l > 0 ? layer.in : 0);
    if (l > 0) transpose_of<T>(weights_of(layer), wt.view());
    const MatrixView<T> dx = scratch(second_, l > 0 ? layer.in : 0);
    if (layer.aggregates_first) {
      multiply_transposed<T>(team, std::as_const(layer.aggregated).view(), g, dw);
      compute_product(layer);
      if (l == 0) return;
      const MatrixView<T> t = scratch(first_, layer.in);
      multiply<T>(team, g, std::as_const(wt).view(), t);
      compute_product(layer);
      aggregate(t, dx, true);
    } else {
      const MatrixView<T> s = scratch(first_, layer.out);
      aggregate(g, s, true);
      if (l == 0 && sparse_) {
        sparse_->back(team, s, dw);
        compute_sparse_product();
      } else {
        multiply_transposed<T>(team, std::as_const(layer.input).view(), s, dw);
        compute_product(layer);
      }
      if (l == 0) return;
      multiply<T>(team, s, std::as_const(wt).view(), dx);
      compute_product(layer);
    }
    // Values that were dropped, or are not above 0, have no derivative; drop(H) is 0 just there.
    compute(2 * values_of(layer.in), 3 * values_of(layer.in));
    for_rows(team, rows_, [&](std::int64_t i) {
      T* const d = dx.row(i).data();
      const T* const x = layer.input.view().row(i).data();
      for (std::int64_t j = 0; j < layer.in; ++j) d[j] *= x[j] > T{0} ? scale : T{0};
    });
    g = dx;
  }
}

#define ATOLL_LAYERS_OF(T)                                                   \
  template void Gcn<T>::aggregate(MatrixView<const T>, MatrixView<T>, bool); \
  template void Gcn<T>::compute(double, double);                             \
  template void Gcn<T>::forward(Mode);                                       \
  template void Gcn<T>::backward();
ATOLL_LAYERS_OF(float)
ATOLL_LAYERS_OF(double)
#undef ATOLL_LAYERS_OF

}  // namespace atl
