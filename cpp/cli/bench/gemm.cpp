// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/tune/store.hpp>
#include <cli/cli11.hpp>

#include "cli/measure.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct GemmOptions {
  std::int64_t n = 4096, m = 0, k = 0;
  int trials = 5;
  std::string form = "NN", sweep;
  std::vector<std::string> types;
  std::optional<int> tile;
  std::optional<std::int64_t> depth, rows, cols;
};

constexpr Algebra kMeasured[] = {
    {Semiring::min_plus, Element::float32}, {Semiring::min_plus, Element::float32_nonnegative},
    {Semiring::min_plus, Element::float64}, {Semiring::min_plus, Element::int32},
    {Semiring::min_plus, Element::uint16},  {Semiring::min_plus, Element::uint8}};

template <class T>
Matrix<T> random_matrix(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix<T> out(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      out(i, j) = static_cast<T>(random_at(seed, static_cast<std::uint64_t>(i * cols + j)) % 100);
  return out;
}

struct Rate {
  double operations_per_second;  // median
  double peak;
  bool correct;
};

// Interleaved with the peak measurement, so that both see the same clock frequency.
template <class T>
Rate measure(World& world, const Gemm& gemm, const GemmOptions& o, std::int64_t m, std::int64_t n, std::int64_t k) {
  Team& team = world.team();
  const bool ta = o.form[0] == 'T', tb = o.form[1] == 'T';
  const Matrix<T> a = ta ? random_matrix<T>(k, m, 1) : random_matrix<T>(m, k, 1);
  const Matrix<T> b = tb ? random_matrix<T>(n, k, 2) : random_matrix<T>(k, n, 2);
  Matrix<T> c(m, n);
  std::vector<double> rates, peaks;
  for (int trial = 0; trial <= o.trials; ++trial) {
    team.for_range(static_cast<std::size_t>(m), 16, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i) std::ranges::fill(c.view().row(static_cast<std::int64_t>(i)), kNoPath<T>);
    });
    const Timer timer;
    gemm(team, Factor<T>{a.view(), ta}, Factor<T>{b.view(), tb}, c.view());
    const double seconds = timer.seconds();
    if (trial == 0) continue;  // its pages come in
    rates.push_back(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / seconds);
    peaks.push_back(peak_operations_per_second(team, gemm.algebra(), gemm.isa(), 0.05));
  }
  bool correct = true;
  for (std::uint64_t sample = 0; sample < 200; ++sample) {
    const auto i = static_cast<std::int64_t>(random_at(3, sample) % static_cast<std::uint64_t>(m));
    const auto j = static_cast<std::int64_t>(random_at(4, sample) % static_cast<std::uint64_t>(n));
    T least = kNoPath<T>;
    for (std::int64_t l = 0; l < k; ++l)
      least = std::min(least, static_cast<T>((ta ? a(l, i) : a(i, l)) + (tb ? b(j, l) : b(l, j))));
    correct = correct && c(i, j) == least;
  }
  return {median(rates), median(peaks), correct};
}

Rate measure(World& world, const Gemm& gemm, const GemmOptions& o, std::int64_t m, std::int64_t n, std::int64_t k) {
  switch (gemm.algebra().element) {
    case Element::float64:
      return measure<double>(world, gemm, o, m, n, k);
    case Element::int32:
      return measure<std::int32_t>(world, gemm, o, m, n, k);
    case Element::uint16:
      return measure<std::uint16_t>(world, gemm, o, m, n, k);
    case Element::uint8:
      return measure<std::uint8_t>(world, gemm, o, m, n, k);
    default:
      return measure<float>(world, gemm, o, m, n, k);
  }
}

Gemm gemm_of(Algebra algebra, const GemmOptions& o) {
  GemmBlocking blocking = stored_blocking(algebra, tune::Store()).value_or(Gemm::usual_blocking(algebra, chosen_isa()));
  if (o.tile) blocking.tile = *o.tile;
  if (o.depth) blocking.depth = *o.depth;
  if (o.rows) blocking.rows = *o.rows;
  if (o.cols) blocking.cols = *o.cols;
  return Gemm(algebra, blocking);
}

nlohmann::json describe(const GemmBlocking& blocking) {
  return {{"tile", blocking.tile}, {"depth", blocking.depth}, {"rows", blocking.rows}, {"cols", blocking.cols}};
}

}  // namespace

int bench_gemm(const Words& words) {
  Command command("bench gemm", "Products over semirings, beside what the processor does on registers alone.");
  GemmOptions o;
  CLI::App& app = command.app();
  app.add_option("--n", o.n, "columns of C, and all else that is not given (default 4096)")->check(CLI::PositiveNumber);
  app.add_option("--m", o.m, "rows of C")->check(CLI::PositiveNumber);
  app.add_option("--k", o.k, "depth of the product")->check(CLI::PositiveNumber);
  app.add_option("--form", o.form, "NN NT TN TT: which factors are given transposed")
      ->check(CLI::IsMember({"NN", "NT", "TN", "TT"}));
  app.add_option("--type", o.types, "only these: float32 float32_nonnegative float64 int32 uint16 uint8")
      ->check(CLI::IsMember({"float32", "float32_nonnegative", "float64", "int32", "uint16", "uint8"}));
  app.add_option("--sweep", o.sweep, "k or m: as many products with it from 16 on, doubled (Figure 6 of the paper)")
      ->check(CLI::IsMember({"k", "m"}));
  app.add_option("--trials", o.trials, "products of each (default 5)")->check(CLI::PositiveNumber);
  app.add_option("--tile", o.tile, "number of the tile in registers");
  app.add_option("--depth", o.depth, "steps of k that are packed at a time");
  app.add_option("--rows", o.rows, "rows of A that a thread takes at a time");
  app.add_option("--cols", o.cols, "columns of B that a thread takes at a time");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    check(world.size() == 1, "bench gemm runs on {} ranks (it measures one). Leave out --ranks.", world.size());
    std::vector<Algebra> measured;
    for (const Algebra a : kMeasured)
      if (o.types.empty()) measured.push_back(a);
    for (const std::string& type : o.types) measured.push_back({Semiring::min_plus, element_named(type)});
    const std::int64_t m = o.m ? o.m : o.n, k = o.k ? o.k : o.n;
    Outcome out;
    std::vector<std::pair<std::string, std::string>> rows;
    double worst = 1, classic_peak = 0, nonnegative = 0;
    bool correct = true;
    auto note = [&](const Gemm& gemm, std::int64_t m_now, std::int64_t k_now) {
      const Rate r = measure(world, gemm, o, m_now, o.n, k_now);
      correct = correct && r.correct;
      const Element element = gemm.algebra().element;
      if (element == Element::float32) classic_peak = r.peak;
      if (element == Element::float32_nonnegative) nonnegative = r.operations_per_second;
      out.result["products"].push_back({{"type", name_of(element)},
                                        {"m", m_now},
                                        {"n", o.n},
                                        {"k", k_now},
                                        {"operations_per_second", r.operations_per_second},
                                        {"peak", r.peak},
                                        {"fraction_of_peak", r.operations_per_second / r.peak},
                                        {"blocking", describe(gemm.blocking())}});
      rows.emplace_back(fmt::format("{} {}x{}x{}", name_of(element), m_now, o.n, k_now),
                        fmt::format("{:7.1f} Gop/s, peak {:7.1f}: {:5.1f} %", r.operations_per_second / 1e9,
                                    r.peak / 1e9, 100 * r.operations_per_second / r.peak));
      return r.operations_per_second / r.peak;
    };
    for (const Algebra algebra : measured) {
      const Gemm gemm = gemm_of(algebra, o);
      if (o.sweep.empty()) {
        worst = std::min(worst, note(gemm, m, k));
      } else {
        const std::int64_t most = o.sweep == "k" ? k : m;
        for (std::int64_t size = 16; size <= most; size *= 2)
          worst = std::min(worst, o.sweep == "k" ? note(gemm, m, size) : note(gemm, size, k));
      }
    }
    out.input = {{"m", m}, {"n", o.n}, {"k", k}, {"form", o.form}, {"isa", name_of(chosen_isa())}};
    out.result["fraction_of_peak"] = worst;
    if (classic_peak > 0 && nonnegative > 0) {
      out.result["float_nonnegative_over_classic_peak"] = nonnegative / classic_peak;
      rows.emplace_back("float32 >= 0", fmt::format("{:.2f} of the peak of additions and minima of floats",
                                                    nonnegative / classic_peak));
    }
    rows.emplace_back("threads", fmt::format("{}, {}, form {}", world.team().size(), name_of(chosen_isa()), o.form));
    out.verified = correct;
    if (!correct) out.failure = "a product differs from its definition. This is a defect: report it with the command.";
    out.text = table_of(rows);
    return out;
  });
}

}  // namespace atl::cli
