// SPDX-License-Identifier: Apache-2.0
#include "device/spmm.hpp"

#include <atoll/base/random.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/spmm_product.hpp>
#include <cli/cli11.hpp>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"
#include "spmm_strategy.hpp"
#include "trials.hpp"

namespace atl::cli {
namespace {

struct SpmmOptions {
  GraphInput input;
  std::int64_t columns = 32, column_block = 0;
  Rank replication = 0;
  std::string type = "float32", reduce = "sum", values = "gcn", diagonal = "keep", strategy = "auto", order = "auto";
  std::string device = "cpu", links = "nvshmem";
  int trials = 9;
  bool no_verify = false, programs = false;
};

template <class V>
using Named = std::pair<std::string_view, V>;
constexpr Named<Reduce> kReduces[] = {
    {"sum", Reduce::sum}, {"mean", Reduce::mean}, {"max", Reduce::max}, {"min", Reduce::min}};
constexpr Named<EdgeValues> kValues[] = {
    {"gcn", EdgeValues::gcn}, {"weights", EdgeValues::weights}, {"ones", EdgeValues::ones}};
constexpr Named<Diagonal> kDiagonals[] = {{"keep", Diagonal::keep}, {"add", Diagonal::add}};

template <class V, std::size_t kCount>
const V& named(const Named<V> (&table)[kCount], const std::string& name) {
  return std::ranges::find(table, name, &Named<V>::first)->second;
}
template <class V, std::size_t kCount>
CLI::IsMember names_of(const Named<V> (&table)[kCount]) {
  std::vector<std::string> names;
  for (const Named<V>& entry : table) names.emplace_back(entry.first);
  return CLI::IsMember(names);
}

// B(row, column), in [-0.5, 0.5): every rank can work out all of it.
template <class T>
T dense_at(Vertex row, std::int64_t columns, std::int64_t column) {
  return static_cast<T>(random_at(1, static_cast<std::uint64_t>(row * columns + column)) >> 40) * T(0x1p-24) - T(0.5);
}

// Some of this rank's rows and columns by the definition, in double.
template <class T>
bool is_right(const MatrixRows<T>& a, Reduce reduce, MatrixView<const T> c) {
  for (std::uint64_t sample = 0; sample < 500 && a.rows() > 0; ++sample) {
    const auto i = random_at(7, sample) % static_cast<std::uint64_t>(a.rows());
    const auto j = static_cast<std::int64_t>(random_at(8, sample) % static_cast<std::uint64_t>(c.cols));
    double value = 0, magnitude = 0;
    for (auto e = static_cast<std::size_t>(a.offsets[i]), first = e; e < static_cast<std::size_t>(a.offsets[i + 1]);
         ++e) {
      const auto x =
          static_cast<double>((a.values.empty() ? T{1} : a.values[e]) * dense_at<T>(a.columns[e], c.cols, j));
      if (reduce == Reduce::max)
        value = e == first ? x : std::max(value, x);
      else if (reduce == Reduce::min)
        value = e == first ? x : std::min(value, x);
      else
        value += x;
      magnitude += std::abs(x);
    }
    const auto count = static_cast<double>(a.offsets[i + 1] - a.offsets[i]);
    if (reduce == Reduce::mean && count > 0) value /= count;
    const double error = std::abs(value - static_cast<double>(c(static_cast<std::int64_t>(i), j)));
    if (!(error <= 8 * std::numeric_limits<T>::epsilon() * magnitude)) return false;
  }
  return true;
}

/// B of the rank whose rows begin at `first`.
template <class T>
void fill(World& world, Array<T>& b, Vertex first, std::int64_t columns) {
  world.team().for_range(b.size(), std::size_t{1} << 16, [&](int, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin)
      b[begin] = dense_at<T>(first + static_cast<Vertex>(begin) / columns, columns,
                             static_cast<std::int64_t>(begin) % columns);
  });
}

Outcome multiply_on_devices(World& world, Device& device, const SpmmOptions& o, MatrixRows<float>&& rows,
                            const MatrixRows<float>& kept, Outcome out) {
  const Reduce reduce = named(kReduces, o.reduce);
  const auto own = static_cast<std::int64_t>(rows.rows());
  const Vertex first = rows.blocks.begin(world.rank()), vertices = rows.blocks.count();
  const double nonzeros = world.sum(static_cast<double>(rows.columns.size()));
  const RankTimer planning(world);
  ProductOnDevices spmm(world, device, std::move(rows), {reduce, o.links, o.columns});
  out.seconds["prepare"] = world.max(planning.seconds());
  Array<float> b(static_cast<std::size_t>(own * o.columns)), c(b.size());
  fill(world, b, first, o.columns);
  spmm.set({b.data(), own, o.columns, o.columns});
  spmm.multiply();
  Trials trials(world);
  for (int trial = 0; trial < o.trials; ++trial) trials.time([&] { spmm.multiply(); });
  trials.report(out.seconds, out.counters);
  spmm.get({c.data(), own, o.columns, o.columns});
  if (!o.no_verify) {
    out.verified =
        world.all(is_right<float>(kept, reduce, MatrixView<const float>{c.data(), own, o.columns, o.columns}));
    if (!*out.verified)
      out.failure = "a row differs from its definition. This is a defect: report it with the command.";
  }
  const ColaBytes bytes = spmm.bytes();
  const double s = out.seconds["run"], flops = 2 * nonzeros * static_cast<double>(o.columns) / s;
  out.result = {{"columns", o.columns},
                {"nonzeros", nonzeros},
                {"flops", flops},
                {"device", device.facts().name},
                {"why", spmm.about()},
                {"memory_bytes", world.max(static_cast<std::uint64_t>(spmm.memory_bytes()))},
                {"sent_row_bytes", bytes.inside + bytes.across},
                {"crossing_row_bytes", bytes.across}};
  out.text = table_of({{"product", fmt::format("{} x {} with {} nonzeros, by {} columns, float32", vertices, vertices,
                                               nonzeros, o.columns)},
                       {"plan", fmt::format("{:.3f} s, {}", out.seconds["prepare"].get<double>(), spmm.about())},
                       {"time", fmt::format("{:.6f} s, {:.2f} GFLOP/s (median of {})", s, flops / 1e9, o.trials)},
                       {"rows of B", fmt::format("{:.2f} MiB inside workgroups, {:.2f} across",
                                                 static_cast<double>(bytes.inside) / (1 << 20),
                                                 static_cast<double>(bytes.across) / (1 << 20))}});
  spmm.close();
  return out;
}

template <class T>
Outcome multiply(World& world, const SpmmOptions& o) {
  Outcome out;
  const std::shared_ptr<Device> device = device_of_rank(world, o.device);
  const Reduce reduce = named(kReduces, o.reduce);
  MatrixRows<T> rows;
  {
    const Graph graph = Graph::build(world, o.input.load(world), o.input.options());
    out.input = describe(graph);
    rows = rows_of<T>(graph, {named(kValues, o.values), named(kDiagonals, o.diagonal)});
  }
  MatrixRows<T> kept;  // for the check
  if (!o.no_verify) {
    kept = {.blocks = rows.blocks};
    const auto copy = []<class V>(const Array<V>& from) {
      Array<V> to(from.size());
      std::ranges::copy(from, to.begin());
      return to;
    };
    kept.offsets = copy(rows.offsets);
    kept.columns = copy(rows.columns);
    kept.values = copy(rows.values);
  }
  if constexpr (std::is_same_v<T, float>)
    if (device) return multiply_on_devices(world, *device, o, std::move(rows), kept, std::move(out));
  const Vertex first = rows.blocks.begin(world.rank()), vertices = rows.blocks.count();
  const RowOrderChoice order = choose_row_order(world, rows, o.columns, o.order, o.strategy);
  out.seconds["order"] = order.seconds;
  world.barrier();
  const RankTimer planning(world);
  auto [strategy, why] = choose_spmm_strategy(world, rows, o.columns, o.strategy);
  if (o.programs) strategy.program = spmm_program(strategy.name);
  SpmmProduct<T> spmm(world, std::move(rows), strategy,
                      {.reduce = reduce, .column_block = o.column_block, .replication = o.replication});
  const SpmmBytes bytes = spmm.volume(o.columns);
  out.seconds["prepare"] = world.max(planning.seconds());

  // B and C in the caller's order and, where A has another, in that one, in which B stays between products.
  const std::int64_t own = order.order ? order.order->old_rows() : spmm.rows();
  const auto values = static_cast<std::size_t>(own * o.columns),
             moved_values = order.order ? static_cast<std::size_t>(spmm.rows() * o.columns) : 0;
  Array<T> b(values), c(values), moved_b(moved_values), moved_c(moved_values);
  fill(world, b, first, o.columns);
  const auto view = [&](auto* data, std::int64_t rows_of) { return MatrixView{data, rows_of, o.columns, o.columns}; };
  const MatrixView<T> caller_c = view(c.data(), own), to = order.order ? view(moved_c.data(), spmm.rows()) : caller_c;
  const MatrixView<const T> caller_b = view(b.data(), own),
                            from = order.order ? view(moved_b.data(), spmm.rows()) : caller_b;
  double moves = 0;
  const auto timed_move = [&](auto&& move) {
    if (!order.order) return;
    world.barrier();
    const RankTimer timer(world);
    move(*order.order);
    moves += world.max(timer.seconds());
  };
  timed_move([&](const RowOrder& rows_now) { rows_now.to_new(caller_b, view(moved_b.data(), spmm.rows())); });
  spmm(from, to);  // its buffers' pages come in
  Trials trials(world);
  for (int trial = 0; trial < o.trials; ++trial) trials.time([&] { spmm(from, to); });
  trials.report(out.seconds, out.counters);
  timed_move([&](const RowOrder& rows_now) { rows_now.to_old(MatrixView<const T>(to), caller_c); });
  out.seconds["moves"] = moves;
  if (!o.no_verify) {
    out.verified = world.all(is_right<T>(kept, reduce, caller_c));
    if (!*out.verified)
      out.failure = "a row differs from its definition. This is a defect: report it with the command.";
  }

  const double nonzeros = world.sum(static_cast<double>(spmm.nonzeros())), s = out.seconds["run"],
               flops = 2 * nonzeros * static_cast<double>(o.columns) / s;
  const double order_products = s > 0 ? order.seconds / s : 0;
  out.result = {{"columns", o.columns},
                {"nonzeros", nonzeros},
                {"flops", flops},
                {"strategy", strategy.name},
                {"why", why},
                {"order", order.name},
                {"order_why", order.why},
                {"order_cost_in_products", order_products},
                {"phases", spmm.phases()},
                {"memory_bytes", world.max(static_cast<std::uint64_t>(spmm.memory_bytes()))},
                {"V_CG", bytes.coarse},
                {"V_FR", bytes.row_wise},
                {"V_FC", bytes.column_wise},
                {"sent_row_bytes", bytes.sent},
                {"crossing_row_bytes", bytes.crossing}};
  const auto mib = [](double x) { return fmt::format("{:.2f} MiB", x / (1 << 20)); };
  std::string order_text = order.why;
  if (order.order)
    order_text +=
        fmt::format("; measured: {:.1f} products, and {:.6f} s to move B in and C out", order_products, moves);
  out.text = table_of({{"product", fmt::format("{} x {} with {} nonzeros, by {} columns, {}", vertices, vertices,
                                               nonzeros, o.columns, o.type)},
                       {"order", order_text},
                       {"plan", fmt::format("{:.3f} s, {}", out.seconds["prepare"].get<double>(), why)},
                       {"time", fmt::format("{:.6f} s, {:.2f} GFLOP/s (median of {})", s, flops / 1e9, o.trials)},
                       {"all rows to all ranks", mib(bytes.coarse)},
                       {"a row per nonzero", mib(bytes.row_wise)},
                       {"a row per rank", mib(bytes.column_wise)},
                       {"this plan", mib(bytes.sent) + ", of it across the highest level " + mib(bytes.crossing)}});
  return out;
}

// Options that a product on devices does not have.
void refuse_on_devices(const CLI::App& app, const SpmmOptions& o) {
  for (const char* name : {"--strategy", "--order", "--replication", "--column-block"})
    if (app.count(name) > 0)
      throw UsageError(
          fmt::format("{} with --device {} (rows are multiplied as they are). Leave one out.", name, o.device));
  if (o.type != "float32")
    throw UsageError(
        fmt::format("--type {} with --device {} (GPUs multiply in float32). Leave one out.", o.type, o.device));
}

}  // namespace

int run_spmm(const Words& words) {
  Command command("run spmm",
                  "The product of a graph's matrix and a dense one, both distributed by rows: row i sums over the "
                  "vertices whose edges enter vertex i. Each rank fetches a row that it needs once, each domain of "
                  "--domains once for all of its ranks.");
  SpmmOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  app.add_option("--columns", o.columns, "of the dense matrix (default 32)")->check(CLI::Range(1, 1 << 20));
  app.add_option("--values", o.values, "gcn: w / sqrt(d d') (default); weights of the edges; ones")
      ->check(names_of(kValues));
  app.add_option("--diagonal", o.diagonal, "keep (default), or add a self-loop of weight 1 to each vertex without one")
      ->check(names_of(kDiagonals));
  app.add_option("--reduce", o.reduce, "sum (default), mean, max or min")->check(names_of(kReduces));
  app.add_option("--type", o.type, "float32 (default) or float64")->check(CLI::IsMember({"float32", "float64"}));
  add_spmm_strategy(app, o.strategy);
  add_row_order(app, o.order);
  command.add_workgroup();
  app.add_option("--replication", o.replication,
                 "of broadcast-1.5d: ranks of a team, a divisor of --ranks (default: the largest up to its root)")
      ->check(CLI::PositiveNumber);
  app.add_option("--column-block", o.column_block,
                 "columns that are multiplied at a time, where buffers for all take too much memory (default: all)")
      ->check(CLI::Range(1, 1 << 20));
  auto* device = app.add_option("--device", o.device,
                                "cpu (default) or cuda: a GPU for each rank, in float32; several by CoLa's pipeline");
  device->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--links", o.links, "between GPUs: nvshmem (default) or nccl")
      ->check(CLI::IsMember({"nvshmem", "nccl"}))
      ->needs(device);
  app.add_option("--trials", o.trials, "products (default 9)")->check(CLI::PositiveNumber);
  app.add_flag("--programs", o.programs,
               "in virtual time products and stages cost what CoLa's paper measured of the strategy's program");
  app.add_flag("--no-verify", o.no_verify, "do not check rows of the result");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    if (o.device != "cpu") refuse_on_devices(app, o);
    return o.type == "float32" ? multiply<float>(world, o) : multiply<double>(world, o);
  });
}

}  // namespace atl::cli
