// SPDX-License-Identifier: Apache-2.0
#include <atoll/order/ordering.hpp>
#include <atoll/order/permute.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/spmm/distributed_spmm.hpp>
#include <atoll/spmm/volume.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <cli/cli11.hpp>
#include <numeric>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct SpmmVolumeOptions {
  GraphInput input;
  Rank ranks = 16, workgroup = 8;
  std::int64_t columns = 32;
  std::string type = "float32", order = "identity", blocks = "rows";
  bool ranks_given = false, workgroup_given = false, domains_given = false, no_count = false;
};

// The modelled ranks.
Hierarchy hierarchy_of(const SpmmVolumeOptions& o, const std::string& domains) {
  if (o.domains_given) {
    Hierarchy tree = read_domains(domains);
    if (o.ranks_given && o.ranks != tree.size())
      throw UsageError(fmt::format("--ranks {} with --domains {} (which has {} ranks). Leave --ranks out.", o.ranks,
                                   domains, tree.size()));
    return tree;
  }
  if (o.workgroup_given && o.workgroup > o.ranks)
    throw UsageError(
        fmt::format("--workgroup {} (there are {} ranks, by --ranks). Take 1 to {}.", o.workgroup, o.ranks, o.ranks));
  return workgroups(o.ranks, std::min(o.ranks, o.workgroup));
}

// The rows of a modelled rank.
template <class T>
MatrixRows<T> rows_at(const SparsePattern& a, const Blocks& blocks, Rank rank) {
  MatrixRows<T> out{.blocks = blocks, .column_blocks = blocks};
  const auto first = static_cast<std::size_t>(blocks.begin(rank)), own = static_cast<std::size_t>(blocks.size(rank));
  const Edge from = a.offsets[first];
  out.offsets = Array<Edge>(own + 1);
  for (std::size_t i = 0; i <= own; ++i) out.offsets[i] = a.offsets[first + i] - from;
  out.columns = Array<Vertex>(static_cast<std::size_t>(out.offsets[own]));
  std::ranges::copy(a.column_indices.subspan(static_cast<std::size_t>(from), out.columns.size()), out.columns.begin());
  return out;
}

using Levels = FetchedRows::Levels;

// The bytes that this rank counts across each level in one product, without the 8 bytes of each message and of each
// block of values.
template <class T>
Levels bytes_of_product(World& world, MatrixRows<T>&& rows, const SpmmStrategy& strategy, std::int64_t columns) {
  DistributedSpmm<T> spmm(world, std::move(rows), Reduce::sum, strategy);
  const std::vector<HaloTraffic> said = spmm.traffic(columns);
  const Array<T> b(static_cast<std::size_t>(spmm.columns() * columns), T{1});
  Array<T> c(static_cast<std::size_t>(spmm.rows() * columns));
  const Counters before = world.counters();
  spmm({b.data(), spmm.columns(), columns, columns}, {c.data(), spmm.rows(), columns, columns});
  const Counters sent = world.counters().since(before);
  Levels levels;
  for (std::size_t l = 0; l < said.size(); ++l) {
    const std::uint64_t heads = said[l].bytes - said[l].rows * static_cast<std::uint64_t>(columns) * sizeof(T);
    levels.push_back(sent.levels[l].bytes - 8 * sent.levels[l].messages - heads);
  }
  return levels;
}

// Rows of B that one product moves by the counters of virtual ranks, [level]. Beside them a product sends its
// agreement on shapes: as much as one of a matrix without nonzeros, which fetches no row.
template <class T>
Levels counted(const SparsePattern& a, const Blocks& blocks, const Hierarchy& tree, const Plan& plan,
               SpmmStrategy strategy, std::int64_t columns) {
  strategy.messages = RowMessages::many;  // fewer messages, the same rows
  Levels all(static_cast<std::size_t>(tree.depth()));
  // any costs: the strategy is named, and no time is read
  run_virtual(tree, Cost::paper(tree.depth()), plan, [&](World& world) {
    MatrixRows<T> none{.blocks = blocks, .column_blocks = blocks};
    none.offsets = Array<Edge>(static_cast<std::size_t>(blocks.size(world.rank())) + 1, 0);
    const Levels agreement = bytes_of_product<T>(world, std::move(none), spmm_strategy("halo"), columns),
                 product = bytes_of_product<T>(world, rows_at<T>(a, blocks, world.rank()), strategy, columns);
    for (std::size_t l = 0; l < all.size(); ++l) all[l] += product[l] - agreement[l];
  });
  return all;
}

Levels times(Levels rows, std::uint64_t row_bytes) {
  for (std::uint64_t& level : rows) level *= row_bytes;
  return rows;
}

// The share of `moved` that could stay away.
double redundant(std::uint64_t moved, std::uint64_t needed) {
  return moved == 0 ? 0 : 1 - static_cast<double>(needed) / static_cast<double>(moved);
}

std::string mib(std::uint64_t bytes) { return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20)); }

std::string cell(std::uint64_t bytes, std::uint64_t needed) {
  return fmt::format("{} ({:.0f} %)", mib(bytes), 100 * redundant(bytes, needed));
}

template <class T>
Outcome count(World& world, const SpmmVolumeOptions& o, const Hierarchy& tree, const Plan& plan) {
  Outcome out;
  RankTimer timer(world);
  SparseMatrix<T> a;
  {
    const Graph graph = Graph::build(world, o.input.load(world), o.input.options());
    out.input = describe(graph);
    a = matrix_of(rows_of<T>(graph, {.values = EdgeValues::ones}));
  }
  out.seconds["load"] = timer.lap();
  if (const Ordering order = ordering_named(o.order); order != Ordering::identity) {
    const Array<Local> numbers = new_numbers(world.team(), a.pattern(), order);
    a = permuted(world.team(), a.view(), {numbers.data(), numbers.size()}, {numbers.data(), numbers.size()});
    out.seconds["order"] = timer.lap();
  }
  const SparsePattern pattern = a.pattern();
  const Blocks blocks =
      o.blocks == "rows" ? Blocks::even(pattern.rows, tree.size()) : blocks_by_nonzeros(pattern, tree.size());
  const FetchedRows rows = count_fetched(pattern, blocks, blocks, tree);
  const CommunicationVolume v = volume_of(rows, o.columns, sizeof(T));
  const Levels joint = count_joint(pattern, blocks, blocks, tree);
  out.seconds["run"] = timer.lap();

  const std::uint64_t row_bytes = static_cast<std::uint64_t>(o.columns) * sizeof(T);
  const std::uint64_t all_joint = row_bytes * std::accumulate(joint.begin(), joint.end(), std::uint64_t{0}),
                      joint_across = row_bytes * joint.back();
  out.result = {{"columns", o.columns},
                {"row_bytes", row_bytes},
                {"nonzeros", pattern.nonzeros()},
                {"modelled_ranks", tree.size()},
                {"workgroups", tree.depth() > 1 ? tree.root().children.size() : 1},
                {"order", o.order},
                {"blocks", o.blocks},
                {"E_R", v.row_wise / row_bytes},
                {"N_R", v.column_wise / row_bytes},
                {"V_CG", v.coarse},
                {"V_FR", v.row_wise},
                {"V_FC", v.column_wise},
                {"VI_CG", v.coarse_across},
                {"VI_FR", v.row_wise_across},
                {"VI_FC", v.column_wise_across},
                {"VI_CoLa", v.fused_across},
                {"V_joint", all_joint},
                {"VI_joint", joint_across},
                {"redundant_CG", redundant(v.coarse, v.column_wise)},
                {"redundant_FR", redundant(v.row_wise, v.column_wise)},
                {"counted_equals_formula", nullptr},
                {"bytes_by_level",
                 {{"coarse", times(rows.coarse, row_bytes)},
                  {"row_wise", times(rows.row_wise, row_bytes)},
                  {"column_wise", times(rows.column_wise, row_bytes)},
                  {"fused", times(rows.fused, row_bytes)},
                  {"joint", times(joint, row_bytes)}}}};
  const auto line = [](std::string_view what, const std::vector<std::string>& cells) {
    std::string text = fmt::format("{:<14}", what);
    for (const std::string& c : cells) text += fmt::format("{:>20}", c);
    return text + "\n";
  };
  out.text =
      fmt::format("{}: {} vertices, {} nonzeros; {} ranks; {} columns, {}\n", o.input.text(), pattern.rows,
                  pattern.nonzeros(), tree.size(), o.columns, o.type) +
      line("MiB", {"coarse-grained", "row-wise", "column-wise", "fused", "joint"}) +
      line("V", {cell(v.coarse, v.column_wise), cell(v.row_wise, v.column_wise), cell(v.column_wise, v.column_wise), "",
                 mib(all_joint)}) +
      line("VI",
           {cell(v.coarse_across, v.fused_across), cell(v.row_wise_across, v.fused_across),
            cell(v.column_wise_across, v.fused_across), cell(v.fused_across, v.fused_across), mib(joint_across)}) +
      "V: all ranks, VI: across the highest level of domains; in brackets what is redundant where rows of B move; "
      "joint: rows of B and of C\n";

  if (!o.no_count) {
    bool equal = true;
    for (const auto& [name, strategy, formula] : {std::tuple{"by_coarse", "broadcast", &rows.coarse},
                                                  {"by_row_wise", "rowwise", &rows.row_wise},
                                                  {"by_column_wise", "columnwise", &rows.column_wise},
                                                  {"by_fused", "cola", &rows.fused},
                                                  {"by_joint", "joint", &joint}}) {
      const Levels bytes = counted<T>(pattern, blocks, tree, plan, spmm_strategy(strategy), o.columns);
      equal &= bytes == times(*formula, row_bytes);
      out.result["counted_by_level"][name] = bytes;
    }
    out.seconds["count"] = timer.lap();
    out.result["counted_equals_formula"] = equal;
    out.verified = equal;
    if (!equal)
      out.failure = "the counters and the formulas differ on some level. This is a defect: report it with the command.";
    out.text += fmt::format("counted by virtual ranks: {}\n", equal ? "equal to the byte" : "not equal");
  }
  return out;
}

}  // namespace

int verb_spmm_volume(const Words& words) {
  Command command("spmm-volume",
                  "What a product of a graph's matrix, distributed by rows, and a dense one moves between ranks: a row "
                  "of CoLa's Tables 2 and 3. The ranks are modelled: this process counts for all of them. It also runs "
                  "the products, by five strategies, in virtual ranks, and compares what their counters say, level "
                  "by level, in counted_equals_formula. Bytes are the same whatever levels cost, so there is no "
                  "--platform; --domains says which ranks are near each other.");
  SpmmVolumeOptions o;
  CLI::App& app = command.app();
  o.input.add_reading_to(app);
  o.input.add_merging_to(app);
  command.remove_job_options({"--domains", "--plan"});
  app.add_option("--ranks", o.ranks, "modelled ranks (default 16)")->check(CLI::Range(1, 1 << 14));
  auto* workgroup = app.add_option("--workgroup", o.workgroup,
                                   "ranks of a workgroup, the last of which may have fewer (default 8, or all)")
                        ->check(CLI::Range(1, 1 << 14));
  app.get_option("--domains")
      ->excludes(workgroup)
      ->description("instead of --ranks and --workgroup: modelled domains, as 2x8, 2x2x4, 3+2, or a topology's file");
  app.add_option("--columns", o.columns, "of the dense matrix (default 32)")->check(CLI::Range(1, 1 << 20));
  app.add_option("--type", o.type, "float32 (default) or float64")->check(CLI::IsMember({"float32", "float64"}));
  app.add_option("--order", o.order,
                 "rows and columns under new numbers: as `atoll reorder --method` (default identity)")
      ->check(CLI::IsMember(ordering_names()));
  app.add_option("--blocks", o.blocks, "each rank has as many rows (default), or about as many nonzeros")
      ->check(CLI::IsMember({"rows", "nonzeros"}));
  app.add_flag("--no-count", o.no_count,
               "formulas alone, where the virtual ranks' matrices do not fit in memory: the field is null");
  if (const auto code = command.parse(words)) return *code;
  o.ranks_given = app.count("--ranks") > 0;
  o.workgroup_given = app.count("--workgroup") > 0;
  o.domains_given = app.count("--domains") > 0;
  return command.run_alone([&] {
    const Hierarchy tree = hierarchy_of(o, command.plan().domains);
    Plan plan = command.plan();
    plan.transport = "levels";
    plan.route = "direct";
    plan.domains.clear();
    World::Options options;
    options.log = options.alarm = command.log();
    const auto world = World::alone(command.plan(), options);
    return o.type == "float32" ? count<float>(*world, o, tree, plan) : count<double>(*world, o, tree, plan);
  });
}

}  // namespace atl::cli
