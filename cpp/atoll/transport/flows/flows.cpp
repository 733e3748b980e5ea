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
    lookahead_ = std::min(lookahead_, 2 * network_->least_latency_s());  // a route has at least the links of two hosts
  } else {
    for (int l = 0; l < depth(); ++l)
      for (int link = 0; link < 2 * links_at(l); ++link) {
        const std::size_t id = zone_->add_link(cost(l).bytes_per_second);
        if (link == 0) first_link_.push_back(id);
      }
  }
  zone_->seal();
  queues_.resize(static_cast<std::size_t>(ranks() * depth()));
  for (SendQueue& queue : queues_) queue.clock = this;
}

void Flows::run(const std::function<void(Rank)>& f) {
  for (Rank r = 0; r < ranks(); ++r) {
    start(r);
    ++running_;
    actors_.push_back(s4u::Actor::create("rank " + std::to_string(r), hosts_[r], [this, r, &f] {
      suspend(r);  // until its first run
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
  actors_[rank]->resume();
}

// Called after each possible new event, before time can advance.
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
  // SimGrid's sums may fall short of the requested time in the last digit.
  time_ = std::max({time_, engine_time(), std::exchange(timer_at_, kNever)});
  if (running_ == 0 && nothing_ahead()) break_off();
  while (has_events() && next_time() <= time_) step();
  set_timer();
}

// ---- messages -------------------------------------------------------------------------------------------------------

void Flows::carry(std::uint32_t block) {
  Message& m = message(block);
  m.next = kNoBlock;
  SendQueue& queue = queues_[m.from * depth() + m.level];
  if (queue.first != kNoBlock) {
    message(queue.last).next = block;
    queue.last = block;
    return;
  }
  queue.first = queue.last = block;
  start_first(queue);
}

double Flows::route(const Message& m) {
  if (network_) return network_->route(place_of(m.from), place_of(m.to), route_);
  route_.clear();
  for_links(m, [&](int level, int direction, int number) {
    route_.push_back(first_link_[level] + 2 * static_cast<std::size_t>(number) + static_cast<std::size_t>(direction));
  });
  return cost(m.level).latency_s;
}

void Flows::start_first(SendQueue& queue) {
  while (queue.first != kNoBlock) {
    const Message& m = message(queue.first);
    if (m.timing == SimulatedTiming::coarse) {  // as if no other message used the links of its level
      queue.latency_s = cost(m.level).latency_s;
      queue.free_at = std::max(time_, queue.free_at) + static_cast<double>(m.travel) / cost(m.level).bytes_per_second;
      pass_first(queue);
      continue;
    }
    queue.latency_s = route(m);
    if (m.bytes > 0) {
      ++flows_;
      queue.comm = zone_->send(hosts_[m.from], hosts_[m.to], m.travel, route_, &queue);
      return;
    }
    pass_first(queue);  // no bytes, so no contention
  }
}

// The bytes of the queue's first message have left, or will at free_at.
void Flows::pass_first(SendQueue& queue) {
  const std::uint32_t block = queue.first;
  queue.first = message(block).next;
  queue.arrived = std::max(queue.arrived, std::max(time_, queue.free_at) + queue.latency_s);
  arrive(block, queue.arrived);
}

void Flows::on_completion(const s4u::Comm& comm) {
  auto* queue = comm.get_data<SendQueue>();
  queue->clock->end_first(*queue);
}

void Flows::end_first(SendQueue& queue) {
  time_ = std::max(time_, engine_time());
  --flows_;
  just_ended_ = std::move(queue.comm);
  pass_first(queue);
  start_first(queue);
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
