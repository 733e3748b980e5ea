// SPDX-License-Identifier: Apache-2.0
// What a GPU reaches of its limits, which are measured in the same run.
#include <array>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/base/random.hpp>
#include <atoll/device/gemm_tuning.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/tune/store.hpp>
#include <cli/cli11.hpp>
#include <nlohmann/json.hpp>

#include "cli/measure.hpp"
#include "cli/verbs.hpp"
#include "copy_rate.hpp"

namespace atl::cli {
namespace {

struct DeviceOptions {
  std::vector<std::int64_t> sizes = {16384, 32768}, closures = {65536};
  std::vector<std::string> types = {"float32", "int32", "uint16"};
  std::string form = "NT", placement = "resident";
  int trials = 5;
  std::int64_t block = 0;
};

template <class T>
T random_value(std::uint64_t seed, std::uint64_t i) {
  return static_cast<T>(random_at(seed, i) % 10000);
}

// Rows are made and sent one strip after the other, so that the host needs little memory.
template <class T>
DeviceMatrix<T> random_matrix(World& world, const Stream& stream, std::int64_t rows, std::int64_t cols,
                              std::uint64_t seed, std::uint64_t arcs_in = 1) {
  DeviceMatrix<T> out(stream.device(), rows, cols);
  constexpr std::int64_t kStrip = 1024;
  const auto no_path = static_cast<T>(stream.device().kernels().min_plus.no_path(kElementOf<T>));
  Matrix<T> strip(std::min(kStrip, rows), cols);
  for (std::int64_t first = 0; first < rows; first += kStrip) {
    const std::int64_t count = std::min(kStrip, rows - first);
    world.team().for_range(static_cast<std::size_t>(count), 4, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
          const std::int64_t row = first + static_cast<std::int64_t>(i);
          const auto at = static_cast<std::uint64_t>(row * cols + j);
          const bool none = arcs_in > 1 && random_at(seed + 1, at) % arcs_in != 0;
          strip(static_cast<std::int64_t>(i), j) = arcs_in > 1 && row == j ? T{0}
                                                   : none                  ? no_path
                                                                           : random_value<T>(seed, at);
        }
    });
    upload(stream, std::as_const(strip).view().part(0, 0, count, cols), out.view().part(first, 0, count, cols));
    stream.wait();
  }
  return out;
}

template <class T>
Matrix<T> rows_of(const Stream& stream, const DeviceMatrix<T>& from, std::int64_t first, std::int64_t count) {
  Matrix<T> out(count, from.cols());
  download(stream, from.view().part(first, 0, count, from.cols()), out.view());
  stream.wait();
  return out;
}

struct Report {
  Outcome outcome;
  std::vector<std::pair<std::string, std::string>> rows;
  bool correct = true;
};

// Entries of C by their definition, from the factors' values.
template <class T>
bool is_product(const Stream& stream, const DeviceMatrix<T>& c, std::int64_t n, bool ta, bool tb) {
  constexpr std::int64_t kRows = 2, kColumns = 50;
  for (std::int64_t r = 0; r < kRows; ++r) {
    const auto i =
        static_cast<std::int64_t>(random_at(11, static_cast<std::uint64_t>(r)) % static_cast<std::uint64_t>(n));
    const Matrix<T> row = rows_of(stream, c, i, 1);
    for (std::int64_t s = 0; s < kColumns; ++s) {
      const auto j =
          static_cast<std::int64_t>(random_at(12, static_cast<std::uint64_t>(s)) % static_cast<std::uint64_t>(n));
      T best = random_value<T>(3, static_cast<std::uint64_t>(i * n + j));
      for (std::int64_t k = 0; k < n; ++k)
        best =
            std::min(best, static_cast<T>(random_value<T>(1, static_cast<std::uint64_t>(ta ? k * n + i : i * n + k)) +
                                          random_value<T>(2, static_cast<std::uint64_t>(tb ? j * n + k : k * n + j))));
      if (row(0, j) != best) return false;
    }
  }
  return true;
}

template <class T>
double measure_product(World& world, const Stream& stream, const DeviceGemm& gemm, const DeviceOptions& o,
                       std::int64_t n, double peak, Report& report) {
  Device& device = stream.device();
  const bool ta = o.form[0] == 'T', tb = o.form[1] == 'T';
  const auto a = random_matrix<T>(world, stream, n, n, 1), b = random_matrix<T>(world, stream, n, n, 2);
  const auto c = random_matrix<T>(world, stream, n, n, 3);
  DevicePanel left(DevicePanel::Side::left), right(DevicePanel::Side::right);
  std::vector<double> rates, whole;
  for (int t = 0; t <= o.trials; ++t) {
    Event first(device), packed(device), last(device);
    first.record(stream);
    left.pack(gemm, stream, DeviceOperand<T>{a.view(), ta});
    right.pack(gemm, stream, DeviceOperand<T>{b.view(), tb});
    packed.record(stream);
    gemm.multiply(stream, left, right, c.view(), std::array{Window{0, n, 0, n}});
    last.record(stream);
    stream.wait();
    if (t == 0) continue;  // memory of the panels; the clock rises
    const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    rates.push_back(operations / device.seconds_between(packed, last));
    whole.push_back(operations / device.seconds_between(first, last));
  }
  const bool correct = is_product(stream, c, n, ta, tb);
  report.correct = report.correct && correct;
  report.outcome.result["products"].push_back({{"type", name_of(gemm.element())},
                                               {"n", n},
                                               {"form", o.form},
                                               {"operations_per_second", median(rates)},
                                               {"with_packing", median(whole)},
                                               {"peak", peak},
                                               {"fraction_of_peak", median(rates) / peak},
                                               {"tile", tile_to_json(gemm.tile())},
                                               {"correct", correct}});
  report.rows.emplace_back(
      fmt::format("{} {} n {}", name_of(gemm.element()), o.form, n),
      fmt::format("{:.2f} Top/s, {:.1f} % of {:.2f} on registers; {:.2f} with packing{}", median(rates) / 1e12,
                  100 * median(rates) / peak, peak / 1e12, median(whole) / 1e12, correct ? "" : "; WRONG"));
  return median(rates);
}

// d(i, j) of a closed matrix is the arc, or the best over its last vertex before j: no triangle is shorter.
template <class T>
bool is_closed(const Stream& stream, const DeviceMatrix<T>& d, std::int64_t n) {
  constexpr std::int64_t kRows = 4;
  const Matrix<T> some = rows_of(stream, d, 0, std::min(kRows, n));
  for (std::int64_t k = 0; k < n; k += std::max<std::int64_t>(1, n / 64)) {
    const Matrix<T> through = rows_of(stream, d, k, 1);
    for (std::int64_t i = 0; i < some.rows(); ++i)
      for (std::int64_t j = 0; j < n; ++j)
        if (some(i, k) + through(0, j) < some(i, j)) return false;
  }
  return true;
}

template <class T>
void measure_closure(World& world, const Stream& stream, const DeviceGemm& gemm, const DeviceOptions& o, std::int64_t n,
                     double product, Report& report) {
  constexpr std::uint64_t kArcsIn = 16;  // one pair in so many has an arc
  FloydWarshallReport run;
  bool correct = true;
  double seconds = 0;
  if (o.placement == "resident") {
    const auto d = random_matrix<T>(world, stream, n, n, 5, kArcsIn);
    Event first(stream.device()), last(stream.device());
    first.record(stream);
    floyd_warshall_on_device(gemm, stream, d.view(), {.block = o.block}, &run);
    last.record(stream);
    stream.wait();
    seconds = stream.device().seconds_between(first, last);
    correct = is_closed(stream, d, n);
  } else {
    Matrix<T> d(n, n);
    world.team().for_range(static_cast<std::size_t>(n), 4, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * n + j);
          d(static_cast<std::int64_t>(i), j) = static_cast<std::int64_t>(i) == j ? T{0}
                                               : random_at(6, at) % kArcsIn != 0 ? kNoPath<T>
                                                                                 : random_value<T>(5, at);
        }
    });
    const RankTimer timer(world);
    floyd_warshall_on_device<T>(gemm, d.view(), {.block = o.block}, &run, DevicePlacement::streamed);
    seconds = timer.seconds();
  }
  const double rate = run.operations / seconds;
  report.correct = report.correct && correct;
  report.outcome.result["closures"].push_back({{"type", name_of(gemm.element())},
                                               {"n", n},
                                               {"placement", o.placement},
                                               {"block", run.block},
                                               {"seconds", seconds},
                                               {"operations_per_second", rate},
                                               {"fraction_of_product", product > 0 ? rate / product : 0},
                                               {"diagonal_seconds", run.diagonal_seconds},
                                               {"panel_seconds", run.panel_seconds},
                                               {"outer_seconds", run.outer_seconds},
                                               {"correct", correct}});
  report.rows.emplace_back(
      fmt::format("{} all pairs n {}", name_of(gemm.element()), n),
      fmt::format("{:.3f} s, {:.2f} Top/s{}, blocks of {} {}; diagonal {:.3f}, panels {:.3f}, outer {:.3f} s{}",
                  seconds, rate / 1e12,
                  product > 0 ? fmt::format(" ({:.1f} % of the product)", 100 * rate / product) : "", run.block,
                  o.placement, run.diagonal_seconds, run.panel_seconds, run.outer_seconds, correct ? "" : "; WRONG"));
}

template <class T>
void measure_type(World& world, Device& device, const DeviceOptions& o, Report& report) {
  const Stream stream(device);
  const Element element = kElementOf<T>;
  const DeviceGemm gemm(device, element, stored_device_tile(device, element, tune::Store()));
  const double peak = device.kernels().min_plus.peak(element, device.facts().processors, stream);
  double product = 0;
  for (const std::int64_t n : o.sizes) product = measure_product<T>(world, stream, gemm, o, n, peak, report);
  for (const std::int64_t n : o.closures) measure_closure<T>(world, stream, gemm, o, n, product, report);
}

}  // namespace

int bench_device(const Words& words) {
  Command command("bench device",
                  "Products over min_plus and all pairs on a GPU, beside what it does on registers only.");
  DeviceOptions o;
  CLI::App& app = command.app();
  app.add_option("--n", o.sizes, "sides of the products (default 16384 32768)")->check(CLI::PositiveNumber);
  app.add_option("--all-pairs", o.closures, "vertices of all pairs (default 65536); 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--type", o.types, "float32 int32 uint16 (default: all)")
      ->check(CLI::IsMember({"float32", "int32", "uint16"}));
  app.add_option("--form", o.form, "NN NT TN TT: which factors are given transposed (default NT)")
      ->check(CLI::IsMember({"NN", "NT", "TN", "TT"}));
  app.add_option("--placement", o.placement,
                 "of all pairs: resident (default), or streamed: the matrix in the host's memory")
      ->check(CLI::IsMember({"resident", "streamed"}));
  app.add_option("--block", o.block, "b of all pairs (default: by size)")->check(CLI::PositiveNumber);
  app.add_option("--trials", o.trials, "products of each (default 5)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    check(world.size() == 1, "bench device runs on {} ranks (it measures one). Leave out --ranks.", world.size());
    const std::shared_ptr<Device> device = device_of_rank(world, "cuda");
    std::erase(o.closures, 0);
    Report report;
    const DeviceFacts& facts = device->facts();
    report.rows.emplace_back("device", fmt::format("{}, sm_{}, {}", facts.name, facts.architecture, facts.driver));
    {
      const Stream stream(*device);
      const double bandwidth = copied_bytes_per_second(stream, o.trials);
      report.outcome.result["copied_bytes_per_second"] = bandwidth;
      report.rows.emplace_back("memory", fmt::format("{:.2f} TB/s copied, read and written", bandwidth / 1e12));
    }
    for (const std::string& type : o.types) {
      if (type == "float32") measure_type<float>(world, *device, o, report);
      if (type == "int32") measure_type<std::int32_t>(world, *device, o, report);
      if (type == "uint16") measure_type<std::uint16_t>(world, *device, o, report);
    }
    Outcome out = std::move(report.outcome);
    out.input = {{"device", facts.name}, {"driver", facts.driver}, {"form", o.form}};
    out.verified = report.correct;
    if (!report.correct)
      out.failure = "a result differs from its definition. This is a defect: report it with the command.";
    out.text = table_of(report.rows);
    return out;
  });
}

}  // namespace atl::cli
