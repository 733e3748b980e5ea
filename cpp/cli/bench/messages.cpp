// SPDX-License-Identifier: Apache-2.0
// What rows cost one by one and in one piece, as in CoLa's Table 4: across each level of the hierarchy. In a product a
// rank serves about as many rows as it fetches, as both ranks do here.
#include <atoll/runtime/aggregation/long_messages.hpp>
#include <atoll/runtime/world.hpp>
#include <cli/cli11.hpp>
#include <cstring>

#include "cli/measure.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

constexpr std::size_t kRowBytes = 128;  // the paper's: 32 columns

struct MessageOptions {
  std::vector<std::int64_t> bytes{250'000, 500'000, 1'000'000, 2'000'000, 4'000'000, 8'000'000};
  int rounds = 5;
};

// Two ranks send rows to each other at once, so many to a message; the others only meet them at barriers.
class Transfer {
 public:
  Transfer(World& world, Rank a, Rank b, std::size_t rows, std::size_t rows_of_message)
      : world_(world),
        peer_(world.rank() == a   ? b
              : world.rank() == b ? a
                                  : -1),
        message_bytes_(rows_of_message * kRowBytes),
        payload_(rows_of_message == 1 ? kRowBytes : message_slot_payload(world, rows * kRowBytes)),
        sent_(peer_ < 0 ? 0 : rows * kRowBytes),
        arrived_(sent_.size()),
        channel_(world.open_channel([](void* self, Rank, std::uint32_t message, const std::byte* data,
                                       std::size_t bytes) { static_cast<Transfer*>(self)->take(message, data, bytes); },
                                    this)) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = static_cast<std::byte>(i / kRowBytes + i);
  }
  ~Transfer() { world_.close_channel(channel_); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Seconds of one transfer, on all ranks. Ranks leave a barrier at different times: who begins earlier waits for the
  /// other in the first of two transfers, and is waited for in the second.
  double seconds() {
    bytes_ = 0;
    world_.barrier();
    const RankTimer timer(world_);
    for (std::size_t turn = 1; turn <= 2; ++turn) {
      send();
      world_.wait_until("rows from a peer", [&] { return bytes_ >= turn * sent_.size(); });
    }
    return world_.max(timer.seconds() / 2);
  }
  bool is_right() const { return world_.all(arrived_ == sent_); }

 private:
  void send() {
    for (std::size_t at = 0; at < sent_.size(); at += message_bytes_) {
      const std::size_t bytes = std::min(message_bytes_, sent_.size() - at);
      Slot slot;
      world_.wait_until("send: a slot for rows",
                        [&] { return acquire_for_message(world_, peer_, payload_, slot) == Busy::no; });
      std::memcpy(slot.data, sent_.data() + at, bytes);
      world_.publish(channel_, slot, bytes, World::Hold::briefly, static_cast<std::uint32_t>(at / message_bytes_));
    }
  }
  void take(std::uint32_t message, const std::byte* data, std::size_t bytes) {
    std::memcpy(arrived_.data() + message * message_bytes_, data, bytes);
    bytes_ += bytes;
  }

  World& world_;
  const Rank peer_;  // -1: none
  const std::size_t message_bytes_, payload_;
  std::vector<std::byte> sent_, arrived_;
  std::size_t bytes_ = 0;  // arrived in this round
  const std::uint32_t channel_;
};

Outcome measure(World& world, const MessageOptions& o) {
  check(world.size() >= 2, "bench messages on {} rank (two are needed). Give --ranks 2.", world.size());
  check(world.payload_bytes() >= kRowBytes, "bench messages: slot_bytes is {} (a row has {}). Raise it.",
        world.plan().slot_bytes, kRowBytes);
  Outcome out;
  out.verified = true;
  out.text = fmt::format("{}; microseconds, medians of {} rounds\n{:>5} {:>9} {:>10} {:>12} {:>12}\n",
                         world.fabric().name(), o.rounds, "level", "ranks", "bytes", "row by row", "coalesced");
  out.result = {{"row_bytes", kRowBytes}, {"rounds", o.rounds}, {"levels", nlohmann::json::array()}};
  for (int level = 0; level < world.hierarchy().depth(); ++level) {
    Rank peer = 1;
    while (peer < world.size() && world.hierarchy().level_between(0, peer) != level) ++peer;
    if (peer == world.size()) continue;  // rank 0 is alone in its domain
    nlohmann::json sizes = nlohmann::json::array();
    for (const std::int64_t bytes : o.bytes) {
      const std::size_t rows = std::max<std::size_t>(1, static_cast<std::size_t>(bytes) / kRowBytes),
                        most = message_slot_payload(world, rows * kRowBytes) / kRowBytes;
      const bool on_board = world.machine().cost.at(level).on_board;  // a row costs no more alone
      Transfer single(world, 0, peer, rows, on_board ? most : 1), many(world, 0, peer, rows, most);
      std::vector<double> singles, manies;
      for (int round = -1; round < o.rounds; ++round) {  // the first warms up
        const double one_by_one = single.seconds(), coalesced = many.seconds();
        if (round < 0) continue;
        singles.push_back(one_by_one);
        manies.push_back(coalesced);
      }
      out.verified = *out.verified && single.is_right() && many.is_right();
      sizes.push_back({{"bytes", rows * kRowBytes},
                       {"rows", rows},
                       {"row_by_row_us", median(singles) * 1e6},
                       {"coalesced_us", median(manies) * 1e6}});
      out.text += fmt::format("{:>5} {:>9} {:>10} {:>12.2f} {:>12.2f}\n", level, fmt::format("0, {}", peer),
                              rows * kRowBytes, median(singles) * 1e6, median(manies) * 1e6);
    }
    out.result["levels"].push_back({{"level", level},
                                    {"ranks", {0, peer}},
                                    {"on_board", world.machine().cost.at(level).on_board},
                                    {"sizes", std::move(sizes)}});
  }
  if (!*out.verified)
    out.failure = "bench messages: what arrived is not what was sent. This is a defect: report it with the command.";
  return out;
}

}  // namespace

int bench_messages(const Words& words) {
  Command command("bench messages",
                  "Two ranks send each other rows of 128 bytes at once, one by one and as many to a message as fit, "
                  "across each level of the hierarchy: what a distributed product pays for them. On-board links carry "
                  "both alike.");
  MessageOptions o;
  command.app()
      .add_option("--bytes", o.bytes, "of all rows together (default 0.25, 0.5, 1, 2, 4 and 8 MB)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command.app().add_option("--rounds", o.rounds, "repetitions (default 5)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return measure(world, o); });
}

}  // namespace atl::cli
