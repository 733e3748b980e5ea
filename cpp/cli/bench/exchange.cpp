// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/transport/plugin.hpp>
#include <cli/cli11.hpp>

#include "cli/measure.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

// Fits in the second-level cache, so that the exchange is measured and not the memory behind it.
constexpr std::size_t kTable = std::size_t{1} << 16;

struct Input {
  std::vector<Rank> to;
  std::vector<std::uint64_t> words;  // records one after another; a record's first word is an index
};

Input random_records(const World& world, std::size_t records, int words_per_record) {
  Input input;
  input.to.resize(records);
  input.words.resize(records * static_cast<std::size_t>(words_per_record));
  const std::uint64_t seed = static_cast<std::uint64_t>(world.rank()) + 1;
  for (std::size_t i = 0; i < records; ++i) {
    const std::uint64_t word = random_at(seed, i);
    input.to[i] = static_cast<Rank>((word >> 40) % static_cast<std::uint64_t>(world.size()));
    input.words[i * static_cast<std::size_t>(words_per_record)] = word & (kTable - 1);
    if (words_per_record == 2) input.words[2 * i + 1] = 1;
  }
  return input;
}

struct Word {
  std::uint64_t index;
};
struct Pair {
  std::uint64_t index, value;
};
void apply(std::span<std::uint64_t> table, std::span<const Word> records) {
  for (const Word& r : records) ++table[r.index];
}
void apply(std::span<std::uint64_t> table, std::span<const Pair> records) {
  for (const Pair& r : records) table[r.index] += r.value;
}

enum class How { bulk, one_by_one };

// Returns the seconds between two barriers; the sum over all tables checks what was sent.
template <class R>
double exchange_once(World& world, const Input& input, How how, std::span<std::uint64_t> table) {
  Mailbox box(world, of_records<R>([&](std::span<const R> records) { apply(table, records); }),
              {.handling = Handling::serial, .handler_sends = false});
  const std::span records(reinterpret_cast<const R*>(input.words.data()), input.to.size());
  box.expect({.records = static_cast<double>(records.size()) * world.size()});
  world.barrier();
  RankTimer timer(world);
  auto buffers = box.send_buffers();
  if (how == How::bulk) {
    buffers.send_many(input.to, records);
  } else {
    for (std::size_t i = 0; i < records.size(); ++i) buffers.send(input.to[i], records[i]);
  }
  box.drain();
  world.barrier();
  return timer.seconds();
}

// Compares the route model, at the costs of this job's platform, with an exchange that took so many seconds.
void put_prediction(World& world, const Exchange& exchange, double seconds, nlohmann::json& result,
                    std::vector<std::pair<std::string, std::string>>& rows) {
  if (world.size() == 1) return;
  const RouteModel& model = world.route_model();
  const std::string_view route = model.best(exchange, world.route_choices());
  const double predicted = model.seconds(route, exchange);
  result["prediction"] = {{"route", route},
                          {"predicted_seconds", predicted},
                          {"seconds", seconds},
                          {"predicted_to_measured", predicted / seconds},
                          {"costs", world.machine().cost.provenance()}};
  rows.emplace_back("predicted", fmt::format("{:.2f} of the time of bulk, on route {}, by costs {}",
                                             predicted / seconds, route, world.machine().cost.provenance()));
}

template <class R>
Outcome exchange(World& world, std::size_t records, int rounds) {
  constexpr int kWords = sizeof(R) / sizeof(std::uint64_t);
  const Input input = random_records(world, records, kWords);
  std::vector<std::uint64_t> table(kTable);
  auto* mpi = dynamic_cast<MpiFabric*>(&world.fabric().network());
  const auto all = static_cast<double>(records) * world.size();
  std::vector<double> bound, bulk, single, bulk_ratio, single_ratio, ping;
  bool exact = true;
  auto measure = [&](auto&& once) {
    std::fill(table.begin(), table.end(), 0);
    const double seconds = world.max(once());
    std::uint64_t sum = 0;
    for (std::uint64_t x : table) sum += x;
    exact = exact && world.sum(sum) == static_cast<std::uint64_t>(records) * static_cast<std::uint64_t>(world.size());
    return all / seconds;
  };
  for (int round = -1; round < rounds; ++round) {  // the first round warms up
    const double own_ping = world.rank() == 0 ? cache_line_ping_ns() : 0;
    world.barrier();
    const double a = mpi ? measure([&] {
      return mpi->alltoallv({.to = input.to, .words = input.words, .words_per_record = kWords, .table = table});
    })
                         : 0;
    const double b = measure([&] { return exchange_once<R>(world, input, How::bulk, table); });
    const double c = measure([&] { return exchange_once<R>(world, input, How::one_by_one, table); });
    if (round < 0) continue;
    ping.push_back(own_ping);
    bulk.push_back(b);
    single.push_back(c);
    if (!mpi) continue;
    bound.push_back(a);
    bulk_ratio.push_back(b / a);
    single_ratio.push_back(c / a);
  }
  Outcome outcome;
  outcome.verified = exact;
  if (!exact)
    outcome.failure =
        "bench exchange: the sum of what arrived is not what was sent (records were lost or doubled). Report this.";
  outcome.result = {
      {"records_per_rank", records},
      {"record_bytes", sizeof(R)},
      {"records_per_second", median(bulk)},
      {"one_by_one_records_per_second", median(single)},
      {"alltoallv_records_per_second", mpi ? nlohmann::json(median(bound)) : nlohmann::json()},
      {"fraction_of_alltoallv_bound", mpi ? nlohmann::json(median(bulk_ratio)) : nlohmann::json()},
      {"one_by_one_fraction_of_alltoallv_bound", mpi ? nlohmann::json(median(single_ratio)) : nlohmann::json()},
      {"fractions", bulk_ratio},
      {"cache_line_ping_ns", median(ping)},
      {"rounds", rounds}};
  std::vector<std::pair<std::string, std::string>> rows{
      {"records", fmt::format("{} of {} bytes from each of {} ranks, {}", records, sizeof(R), world.size(),
                              world.fabric().name())},
      {"bulk", fmt::format("{:.0f} M/s", median(bulk) / 1e6)},
      {"one by one", fmt::format("{:.0f} M/s", median(single) / 1e6)}};
  if (mpi) {
    rows.emplace_back("MPI_Alltoallv", fmt::format("{:.0f} M/s ({})", median(bound) / 1e6, mpi->library()));
    rows.emplace_back("fraction", fmt::format("{:.2f} bulk, {:.2f} one by one (medians of {} rounds)",
                                              median(bulk_ratio), median(single_ratio), rounds));
  }
  put_prediction(world, {.records = all, .record_bytes = sizeof(R)}, all / median(bulk), outcome.result, rows);
  rows.emplace_back("cache line", fmt::format("{:.0f} ns one way", median(ping)));
  outcome.text = table_of(rows);
  return outcome;
}

}  // namespace

int bench_exchange(const Words& words) {
  Command command("bench exchange",
                  "Random records to random ranks, a handler applied, beside a loop of MPI_Alltoallv.");
  std::size_t records = 4000000;
  int bytes = 8, rounds = 11;
  command.app().add_option("--records", records, "that each rank sends (default 4000000)")->check(CLI::PositiveNumber);
  command.app().add_option("--bytes", bytes, "of a record: 8 (default) or 16")->check(CLI::IsMember({8, 16}));
  command.app().add_option("--rounds", rounds, "interleaved repetitions (default 11)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    return bytes == 8 ? exchange<Word>(world, records, rounds) : exchange<Pair>(world, records, rounds);
  });
}

}  // namespace atl::cli
