// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/flows/network_links.hpp>
#include <atoll/transport/flows/route_zone.hpp>
#include <atoll/transport/simulation/event_clock.hpp>
#include <optional>
#include <simgrid/kernel/Timer.hpp>

/// flows_plugin.hpp says the model. Ranks are SimGrid's actors, each on a host; messages are its Comms between hosts,
/// started by a timer at their time of departure. Of such timers there is one at a time: at the first of our events.
namespace atl::flows {

class Flows final : public EventClock {
 public:
  explicit Flows(ClockOptions options);

  std::string_view name() const override { return "flows"; }
  void run(const std::function<void(Rank)>& f) override;

 private:
  // The messages of one rank to one level: the first is a flow, the others wait for it. That keeps their order, and as
  // many flows at a time as a network card has, not as a rank has peers.
  struct Lane {
    Flows* clock = nullptr;
    std::uint32_t first = kNoBlock, last = kNoBlock;
    double latency_s = 0;  // of the first
    double free_at = 0;    // what is not simulated closely has left until then
    double arrived = 0;    // the latest arrival: a lane keeps its order
    simgrid::s4u::CommPtr comm;
  };

  static void on_completion(const simgrid::s4u::Comm& comm);

  void carry(std::uint32_t block) override;
  void suspend(Rank rank) override;
  void resume(Rank rank) override;
  double earliest_under_way() const override { return flows_ > 0 ? time_ : kNever; }

  double route(const Message& m);
  void start_first(Lane& lane);
  void end_first(Lane& lane);
  void pass_first(Lane& lane);
  void set_timer();
  void on_timer();
  double engine_time() const { return simgrid::s4u::Engine::get_clock() - begin_; }

  simgrid::s4u::Engine& engine_;
  const double begin_;  // SimGrid's time when this clock began
  RouteZone::Owner zone_;
  std::optional<NetworkLinks> network_;  // else links as of levels:
  std::vector<std::size_t> first_link_;  // [level]: of number 0 out; in follows out, then the next number
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::ActorPtr> actors_;
  std::vector<Lane> lanes_;           // [rank * depth + level]
  std::vector<std::size_t> route_;    // of the flow that is being started
  simgrid::s4u::CommPtr just_ended_;  // a Comm is still at work while it tells of its end
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  double timer_at_ = kNever;
  double time_ = 0;   // all before it has happened
  int flows_ = 0;     // under way
  Rank running_ = 0;  // actors that are not suspended
};

}  // namespace atl::flows
