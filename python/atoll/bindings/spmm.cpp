// SPDX-License-Identifier: Apache-2.0
// Products of distributed sparse matrices with dense ones.
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/spmm_product.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

constexpr std::int64_t kUsualColumns = 32;  // of a dense factor, where the strategy is chosen before there is one

template <class T>
using Product = std::shared_ptr<SpmmProduct<T>>;

struct SharedProduct {
  std::shared_ptr<SharedWorld> world;
  std::variant<Product<float>, Product<double>> product;
  Vertex rows = 0, columns = 0;  // of all ranks
  double nonzeros = 0;           // of all ranks
  double prepare_seconds = 0;
  std::string strategy;  // and why
  RowOrderChoice order;
  Vertex own_rows = 0, own_columns = 0;  // in the caller's order

  SharedProduct(std::shared_ptr<SharedWorld> w) : world(std::move(w)) {}
  SharedProduct(SharedProduct&&) = default;
  ~SharedProduct() {
    if (world) std::visit([&](auto& p) { world->bury(std::move(p)); }, product);
  }
};

template <class V, std::size_t kCount>
V named(const std::pair<std::string_view, V> (&table)[kCount], const std::string& name) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto& entry) { return entry.first == name; })
      ->second;
}
// The names are checked by Python's side, which lists them.
Reduce reduce_named(const std::string& name) {
  static constexpr std::pair<std::string_view, Reduce> kTable[] = {
      {"sum", Reduce::sum}, {"mean", Reduce::mean}, {"max", Reduce::max}, {"min", Reduce::min}};
  return named(kTable, name);
}
EdgeValues values_named(const std::string& name) {
  static constexpr std::pair<std::string_view, EdgeValues> kTable[] = {
      {"weights", EdgeValues::weights}, {"ones", EdgeValues::ones}, {"gcn", EdgeValues::gcn}};
  return named(kTable, name);
}

// rows_on(world, T) gives this rank's rows.
template <class F>
SharedProduct make(const std::shared_ptr<SharedWorld>& shared, const std::string& type, const std::string& reduce,
                   bool transpose, const std::string& strategy, const std::string& order, std::int64_t column_block,
                   F&& rows_on) {
  SharedProduct out(shared);
  shared->call([&](World& world) {
    const auto plan = [&]<class T>(T) {
      MatrixRows<T> rows = rows_on(world, T{});
      const RankTimer timer(world);
      if (transpose) rows = transposed(world, rows);
      out.rows = rows.blocks.count();
      out.columns = rows.column_blocks.count();
      out.nonzeros = world.sum(static_cast<double>(rows.columns.size()));
      out.own_rows = rows.rows();
      out.own_columns = rows.column_blocks.size(world.rank());
      out.order = choose_row_order(world, rows, kUsualColumns, order, strategy);
      const SpmmChoice choice = choose_spmm_strategy(world, rows, kUsualColumns, strategy);
      out.product =
          std::make_shared<SpmmProduct<T>>(world, std::move(rows), choice.strategy,
                                           SpmmOptions{.reduce = reduce_named(reduce), .column_block = column_block});
      out.strategy = choice.why;
      out.prepare_seconds = world.max(timer.seconds());
    };
    type == "float32" ? plan(float{}) : plan(double{});
    return 0;
  });
  return out;
}

SharedProduct product_of_graph(const SharedGraph& g, const std::string& type, const std::string& reduce, bool transpose,
                               const std::string& values, bool self_loops, const std::string& strategy,
                               const std::string& order, std::int64_t column_block) {
  const AdjacencyOptions options{values_named(values), self_loops ? Diagonal::add : Diagonal::keep};
  return make(g.world, type, reduce, transpose, strategy, order, column_block,
              [&]<class T>(World&, T) { return rows_of<T>(g.graph, options); });
}

template <class T>
Array<T> copied(std::span<const T> from) {
  Array<T> to(from.size());
  std::copy(from.begin(), from.end(), to.begin());
  return to;
}

template <class T>
std::span<const T> span_of(const AnyColumn& column) {
  return {static_cast<const T*>(column.data()), column.size()};
}

// Offsets and columns are int64 and values of the type: Python's side has seen to that. Of a square matrix columns are
// owned as rows are, so that a product can be multiplied again; else evenly.
SharedProduct product_of_rows(const std::shared_ptr<SharedWorld>& shared, const AnyColumn& offsets,
                              const AnyColumn& columns, const std::optional<AnyColumn>& values, Vertex count,
                              const std::string& type, const std::string& reduce, bool transpose,
                              const std::string& strategy, const std::string& order, std::int64_t column_block) {
  return make(shared, type, reduce, transpose, strategy, order, column_block, [&]<class T>(World& world, T) {
    std::vector<Vertex> first{0};
    for (const Vertex own : world.all_gather(static_cast<Vertex>(offsets.size()) - 1))
      first.push_back(first.back() + own);
    const Vertex most = world.max(count);
    world.agree(
        count == most,
        fmt::format("SpMM: rank {} gives rows of {} columns, another rank of {} (they are rows of one matrix). Give "
                    "all ranks' rows the same number of columns.",
                    world.rank(), count, most));
    const Blocks of_rows(first);
    MatrixRows<T> rows{.blocks = of_rows,
                       .column_blocks = of_rows.count() == count ? of_rows : Blocks::even(count, world.size())};
    rows.offsets = copied(span_of<Edge>(offsets));
    rows.columns = copied(span_of<Vertex>(columns));
    if (values) rows.values = copied(span_of<T>(*values));
    return rows;
  });
}

// The matrix of a graph on one rank: offsets, columns, values.
nb::tuple matrix_of_graph(const SharedGraph& g, const std::string& values, bool self_loops) {
  const AdjacencyOptions options{values_named(values), self_loops ? Diagonal::add : Diagonal::keep};
  MatrixRows<float> rows = g.world->call([&](World& world) {
    world.agree(world.size() == 1,
                "a graph's matrix on a GPU (it is over several ranks, and tensors are of one). Make it on one rank.");
    return rows_of<float>(g.graph, options);
  });
  if (rows.values.empty()) rows.values = Array<float>(rows.columns.size(), 1.0f);
  return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.columns)),
                        to_numpy(std::move(rows.values)));
}

template <class T>
using Dense = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
MatrixView<T> view_of(const Dense<T>& array) {
  const auto columns = static_cast<std::int64_t>(array.shape(1));
  return {array.data(), static_cast<std::int64_t>(array.shape(0)), columns, columns};
}

template <class T>
void multiply(SharedProduct& shared, const Dense<const T>& b, const Dense<T>& c) {
  shared.world->call([&](World& world) {
    const auto* product = std::get_if<Product<T>>(&shared.product);
    world.agree(product != nullptr, "SpMM: the matrix has another type than B. Use B.astype(A.dtype).");
    if (!shared.order.order) {
      (**product)(view_of(b), view_of(c));
      return 0;
    }
    const RowOrder& order = *shared.order.order;
    Matrix<T> moved_b(order.new_rows(), view_of(b).cols), moved_c(order.new_rows(), view_of(c).cols);
    order.to_new(view_of(b), moved_b.view());
    (**product)(std::as_const(moved_b).view(), moved_c.view());
    order.to_old(std::as_const(moved_c).view(), view_of(c));
    return 0;
  });
}

// values[e] <- x[i, :] . y[j, :] for each nonzero e = (i, j), on this process alone.
template <class T>
void sampled(const std::shared_ptr<SharedWorld>& shared, const AnyColumn& offsets, const AnyColumn& column_indices,
             const Dense<const T>& x, const Dense<const T>& y,
             const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
  shared->call([&](World& world) {
    const SparsePattern pattern{static_cast<std::int64_t>(x.shape(0)), static_cast<std::int64_t>(y.shape(0)),
                                span_of<Edge>(offsets), span_of<Local>(column_indices)};
    sampled_product<T>(world.team(), pattern, view_of(x), view_of(y), {values.data(), values.size()});
    return 0;
  });
}

}  // namespace

void bind_spmm(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<SharedProduct>(m, "Product")
      .def_ro("own_rows", &SharedProduct::own_rows)
      .def_ro("own_columns", &SharedProduct::own_columns)
      .def_ro("rows", &SharedProduct::rows)
      .def_ro("columns", &SharedProduct::columns)
      .def_ro("nonzeros", &SharedProduct::nonzeros)
      .def_ro("prepare_seconds", &SharedProduct::prepare_seconds)
      .def_ro("strategy", &SharedProduct::strategy)
      .def_prop_ro("order", [](const SharedProduct& p) { return p.order.why; })
      .def_prop_ro("memory_bytes",
                   [](const SharedProduct& p) {
                     const std::size_t order = p.order.order ? p.order.order->memory_bytes() : 0;
                     return order + std::visit([](const auto& x) { return x->memory_bytes(); }, p.product);
                   })
      .def("multiply", &multiply<float>, "b"_a.noconvert(), "c"_a.noconvert())
      .def("multiply", &multiply<double>, "b"_a.noconvert(), "c"_a.noconvert());
  m.def("product_of_graph", &product_of_graph, "graph"_a, "type"_a, "reduce"_a, "transpose"_a, "values"_a,
        "self_loops"_a, "strategy"_a, "order"_a, "column_block"_a);
  m.def("product_of_rows", &product_of_rows, "world"_a, "offsets"_a.noconvert(), "columns"_a.noconvert(),
        "values"_a.noconvert().none(), "count"_a, "type"_a, "reduce"_a, "transpose"_a, "strategy"_a, "order"_a,
        "column_block"_a);
  m.def("matrix_of_graph", &matrix_of_graph, "graph"_a, "values"_a, "self_loops"_a);
  m.def("sampled_product", &sampled<float>, "world"_a, "offsets"_a.noconvert(), "column_indices"_a.noconvert(),
        "x"_a.noconvert(), "y"_a.noconvert(), "values"_a.noconvert());
  m.def("sampled_product", &sampled<double>, "world"_a, "offsets"_a.noconvert(), "column_indices"_a.noconvert(),
        "x"_a.noconvert(), "y"_a.noconvert(), "values"_a.noconvert());
}

}  // namespace atl::python
