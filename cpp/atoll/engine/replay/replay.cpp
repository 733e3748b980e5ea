// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/replay/replay.hpp>
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <bit>
#include <limits>
#include <numeric>

namespace atl {
namespace {

// The longest value of a reduction, or message between two ranks, that is believed: a file is nobody's word.
constexpr std::uint64_t kMostStepBytes = std::uint64_t{1} << 32;

double number_in(std::uint64_t bits) { return std::bit_cast<double>(bits); }

Exchange exchange_of(const TrafficStep& step) {
  return {
      .records = number_in(step.numbers[1]), .keys = number_in(step.numbers[2]), .agrees_apart = step.numbers[3] != 0};
}

// The numbers of a step that are the same on all ranks.
std::size_t common_numbers(StepKind kind) {
  switch (kind) {
    case StepKind::drain:
      return 2;
    case StepKind::all_gather_varying:
      return 0;
    case StepKind::alltoallv:
      return 1;
    default:
      return numbers_of(kind);
  }
}

bool is_between_two(StepKind kind) { return kind == StepKind::send || kind == StepKind::receive; }

std::uint64_t hash_of(const std::vector<TrafficStep>& steps) {
  std::uint64_t hash = 0;
  for (const TrafficStep& step : steps) {
    if (is_between_two(step.kind)) continue;  // ranks have different ones
    hash = mix64(hash + static_cast<std::uint64_t>(step.kind) + 1);
    for (std::size_t k = 0; k < common_numbers(step.kind); ++k) hash = mix64(hash + step.numbers[k] + 1);
  }
  return hash;
}

// Tags of kept messages are apart from those that the World gives out now.
std::uint64_t replayed_tag(std::uint64_t tag) { return tag | std::uint64_t{1} << 63; }

bool is_of_mailbox(StepKind kind) {
  return kind == StepKind::drain || kind == StepKind::expect || kind == StepKind::expect_between ||
         kind == StepKind::note_outcome;
}

}  // namespace

Replay::Replay(World& world, const std::string& path, ReplayOptions options) : world_(world), options_(options) {
  load(path);
  world_.collective_try([&] { check_steps(path); });
  check_alike(path);
  check_messages(path);
  plan_lengths();
  make_domains();
}

// Rank 0 reads the file, which other nodes may not have.
void Replay::load(const std::string& path) {
  TrafficFile file;
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    file = read_traffic(path);
    check(file.parts.size() == static_cast<std::size_t>(world_.size()),
          "{}: has the traffic of {} ranks (this job has {}). Take --ranks {}, or a platform of that size.", path,
          file.parts.size(), world_.size(), file.parts.size());
    check(file.route != "direct" || world_.route().is_direct(),
          "{}: was kept on route direct (there the engine sends messages of its own, which have no keys). Keep the "
          "traffic on domain to resend it on {}.",
          path, world_.plan().route);
  });
  std::vector<std::ptrdiff_t> begins;
  std::vector<std::byte> all;
  for (const auto& part : file.parts) {
    begins.push_back(static_cast<std::ptrdiff_t>(all.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  file.parts.clear();
  const std::vector<std::byte> mine = from_first_rank(world_, begins, all);
  const std::string text = file.route + '\n' + file.about;
  std::vector<char> words(text.begin(), text.end());
  std::size_t length = words.size();
  world_.broadcast(std::span<std::size_t>(&length, 1), 0);
  words.resize(length);
  world_.broadcast(std::span<char>(words), 0);
  const auto cut = std::find(words.begin(), words.end(), '\n');
  route_.assign(words.begin(), cut);
  about_.assign(cut == words.end() ? cut : cut + 1, words.end());
  world_.collective_try([&] { steps_ = read_steps(mine, world_.size(), path); });
}

// A rank's steps by themselves: what opens before it is used, trials that end, sizes that memory holds.
void Replay::check_steps(const std::string& path) const {
  const auto refuse = [&](const std::string& why) {
    throw InputError(
        fmt::format("{}: {} on rank {} (no run keeps such steps). Keep the traffic anew.", path, why, world_.rank()));
  };
  const auto p = static_cast<std::size_t>(world_.size());
  std::map<std::uint64_t, KeptMailbox> mailboxes;
  std::map<std::uint64_t, const TrafficStep*> alltoallvs;
  bool in_trial = false;
  for (const TrafficStep& step : steps_) {
    const std::uint64_t number = step.numbers[0];
    if (is_of_mailbox(step.kind) && !mailboxes.contains(number)) refuse("a mailbox is used that is not open");
    switch (step.kind) {
      case StepKind::begin_trial:
      case StepKind::end_trial:
        if (number > 1 || in_trial == (step.kind == StepKind::begin_trial)) refuse("a trial does not end");
        in_trial = !in_trial;
        break;
      case StepKind::open_mailbox:
        if (!mailboxes.emplace(number, mailbox_of(step)).second) refuse("a mailbox opens twice");
        break;
      case StepKind::close_mailbox:
        if (mailboxes.erase(number) == 0) refuse("a mailbox is closed that is not open");
        break;
      case StepKind::drain:
        check_replayable(mailboxes.at(number), path);
        if (mailboxes.at(number).joins == KeptMailbox::Joins::multicasting)
          for (const std::uint64_t value : step.keys)
            if (value >= static_cast<std::uint64_t>(std::numeric_limits<Local>::max())) refuse("a value has no number");
        break;
      case StepKind::open_alltoallv:
        if (step.numbers[1] == 0 || step.numbers[1] > kMostStepBytes) refuse("parts have no length");
        if (!alltoallvs.emplace(number, &step).second) refuse("an exchange opens twice");
        break;
      case StepKind::close_alltoallv:
        if (alltoallvs.erase(number) == 0) refuse("an exchange is closed that is not open");
        break;
      case StepKind::alltoallv: {
        const auto exchange = alltoallvs.find(number);
        if (exchange == alltoallvs.end()) refuse("an exchange is used that is not open");
        for (std::size_t k = 0; k < step.list.size(); k += 2)
          if (exchange->second->list[step.list[k]] == 0 || step.list[k + 1] > exchange->second->numbers[1])
            refuse("a part goes where none can");
        break;
      }
      case StepKind::fold:
      case StepKind::all_gather:
        if (number == 0) refuse("a value has no bytes");
        [[fallthrough]];
      case StepKind::all_gather_varying:
      case StepKind::broadcast:
        if (number > kMostStepBytes) refuse("a value is too long");
        break;
      case StepKind::send:
      case StepKind::receive:
        if (number == static_cast<std::uint64_t>(world_.rank())) refuse("a rank sends to itself");
        if (step.numbers[2] > kMostStepBytes) refuse("a message is too long");
        break;
      case StepKind::exchange_bytes:
        for (std::size_t r = 0; r < p; ++r)
          if (step.list[r] > kMostStepBytes) refuse("a message is too long");
        break;
      default:
        break;
    }
  }
  if (in_trial) refuse("a trial does not end");
}

// Ranks that take different steps would wait for each other.
void Replay::check_alike(const std::string& path) {
  const std::uint64_t hash = hash_of(steps_);
  world_.agree(world_.min(hash) == world_.max(hash),
               fmt::format("{}: the ranks do not take the same steps (it is damaged, or its run did not end). Keep the "
                           "traffic anew.",
                           path));
  bool in_trial = false;
  std::set<std::uint64_t> used;
  for (const TrafficStep& step : steps_) {
    trials_ += step.kind == StepKind::begin_trial && step.numbers[0] == 1;
    in_trial = step.kind == StepKind::begin_trial || (in_trial && step.kind != StepKind::end_trial);
    if (in_trial && is_of_mailbox(step.kind)) used.insert(step.numbers[0]);
  }
  used_ = std::move(used);
}

// Each message between two ranks has a receiver that expects its length, and ranks agree on who exchanges with whom.
void Replay::check_messages(const std::string& path) {
  struct Letter {
    std::uint64_t tag, bytes;
    auto operator<=>(const Letter&) const = default;
  };
  const auto p = static_cast<std::size_t>(world_.size());
  std::vector<std::vector<Letter>> sent(p), expected(p);
  bool good = true;
  for (const TrafficStep& step : steps_) {
    const auto peer = static_cast<std::size_t>(step.numbers[0]);
    if (step.kind == StepKind::send && step.numbers[2] > 0) sent[peer].push_back({step.numbers[1], step.numbers[2]});
    if (step.kind == StepKind::receive && step.numbers[2] > 0)
      expected[peer].push_back({step.numbers[1], step.numbers[2]});
    if (step.kind != StepKind::open_alltoallv) continue;
    const std::vector<Edge> items_to(step.list.begin(), step.list.begin() + static_cast<std::ptrdiff_t>(p));
    const std::vector<Edge> items_from(step.list.begin() + static_cast<std::ptrdiff_t>(p), step.list.end());
    good = world_.exchange_lengths(items_to) == items_from && good;
  }
  std::vector<std::vector<Letter>> came = world_.exchange(std::move(sent));
  for (std::size_t r = 0; r < p; ++r) {
    std::sort(came[r].begin(), came[r].end());
    std::sort(expected[r].begin(), expected[r].end());
    good = good && came[r] == expected[r];
  }
  world_.agree(good,
               fmt::format("{}: rank {} does not receive what others send to it (it is damaged). Keep the traffic "
                           "anew.",
                           path, world_.rank()));
}

void Replay::plan_lengths() {
  for (std::size_t k = 0; k < steps_.size(); ++k)
    if (steps_[k].kind == StepKind::exchange_bytes)
      incoming_[k] = world_.exchange_lengths({steps_[k].list.begin(), steps_[k].list.end()});
}

// On a route that gathers, one record tells all ranks of a domain that a value is for: in the run these are the mirrors of
// a vertex, here the ranks that any drain sent the value to.
void Replay::make_domains() {
  if (!world_.route().gathers_by_domain() || world_.plan().lane_bytes == 0 || !world_.savings().merging) return;
  const auto p = static_cast<std::size_t>(world_.size());
  for (const TrafficStep& opened : steps_) {
    const std::uint64_t number = opened.numbers[0];
    if (opened.kind != StepKind::open_mailbox || !used_.contains(number) ||
        mailbox_of(opened).joins != KeptMailbox::Joins::multicasting)
      continue;
    std::vector<std::vector<Local>> values(p);
    for (const TrafficStep& step : steps_)
      if (step.kind == StepKind::drain && step.numbers[0] == number)
        for (std::size_t i = 0; i < step.to.size(); ++i)
          values[static_cast<std::size_t>(step.to[i])].push_back(static_cast<Local>(step.keys[i]));
    std::vector<HaloRows> known;
    for (std::vector<Local>& list : values) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      known.push_back(HaloRows::listed(std::move(list)));
    }
    domains_[number] = std::make_unique<DomainMirrors>(world_, world_.hops(world_.route().name()).route(), known,
                                                       std::vector<Edge>(p, 0));
  }
}

bool Replay::next() {
  while (at_ < steps_.size()) {
    const TrafficStep& step = steps_[at_];
    if (step.kind != StepKind::begin_trial) {
      open(step);
      ++at_;
    } else if (step.numbers[0] == 1) {
      return true;
    } else {
      run();
    }
  }
  return false;
}

void Replay::run() {
  for (++at_; steps_[at_].kind != StepKind::end_trial; ++at_) take(at_);
  if (options_.computation > 0) world_.compute(options_.computation * steps_[at_].seconds);
  ++at_;
}

void Replay::open(const TrafficStep& step) {
  const std::uint64_t number = step.numbers[0];
  if (step.kind == StepKind::open_mailbox && used_.contains(number)) {
    const auto domains = domains_.find(number);
    mailboxes_[number] =
        open_replayed(world_, mailbox_of(step), domains == domains_.end() ? nullptr : domains->second.get());
  } else if (step.kind == StepKind::close_mailbox) {
    mailboxes_.erase(number);
  } else if (step.kind == StepKind::open_alltoallv) {
    // Slots here may be shorter than in the run.
    constexpr std::size_t kAnyLength = std::size_t{1} << 40;
    const std::size_t capacity =
        std::min(static_cast<std::size_t>(step.numbers[1]), NeighborAlltoallv::capacity_for(world_, kAnyLength));
    const auto half = step.list.begin() + static_cast<std::ptrdiff_t>(world_.size());
    const std::vector<std::size_t> to(step.list.begin(), half), from(half, step.list.end());
    alltoallvs_[number] = std::unique_ptr<Alltoallv>(new Alltoallv{{world_, capacity, to, from}, capacity, to});
  } else if (step.kind == StepKind::close_alltoallv) {
    alltoallvs_.erase(number);
  }
}

void Replay::take(std::size_t number) {
  const TrafficStep& step = steps_[number];
  if (options_.computation > 0) world_.compute(options_.computation * step.seconds);
  const auto bytes = static_cast<std::size_t>(step.numbers[0]);
  const auto peer = static_cast<Rank>(step.numbers[0]);
  const auto resize = [](std::vector<std::byte>& memory, std::size_t n) {
    if (memory.size() < n) memory.resize(n);
    return std::span(memory).first(n);
  };
  switch (step.kind) {
    case StepKind::expect:
      mailboxes_.at(step.numbers[0])->expect(exchange_of(step));
      break;
    case StepKind::expect_between: {
      Exchange least{.records = number_in(step.numbers[1]),
                     .keys = number_in(step.numbers[3]),
                     .agrees_apart = step.numbers[4] != 0};
      Exchange most = least;
      most.records = number_in(step.numbers[2]);
      mailboxes_.at(step.numbers[0])->expect_between(least, most);
      break;
    }
    case StepKind::note_outcome:
      mailboxes_.at(step.numbers[0])->note_outcome();
      break;
    case StepKind::drain:
      mailboxes_.at(step.numbers[0])->drain(step);
      break;
    case StepKind::fold:
      world_.imitate_fold(bytes);
      break;
    case StepKind::all_gather:
      world_.imitate_all_gather(bytes);
      break;
    case StepKind::all_gather_varying:
      world_.all_gather_varying(std::span<const std::byte>(resize(outgoing_bytes_, bytes)));
      break;
    case StepKind::broadcast:
      world_.broadcast(resize(incoming_bytes_, bytes), static_cast<Rank>(step.numbers[1]));
      break;
    case StepKind::exchange_bytes:
      exchange_bytes(number);
      break;
    case StepKind::exchange_lengths:
      world_.exchange_lengths(std::vector<Edge>(static_cast<std::size_t>(world_.size())));
      break;
    case StepKind::send:
      world_.send(peer, replayed_tag(step.numbers[1]),
                  resize(outgoing_bytes_, static_cast<std::size_t>(step.numbers[2])));
      break;
    case StepKind::receive:
      world_.receive(peer, replayed_tag(step.numbers[1]),
                     resize(incoming_bytes_, static_cast<std::size_t>(step.numbers[2])));
      break;
    case StepKind::alltoallv:
      exchange_parts(step);
      break;
    default:
      open(step);
  }
}

void Replay::exchange_bytes(std::size_t number) {
  const std::vector<std::uint64_t>& to = steps_[number].list;
  const std::vector<Edge>& from = incoming_.at(number);
  const std::uint64_t longest = *std::max_element(to.begin(), to.end());
  if (outgoing_bytes_.size() < longest) outgoing_bytes_.resize(static_cast<std::size_t>(longest));
  const auto all = static_cast<std::size_t>(std::accumulate(from.begin(), from.end(), Edge{0}));
  if (incoming_bytes_.size() < all) incoming_bytes_.resize(all);
  std::vector<std::span<const std::byte>> outgoing;
  std::vector<std::span<std::byte>> incoming;
  std::size_t at = 0;
  for (std::size_t r = 0; r < to.size(); ++r) {
    outgoing.push_back(std::span<const std::byte>(outgoing_bytes_).first(static_cast<std::size_t>(to[r])));
    incoming.push_back(std::span(incoming_bytes_).subspan(at, static_cast<std::size_t>(from[r])));
    at += static_cast<std::size_t>(from[r]);
  }
  world_.exchange_bytes(outgoing, incoming);
}

// The thread that takes a peer's last item writes all parts for it, each into a part of its own.
void Replay::exchange_parts(const TrafficStep& step) {
  Alltoallv& alltoallv = *alltoallvs_.at(step.numbers[0]);
  std::vector<std::vector<std::size_t>> parts(alltoallv.items_to.size());
  for (std::size_t k = 0; k < step.list.size(); k += 2)
    parts[static_cast<std::size_t>(step.list[k])].push_back(static_cast<std::size_t>(step.list[k + 1]));
  alltoallv.exchange.exchange(
      [&](int, NeighborAlltoallv::Writer& writer, Rank to, std::size_t item) {
        const auto peer = static_cast<std::size_t>(to);
        if (item + 1 < alltoallv.items_to[peer]) return;
        for (std::size_t left : parts[peer]) do {
            const std::size_t some = std::min(left, alltoallv.capacity);
            writer.reserve(alltoallv.capacity);
            writer.commit(some);
            left -= some;
          } while (left > 0);
      },
      [](Rank, std::span<const std::byte>) {});
}

}  // namespace atl
