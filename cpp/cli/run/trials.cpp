// SPDX-License-Identifier: Apache-2.0
#include "trials.hpp"

#include <algorithm>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <atoll/transport/plugin.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/command.hpp"
#include "cli/measure.hpp"

namespace atl::cli {

void Trials::begin() {
  world_.fabric().set_timing(SimulatedTiming::detailed);
  world_.barrier();
  before_ = world_.counters();
  waited_ = world_.thread_state().counters.wait_seconds;
  if (TrafficLog* traffic = world_.traffic()) traffic->begin_trial();
}

double Trials::end(double mine) {
  if (TrafficLog* traffic = world_.traffic()) traffic->end_trial();
  const double waited = world_.thread_state().counters.wait_seconds - waited_;
  world_.fabric().set_timing(SimulatedTiming::coarse);
  spent_ += world_.counters().since(before_);
  seconds_.push_back(world_.max(mine));
  computation_.push_back(world_.max(std::max(0.0, mine - waited)));
  return seconds_.back();
}

std::vector<double> Trials::sorted() const {
  std::vector<double> out = seconds_;
  std::sort(out.begin(), out.end());
  return out;
}

void Trials::report(nlohmann::json& seconds, nlohmann::json& counters) const {
  seconds["run"] = median(seconds_);
  seconds["mean"] = std::accumulate(seconds_.begin(), seconds_.end(), 0.0) / static_cast<double>(seconds_.size());
  seconds["trials"] = seconds_;
  seconds["computation"] = computation_;
  seconds["non_overlapped_communication"] = world_.max(spent_.wait_seconds);
  if (const auto* mpi = dynamic_cast<MpiFabric*>(&world_.fabric().network()); mpi && mpi->name() == "mpi_rma")
    seconds["windows"] = world_.max(mpi->window_seconds());
  counters = total_counters(world_, spent_);
}

}  // namespace atl::cli
