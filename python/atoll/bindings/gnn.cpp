// SPDX-License-Identifier: Apache-2.0
// Graph convolutional networks.
#include <atoll/gnn/training.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

template <class T>
using Network = std::shared_ptr<Gcn<T>>;

struct SharedNetwork {
  std::shared_ptr<SharedWorld> world;
  std::variant<Network<float>, Network<double>> network;

  SharedNetwork(std::shared_ptr<SharedWorld> w) : world(std::move(w)) {}
  SharedNetwork(SharedNetwork&&) = default;
  ~SharedNetwork() {
    if (world) std::visit([&](auto& n) { world->bury(std::move(n)); }, network);
  }
};

SharedNetwork network_of_graph(const SharedGraph& g, const std::string& type, std::int64_t features,
                               std::int64_t classes, const std::vector<std::int64_t>& widths, double dropout,
                               double learning_rate, double weight_decay, bool decay_all_layers, std::uint64_t seed,
                               const std::string& strategy, const std::string& order) {
  SharedNetwork out(g.world);
  const GcnOptions options{.widths = widths,
                           .dropout = dropout,
                           .learning_rate = learning_rate,
                           .weight_decay = weight_decay,
                           .decay_all_layers = decay_all_layers,
                           .seed = seed,
                           .strategy = strategy,
                           .order = order};
  g.world->call([&](World& world) {
    const std::int64_t most_features = world.max(features), most_classes = world.max(classes);
    world.agree(
        features == most_features,
        fmt::format("GCN: rank {} has features of {} columns, another rank of {} (they are rows of one matrix). "
                    "Give all ranks as many columns.",
                    world.rank(), features, most_features));
    if (type == "float32")
      out.network = std::make_shared<Gcn<float>>(g.graph, features, most_classes, options);
    else
      out.network = std::make_shared<Gcn<double>>(g.graph, features, most_classes, options);
    return 0;
  });
  return out;
}

template <class T>
using Dense = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Python's side has seen to the types of arrays.
template <class T>
void set_dense(SharedNetwork& shared, const Dense<const T>& x) {
  shared.world->call([&](World&) {
    const auto rows = static_cast<std::int64_t>(x.shape(0)), columns = static_cast<std::int64_t>(x.shape(1));
    Matrix<T> copy(rows, columns);
    for (std::int64_t i = 0; i < rows; ++i) std::copy_n(x.data() + i * columns, columns, copy.view().row(i).data());
    std::get<Network<T>>(shared.network)->set_features(std::move(copy));
    return 0;
  });
}

template <class T>
Array<T> copied(const AnyColumn& from) {
  Array<T> to(from.size());
  std::copy_n(static_cast<const T*>(from.data()), from.size(), to.begin());
  return to;
}

void set_sparse(SharedNetwork& shared, const AnyColumn& offsets, const AnyColumn& column_indices,
                const AnyColumn& values, std::int64_t columns) {
  shared.world->call([&](World&) {
    std::visit(
        [&]<class T>(const std::shared_ptr<Gcn<T>>& network) {
          SparseMatrix<T> x{.rows = static_cast<std::int64_t>(offsets.size()) - 1, .columns = columns};
          x.offsets = copied<Edge>(offsets);
          x.column_indices = copied<Local>(column_indices);
          x.values = copied<T>(values);
          network->set_features(std::move(x));
        },
        shared.network);
    return 0;
  });
}

void set_targets(SharedNetwork& shared, const AnyColumn& labels, const AnyColumn& roles) {
  shared.world->call([&](World&) {
    const auto* label = static_cast<const std::int32_t*>(labels.data());
    const auto* role = static_cast<const std::uint8_t*>(roles.data());
    VertexTargets targets{.labels = {label, label + labels.size()}, .roles = {}};
    for (std::size_t i = 0; i < roles.size(); ++i) targets.roles.push_back(static_cast<VertexRole>(role[i]));
    std::visit([&](const auto& network) { network->set_targets(std::move(targets)); }, shared.network);
    return 0;
  });
}

nb::dict train_network(SharedNetwork& shared, std::int64_t epochs, const std::string& checkpoint,
                       std::int64_t checkpoint_every) {
  const TrainingOptions options{.epochs = epochs, .checkpoint = checkpoint, .checkpoint_every = checkpoint_every};
  const TrainingCurve curve = shared.world->call([&](World& world) {
    return std::visit([&](const auto& network) { return train(world, *network, options); }, shared.network);
  });
  nb::dict out;
  out["losses"] = curve.losses;
  out["train_accuracies"] = curve.train_accuracies;
  out["validation_losses"] = curve.validation_losses;
  out["validation_accuracies"] = curve.validation_accuracies;
  return out;
}

template <class T>
void put_outputs(SharedNetwork& shared, const Dense<T>& out) {
  shared.world->call([&](World&) {
    const auto& network = std::get<Network<T>>(shared.network);
    const MatrixView<const T> z = network->predict();
    for (std::int64_t i = 0; i < z.rows; ++i) std::ranges::copy(z.row(i), out.data() + i * z.cols);
    return 0;
  });
}

}  // namespace

void bind_gnn(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<SharedNetwork>(m, "Network")
      .def_prop_ro(
          "classes",
          [](const SharedNetwork& n) { return std::visit([](const auto& x) { return x->classes(); }, n.network); })
      .def_prop_ro(
          "order",
          [](const SharedNetwork& n) { return std::visit([](const auto& x) { return x->order().why; }, n.network); })
      .def_prop_ro("parameters",
                   [](const SharedNetwork& n) {
                     return std::visit([](const auto& x) { return x->parameters().size(); }, n.network);
                   })
      .def_prop_ro(
          "strategy",
          [](const SharedNetwork& n) { return std::visit([](const auto& x) { return x->strategy().why; }, n.network); })
      .def_prop_ro(
          "memory_bytes",
          [](const SharedNetwork& n) { return std::visit([](const auto& x) { return x->memory_bytes(); }, n.network); })
      .def("set_dense", &set_dense<float>, "features"_a.noconvert())
      .def("set_dense", &set_dense<double>, "features"_a.noconvert())
      .def("set_sparse", &set_sparse, "offsets"_a.noconvert(), "column_indices"_a.noconvert(), "values"_a.noconvert(),
           "columns"_a)
      .def("set_targets", &set_targets, "labels"_a.noconvert(), "roles"_a.noconvert())
      .def("train", &train_network, "epochs"_a, "checkpoint"_a, "checkpoint_every"_a)
      .def("put_outputs", &put_outputs<float>, "out"_a.noconvert())
      .def("put_outputs", &put_outputs<double>, "out"_a.noconvert());
  m.def("network_of_graph", &network_of_graph, "graph"_a, "type"_a, "features"_a, "classes"_a, "widths"_a, "dropout"_a,
        "learning_rate"_a, "weight_decay"_a, "decay_all_layers"_a, "seed"_a, "strategy"_a, "order"_a);
}

}  // namespace atl::python
