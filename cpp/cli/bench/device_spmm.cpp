// SPDX-License-Identifier: Apache-2.0
#include "device_spmm.hpp"

#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/device/device_spmm.hpp>
#include <nlohmann/json.hpp>

#include "cli/measure.hpp"
#include "copy_rate.hpp"
#include "cusparse.hpp"
#include "product_check.hpp"

namespace atl::cli {
namespace {

template <class F>
double device_seconds(const Stream& stream, F&& enqueue) {
  Event first(stream.device()), last(stream.device());
  first.record(stream);
  enqueue();
  last.record(stream);
  stream.wait();
  return stream.device().seconds_between(first, last);
}

// Rows of B that some nonzero names.
std::int64_t used_columns(const SparseMatrix<float>& a) {
  std::vector<bool> used(static_cast<std::size_t>(a.columns));
  for (const Local place : a.column_indices) used[place] = true;
  return std::ranges::count(used, true);
}

}  // namespace

Outcome measure_device_products(World& world, Device& device, const SparseMatrix<float>& a,
                                const std::vector<std::int64_t>& columns, Reduce reduce, int trials) {
  Outcome out;
  std::vector<std::pair<std::string, std::string>> lines;
  const Stream stream(device);
  const Timer planning;
  DeviceSpmm<float> spmm(stream, a.view(), reduce);
  out.seconds["prepare"] = planning.seconds();
  std::string why = "cuSPARSE has sums only";
  const auto peer = reduce == Reduce::sum ? Cusparse::open(stream, a, why) : nullptr;
  const double nonzeros = static_cast<double>(a.pattern().nonzeros()), used = static_cast<double>(used_columns(a)),
               rows = static_cast<double>(a.rows);
  const double copied = copied_bytes_per_second(stream, trials);
  bool right = true;
  for (const std::int64_t k : columns) {
    const DenseRows<float> b(world.team(), a.columns, k), c(world.team(), a.rows, k);
    const DeviceMatrix<float> on_b(device, a.columns, k), on_c(device, a.rows, k);
    upload(stream, b, on_b.view());
    stream.wait();
    const DeviceView<const float> from = on_b.view();
    const DeviceView<float> to = on_c.view();
    spmm.reserve(stream, k);
    // Place 0 is ours, and then the peer's algorithms; those that refuse, or whose result is wrong, are left out.
    std::vector<const char*> names = peer ? peer->prepare(from, to) : std::vector<const char*>();
    const auto product = [&](std::size_t i) { i == 0 ? spmm(stream, from, to) : peer->multiply(i - 1); };
    const auto comes_out_right = [&](std::size_t i) {
      device.fill(on_c.view().data, 0xff, on_c.memory_bytes(), stream);
      product(i);
      download(stream, to, c.view());
      stream.wait();
      return is_right<float>(a, reduce, b, c);
    };
    right = comes_out_right(0) && right;
    std::vector<std::vector<double>> seconds(1 + names.size());
    std::vector<bool> counts{true};
    for (std::size_t i = 1; i < seconds.size(); ++i) counts.push_back(comes_out_right(i));
    for (int trial = 0; trial < trials; ++trial)
      for (std::size_t i = 0; i < seconds.size(); ++i)
        if (counts[i]) seconds[i].push_back(device_seconds(stream, [&] { product(i); }));
    const double s = median(seconds[0]),
                 moved = 8 * nonzeros + 8 * (rows + 1) + 4 * static_cast<double>(k) * (used + rows);
    nlohmann::json result = {{"columns", k},
                             {"seconds", s},
                             {"flops", 2 * nonzeros * static_cast<double>(k) / s},
                             {"moved_bytes_per_second", moved / s},
                             {"fraction_of_copy", moved / s / copied},
                             {"row_bytes_per_second", 4 * nonzeros * static_cast<double>(k) / s}};
    std::string beside = peer ? "; cuSPARSE has no right product of it" : "; no cuSPARSE here: " + why;
    double best = 0;
    for (std::size_t i = 1; i < seconds.size(); ++i) {
      if (!counts[i]) continue;
      const double theirs = median(seconds[i]);
      result["cusparse"][names[i - 1]] = theirs;
      if (best == 0 || theirs < best) best = theirs;
    }
    if (best > 0) {
      result["cusparse_over_ours"] = best / s;
      beside = fmt::format("; cuSPARSE's best {:.3f} ms, {:.2f} times", best * 1e3, best / s);
    }
    out.result["products"].push_back(std::move(result));
    lines.emplace_back(
        fmt::format("{} columns", k),
        fmt::format("{:9.3f} ms {:8.1f} GFLOP/s; rows of B {:.2f} TB/s, a copy {:.2f}; {:.0f} % of a copy "
                    "of what must move{}",
                    s * 1e3, 2e-9 * nonzeros * static_cast<double>(k) / s,
                    4e-12 * nonzeros * static_cast<double>(k) / s, copied / 1e12, 100 * moved / s / copied, beside));
  }
  out.result["copied_bytes_per_second"] = copied;
  out.result["device"] = device.facts().name;
  lines.emplace_back("matrix", fmt::format("{} x {}, {} nonzeros, float32, {}", a.rows, a.columns,
                                           a.pattern().nonzeros(), device.facts().name));
  out.verified = right;
  if (!right) out.failure = "a product differs from its definition. This is a defect: report it with the command.";
  out.text = table_of(lines);
  return out;
}

}  // namespace atl::cli
