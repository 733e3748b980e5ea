// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/aggregation/packet_dispatcher.hpp>
#include <atoll/runtime/record_charges.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <atoll/runtime/world.hpp>
#include <map>

namespace atl {

/// The parts of a World that its callers reach through its functions alone. For the sources of World.
struct World::Internals {
  Internals(World& world, RouteModel route_model)
      : model(std::move(route_model)), charges(world), dispatcher(world, world.fabric()), flow(world) {}

  std::unique_ptr<TrafficLog> traffic;  // outlives what the World shares, which writes to it
  const RouteModel model;
  const RecordCharges charges;
  std::vector<std::unique_ptr<const Route>> routes;  // the first is route(), the others were made by hops()
  PacketDispatcher dispatcher;
  FlowControl flow;
  std::vector<std::unique_ptr<const HopList>> made_hops;
  std::map<std::string, const HopList*, std::less<>> hops;  // by route name, the latest
  std::vector<std::int64_t> weights;                        // [rank] prefer_monitors()
  std::map<std::type_index, std::shared_ptr<void>> shared;
  bool closed = false;
  struct Refusals {
    SpinLock lock;
    std::uint64_t moved = 0;
    double since = -1, checked = 0;
    bool reported = false;
  } refusals;
};

}  // namespace atl
