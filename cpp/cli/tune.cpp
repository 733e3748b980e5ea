// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/json.hpp>
#include <atoll/device/gemm_tuning.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/tune/search.hpp>
#include <atoll/tune/store.hpp>
#include <cli/cli11.hpp>

#include "cli/run/apsp_measure.hpp"
#include "measure.hpp"
#include "prompt/foreign_verb.hpp"
#include "tune_device.hpp"
#include "tune_report.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

struct GemmSearch {
  std::int64_t n = 1536;
  std::vector<std::string> types;
  std::string semiring = "min_plus";
  tune::SearchOptions search{.seconds = 60};
  int pairs = 9;  // of the comparison with the usual blocking
  std::string device = "cpu";
};

template <class T>
nlohmann::json tune_product(World& world, Algebra algebra, const GemmSearch& o) {
  Team& team = world.team();
  const HostFacts here = host_facts();
  const tune::Space space = gemm_space(algebra, chosen_isa(), {here.l1_bytes, here.l2_bytes, here.l3_bytes});
  ProductOperands<T> operands(team, o.n, o.n, o.n);
  const auto rate_with = [&](const GemmBlocking& b) { return operands.rate(team, Gemm(algebra, b), o.n, o.n, o.n); };
  const GemmBlocking usual = Gemm::usual_blocking(algebra, chosen_isa());
  rate_with(usual);  // its pages come in
  const auto found =
      tune::grid_search(space, [&](const tune::Point& p) { return rate_with(blocking_of(p)); }, o.search);

  const GemmBlocking best = blocking_of(found.front().point);
  const auto json_of = [&](const GemmBlocking& b) { return blocking_to_json(b, algebra, chosen_isa()); };
  nlohmann::json out = tuned_product(
      space, found, o.pairs, [&] { return rate_with(usual); }, [&] { return rate_with(best); }, json_of(usual),
      json_of(best));
  out["type"] = name_of(algebra.element);
  out["semiring"] = name_of(algebra.semiring);
  out["isa"] = name_of(chosen_isa());
  out["threads"] = team.size();
  out["n"] = o.n;
  return out;
}

/// "blk_k 16, blk_m 128, ..."
std::string text_of(const nlohmann::json& blocking) {
  std::string out;
  for (const auto& [name, value] : blocking.items())
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name,
                       value.is_string() ? value.get<std::string>() : dump_json(value));
  return out;
}

int tune_gemm(const Words& words) {
  Command command("tune gemm", "Finds the blocking of products over semirings that is fastest here, and keeps it.");
  GemmSearch o;
  bool keep = true;
  CLI::App& app = command.app();
  app.add_option("--type", o.types, "only these: float32 float32_nonnegative float64 int32 uint16 uint8")
      ->check(CLI::IsMember({"float32", "float32_nonnegative", "float64", "int32", "uint16", "uint8"}));
  app.add_option("--semiring", o.semiring, "min_plus (default), max_plus, max_min or or_and")
      ->check(CLI::IsMember({"min_plus", "max_plus", "max_min", "or_and"}));
  app.add_option("--device", o.device, "cpu (default) or cuda: the tile of products on a GPU, kept by its name")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--n", o.n, "products of n x n x n are timed (default 1536)")->check(CLI::PositiveNumber);
  app.add_option("--rounds", o.search.rounds, "measurements of those near the best (default 5)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", o.search.seconds, "at most so long for each type (default 60)")
      ->check(CLI::PositiveNumber);
  app.add_flag("!--no-store", keep, "only show what is found");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    check(world.size() == 1, "tune gemm runs on {} ranks (it tunes one). Leave out --ranks.", world.size());
    const Semiring semiring = semiring_named(o.semiring);
    const std::shared_ptr<Device> device = device_of_rank(world, o.device);
    if (device && semiring != Semiring::min_plus)
      throw UsageError(fmt::format("--semiring {} with --device {} (devices compute min_plus). Leave one out.",
                                   o.semiring, o.device));
    const auto has_kernels = [&](Element e) {
      if (!device) return !tile_kernels({semiring, e}, chosen_isa()).empty();
      return e != Element::float32_nonnegative && !DeviceGemm::tiles(*device, e).empty();
    };
    std::vector<Element> elements;
    for (const std::string& type : o.types) elements.push_back(element_named(type));
    for (const Element e : {Element::float32, Element::float32_nonnegative, Element::float64, Element::int32,
                            Element::uint16, Element::uint8})
      if (o.types.empty() && has_kernels(e)) elements.push_back(e);

    Outcome out;
    out.result["products"] = nlohmann::json::array();
    for (const Element element : elements) {
      const Algebra algebra{semiring, element};
      nlohmann::json row =
          device
              ? tune_device_product(*device, element, o.n, o.search, o.pairs)
              : with_value_type(element, [&](auto value) { return tune_product<decltype(value)>(world, algebra, o); });
      out.text += fmt::format("{:<20} {}: {:.1f} Gop/s, {:.3f} of the usual ({}); {} of {} points measured\n",
                              name_of(element), text_of(row["blocking"]),
                              row["operations_per_second"].get<double>() / 1e9, row["gain"].get<double>(),
                              text_of(row["usual"]["blocking"]), dump_json(row["measured"]), dump_json(row["allowed"]));
      if (keep) {
        row["file"] =
            tune::Store().write(device ? device_tile_key(*device, element) : blocking_key(algebra), row).string();
        out.text += fmt::format("{:<20} kept in {}\n", "", row["file"].get<std::string>());
      }
      out.result["products"].push_back(std::move(row));
    }
    return out;
  });
}

}  // namespace

// Compiled-in kernels are tuned here, programs by Python's atoll-tune.
int verb_tune(const Words& words) {
  if (!words.empty() && words[0] == "gemm") return tune_gemm(Words(words.begin() + 1, words.end()));
  constexpr const char* kHelp =
      "usage: atoll tune gemm [--option VALUE]\n"
      "       atoll tune --command 'PROGRAM {x}' --space FILE [--option VALUE]\n"
      "       atoll tune --app PROGRAM --space FILE [--option VALUE] [-- ARGUMENTS]\n\n"
      "  gemm       the blocking of products over semirings, by type (`atoll tune gemm --help`)\n"
      "  --command  any program, over the values of its parameters in a file (`atoll-tune --help`)\n"
      "  --app      an MPI program in virtual time, over networks, mappings and collective algorithms\n";
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    print_result(kHelp);
    return 0;
  }
  if (!words.empty() && words[0].starts_with("-")) {
    run_foreign_verb("tune", words);
    say("atoll: error: there is no atoll-tune (Python's part of Atoll tunes programs). Install it: pip install . in a "
        "checkout of Atoll.\n");
    return 1;
  }
  say("atoll: error: {} (tune needs what is below). Choose it.\n{}",
      words.empty() ? std::string("nothing is named") : "tune '" + words[0] + "' is unknown", kHelp);
  return 2;
}

}  // namespace atl::cli
