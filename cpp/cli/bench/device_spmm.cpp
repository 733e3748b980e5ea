// SPDX-License-Identifier: Apache-2.0
#include "device_spmm.hpp"

#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/device/device_spmm.hpp>
#include <nlohmann/json.hpp>

#include "cli/measure.hpp"
#include "copy_rate.hpp"
#include "cusparse.hpp"
#include "dense_rows.hpp"

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
  for (const Local place : a.places) used[static_cast<std::size_t>(place)] = true;
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
    std::vector<std::vector<double>> seconds(1 + Cusparse::kAlgorithms);
    std::vector<bool> runs(Cusparse::kAlgorithms);
    if (peer)
      for (int i = 0; i < Cusparse::kAlgorithms; ++i) runs[static_cast<std::size_t>(i)] = peer->prepare(i, from, to);
    for (int trial = 0; trial <= trials; ++trial) {
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (i > 0 && !runs[i - 1]) continue;
        const double s = device_seconds(stream, [&] {
          i == 0 ? spmm(stream, from, to) : peer->multiply(static_cast<int>(i) - 1, from, to);
        });
        if (trial > 0) seconds[i].push_back(s);
      }
    }
    spmm(stream, from, to);
    download(stream, to, c.view());
    stream.wait();
    right = right && is_right<float>(a, reduce, b, c);
    const double s = median(seconds[0]), moved = 8 * nonzeros + 8 * (rows + 1) + 4 * static_cast<double>(k) * (used + rows);
    nlohmann::json product = {{"columns", k},
                              {"seconds", s},
                              {"flops", 2 * nonzeros * static_cast<double>(k) / s},
                              {"moved_bytes_per_second", moved / s},
                              {"fraction_of_copy", moved / s / copied},
                              {"row_bytes_per_second", 4 * nonzeros * static_cast<double>(k) / s}};
    std::string beside = peer ? "" : "; no cuSPARSE here: " + why;
    double best = 0;
    for (std::size_t i = 1; i < seconds.size(); ++i) {
      if (seconds[i].empty()) continue;
      const double theirs = median(seconds[i]);
      product["cusparse"][Cusparse::name(static_cast<int>(i) - 1)] = theirs;
      if (best == 0 || theirs < best) best = theirs;
    }
    if (best > 0) {
      product["cusparse_over_ours"] = best / s;
      beside = fmt::format("; cuSPARSE's best {:.3f} ms, {:.2f} times", best * 1e3, best / s);
    }
    out.result["products"].push_back(std::move(product));
    lines.emplace_back(fmt::format("{} columns", k),
                       fmt::format("{:9.3f} ms {:8.1f} GFLOP/s; rows of B {:.2f} TB/s, a copy {:.2f}; {:.0f} % of a copy "
                                   "of what must move{}",
                                   s * 1e3, 2e-9 * nonzeros * static_cast<double>(k) / s,
                                   4e-12 * nonzeros * static_cast<double>(k) / s, copied / 1e12,
                                   100 * moved / s / copied, beside));
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
