// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/s4u.hpp>

namespace atl::flows {

/// SimGrid's one engine of this process, with the settings that make a flow cost what our model says; begun at the
/// first call. `on_completion` is called with each of our Comms that has ended, of all clocks. Throws TransportError if
/// a simulation that is not ours is there, or a clock of ours runs.
simgrid::s4u::Engine& simgrid_engine(void (*on_completion)(const simgrid::s4u::Comm& comm));

}  // namespace atl::flows
