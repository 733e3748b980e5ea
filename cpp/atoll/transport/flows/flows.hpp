// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/flows/network_links.hpp>
#include <atoll/transport/flows/route_zone.hpp>
#include <atoll/transport/simulation/event_clock.hpp>
#include <optional>
#include <simgrid/kernel/Timer.hpp>

/// The model is described in flows_plugin.hpp. Ranks are SimGrid's actors, each on a host; messages are its Comms
/// between hosts, started by a timer at their time of departure. There is one such timer at a time, set to our earliest
/// event.
namespace atl::flows {

class Flows final : public EventClock {
 public:
  explicit Flows(ClockOptions options);

  std::string_view name() const override { return "flows"; }
  void run(const std::function<void(Rank)>& f) override;

 private:
  // The queue of messages from one rank to one level: the first is a flow, the others wait for it. That preserves their
  // order and limits the number of simultaneous flows to that of a network card, not to the number of a rank's peers.
  struct SendQueue {
    Flows* clock = nullptr;
    std::uint32_t first = kNoBlock, last = kNoBlock;
    double latency_s = 0;  // of the first
    double free_at = 0;    // when coarsely timed messages have left
    double arrived = 0;    // the latest arrival: a queue keeps its order
    simgrid::s4u::CommPtr comm;
  };

  static void on_completion(const simgrid::s4u::Comm& comm);

  void carry(std::uint32_t block) override;
  void suspend(Rank rank) override;
  void resume(Rank rank) override;
  double earliest_under_way() const override { return flows_ > 0 ? time_ : kNever; }

  double route(const Message& m);
  void start_first(SendQueue& queue);
  void end_first(SendQueue& queue);
  void pass_first(SendQueue& queue);
  void set_timer();
  void on_timer();
  double engine_time() const { return simgrid::s4u::Engine::get_clock() - begin_; }

  simgrid::s4u::Engine& engine_;
  const double begin_;  // SimGrid's time when this clock began
  RouteZone::Owner zone_;
  std::optional<NetworkLinks> network_;  // otherwise the links of levels:
  std::vector<std::size_t>
      first_link_;  // [level]: id of link 0 outwards; inwards follows outwards, then comes the next number
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::ActorPtr> actors_;
  std::vector<SendQueue> queues_;     // [rank * depth + level]
  std::vector<std::size_t> route_;    // of the flow being started
  simgrid::s4u::CommPtr just_ended_;  // a Comm must outlive its completion callback
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  double timer_at_ = kNever;
  double time_ = 0;   // all events before it were processed
  int flows_ = 0;     // in flight
  Rank running_ = 0;  // actors that are not suspended
};

}  // namespace atl::flows
