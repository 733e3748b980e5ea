// SPDX-License-Identifier: Apache-2.0
#include <simgrid/forward.h>  // version.h needs it
#include <simgrid/version.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/transport/exceptions_under_way.hpp>
#include <atoll/transport/flows/flows.hpp>
#include <atoll/transport/flows/simgrid_engine.hpp>
#include <atoll/transport/flows_plugin.hpp>

namespace atl::flows {

namespace s4u = simgrid::s4u;

Flows::Flows(ClockOptions given)
    : EventClock(std::move(given)),
      engine_(simgrid_engine(&Flows::on_completion)),
      begin_(s4u::Engine::get_clock()),
      zone_(RouteZone::make(engine_)) {
  for (Rank r = 0; r < ranks(); ++r) hosts_.push_back(zone_->add_host());
  if (options().network) {
    network_.emplace(*options().network, *zone_);
    lookahead_ = std::min(lookahead_, 2 * network_->least_latency_s());  // a route has two hosts' links at least
  } else {
    for (int l = 0; l < depth(); ++l)
      for (int link = 0; link < 2 * links_at(l); ++link) {
        const std::size_t id = zone_->add_link(cost(l).bytes_per_second);
        if (link == 0) first_link_.push_back(id);
      }
  }
  zone_->seal();
  lanes_.resize(static_cast<std::size_t>(ranks() * depth()));
  for (Lane& lane : lanes_) lane.clock = this;
}

void Flows::run(const std::function<void(Rank)>& f) {
  for (Rank r = 0; r < ranks(); ++r) {
    start(r);
    ++running_;
    actors_.push_back(
        s4u::Actor::create("rank " + std::to_string(r), hosts_[static_cast<std::size_t>(r)], [this, r, &f] {
          suspend(r);  // until its first turn
          live(r, f);
          --running_;
          set_timer();
        }));
  }
  engine_.run();
  rethrow_first_error();
}

void Flows::suspend(Rank) {
  --running_;
  set_timer();
  ExceptionsUnderWay exceptions;
  exceptions.swap();
  s4u::this_actor::suspend();
  exceptions.swap();
}

void Flows::resume(Rank rank) {
  ++running_;
  actors_[static_cast<std::size_t>(rank)]->resume();
}

// Called by whoever may have added an event, before time can pass.
void Flows::set_timer() {
  const bool stuck = running_ == 0 && nothing_ahead();
  const double at = all_ended() ? kNever : stuck ? time_ : has_events() ? next_time() : kNever;
  if (at == timer_at_) return;
  if (timer_) timer_->remove();
  timer_ = nullptr;
  timer_at_ = at;
  if (at == kNever) return;
  timer_ = simgrid::kernel::timer::Timer::set(std::max(begin_ + at, s4u::Engine::get_clock()), [this] { on_timer(); });
}

void Flows::on_timer() {
  timer_ = nullptr;
  // SimGrid's sums may be a last digit short of what was asked for.
  time_ = std::max({time_, engine_time(), std::exchange(timer_at_, kNever)});
  if (running_ == 0 && nothing_ahead()) break_off();
  while (has_events() && next_time() <= time_) step();
  set_timer();
}

// ---- messages -------------------------------------------------------------------------------------------------------

void Flows::carry(std::uint32_t block) {
  Message& m = message(block);
  m.next = kNoBlock;
  Lane& lane = lanes_[static_cast<std::size_t>(m.from * depth() + m.level)];
  if (lane.first != kNoBlock) {
    message(lane.last).next = block;
    lane.last = block;
    return;
  }
  lane.first = lane.last = block;
  start_first(lane);
}

double Flows::route(const Message& m) {
  if (network_) return network_->route(m.from, m.to, route_);
  route_.clear();
  for_links(m, [&](int level, int direction, int number) {
    route_.push_back(first_link_[static_cast<std::size_t>(level)] + 2 * static_cast<std::size_t>(number) +
                     static_cast<std::size_t>(direction));
  });
  return cost(m.level).latency_s;
}

void Flows::start_first(Lane& lane) {
  while (lane.first != kNoBlock) {
    const Message& m = message(lane.first);
    if (!m.closely) {  // as if it had the links of its level for itself
      lane.latency_s = cost(m.level).latency_s;
      lane.free_at = std::max(time_, lane.free_at) + static_cast<double>(m.travel) / cost(m.level).bytes_per_second;
      pass_first(lane);
      continue;
    }
    lane.latency_s = route(m);
    if (m.bytes > 0) {
      ++flows_;
      lane.comm = zone_->send(hosts_[static_cast<std::size_t>(m.from)], hosts_[static_cast<std::size_t>(m.to)],
                              m.travel, route_, &lane);
      return;
    }
    pass_first(lane);  // nothing that could meet anything
  }
}

// The bytes of the lane's first message have left, or will at free_at.
void Flows::pass_first(Lane& lane) {
  const std::uint32_t block = lane.first;
  lane.first = message(block).next;
  lane.arrived = std::max(lane.arrived, std::max(time_, lane.free_at) + lane.latency_s);
  arrive(block, lane.arrived);
}

void Flows::on_completion(const s4u::Comm& comm) {
  auto* lane = comm.get_data<Lane>();
  lane->clock->end_first(*lane);
}

void Flows::end_first(Lane& lane) {
  time_ = std::max(time_, engine_time());
  --flows_;
  just_ended_ = std::move(lane.comm);
  pass_first(lane);
  start_first(lane);
  set_timer();
}

namespace {

std::string library() { return fmt::format("SimGrid {}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

std::unique_ptr<VirtualClock> make(ClockOptions options) { return std::make_unique<Flows>(std::move(options)); }

}  // namespace
}  // namespace atl::flows

extern "C" __attribute__((visibility("default"))) const atl::FlowsPlugin* atoll_flows_plugin() {
  static const atl::FlowsPlugin plugin{atl::kPluginAbi, atl::flows::library, atl::flows::make};
  return &plugin;
}
