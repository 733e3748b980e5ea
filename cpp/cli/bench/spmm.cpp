// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/timer.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/order/ordering.hpp>
#include <atoll/order/permute.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <cli/cli11.hpp>

#include "cli/graph_input.hpp"
#include "cli/measure.hpp"
#include "cli/verbs.hpp"
#include "device_spmm.hpp"
#include "product_check.hpp"

namespace atl::cli {
namespace {

struct SpmmOptions {
  GraphInput input;
  std::vector<std::int64_t> columns{32, 64, 128};
  std::string type = "float32", reduce = "sum", order = "identity", device = "cpu";
  int trials = 9;
};

// Long rows in random columns: the product is the reading of B's rows and nothing else. About 1 GB is read.
template <class T>
SparseMatrix<T> random_reads(std::int64_t columns, std::int64_t width) {
  constexpr std::int64_t kRows = 256;
  const std::int64_t reads = (std::int64_t{1} << 30) / (width * static_cast<std::int64_t>(sizeof(T))) / kRows;
  SparseMatrix<T> a{.rows = kRows, .columns = columns};
  a.offsets = Array<Edge>(kRows + 1);
  for (std::int64_t i = 0; i <= kRows; ++i) a.offsets[i] = i * reads;
  a.column_indices = Array<Local>(static_cast<std::size_t>(kRows * reads));
  Random random(1);
  for (Local& place : a.column_indices) place = static_cast<Local>(random.below(static_cast<std::uint64_t>(columns)));
  return a;
}

template <class T>
double seconds_of(Team& team, const Spmm<T>& spmm, const DenseRows<T>& b, const DenseRows<T>& c) {
  const Timer timer;
  spmm(team, b, c.view());
  return timer.seconds();
}

template <class T>
Outcome measure(World& world, const SpmmOptions& o) {
  static constexpr std::pair<std::string_view, Reduce> kReduces[] = {
      {"sum", Reduce::sum}, {"mean", Reduce::mean}, {"max", Reduce::max}, {"min", Reduce::min}};
  const Reduce reduce = std::ranges::find(kReduces, o.reduce, &std::pair<std::string_view, Reduce>::first)->second;
  Team& team = world.team();
  Outcome out;
  const std::shared_ptr<Device> device = device_of_rank(world, o.device);
  SparseMatrix<T> a;
  {
    const Graph graph = Graph::build(world, o.input.load(world), o.input.options());
    out.input = describe(graph);
    a = matrix_of(rows_of<T>(graph, {.values = EdgeValues::gcn}));
  }
  std::vector<std::pair<std::string, std::string>> lines;
  if (const Ordering order = ordering_named(o.order); order != Ordering::identity) {
    const Timer timer;
    const Array<Local> numbers = new_numbers(team, a.pattern(), order);
    out.seconds["order"] = timer.seconds();
    a = permuted(team, a.view(), {numbers.data(), numbers.size()}, {numbers.data(), numbers.size()});
    out.seconds["permute"] = timer.seconds() - out.seconds["order"].get<double>();
    lines.emplace_back(o.order, fmt::format("{:.3f} s, and {:.3f} s to permute the matrix",
                                            out.seconds["order"].get<double>(), out.seconds["permute"].get<double>()));
  }
  if constexpr (std::is_same_v<T, float>)
    if (device) {
      Outcome on_device = measure_device_products(world, *device, a, o.columns, reduce, o.trials);
      on_device.input = std::move(out.input);
      on_device.seconds.update(out.seconds);
      if (!lines.empty()) on_device.text = table_of(lines) + on_device.text;
      return on_device;
    }
  const Spmm<T> spmm(a.view(), reduce);
  const auto nonzeros = static_cast<double>(a.pattern().nonzeros());
  bool right = true;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t k : o.columns) {
    const DenseRows<T> b(team, a.columns, k), c(team, a.rows, k);
    const SparseMatrix<T> reads = random_reads<T>(a.columns, k);
    const Spmm<T> gather(reads.view());
    const DenseRows<T> sums(team, reads.rows, k);
    const double row_bytes = static_cast<double>(k) * sizeof(T),
                 read_bytes = static_cast<double>(reads.pattern().nonzeros()) * row_bytes;
    std::vector<double> seconds, gathers;
    for (int trial = 0; trial <= o.trials; ++trial) {
      const double product = seconds_of(team, spmm, b, c), reading = seconds_of(team, gather, b, sums);
      if (trial == 0) continue;  // C's pages come in
      seconds.push_back(product);
      gathers.push_back(reading);
    }
    right = right && is_right<T>(a, reduce, b, c);
    const double s = median(seconds), flops = 2 * nonzeros * static_cast<double>(k) / s,
                 bandwidth = nonzeros * row_bytes / s, random = read_bytes / median(gathers);
    out.result["products"].push_back({{"columns", k},
                                      {"seconds", s},
                                      {"flops", flops},
                                      {"row_bytes_per_second", bandwidth},
                                      {"random_row_bytes_per_second", random},
                                      {"fraction_of_random_reads", bandwidth / random}});
    out.seconds["products"].push_back(s);
    least = std::min(least, bandwidth / random);
    lines.emplace_back(fmt::format("{} columns", k),
                       fmt::format("{:9.3f} ms {:7.2f} GFLOP/s; rows of B {:6.2f} GB/s, random rows {:6.2f} GB/s",
                                   s * 1e3, flops / 1e9, bandwidth / 1e9, random / 1e9));
  }
  out.result["least_fraction_of_random_reads"] = least;
  lines.emplace_back("matrix", fmt::format("{} x {}, {} nonzeros, {}, {}", a.rows, a.columns, a.pattern().nonzeros(),
                                           o.type, name_of(chosen_isa())));
  out.verified = right;
  if (!right) out.failure = "a product differs from its definition. This is a defect: report it with the command.";
  out.text = table_of(lines);
  return out;
}

}  // namespace

int bench_spmm(const Words& words) {
  Command command(
      "bench spmm",
      "Products of a graph's matrix, normalised as in a GCN, with dense matrices on one rank, beside the "
      "reading of random rows; on a GPU beside the bytes that must move, and beside cuSPARSE where that is found.");
  SpmmOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  app.add_option("--columns", o.columns, "of the dense matrix: one product for each (default 32,64,128)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--type", o.type, "float32 (default) or float64")->check(CLI::IsMember({"float32", "float64"}));
  app.add_option("--reduce", o.reduce, "sum (default), mean, max or min")
      ->check(CLI::IsMember({"sum", "mean", "max", "min"}));
  app.add_option("--order", o.order,
                 "rows and columns under new numbers: as `atoll reorder --method` (default identity)")
      ->check(CLI::IsMember(ordering_names()));
  app.add_option("--device", o.device, "cpu (default) or cuda: a GPU, in float32")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--trials", o.trials, "products of each (default 9)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    check(world.size() == 1, "bench spmm runs on {} ranks (it measures one). Leave out --ranks.", world.size());
    if (o.device != "cpu" && o.type != "float32")
      throw UsageError(
          fmt::format("--type {} with --device {} (GPUs multiply in float32). Leave one out.", o.type, o.device));
    return o.type == "float32" ? measure<float>(world, o) : measure<double>(world, o);
  });
}

}  // namespace atl::cli
